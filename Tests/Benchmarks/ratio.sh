#!/usr/bin/env bash
# Speed as a ratio: mock-apns against nghttpd, which answers the same pushes from an empty file and checks nothing.
# Both run on one thread, in turn, loaded by h2load with the same 100-byte push over TLS.
set -euo pipefail

usage() {
    cat <<'EOF'
Usage: ratio.sh [--rounds N] [--requests N] [--cases LIST] [--log FILE] [--check]

Prints each case's median ratio and the lowest and the highest of all rounds, then the table of CONTRIBUTING.md.

  --rounds N      interleaved rounds (default 9)
  --requests N    requests per run (default 200000; a fifth of it for 1x1 and ordered, where each waits for
                  the last or for the engine)
  --cases LIST    of 4x100,64x10,1x1 (connections x streams), log, tokens, certificate, rules, lint, session, api, fleet,
                  ordered, broadcast, relay, 2loops and 4loops (default: all, separated by commas). log: 4x100 with --log FILE;
                  tokens: 4x100 over 10,000 device tokens against one; certificate: 4x100 with a client certificate against
                  a provider token (needs cc); rules: 4x100 to a declared device, beside 1000 devices and 1000 rules that do
                  not match, against no scenario; lint: 4x100 with settings of lint and an expectation of what it finds,
                  while no client asks for that, against no scenario; session: 4x100 to the port of a session against the
                  server's own; api: 4x100 while the API is asked ten times a second and an event stream is open, against
                  neither; CPU time is that of the loop that serves providers; fleet: 4x100 to a replica of a fleet
                  (needs redis-server) against a server by itself, and what a record then costs the engine and a collector;
                  ordered: 4x100 to an offline device at one of two replicas of a fleet (needs Redis 7 or Valkey), and what
                  each such push costs both replicas and the engine, in a table of its own; broadcast: 4x100 to a channel
                  with 100,000 subscribers against one with none; relay: 4x100 through a relay whose upstream is nghttpd,
                  against a server that answers itself; 2loops and 4loops: 64x10 on so many event loops
                  (--threads) against one; their rate tells something only where each loop has a core, and h2load has others
  --log FILE      the log file of the case log (default: a new one in /dev/shm)
  --check         exit 1 when a median misses its target

Variable MOCK_APNS: the executable (default .build/release/mock-apns). Needs Linux, nghttpd and h2load.
Example: Tests/Benchmarks/ratio.sh --rounds 7 --cases 4x100 --check
EOF
}

root=$(cd "$(dirname "$0")/../.." && pwd)
mock=${MOCK_APNS:-$root/.build/release/mock-apns}
rounds=9 requests=200000 cases=4x100,64x10,1x1,log,tokens,certificate,rules,lint,session,api,fleet,ordered,broadcast,relay,2loops,4loops log_file='' check=0
declare -A target=([4x100]=1.10 [64x10]=1.15 [1x1]=1.15 [log]=1.35 [tokens]=1.10 [certificate]=1.00 [rules]=1.15 [lint]=1.03 [session]=1.05 [api]=1.10 [fleet]=1.15 [broadcast]=1.25 [relay]=2.20 [2loops]=1.15 [4loops]=1.25)
# Of the case ordered: microseconds of CPU per push, and entries of the control stream per 1000 pushes.
declare -A ordered_target=([receiver]=60 [other]=20 [engine]=8 [entries]=20)

while [ $# -gt 0 ]; do
    case $1 in
        --rounds) rounds=$2; shift ;;
        --requests) requests=$2; shift ;;
        --cases) cases=$2; shift ;;
        --log) log_file=$2; shift ;;
        --check) check=1 ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; exit 64 ;;
    esac
    shift
