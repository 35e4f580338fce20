"""What an open page costs the server: CPU time with one page open in Chromium, against none, in turns on one server.

Usage: page.py [--rounds N] [--requests N] [--check]   (with the Python of .build/interop, after `make interop`)

The server and the load (h2load, 4x100 of one small push) have one core, the browser the other. In each round nobody looks,
then a page does, then nobody. Two figures: the CPU time per push of the loop that serves providers, as a ratio; and the CPU
time of all other threads of the server while a page looks, as a share of the loop's: they do the same work each second,
however many pushes there are, so the share is that of full load only if the server has a core to itself. `--check`: exit 1 when the medians of
both together cost more than 2 %. Variable MOCK_APNS: the executable (default .build/release/mock-apns).
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("MOCK_APNS", str(ROOT / ".build/release/mock-apns"))
sys.path[:0] = [str(ROOT / "Tests/Interop"), str(ROOT / "Tests/Interop/page")]

from browser import Browser  # noqa: E402
from server import TOPIC, Server, device  # noqa: E402

LIMIT = 1.02
PAYLOAD = '{"aps":{"alert":{"title":"Goal","body":"2-1"},"sound":"default"},"match":17}'


def cpu_time(server):
    """Nanoseconds of each thread of the server."""
    tasks = pathlib.Path(f"/proc/{server.process.pid}/task")
    return {task.name: int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()}


def load(server, body, requests):
    """Sends so many pushes; returns CPU nanoseconds per push, of the loop and of all other threads, and the rate."""
    before, start = cpu_time(server), time.monotonic()
    done = subprocess.run(
        ["taskset", "-c", "0", "h2load", "-n", str(requests), "-c", "4", "-m", "100", "-d", str(body), "-H", f"authorization: bearer {server.token()}",
         "-H", f"apns-topic: {TOPIC}", "-H", "apns-push-type: alert", f"{server.url}/3/device/{device(1)}"],
        capture_output=True, text=True, check=True)
    assert f"{requests} succeeded" in done.stdout, done.stdout
    used = [each - before.get(task, 0) for task, each in cpu_time(server).items()]
    seconds = time.monotonic() - start
    rate = next(line for line in done.stdout.splitlines() if line.startswith("finished in")).split(",")[1].strip()
    return max(used) / requests, (sum(used) - max(used)) / requests, rate, (sum(used) - max(used)) / seconds / 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    ratios, shares = [], []
    with tempfile.TemporaryDirectory() as folder, Server("--threads", "1", "--initial-streams", "1000") as server, Browser() as page:
        body = pathlib.Path(folder) / "payload.json"
        body.write_text(PAYLOAD)
        subprocess.run(["taskset", "-a", "-c", "-p", "0", str(server.process.pid)], check=True, capture_output=True)
        subprocess.run(["taskset", "-a", "-c", "-p", "1", str(page.driver.service.process.pid)], check=True, capture_output=True)
        for pid in descendants(page.driver.service.process.pid):
            subprocess.run(["taskset", "-a", "-c", "-p", "1", str(pid)], check=False, capture_output=True)
        load(server, body, given.requests)
        for number in range(given.rounds):
            first = load(server, body, given.requests)
            page.open(f"{server.admin}/ui/")
            page.until_text(".state", "live")
            # What it costs to open the page is no part of a push.
            load(server, body, given.requests // 10)
            seen = load(server, body, given.requests)
            text = page.run("return document.querySelector('.state').textContent")
            page.open("about:blank")
            last = load(server, body, given.requests)
            ratios.append(seen[0] / ((first[0] + last[0]) / 2))
            shares.append((seen[1] - (first[1] + last[1]) / 2) / seen[0])
            print(f"round {number + 1}: loop {first[0]:.0f}, {seen[0]:.0f} with a page, {last[0]:.0f} ns per push, ratio {ratios[-1]:.3f};"
                  f" other threads {shares[-1]:.2%}, {seen[3]:.1f} ms a second; {first[2]}, with a page {seen[2]} ({text})", flush=True)
    ratio, share = statistics.median(ratios), statistics.median(shares)
    print(f"the loop costs {ratio:.3f} ({min(ratios):.3f} to {max(ratios):.3f}), the other threads {share:.2%}"
          f" ({min(shares):.2%} to {max(shares):.2%}) of it; limit of both {LIMIT}")
    if given.check and ratio + share > LIMIT:
        sys.exit(1)


def descendants(pid):
    """The processes below one: the browser's."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, open_ = [], [pid]
    while open_:
        more = children.get(open_.pop(), [])
        found += more
        open_ += more
    return found


if __name__ == "__main__":
    main()
