#!/bin/sh
# curl and shell; a connection for each push. Run it with: mock-apns suite --skip keepsConnection -- sh driver.sh
sign() { token=$("${MOCK_APNS:-mock-apns}" token --certs "$MOCK_APNS_CERTS"); }

# The value of a member before the payload.
value() {
    case $head in *"\"$1\":"*) found=${head#*\"$1\":} found=${found#\"} && printf %s "${found%%[\",]*}" ;; esac
}

# The driver.

sign
dropped=
while IFS= read -r line; do
    head=${line%%,\"payload\":*} payload=${line#*,\"payload\":} device=
    device=$(value token) result='"error":"the device token was dropped"' number=0
    set -- -H "apns-id: $(uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid)"
    for pair in topic:topic pushType:push-type priority:priority expiration:expiration collapseID:collapse-id; do
        found=$(value "${pair%:*}")
        [ -z "$found" ] || set -- "$@" -H "apns-${pair#*:}: $found"
    done
    for pause in 0.025 0.05 0.1 0.2 0.4 0.8; do
        case $dropped in *" $device "*) break ;; esac
        answer=$(printf %s "${payload%\}}" | curl -s -S --http2 --max-time 2 -H "authorization: bearer $token" "$@" \
            --data-binary @- -w '\n%{http_code} %header{retry-after}' "$MOCK_APNS_URL/3/device/$device" 2>&1) || :
        status=${answer##*
} body=${answer%
*} after=${status#* } status=${status% *} number=$((number + 1))
        reason=$(printf %s "$body" | sed -n 's/.*"reason":"\([A-Za-z]*\)".*/\1/p')
        result="\"status\":$status,\"reason\":\"$reason\""
        case $number.$status.$reason in
            *.000.*) result="\"error\":\"$(printf %s "$body" | tr -d '"\\\n')\"" ;;
            *.410.* | *.BadDeviceToken) dropped="$dropped $device " && break ;;
            [12].*.ExpiredProviderToken) sign ;;
            *.429.* | *.500.* | *.503.* | [12].*.InvalidProviderToken) ;;
            *) break ;;
        esac
        sleep "$pause"
        sleep "${after:-0}"
    done
    printf '{"id":"%s",%s}\n' "$(value id)" "$result"
done