done
for name in ${cases//,/ }; do
    [ "$name" = ordered ] || [ -n "${target[$name]:-}" ] || { echo "no case $name" >&2; exit 64; }
done
for tool in nghttpd h2load; do
    command -v "$tool" >/dev/null || { echo "$tool is missing (Debian: nghttp2-server, nghttp2-client)" >&2; exit 69; }
done
[ -x "$mock" ] || { echo "$mock is missing: swift build -c release" >&2; exit 69; }
[ -r /proc/self/schedstat ] || { echo "/proc/PID/task/*/schedstat is missing: CPU time is read from it" >&2; exit 69; }

work=$(mktemp -d)
pids=()
finish() {
    for pid in ${pids[@]+"${pids[@]}"}; do kill "$pid" 2>/dev/null || true; done
    for pid in ${pids[@]+"${pids[@]}"}; do wait "$pid" 2>/dev/null || true; done
    rm -rf "$work"
    if [ -n "$log_file" ]; then rm -f "$log_file.warm"; fi
    if [ -n "${made_log:-}" ]; then rm -f "$made_log"; fi
}
trap finish EXIT
trap 'exit 130' INT TERM

# start_mock NAME OPTION...: sets pid_NAME, port_NAME, admin_NAME. It runs `serve`, or what the variable command says.
start_mock() {
    local name=$1 line='' tries=0
    shift
    "$mock" "${command:-serve}" --port 0 --admin-port 0 --certs "$work/certs" --threads "${loops:-1}" --initial-streams 1000 "$@" \
        >"$work/$name.out" 2>"$work/$name.err" </dev/null &
    pids+=($!)
    printf -v "pid_$name" %s $!
    until line=$(grep -m1 '"event":"ready"' "$work/$name.out" 2>/dev/null); do
        tries=$((tries + 1))
        if [ $tries -gt 200 ] || ! kill -0 $! 2>/dev/null; then
            echo "mock-apns did not get ready:" >&2
            cat "$work/$name.err" >&2
            exit 69
        fi
        sleep 0.05
    done
    local admin=${line#*\"admin\":\"}
    printf -v "admin_$name" %s "${admin%%\"*}"
    line=${line#*\"apns\":\"https://*:}
    printf -v "port_$name" %s "${line%%\"*}"
}

start_nghttpd() {
    local port
    mkdir -p "$work/htdocs/3/device"
    : >"$work/htdocs/3/device/$device"
    for _ in {1..20}; do
        port=$((20000 + RANDOM % 30000))
        nghttpd -n1 -a 127.0.0.1 -d "$work/htdocs" "$port" "$work/certs/server.key" "$work/certs/server.pem" \
            >"$work/nghttpd.out" 2>&1 </dev/null &
        local pid=$!
        sleep 0.3
        if kill -0 "$pid" 2>/dev/null && (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            pids+=("$pid")
            # shellcheck disable=SC2034 # load reads them by their names
            pid_nghttpd=$pid port_nghttpd=$port
            return
        fi
        kill "$pid" 2>/dev/null || true
    done
    echo "nghttpd found no free port" >&2
    exit 69
}

# Starts a Redis server without files, unless it runs; sets pid_engine and port_engine.
start_engine() {
    local tries=0
    [ -z "${pid_engine:-}" ] || return 0
    command -v redis-server >/dev/null || { echo "redis-server is missing (Debian: redis-server)" >&2; exit 69; }
    port_engine=$((20000 + RANDOM % 30000))
    redis-server --bind 127.0.0.1 --port "$port_engine" --save '' --appendonly no >"$work/engine.out" 2>&1 </dev/null &
    pid_engine=$!
    pids+=("$pid_engine")
    until (: <>"/dev/tcp/127.0.0.1/$port_engine") 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -le 200 ] || { cat "$work/engine.out" >&2; exit 69; }
        sleep 0.05
    done
}

# collect FLEET REQUESTS: a collector reads everything that the replicas have shipped; sets ns (CPU per record).
collect() {
    local line='' tries=0 admin before status received=0 missing
    "$mock" collect --fleet "redis://127.0.0.1:$port_engine" --fleet-name "$1" --admin-port 0 \
        >"$work/collect.out" 2>"$work/collect.err" </dev/null &
    local pid=$!
    pids+=("$pid")
    before=$(cpu "$pid")
    until line=$(grep -m1 '"event":"ready"' "$work/collect.out" 2>/dev/null) && admin=${line#*\"admin\":\"} &&
        status=$(curl -sS "${admin%%\"*}/api/v1/fleet") && received=$(number received <<<"$status") &&
        [ "${received:-0}" = "$2" ]; do
        tries=$((tries + 1))
        if [ $tries -gt 600 ] || ! kill -0 "$pid" 2>/dev/null; then
            echo "the collector has $received of $2 requests of the fleet $1" >&2
            cat "$work/collect.err" >&2
            exit 69
        fi
        sleep 0.1
    done
    missing=$(number missing <<<"$status")
    ns=$((($(cpu "$pid") - before) / (received - missing)))
}
# The sum of all numbers with that key.
number() { { grep -o "\"$1\":[0-9]*" || true; } | awk -F: '{ sum += $2 } END { print sum + 0 }'; }

# Sets added and latest: how many entries the fleet's control stream has had, and the id of the latest.
control() {
    local line='' previous=''
    added='' latest=''
    exec 3<>"/dev/tcp/127.0.0.1/$port_engine"
    printf 'XINFO STREAM mock-apns:{%s}:control\r\nPING\r\n' "$1" >&3
    while { [ -z "$added" ] || [ -z "$latest" ]; } && read -r -t 10 line <&3 && line=${line%$'\r'} && [ "$line" != +PONG ]; do
        case $previous in entries-added) added=${line#:} ;; last-generated-id) [[ $line == \$* ]] || latest=$line ;; esac
        # Before a string comes its length.
        [[ $line == \$* ]] || previous=$line
    done
    exec 3>&-
    if [ -z "$added" ] || [ -z "$latest" ]; then
        echo "the engine does not tell how many entries a stream has had; Redis 7 does" >&2
        exit 69
    fi
}

# Waits until both replicas have carried out all entries of the control stream, and shipped what they have decided.
settle() {
    local tries=0 name admin status late=unknown
    while [ -n "$late" ]; do
        tries=$((tries + 1))
        [ $tries -le 300 ] || { echo "a replica has not caught up: $late" >&2; exit 1; }
        sleep 0.1
        control ordered
        late=
        for name in receiver other; do
            admin=admin_$name
            status=$(curl -sS "${!admin}/api/v1/fleet")
            if [[ $status != *"\"applied\":\"$latest\""* ]] ||
                [ "$(number decided <<<"$status")" != "$(number shipped <<<"$status")" ]; then late=$status; fi
        done
    done
}

# ordered REQUESTS: every push is to an offline device, so all replicas decide it in one order. Notes what that costs.
ordered() {
    local name pid entries
    local -A before=()
    settle
    for name in receiver other engine; do pid=pid_$name before[$name]=$(cpu "${!pid}"); done
    entries=$added
    load receiver 4 100 "$1"
    settle
    for name in receiver other engine; do
        pid=pid_$name
        awk -v ns=$(($(cpu "${!pid}") - before[$name])) -v n="$1" 'BEGIN { print ns / n / 1000 }' >>"$work/ordered.$name"
    done
    awk -v entries=$((added - entries)) -v n="$1" 'BEGIN { print entries * 1000 / n }' >>"$work/ordered.entries"
}

# CPU time of a process, in nanoseconds: of all its threads, or of those with that name.
cpu() {
    local task
    for task in /proc/"$1"/task/*; do
        if [ -z "${2:-}" ] || [[ $(<"$task/comm") == $2* ]]; then cat "$task/schedstat"; fi
    done | awk '{ sum += $1 } END { printf "%.0f", sum }'
}

# load SERVER CLIENTS STREAMS REQUESTS [INPUT-FILE]: sets ns (CPU per request) and rps. Every answer has to be 2xx.
load() {
    local pid=pid_$1 port=port_$1 before after
    local url=https://127.0.0.1:${!port}/3/device/$device
    local from=("$url")
    [ -z "${5:-}" ] || from=(-i "$5" -B "https://127.0.0.1:${!port}")
    local trust=(-H "authorization: bearer $token") preload=
    local fields=(-H "apns-topic: com.example.app" -H "apns-push-type: alert" -H "apns-priority: 10") body=$work/body
    if [ -n "${channel:-}" ]; then
        from=("https://127.0.0.1:${!port}/4/broadcasts/apps/com.example.app") body=$work/broadcast
        fields=(-H "apns-channel-id: $channel" -H "apns-push-type: liveactivity" -H "apns-priority: 10" -H "apns-expiration: 0")
    fi
    if [ "${trusted:-token}" = certificate ]; then trust=() preload=$work/client_certificate.so; fi
    before=$(cpu "${!pid}" "${threads:-}")
    LD_PRELOAD=$preload CLIENT_CERTIFICATE=$work/certs/client.pem CLIENT_KEY=$work/certs/client.key \
        timeout 300 h2load -n "$4" -c "$2" -m "$3" -d "$body" ${trust[@]+"${trust[@]}"} "${fields[@]}" \
        "${from[@]}" >"$work/h2load.out" 2>&1 || { cat "$work/h2load.out" >&2; exit 1; }
    after=$(cpu "${!pid}" "${threads:-}")
    if ! grep -q "^status codes: $4 2xx, 0 3xx, 0 4xx, 0 5xx" "$work/h2load.out"; then
        echo "$1 did not answer every request of $2x$3 with 2xx:" >&2
        grep -E '^(requests|status codes):' "$work/h2load.out" >&2
        exit 1
    fi
    ns=$(((after - before) / $4))
    rps=$(sed -n 's/^finished in [^,]*, \([0-9.]*\) req.*/\1/p' "$work/h2load.out")
    if [ "$1" = logging ]; then
        local lines
        lines=$(grep -c '"event":"request"' "$log_file" || true)
        [ "$lines" = "$4" ] || { echo "$lines lines in $log_file for $4 requests" >&2; exit 1; }
        : >"$log_file"
    fi
}

# 1000 devices, the one that is pushed to among them, and 1000 rules of which none is for the pushes.
scenario() {
    awk -v pushed="$device" 'BEGIN {
        printf "{\"devices\": [{\"name\": \"pushed\", \"token\": \"%s\"}", pushed
        for (i = 1; i < 1000; i++) printf ",\n{\"name\": \"d%d\", \"token\": \"%064x\"}", i, i
        printf "],\n\"rules\": ["
        for (i = 1; i <= 1000; i++) {
            if (i <= 400) when = sprintf("\"device\": \"d%d\"", i)
            else if (i <= 700) when = sprintf("\"topic\": \"com.example.other%d\"", i)
            else if (i <= 900) when = sprintf("\"pushType\": \"%s\"", i % 2 ? "voip" : "background")
            else when = sprintf("\"header\": {\"x-number\": \"%d\"}", i)
            printf "%s{\"when\": {%s}, \"times\": 1, \"then\": {\"reject\": \"Shutdown\"}}", (i > 1 ? ",\n" : ""), when
        }
        print "]}"
    }'
}

# Two channels; 100,000 devices have a Live Activity on one of them.
channels() {
    awk 'BEGIN {
        print "{\"channels\": [{\"name\": \"followed\", \"topic\": \"com.example.app\", \"channelID\": \"Zm9sbG93ZWQ=\"},"
        print "{\"name\": \"alone\", \"topic\": \"com.example.app\", \"channelID\": \"YWxvbmU=\"}],\n\"devices\": ["
        for (i = 1; i <= 100000; i++)
            printf "%s{\"token\": \"%064x\", \"topic\": \"com.example.app\", \"activities\": [\"followed\"]}", (i > 1 ? ",\n" : ""), i
        print "]}"
    }'
}

lowest() { sort -n | head -1; }
highest() { sort -n | tail -1; }
median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

"$mock" certs --certs "$work/certs" >/dev/null 2>&1
token=$("$mock" token --certs "$work/certs")
device=00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0
printf '{"aps":{"alert":{"title":"Benchmark","body":"A push of one hundred bytes, to the byte."},"badge":1}}' >"$work/body"
[ "$(wc -c <"$work/body")" = 100 ] || { echo "the body is not 100 bytes" >&2; exit 1; }
awk 'BEGIN { for (i = 0; i < 10000; i++) printf "https://127.0.0.1/3/device/%08x%056x\n", i * 2654435761 % 4294967296, i }' \
    >"$work/tokens"

if [[ ,$cases, == *,certificate,* ]]; then
    cc -shared -fPIC -o "$work/client_certificate.so" "$root/Tests/Benchmarks/client_certificate.c" -lssl -ldl
fi
start_nghttpd
start_mock plain
if [[ ,$cases, == *,log,* ]]; then
    [ -n "$log_file" ] || { log_file=$(mktemp /dev/shm/mock-apns-XXXXXX.jsonl); made_log=$log_file; }
    : >"$log_file"
    start_mock logging --log "$log_file"
    load logging 4 100 20000
fi
if [[ ,$cases, == *,rules,* ]]; then
    scenario >"$work/rules.json"
    start_mock scripted --scenario "$work/rules.json"
    load scripted 4 100 120000
fi
if [[ ,$cases, == *,lint,* ]]; then
    printf '{"lint": {"rules": {"badge-type": "error"}, "thresholds": {"idle": "1h"}, "deploymentTarget": "iOS 16"}, "expect": [{"lint": {"severity": "error"}, "count": 0}]}' \
        >"$work/lint.json"
    start_mock linted --scenario "$work/lint.json"
    load linted 4 100 120000
fi
if [[ ,$cases, == *,broadcast,* ]]; then
    channels >"$work/channels.json"
    printf '{"aps":{"timestamp":%s,"event":"update","content-state":{"score":"1-0"}}}' "$(($(date +%s) + 60))" >"$work/broadcast"
    start_mock broadcasting --scenario "$work/channels.json"
    for channel in Zm9sbG93ZWQ= YWxvbmU=; do load broadcasting 4 100 60000; done
    channel=
fi
if [[ ,$cases, == *,fleet,* ]]; then
    start_engine
    start_mock replica --fleet "redis://127.0.0.1:$port_engine" --fleet-name bench
    load replica 4 100 120000
fi
if [[ ,$cases, == *,ordered,* ]]; then
    start_engine
    printf '{"devices": [{"name": "offline", "token": "%s", "online": false}]}' "$device" >"$work/ordered.json"
    for name in receiver other; do
        start_mock $name --fleet "redis://127.0.0.1:$port_engine" --fleet-name ordered --replica $name \
            --scenario "$work/ordered.json"
    done
    load receiver 4 100 120000
fi
for name in 2loops 4loops; do
    if [[ ,$cases, == *,$name,* ]]; then
        loops=${name%loops} start_mock "of$name"
        load "of$name" 64 10 120000
    fi
done
if [[ ,$cases, == *,relay,* ]]; then
    command=relay start_mock relaying --upstream "https://127.0.0.1:$port_nghttpd" --upstream-ca "$work/certs/ca.pem"
    load relaying 4 100 120000
fi
# Warm: pools filled, the log at its limit.
load nghttpd 4 100 20000
load plain 4 100 120000
if [[ ,$cases, == *,session,* ]]; then
    # shellcheck disable=SC2154 # start_mock has set them
    opened=$(curl -sS --fail -d '{}' "$admin_plain/api/v1/sessions")
    opened=${opened#*\"apns\":\"https://*:}
    # shellcheck disable=SC2034,SC2154 # load reads them by their names; start_mock has set the other
    port_session=${opened%%\"*} pid_session=$pid_plain
    load session 4 100 120000
fi

# On a virtual machine, memory that was never used costs the kernel many times more at its first use: not the server's
# doing. So as much as the log will take is used once, and is at hand again.
warm() {
    head -c $((requests * 1500)) /dev/zero >"$log_file.warm"
    rm "$log_file.warm"
}

# Reads the stream of events, and asks for the latest requests ten times a second.
observe() {
    # shellcheck disable=SC2154 # start_mock has set it
    curl -sN "$admin_plain/api/v1/events" >"$work/events" &
    watchers=($!)
    curl -s --rate 10/s "$admin_plain/api/v1/requests?order=desc#[1-100000]" >"$work/polled" &
    watchers+=($!)
    pids+=("${watchers[@]}")
}
observe_no_more() {
    kill "${watchers[@]}"
    wait "${watchers[@]}" 2>/dev/null || true
    if ! grep -q '^event: request' "$work/events" || ! grep -q '"requests":\[' "$work/polled"; then
        echo "the observers have seen no request" >&2
        exit 1
    fi
}

run() { # run CASE SERVER
    local n=$requests
    case $1 in
        4x100 | log) [ "$2" != logging ] || warm; load "$2" 4 100 "$n" ;;
        64x10 | 2loops | 4loops) load "$2" 64 10 "$n" ;;
        1x1) load "$2" 1 1 $((n / 5)) ;;
        certificate) trusted=$2 load plain 4 100 "$n" ;;
        rules | lint | session | relay) load "$2" 4 100 "$n" ;;
        fleet)
            local engine
            engine=$(cpu "$pid_engine")
            load "$2" 4 100 "$n"
            [ "$2" != replica ] || echo $((($(cpu "$pid_engine") - engine) / n)) >>"$work/engine.ns"
            ;;
        broadcast)
            if [ "$2" = followed ]; then channel=Zm9sbG93ZWQ=; else channel=YWxvbmU=; fi
            load broadcasting 4 100 "$n"
            channel=
            ;;
        api)
            [ "$2" != observed ] || observe
            # The loops of providers; the API has others.
            threads=NIO-ELT load plain 4 100 "$n"
            [ "$2" != observed ] || observe_no_more
            ;;
        tokens) if [ "$2" = many ]; then load plain 4 100 "$n" "$work/tokens"; else load plain 4 100 "$n"; fi ;;
    esac
    echo "$ns $rps" >>"$work/$1.$2"
}

