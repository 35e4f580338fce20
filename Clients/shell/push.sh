#!/bin/sh
# curl and shell. Run it with: mock-apns exec -- sh push.sh DEVICE-TOKEN...
# CURL_CA_BUNDLE, which exec sets, lets curl trust the server; `mock-apns token` signs the provider token, so mock-apns
# has to be on the PATH, or MOCK_APNS has to say where it is.
token=$("${MOCK_APNS:-mock-apns}" token --certs "$MOCK_APNS_CERTS") || exit
for device in "$@"; do
    curl --silent --http2 --output /dev/null --write-out '%{http_code}\n' -H "authorization: bearer $token" \
        -H "apns-topic: $MOCK_APNS_TOPIC" -H "apns-push-type: alert" -d '{"aps":{"alert":"Hello"}}' \
        "$MOCK_APNS_URL/3/device/$device"
done
