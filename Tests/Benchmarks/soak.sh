#!/usr/bin/env bash
# 200,000 good pushes over 20 connections while 20 others misbehave in every way: each is answered 200, none after more
# than a second. A tenth of it runs with the other tests.
set -euo pipefail

if [ "${1:-}" = --help ]; then
    echo "Usage: soak.sh [PUSHES]   (default 200000; needs Linux, h2load and the packages of Tests/requirements.txt)"
    exit 0
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
export MOCK_APNS=${MOCK_APNS:-$root/.build/release/mock-apns} SOAK_PUSHES=${1:-200000} PYTHONDONTWRITEBYTECODE=1
python=${PYTHON:-$root/.build/end-to-end/bin/python}
cd "$root/Tests"
exec "$python" -m pytest EndToEnd/clients/test_soak.py