# Which two are compared: the second against the first.
pair() {
    case $1 in log) echo nghttpd logging ;; tokens) echo one many ;; certificate) echo token certificate ;; rules) echo plain scripted ;; lint) echo plain linted ;; session) echo plain session ;; api) echo alone observed ;; fleet) echo plain replica ;; broadcast) echo alone followed ;; relay) echo plain relaying ;; *loops) echo plain "of$1" ;; *) echo nghttpd plain ;; esac
}

for ((round = 1; round <= rounds; round++)); do
    for name in ${cases//,/ }; do
        [ -t 2 ] && printf '\rround %d of %d, %-11s' "$round" "$rounds" "$name" >&2
        if [ "$name" = ordered ]; then ordered $((requests / 5)); continue; fi
        read -r first second <<<"$(pair "$name")"
        # The order changes from round to round, so that neither has the advantage of its place.
        if ((round % 2)); then run "$name" "$first"; run "$name" "$second"; else run "$name" "$second"; run "$name" "$first"; fi
    done
done
[ -t 2 ] && printf '\r%40s\r' '' >&2

missed=0
[ "$cases" = ordered ] || {
    echo "Medians of $rounds rounds, $requests requests each ($((requests / 5)) for 1x1); CPU: user and system time of the server"
    printf '%-11s %-28s %15s %15s %7s %14s %7s %13s %13s %9s\n' case 'second against first' 'first ns/push' \
        'second ns/push' ratio 'lowest-highest' target 'first push/s' 'second push/s' rate
}
rows=()
for name in ${cases//,/ }; do
    [ "$name" != ordered ] || continue
    read -r first second <<<"$(pair "$name")"
    a=$work/$name.$first b=$work/$name.$second
    paste -d' ' "$a" "$b" | awk '{ print $3 / $1 }' >"$work/ratios"
    ratio=$(median <"$work/ratios") low=$(lowest <"$work/ratios") high=$(highest <"$work/ratios")
    rate=$(paste -d' ' "$a" "$b" | awk '{ print $4 / $2 }' | median)
    row=
    case $name in
        log) what='mock-apns --log, nghttpd' row="4 × 100 with \`--log\` on a memory file system" ;;
        tokens) what='10,000 device tokens, one' ;;
        certificate) what='certificate, provider token' ;;
        rules) what='1000 rules, no scenario' ;;
        lint) what='lint not asked, no scenario' ;;
        session) what='a session, the server itself' ;;
        api) what='API in use, not in use' ;;
        fleet) what='a replica, by itself' ;;
        broadcast) what='100,000 subscribers, none' ;;
        relay) what='relayed, answered itself' ;;
        *loops) what="${name%loops} loops, one" ;;
        *) what='mock-apns, nghttpd' row=${name/x/ × } ;;
    esac
    verdict=
    awk -v r="$ratio" -v t="${target[$name]}" 'BEGIN { exit !(r > t) }' && { verdict=missed; missed=1; }
    printf '%-11s %-28s %15.0f %15.0f %7.2f %14s %7.2f %13.0f %13.0f %9.2f %s\n' "$name" "$what" \
        "$(median < <(cut -d' ' -f1 "$a"))" "$(median < <(cut -d' ' -f1 "$b"))" "$ratio" \
        "$(printf '%.2f-%.2f' "$low" "$high")" "${target[$name]}" \
        "$(median < <(cut -d' ' -f2 "$a"))" "$(median < <(cut -d' ' -f2 "$b"))" "$rate" "$verdict"
    [ -z "$row" ] || rows+=("$(printf '| %s | %.2f | %.2f to %.2f |' "$row" "$ratio" "$low" "$high")")
