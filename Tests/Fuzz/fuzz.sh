#!/usr/bin/env bash
# Looks with libFuzzer for inputs that the readers of tokens, JSON, scenarios, frames and logs cannot stand.
set -euo pipefail

usage() {
    cat <<'EOF'
Usage: fuzz.sh [--runs N] [--seconds N] [--jobs N] [--address] [TARGET...]

  --runs N      inputs for each target (default 10000000)
  --seconds N   a target that takes longer is stopped, which is a failure (default 3600)
  --jobs N      targets at the same time (default: one for each processor)
  --address     with AddressSanitizer, which takes about three times as long

Without TARGET all are fuzzed. Inputs that reached something new are kept in .build/fuzz/corpus/TARGET for the next
time. Exit code 0: nothing was found. A finding is in .build/fuzz/findings; once it is mended, keep it in
Tests/Fuzz/Regressions/TARGET, which `swift test` goes through.

The toolchain has to bring libFuzzer along; those of swift.org do, Xcode's does not.
Example: Tests/Fuzz/fuzz.sh --runs 20000 json scenario
EOF
}

root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
runs=10000000 seconds=3600 jobs=$(getconf _NPROCESSORS_ONLN) build=.build/fuzz sanitizers=(--sanitize=fuzzer)
names=()
while [ $# -gt 0 ]; do
    case $1 in
        --runs) runs=$2; shift ;;
        --seconds) seconds=$2; shift ;;
        --jobs) jobs=$2; shift ;;
        --address) build=.build/fuzz-address sanitizers+=(--sanitize=address) ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; exit 64 ;;
        *) names+=("$1") ;;
    esac
    shift
done

declare -r folder=.build/fuzz
mkdir -p "$folder/corpus" "$folder/seeds" "$folder/logs" "$folder/findings"
if ! MOCK_APNS_FUZZ=1 swift build -c release "${sanitizers[@]}" --scratch-path "$build" --product mock-apns-fuzz \
    >"$folder/logs/build.txt" 2>&1; then
    cat "$folder/logs/build.txt" >&2
    exit 69
fi
fuzzer=$build/release/mock-apns-fuzz
# Swift's own report of a trap would keep libFuzzer from writing the input to a file.
export SWIFT_BACKTRACE=enable=no

# Words in quotation marks that a JSON document uses, as a dictionary of libFuzzer.
words() { grep -ohE '"[A-Za-z$][A-Za-z0-9.]*"' "$1" | sort -u | sed 's/"/\\"/g; s/.*/"&"/'; }

# fuzz NAME LONGEST: runs one target, prints its line.
fuzz() {
    local name=$1 longest=$2 code=0 result
    local corpus=$folder/corpus/$name seeds=$folder/seeds/$name log=$folder/logs/$name.txt dictionary=$folder/$name.dict
    mkdir -p "$corpus" "$seeds"
    "$fuzzer" --seeds "$name" "$seeds"
    local inputs=("$corpus" "$seeds")
    [ ! -d "Tests/Fuzz/Regressions/$name" ] || inputs+=("Tests/Fuzz/Regressions/$name")
    case $name in
        json | scenario) inputs+=(scenarios Tests/Scenarios) ;;
    esac
    {
        [ ! -f "Tests/Fuzz/Dictionaries/$name.dict" ] || cat "Tests/Fuzz/Dictionaries/$name.dict"
        case $name in
            scenario) words scenarios/scenario.schema.json ;;
            recorded-log) words Sources/MockAPNSAdmin/openapi.json ;;
        esac
    } >"$dictionary"
    "$fuzzer" "$name" -runs="$runs" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -max_len="$longest" \
        -dict="$dictionary" -artifact_prefix="$folder/findings/$name-" -print_final_stats=1 -verbosity=1 \
        "${inputs[@]}" >"$log" 2>&1 </dev/null &
    local child=$!
    trap 'kill "$child" 2>/dev/null' TERM
    wait "$child" || code=$?
    local count cover rate memory
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    memory=$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")
    cover=$(sed -n 's/^#[0-9]*.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    if grep -q 'libFuzzer: run interrupted' "$log"; then
        result=interrupted
    elif [ "$code" != 0 ]; then
        result=FOUND
    elif [ "${count:-0}" -lt "$runs" ]; then
        code=1 result="stopped after $seconds s"
    else
        result=ok
    fi
    printf '%-15s %10s runs %7s a second %6s edges %4s inputs kept %5s MB  %s\n' "$name" "${count:-?}" "${rate:-?}" \
        "${cover:-?}" "$(find "$corpus" -type f | wc -l | tr -d ' ')" "${memory:-?}" "$result"
    if [ "$result" = FOUND ]; then
        grep -aE '^(==[0-9]+==|SUMMARY|artifact_prefix)|Fatal error|ERROR' "$log" | head -5 | sed 's/^/    /'
    fi
    return "$code"
}

if [ ${#names[@]} = 0 ]; then
    # The slowest ones first, so that no processor waits at the end.
    names=(request scenario recorded-log session provider-token json frames)
fi
failed=0 running=0 pids=()
# shellcheck disable=SC2317 # a trap calls it
stop() { for pid in ${pids[@]+"${pids[@]}"}; do kill "$pid" 2>/dev/null || true; done; }
trap stop INT TERM
for name in "${names[@]}"; do
    longest=$("$fuzzer" --list | sed -n "s/^$name //p")
    [ -n "$longest" ] || { echo "no target $name" >&2; exit 64; }
    if [ "$running" -ge "$jobs" ]; then
        wait "${pids[0]}" || failed=1
        pids=("${pids[@]:1}")
        running=$((running - 1))
    fi
    fuzz "$name" "$longest" &
    pids+=($!)
    running=$((running + 1))
done
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
exit $failed
