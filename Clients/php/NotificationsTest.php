<?php
// PHP 8.2, with PHPUnit and the extension curl. Run it with: phpunit NotificationsTest.php

use PHPUnit\Framework\TestCase;

final class NotificationsTest extends TestCase
{
    use MockAPNs;

    const ALICE = '00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0';

    const BUSY = [
        'rules' => [['name' => 'busy', 'times' => 2, 'then' => ['reject' => 'TooManyRequests']]],
        'expect' => [['name' => 'tried again until it worked', 'requests' => ['status' => 200], 'count' => 1]],
    ];

    public function testTriesAgainWhenBusy(): void
    {
        $this->withSession(self::BUSY, function (array $apns) {
            $this->push($apns, self::ALICE, 'Goal');
            [$request] = $this->waitForRequests($apns, 1, ['status' => 200]);
            $this->assertSame('alert', $request['pushType']);
            $this->assertSame('Goal', $request['payload']['aps']['alert']);
        });
    }

    /** Your provider; this one shows a client certificate. */
    private function push(array $apns, string $device, string $text): void
    {
        $curl = curl_init("{$apns['apns']}/3/device/$device");
        curl_setopt_array($curl, [
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2TLS,
            CURLOPT_CAINFO_BLOB => $apns['certificateAuthority'],
            CURLOPT_SSLCERT_BLOB => $apns['clientCertificate'],
            CURLOPT_SSLKEY_BLOB => $apns['clientKey'],
            CURLOPT_POSTFIELDS => json_encode(['aps' => ['alert' => $text]]),
            CURLOPT_HTTPHEADER => ["apns-topic: {$apns['topic']}", 'apns-push-type: alert'],
            CURLOPT_RETURNTRANSFER => true,
        ]);
        for ($tries = 0; $tries < 3; $tries++) {
            $this->assertNotFalse(curl_exec($curl), curl_error($curl));
            if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) === 200) {
                return;
            }
        }
    }
}

/** A mock APNs server for each test. */
trait MockAPNs
{
    /** The address of a server for all tests, started unless the variable names one that is running. */
    private static function server(): string
    {
        static $admin = null;
        $admin ??= getenv('MOCK_APNS_ADMIN_URL') ?: null;
        if ($admin === null) {
            $certs = sys_get_temp_dir() . '/mock-apns-' . bin2hex(random_bytes(8));
            $options = ['--exit-with-parent', '--quiet', '--port', '0', '--admin-port', '0', '--certs', $certs];
            $streams = [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']];
            $server = @proc_open(['mock-apns', 'serve', ...$options], $streams, $pipes);
            $ready = $server ? fgets($pipes[1]) : false;
            if ($ready === false) {
                $words = $server ? stream_get_contents($pipes[2]) : '';
                throw new RuntimeException("The command mock-apns is not on the PATH, or did not start. $words");
            }
            $admin = json_decode($ready)->admin;
            register_shutdown_function(function () use ($server, $pipes, $certs) {
                proc_terminate($server);
                fclose($pipes[1]);
                proc_close($server);
                array_map('unlink', array_filter(glob("$certs/{,.}*", GLOB_BRACE), 'is_file'));
                rmdir($certs);
            });
        }
        return $admin;
    }

    /** Runs a test with a session of its own, which has to end as its scenario expects. */
    private function withSession(array $scenario, callable $test): void
    {
        $apns = self::call('POST', self::server() . '/api/v1/sessions', ['scenario' => $scenario]);
        try {
            $test($apns);
        } finally {
            $verdict = self::call('DELETE', $apns['admin']);
            $this->assertTrue($verdict['passed'], $verdict['report']);
        }
    }

    /** Waits until at least so many requests match, and returns them. */
    private function waitForRequests(array $apns, int $count, array $match): array
    {
        $question = ['requests' => (object) $match, 'count' => $count];
        $found = self::call('POST', "{$apns['admin']}/requests/wait", $question)['requests'];
        if (count($found) < $count) {
            $expect = ['requests' => (object) $match, 'count' => ['atLeast' => $count]];
            $this->fail(self::call('POST', "{$apns['admin']}/verify", ['expect' => [$expect]])['report']);
        }
        return $found;
    }

    private static function call(string $method, string $url, ?array $body = null): array
    {
        $curl = curl_init($url);
        curl_setopt_array($curl, [CURLOPT_CUSTOMREQUEST => $method, CURLOPT_RETURNTRANSFER => true]);
        if ($body !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body));
        }
        $text = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($text === false || $status >= 300 && $status !== 408) {
            throw new RuntimeException("$method $url: " . ($text ?: curl_error($curl)));
        }
        return json_decode($text, true);
    }
}