done
if [[ ,$cases, == *,fleet,* ]]; then
    # No more than 2000 ns: 500,000 records a second and core.
    collect bench $((120000 + rounds * requests))
    [ "$ns" -le 2000 ] || missed=1
    printf '\nA record of the fleet costs the engine %.0f ns of CPU and a collector %.0f (target 2000).\n' \
        "$(median <"$work/engine.ns")" "$ns"
fi
if [[ ,$cases, == *,ordered,* ]]; then
    # Fails if one push has no record.
    collect ordered $((120000 + rounds * (requests / 5)))
    [ "$cases" = ordered ] || echo
    printf 'Pushes that all replicas decide in one order: medians of %s rounds, %s pushes each\n' "$rounds" $((requests / 5))
    printf '%-48s %7s %15s %7s\n' 'per push' median 'lowest-highest' target
    for name in receiver other engine entries; do
        case $name in
            receiver) what='CPU of the replica that receives it, in us' ;;
            other) what='CPU of the other replica, in us' ;;
            engine) what='CPU of the engine, in us' ;;
            entries) what='entries of the control stream, per 1000 pushes' ;;
        esac
        value=$(median <"$work/ordered.$name") verdict=
        awk -v v="$value" -v t="${ordered_target[$name]}" 'BEGIN { exit !(v > t) }' && { verdict=missed; missed=1; }
        printf '%-48s %7.1f %15s %7s %s\n' "$what" "$value" \
            "$(printf '%.1f-%.1f' "$(lowest <"$work/ordered.$name")" "$(highest <"$work/ordered.$name")")" \
            "${ordered_target[$name]}" "$verdict"
    done
fi
if [ ${#rows[@]} -gt 0 ]; then
    printf '\nFor CONTRIBUTING.md, measured on %s against nghttpd %s:\n\n' "$(date -u +%F)" \
        "$(nghttpd --version | sed -n 's/.*nghttp2\///p')"
    printf '| connections × streams | CPU per push, mock-apns against nghttpd | lowest to highest of %s rounds |\n' "$rounds"
    printf '|---|---|---|\n'
    printf '%s\n' "${rows[@]}"
fi
[ $check = 0 ] || exit $missed
