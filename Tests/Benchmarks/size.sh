#!/usr/bin/env bash
# Size: time to the ready line and resident memory, idle, after many pushes, of many devices, of many connections beside
# nghttpd's, and after these have closed.
set -euo pipefail

usage() {
    cat <<'EOF'
Usage: size.sh [--check]

  --check   exit 1 when a figure misses its target

Variables: MOCK_APNS, the executable (default .build/release/mock-apns); PYTHON (default python3).
Takes about three minutes. Needs Linux, h2load, nghttpd and python3.
Example: Tests/Benchmarks/size.sh --check
EOF
}

root=$(cd "$(dirname "$0")/../.." && pwd)
mock=${MOCK_APNS:-$root/.build/release/mock-apns}
python=${PYTHON:-python3}
check=0
while [ $# -gt 0 ]; do
    case $1 in
        --check) check=1 ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; exit 64 ;;
    esac
    shift
done
command -v h2load >/dev/null || { echo "h2load is missing (Debian: nghttp2-client)" >&2; exit 69; }
command -v nghttpd >/dev/null || { echo "nghttpd is missing (Debian: nghttp2-server)" >&2; exit 69; }
[ -x "$mock" ] || { echo "$mock is missing: swift build -c release" >&2; exit 69; }
[ -r /proc/self/status ] || { echo "/proc/PID/status is missing: memory is read from it" >&2; exit 69; }
# Two descriptors for each of 2000 connections, server and client apart.
[ "$(ulimit -n)" = unlimited ] || [ "$(ulimit -n)" -ge 4096 ] || ulimit -n 4096

work=$(mktemp -d)
server='' client=''
stop() {
    if [ -n "$client" ]; then kill "$client" 2>/dev/null || true; wait "$client" 2>/dev/null || true; fi
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
    server='' client=''
}
trap 'stop; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Sets server, port, authority and the milliseconds from start to ready line.
start() {
    local line='' began ended
    mkfifo "$work/ready"
    began=$(date +%s%N)
    "$mock" serve --port 0 --admin-port 0 --certs "$work/certs" --threads 1 --initial-streams 1000 \
        >"$work/ready" 2>"$work/stderr" </dev/null &
    server=$!
    exec 3<"$work/ready"
    read -r -t 30 line <&3 || { echo "no ready line" >&2; cat "$work/stderr" >&2; exit 69; }
    ended=$(date +%s%N)
    rm "$work/ready"
    milliseconds=$(awk -v n=$((ended - began)) 'BEGIN { printf "%.1f", n / 1e6 }')
    port=${line#*\"apns\":\"https://*:}
    port=${port%%\"*}
    authority=$work/certs/ca.pem
}

# Resident memory in bytes.
resident() { awk '/^VmRSS:/ { printf "%.0f", $2 * 1024 }' "/proc/$server/status"; }

# push CLIENTS REQUESTS [FILE OF URIS]
push() {
    local from=("https://127.0.0.1:$port/3/device/$device")
    [ -z "${3:-}" ] || from=(-i "$3" -B "https://127.0.0.1:$port")
    timeout 300 h2load -n "$2" -c "$1" -m 100 -d "$work/body" -H "authorization: bearer $token" \
        -H "apns-topic: com.example.app" -H "apns-push-type: alert" -H "apns-priority: 10" \
        "${from[@]}" >"$work/h2load.out" 2>&1 || { cat "$work/h2load.out" >&2; exit 1; }
    if ! grep -q "^status codes: $2 2xx, 0 3xx, 0 4xx, 0 5xx" "$work/h2load.out"; then
        grep -E '^(requests|status codes):' "$work/h2load.out" >&2
        exit 1
    fi
}

missed=0
# row WHAT VALUE UNIT TARGET
row() {
    local verdict=
    awk -v v="$2" -v t="$4" 'BEGIN { exit !(v > t) }' && { verdict=missed; missed=1; }
    printf '%-58s %9s %-6s %9s %s\n' "$1" "$2" "$3" "$4" "$verdict"
}
median() { sort -n | awk '{ v[NR] = $1 } END { printf "%.1f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
calculate() { awk "BEGIN { printf \"$1\", $2 }"; }

"$mock" certs --certs "$work/certs" >/dev/null 2>&1
token=$("$mock" token --certs "$work/certs")
device=00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0
printf '{"aps":{"alert":{"title":"Benchmark","body":"A push of one hundred bytes, to the byte."},"badge":1}}' >"$work/body"
printf '%-58s %9s %-6s %9s\n' '' value unit 'at most'

for _ in {1..10}; do
    start
    echo "$milliseconds"
    stop
done >"$work/starts"
row 'From start to the ready line, median of 10' "$(median <"$work/starts")" ms 100

start
sleep 1
idle=$(resident)
row 'Resident memory, idle' "$(calculate %.1f "$idle / 1048576")" MB 40
push 4 500000
half=$(resident)
push 4 1500000
whole=$(resident)
row 'Growth from 500,000 to 2,000,000 pushes' "$(calculate %.1f "($whole - $half) * 100 / $half")" % 5
row 'Memory per record, 100,000 kept' "$(calculate %.0f "($whole - $idle) / 100000")" bytes 600

# A million more pushes, each to another device, against the same server after as many to one.
"$python" - "$work" <<'EOF'
import random, sys
random.seed(1)
for part in range(4):
    with open(f"{sys.argv[1]}/devices{part}", "w") as file:
        for _ in range(250_000):
            file.write(f"https://127.0.0.1/3/device/{random.getrandbits(256):064x}\n")
EOF
for part in 0 1 2 3; do push 1 250000 "$work/devices$part"; done
devices=$(resident)
row 'Memory per device, after a million different ones' "$(calculate %.0f "($devices - $whole) / 1000000")" bytes 250
stop

mkfifo "$work/hold" "$work/opened"
# Opens 2000 connections to the server and holds them; sets idle and connections, its memory before and with them.
hold() {
    sleep 1
    idle=$(resident)
    "$python" "$(dirname "$0")/idle.py" "$port" "$authority" 2000 <"$work/hold" >"$work/opened" &
    client=$!
    exec 4>"$work/hold" 5<"$work/opened"
    local line
    read -r -t 120 line <&5 && [ "$line" = open ] || { echo "2000 connections could not be opened" >&2; exit 1; }
    sleep 1
    connections=$(resident)
}
# Closes them.
release() {
    exec 4>&-
    wait "$client" || { echo "idle connections were closed" >&2; missed=1; }
    client=''
}

# A free port, which no other process takes in the moment until nghttpd does.
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
nghttpd --address=127.0.0.1 "$port" "$work/certs/server.key" "$work/certs/server.pem" >/dev/null 2>&1 </dev/null &
server=$!
hold
theirs=$(calculate %.1f "($connections - $idle) / 2000 / 1024")
release
stop

start
hold
row "Memory per idle TLS connection, of 2000; nghttpd $theirs" "$(calculate %.1f "($connections - $idle) / 2000 / 1024")" KB "$theirs"
release
for _ in {1..60}; do
    after=$(resident)
    [ "$after" -gt $(((connections + idle) / 2)) ] || break
    sleep 1
done
row 'Kept of it when they have closed, within a minute' "$(calculate %.0f "($after - $idle) * 100 / ($connections - $idle)")" % 50
stop
[ $check = 0 ] || exit $missed
