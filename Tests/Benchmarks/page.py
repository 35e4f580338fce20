"""What an open page costs the server: instructions per push with one page open in Chromium, against none.

Usage: page.py [--check]   (with the Python of .build/end-to-end, after `make end-to-end`; needs Debian's valgrind)

Two figures. The instructions per push of the loop that serves providers are counted by callgrind, as the difference between
a run with few pushes and one with many, which leaves out starting; other work of the machine does not change them. And the
CPU time of all other threads per second, at full load (h2load, 4x100 of one small push): they do the same work each second,
however many pushes there are. For that the server and the load have one core, the browser the other. `--check`: exit 1 when
both together cost more than 2 %. Variable MOCK_APNS: the executable (default .build/release/mock-apns).
"""

import argparse
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("MOCK_APNS", str(ROOT / ".build/release/mock-apns"))
sys.path[:0] = [str(ROOT / "Tests/PythonSupport"), str(ROOT / "Tests/EndToEnd/page")]

import server as tested  # noqa: E402
from browser import Browser  # noqa: E402

LIMIT = 1.02
PAYLOAD = '{"aps":{"alert":{"title":"Goal","body":"2-1"},"sound":"default"},"match":17}'
# Counted: the server is some fifty times slower under callgrind.
FEW, MANY = 3_000, 9_000
# Timed, in each of several rounds.
FULL_LOAD, ROUNDS = 1_000_000, 3
OPTIONS = ("--threads", "1", "--initial-streams", "1000")


class Load:
    """The pushes: one small one, again and again."""

    def __init__(self, folder, token):
        self.body = folder / "payload.json"
        self.body.write_text(PAYLOAD)
        self.token = token

    def send(self, server, requests, *prefix):
        done = subprocess.run(
            [*prefix, "h2load", "-n", str(requests), "-c", "4", "-m", "100", "-d", str(self.body),
             "-H", f"authorization: bearer {self.token}", "-H", f"apns-topic: {tested.TOPIC}", "-H", "apns-push-type: alert",
             f"{server.url}/3/device/{tested.device(1)}"],
            capture_output=True, text=True, check=True)
        assert f"{requests} succeeded" in done.stdout, done.stdout


def look(page, server):
    page.open(f"{server.admin}/ui/")
    page.until_text(".state", "live")


def instructions(load, folder, pushes, page):
    """Instructions of the thread with the most, which is the loop, in a run with so many pushes."""
    counts = pathlib.Path(tempfile.mkdtemp(dir=folder))
    wrapper = counts / "mock-apns"
    # Symbols would only make it start later.
    subprocess.run(["strip", "-o", counts / "stripped", tested.EXECUTABLE], check=True)
    wrapper.write_text(
        f"#!/bin/sh\nexec valgrind --tool=callgrind --separate-threads=yes --callgrind-out-file={shlex.quote(str(counts))}/out"
        f" {shlex.quote(str(counts))}/stripped \"$@\"\n")
    wrapper.chmod(0o755)
    native, tested.EXECUTABLE = tested.EXECUTABLE, str(wrapper)
    try:
        with tested.Server(*OPTIONS) as server:
            if page:
                look(page, server)
            load.send(server, pushes)
            if page:
                state = page.run("return document.querySelector('.state').className")
                assert "offline" not in state, state
                page.open("about:blank")
    finally:
        tested.EXECUTABLE = native
    totals = [int(line.split()[1]) for out in counts.glob("out-*") for line in out.read_text().splitlines() if line.startswith("totals:")]
    print(f"{pushes} pushes{', a page' if page else ''}: {sum(totals):,} instructions, {max(totals):,} of them of the loop", flush=True)
    return max(totals)


def other_threads(load, server):
    """CPU seconds per second of all threads but the busiest, which is the loop, at full load."""
    def cpu_time():
        tasks = pathlib.Path(f"/proc/{server.process.pid}/task")
        return {task.name: int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()}

    before, start = cpu_time(), time.monotonic()
    load.send(server, FULL_LOAD, "taskset", "-c", "0")
    seconds = time.monotonic() - start
    used = [each - before.get(task, 0) for task, each in cpu_time().items()]
    return (sum(used) - max(used)) / 1e9 / seconds


def share(load, server, page):
    """What other threads take more with a page open, of a core."""
    pin(0, server.process.pid)
    for pid in family(page.driver.service.process.pid):
        pin(1, pid)
    load.send(server, FULL_LOAD // 10)
    shares = []
    for number in range(ROUNDS):
        without = other_threads(load, server)
        look(page, server)
        # What it costs to open the page is no part of a push.
        load.send(server, FULL_LOAD // 10)
        shares.append(other_threads(load, server) - without)
        page.open("about:blank")
        print(f"round {number + 1}: the other threads take {shares[-1]:.2%} of a core more with a page", flush=True)
    return statistics.median(shares)


def pin(core, pid):
    subprocess.run(["taskset", "-a", "-c", "-p", str(core), str(pid)], check=False, capture_output=True)


def family(pid):
    """A process and all below it: the browser's."""
    children = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
    return [pid, *(each for child in " ".join(path.read_text() for path in children).split() for each in family(int(child)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with tested.Server(*OPTIONS) as server, Browser() as page:
            load = Load(folder, server.token())
            of_others = share(load, server, page)
        # Another browser, which may have all cores.
        with Browser() as page:
            without, seen = (
                (instructions(load, folder, MANY, who) - instructions(load, folder, FEW, who)) / (MANY - FEW) for who in (None, page))
    ratio = seen / without
    print(f"the loop takes {seen:,.0f} instructions per push with a page and {without:,.0f} without, {ratio:.4f};"
          f" the other threads {of_others:.2%} of a core more; limit of both {LIMIT}")
    if given.check and ratio + of_others > LIMIT:
        sys.exit(1)


if __name__ == "__main__":
    main()
