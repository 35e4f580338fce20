<?php
// PHP, with its extensions curl and openssl. Run it with: mock-apns suite -- php driver.php

const NAMES = ['topic' => 'apns-topic', 'pushType' => 'apns-push-type', 'priority' => 'apns-priority',
    'expiration' => 'apns-expiration', 'collapseID' => 'apns-collapse-id'];

function sign(): string
{
    $encode = fn (string $bytes) => rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    $text = $encode(json_encode(['alg' => 'ES256', 'kid' => getenv('MOCK_APNS_KEY_ID')])) . '.'
        . $encode(json_encode(['iss' => getenv('MOCK_APNS_TEAM_ID'), 'iat' => time()]));
    openssl_sign($text, $signature, file_get_contents(getenv('MOCK_APNS_KEY')), OPENSSL_ALGO_SHA256);
    return "$text.{$encode($signature)}";
}

function connect(): CurlHandle
{
    $curl = curl_init();
    curl_setopt_array($curl, [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2TLS, CURLOPT_RETURNTRANSFER => true,
        CURLOPT_CAINFO => getenv('MOCK_APNS_CA'), CURLOPT_TIMEOUT => 2]);
    return $curl;
}

// The driver.

[$curl, $token, $dropped] = [connect(), sign(), []];
while (($line = fgets(STDIN)) !== false) {
    $push = json_decode($line);
    $result = ['error' => 'the device token was dropped'];
    $identifier = vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex(random_bytes(16)), 4));
    for ($try = 0; $try < 6 && !isset($dropped[$push->token]); $try++) {
        $fields = ['content-type: application/json', "authorization: bearer $token", "apns-id: $identifier"];
        foreach (array_intersect_key(NAMES, (array) $push) as $member => $name) {
            $fields[] = "$name: {$push->$member}";
        }
        curl_setopt_array($curl, [CURLOPT_URL => getenv('MOCK_APNS_URL') . "/3/device/$push->token",
            CURLOPT_HTTPHEADER => $fields,
            CURLOPT_POSTFIELDS => json_encode($push->payload, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES)]);
        $body = curl_exec($curl);
        $status = $body === false ? 0 : curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $reason = json_decode((string) $body)->reason ?? null;
        $result = $status ? ['status' => $status, 'reason' => $reason] : ['error' => curl_error($curl)];
        if ($status === 410 || $reason === 'BadDeviceToken') {
            $dropped[$push->token] = true;
        }
        $pause = 25_000 * 2 ** $try + 1_000_000 * curl_getinfo($curl, CURLINFO_RETRY_AFTER);
        if ($expired = $reason === 'ExpiredProviderToken' && $try < 2) {
            $token = sign();
        }
        if ($worn = $expired || in_array($status, [0, 500]) || $reason === 'TooManyProviderTokenUpdates') {
            $curl = connect();
        }
        if (!$worn && !in_array($status, [429, 503]) && ($reason !== 'InvalidProviderToken' || $try > 1)) {
            break;
        }
        usleep($pause);
    }
    echo json_encode(['id' => $push->id] + $result), "\n";
}
