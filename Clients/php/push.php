<?php
// PHP, with its extensions curl and openssl. Run it with: mock-apns exec -- php push.php DEVICE-TOKEN...
// PHP's curl does not look at the variables, so it is told which authority to trust.

function base64url(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}

function sign(): string
{
    $header = json_encode(['alg' => 'ES256', 'kid' => getenv('MOCK_APNS_KEY_ID')]);
    $claims = json_encode(['iss' => getenv('MOCK_APNS_TEAM_ID'), 'iat' => time()]);
    $message = base64url($header) . '.' . base64url($claims);
    $key = openssl_pkey_get_private(file_get_contents(getenv('MOCK_APNS_KEY')));
    openssl_sign($message, $signature, $key, OPENSSL_ALGO_SHA256); // in DER, which APNs takes too
    return $message . '.' . base64url($signature);
}

$token = sign();
$curl = curl_init();
foreach (array_slice($argv, 1) as $device) {
    curl_setopt_array($curl, [
        CURLOPT_URL => getenv('MOCK_APNS_URL') . "/3/device/$device",
        CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2TLS,
        CURLOPT_CAINFO => getenv('MOCK_APNS_CA'),
        CURLOPT_POSTFIELDS => '{"aps":{"alert":"Hello"}}',
        CURLOPT_HTTPHEADER => [
            "authorization: bearer $token", 'apns-topic: ' . getenv('MOCK_APNS_TOPIC'), 'apns-push-type: alert',
        ],
        CURLOPT_RETURNTRANSFER => true,
    ]);
    if (curl_exec($curl) === false) {
        fwrite(STDERR, curl_error($curl) . "\n");
        exit(1);
    }
    echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), "\n";
}
