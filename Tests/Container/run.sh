#!/usr/bin/env bash
# The checks of an image that is mounted; check.sh starts this in name spaces of its own, and removes WORK after they
# are gone: nothing is deleted here, where mounts lie below it.
# Usage: run.sh ROOT CONFIG ARTICLE WORK NAMESPACE
set -euo pipefail

[ "$(readlink /proc/self/ns/mnt)" != "${5:?}" ] || { echo "run.sh mounts things: start check.sh instead" >&2; exit 69; }
image=$1 article=$3 work=$4
# shellcheck source=/dev/null
source "$2"
export TMPDIR=$work
unset MOCK_APNS_OPTIONS MOCK_APNS_ADMIN_URL

said() { for file in "$work"/out "$work"/err; do [ ! -s "$file" ] || sed 's/^/    /' "$file" >&2; done; }
fail() { echo "FAILED: $1" >&2; said; exit 1; }
checked=0
# expect WHAT SEEN WANTED
expect() {
    [ "$2" = "$3" ] || fail "$1: \"$2\" instead of \"$3\""
    checked=$((checked + 1))
}
# holds WHAT COMMAND...
holds() {
    local what=$1
    shift
    "$@" || fail "$what"
    checked=$((checked + 1))
}
contains() { [[ $1 == *"$2"* ]]; }

# Another machine's view: an address that is not the loopback's, and the name by which a container is called.
ip link set lo up
ip address add 10.21.97.1/32 dev lo
ip address add fd21:97::1/128 dev lo
{ cat /etc/hosts; echo '10.21.97.1 mock-apns'; } >"$work/hosts"
mount --bind "$work/hosts" /etc/hosts

# As `docker run --read-only --tmpfs /tmp`.
mkdir "$work/root"
mount --bind -o ro "$image" "$work/root"
mount -o remount,bind,ro "$work/root"
root=$work/root
# Devices of its own; the machine's are never mounted here.
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null:3 zero:5 full:7 random:8 urandom:9; do
    mknod -m 666 "$root/dev/${device%:*}" c 1 "${device#*:}"
done
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"

# volume FOLDER: what is mounted at /certs from now on.
volume() {
    while mountpoint -q "$root/certs"; do umount "$root/certs"; done
    mount --bind "$1" "$root/certs"
}
# A named or anonymous volume begins as a copy of the image's folder, with its owner and mode.
new_volume() {
    while mountpoint -q "$root/certs"; do umount "$root/certs"; done
    mkdir "$1"
    cp -a "$image/certs/." "$1"
    chown --reference="$image/certs" "$1"
    chmod --reference="$image/certs" "$1"
    volume "$1"
}

# An engine's part: a process table of its own, beginning with process 1, and the image's user, folder and environment.
as=$user extra=()
# sets started: what runs COMMAND... inside.
inside() {
    # shellcheck disable=SC2016
    started=(unshare --mount --pid --fork --kill-child bash -c
        'mount -t proc proc "$0/proc" && exec chroot --userspec="$1" "$0" /usr/bin/env -i --chdir="${@:2}"'
        "$root" "$as" "$folder" "${variables[@]}" "${extra[@]}" "$@")
}
# within COMMAND...: runs it, as `docker exec` without an entry point.
within() { inside "$@" && "${started[@]}"; }
# run ARGUMENT...: what `docker run IMAGE ARGUMENT...` does; sets code.
run() {
    if [ $# = 0 ]; then set -- "${arguments[@]}"; fi
    code=0
    within "${entrypoint[@]}" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
}
healthy() {
    code=0
    within "${health[@]:1}" >"$work/out" 2>"$work/err.health" || code=$?
}

# start ARGUMENT...: a server; waits for the ready line.
server=''
start() {
    if [ $# = 0 ]; then set -- "${arguments[@]}"; fi
    : >"$work/err"
    [ -p "$work/ready" ] || mkfifo "$work/ready"
    inside "${entrypoint[@]}" "$@"
    "${started[@]}" >"$work/ready" 2>"$work/err" </dev/null &
    server=$!
    exec 3<"$work/ready"
    read -r -t 30 line <&3 || fail "no ready line"
    holds "the ready line" contains "$line" '"event":"ready"'
    first=$(cat "/proc/$server/task/$server/children")
    first=${first%% *}
}
# stop: as `docker stop`; process 1 gets the image's signal.
stop() {
    local code=0
    kill -s "${stop#SIG}" "$first"
    wait "$server" || code=$?
    exec 3<&-
    expect "exit code after $stop" $code 0
}
status() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$first/status"; }

token=00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0
# push OPTION...: the status and protocol of one push to the address of the variables.
push() {
    curl -sS --max-time 20 -o "$work/answer" -w '%{http_code} %{http_version}' --http2 --cacert "$MOCK_APNS_CA" "$@" \
        -H "apns-topic: $MOCK_APNS_TOPIC" -H 'apns-push-type: alert' -d '{"aps":{"alert":"Hello"}}' \
        "$MOCK_APNS_URL/3/device/$token"
}
identity() {
    curl -fsS --max-time 20 "http://$1:2198/api/v1/identity?format=shell" -o "$work/identity" || return 1
    # shellcheck source=/dev/null
    . "$work/identity"
}

echo 'settings of the image'
holds "not root ($user)" [ "${user%%:*}" -gt 0 ]
expect 'ports' "$ports" '2197/tcp 2198/tcp '
expect 'volumes' "$volumes" '/certs '
expect 'stop signal' "$stop" SIGTERM
expect 'health check' "${health[*]}" 'CMD mock-apns ready'
for name in title description version revision; do
    holds "label $name" contains " $labels" " org.opencontainers.image.$name "
done
expect 'Swift, curl and compilers' \
    "$(find "$image/usr/bin" "$image/usr/local/bin" \( -name 'swift*' -o -name curl -o -name 'gcc*' \) | wc -l)" 0
missing=$(within /usr/bin/ldd /usr/local/bin/mock-apns | grep 'not found' || true)
expect 'missing libraries' "$missing" ''

echo 'a server with a fresh volume, seen from outside'
new_volume "$work/fresh"
healthy
expect 'health before the start' $code 1
start
healthy
expect 'health of a server' $code 0
holds "its process is ${user%%:*}" [ "$(status Uid)" = "${user%%:*}" ]
expect 'it is process 1' "$(awk '$1 == "NSpid:" { print $NF }' "/proc/$first/status")" 1
holds 'the ready line names the volume' contains "$line" '"certificateAuthority":"/certs/ca.pem"'
expect "owner and mode of a key" "$(stat -c '%u %a' "$work/fresh/ca.key")" "${user%%:*} 600"
holds 'a curl line in the banner' grep -q '^ *curl ' "$work/err"
identity mock-apns
expect 'the address that a neighbour gets' "$MOCK_APNS_URL $MOCK_APNS_ADMIN_URL" 'https://mock-apns:2197 http://mock-apns:2198'
expect 'a push by certificate' "$(push --cert "$MOCK_APNS_CLIENT_CERT" --key "$MOCK_APNS_CLIENT_KEY")" '200 2'
# As `docker exec CONTAINER mock-apns token`.
expect 'a push by token' "$(push -H "authorization: bearer $(within mock-apns token)")" '200 2'
expect 'a push without credentials' "$(push)" '403 2'
expect 'what the log has' "$(curl -sS "$MOCK_APNS_ADMIN_URL/api/v1/requests?status=200" | grep -o '"total":[0-9]*')" '"total":2'
expect 'the lines of the banner' "$(cd "$work" && bash -euc "$(sed -n '/identity?format=shell/,$p' "$work/err")" 2>"$work/out")" 200

echo 'the lines of the article'
# Each has a line with curl and one that reads what it wrote.
scripts=$(sed -nE "/^ *(- )?curl -fsS 'http:[^']*:2198\/api\/v1\/identity/{N;s/^ *(- )?//;s/\n *(- )?/; /;p}" "$article")
holds 'they are there' [ "$(wc -l <<<"$scripts")" -ge 3 ]
while read -r fetch; do
    name=$(grep -oE '//[^:]+' <<<"$fetch")
    expect "$fetch" "$(cd "$work" && bash -euc "$fetch
        echo \$MOCK_APNS_URL
        curl -sS -o /dev/null -w '%{http_code}' --http2 --cert \$MOCK_APNS_CLIENT_CERT --key \$MOCK_APNS_CLIENT_KEY \
            -H \"apns-topic: \$MOCK_APNS_TOPIC\" -d '{}' \$MOCK_APNS_URL/3/device/$token")" "https:$name:2197
200"
done <<<"$scripts"

echo 'the end, and the same volume again'
authority=$(sha256sum <"$work/fresh/ca.pem")
stop
healthy
expect 'health after the end' $code 1
start --scenario /scenarios/too-many-requests.json
expect 'the authority is kept' "$(sha256sum <"$work/fresh/ca.pem")" "$authority"
holds 'the scenario is played' contains "$(curl -sS http://mock-apns:2198/api/v1/scenario)" 'TooManyRequests'
stop

echo 'options by variable'
extra=('MOCK_APNS_OPTIONS=--scenario scenarios/tour.json --admin-port 2200')
start
healthy
expect 'health at another port' $code 0
holds 'they come beside those of the image' curl -sSf -o "$work/out" --max-time 20 http://mock-apns:2200/readyz
extra=()
healthy
expect 'health where nothing listens' $code 1
stop
holds 'a warning that anyone may call it' grep -q 'warning: .*MOCK_APNS_ADMIN_TOKEN' "$work/err"
extra=(MOCK_APNS_ADMIN_TOKEN=secret-of-the-container-test)
start
healthy
expect 'health with a token' $code 0
expect 'a call without it' "$(curl -sS -o "$work/out" -w '%{http_code}' http://mock-apns:2198/api/v1/requests)" 401
expect 'a call with it' "$(curl -sS -o "$work/out" -w '%{http_code}' \
    -H 'authorization: Bearer secret-of-the-container-test' http://mock-apns:2198/api/v1/requests)" 200
expect 'warnings' "$(grep -c 'warning:' "$work/err" || true)" 0
stop
extra=(MOCK_APNS_OPTIONS='--host ::')
start
healthy
expect 'health by IPv6' $code 0
expect 'a call by IPv6' "$(curl -sS -o "$work/out" -w '%{http_code}' 'http://[fd21:97::1]:2198/readyz')" 200
extra=()
stop

echo 'other commands'
run --help
expect 'exit code of --help' $code 0
holds 'help of the whole command' grep -q 'SUBCOMMANDS' "$work/out"
cp "$image/scenarios/tour.json" "$work/fresh/mine.json"
run check /certs/mine.json
expect 'exit code of check' $code 0
# shellcheck disable=SC2016
run sh -c 'id -u && mock-apns check $(ls scenarios/*.json | grep -v schema)'
expect 'exit code of a shell that checks all scenarios' $code 0
expect 'user of a shell' "$(head -n 1 "$work/out")" "${user%%:*}"
sed -i 's/"name"/"nmae"/' "$work/fresh/mine.json"
run check /certs/mine.json
expect 'exit code of check with a mistake' $code 65
holds 'and the mistake' grep -q '/certs/mine.json:.*nmae' "$work/err" "$work/out"
run token
expect 'exit code of token' $code 0
holds 'a token' grep -qE '^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$' "$work/out"
# shellcheck disable=SC2016
run exec -- sh -c 'test -r "$MOCK_APNS_KEY" && mock-apns ready --admin "$MOCK_APNS_ADMIN_URL"'
expect 'exit code of exec' $code 0
run chek
expect 'exit code of an unknown command' $code 64

echo 'other volumes and users'
mkdir -m 755 "$work/bound"
chown "${user%%:*}" "$work/bound"
volume "$work/bound"
start
identity mock-apns
expect 'a push with a folder of the host' "$(push --cert "$MOCK_APNS_CLIENT_CERT" --key "$MOCK_APNS_CLIENT_KEY")" '200 2'
holds 'the authority is there' [ -s "$work/bound/ca.pem" ]
stop
mkdir -m 755 "$work/roots"
volume "$work/roots"
run
expect "exit code with a folder of root's" $code 69
holds 'and the reason' grep -qi '/certs/.* cannot be written (permission denied)' "$work/err"
new_volume "$work/other"
as=12345:12345
start
expect 'owner of a key' "$(stat -c %u "$work/other/ca.key")" 12345
stop
as=$user

echo "an authority of one's own"
# As the Pod of the article: an emptyDir of the group that fsGroup names, and two keys of a Secret in it by subPath.
mkdir "$work/secret" "$work/pod"
cp "$work/fresh/ca.pem" "$work/fresh/ca.key" "$work/secret"
chown -R "0:${user##*:}" "$work/secret" "$work/pod"
chmod 440 "$work/secret/ca.pem" "$work/secret/ca.key"
chmod 2777 "$work/pod"
volume "$work/pod"
for file in ca.pem ca.key; do
    : >"$work/pod/$file"
    mount --bind "$work/secret/$file" "$root/certs/$file"
    mount -o remount,bind,ro "$root/certs/$file"
done
start
identity mock-apns
expect 'a push below it' "$(push --cert "$MOCK_APNS_CLIENT_CERT" --key "$MOCK_APNS_CLIENT_KEY")" '200 2'
expect 'the authority that is trusted' "$(sha256sum <"$MOCK_APNS_CA")" "$authority"
stop
expect 'the authority' "$(sha256sum <"$work/secret/ca.pem")" "$authority"
umount "$root/certs/ca.pem" "$root/certs/ca.key"
# All that the volume of before has, and none of it can be changed.
volume "$work/fresh"
mount -o remount,bind,ro "$root/certs"
start
identity mock-apns
expect 'a push with a folder that is read-only' "$(push --cert "$MOCK_APNS_CLIENT_CERT" --key "$MOCK_APNS_CLIENT_KEY")" '200 2'
stop
while mountpoint -q "$root/certs"; do umount "$root/certs"; done
umount "$root/tmp" "$root/dev" "$root"
echo "$checked checks of the image hold"
