"""What lint costs: processor time and memory on a server whose log is full, and on a recorded log against `verify`.

Usage: lint.py [--records N] [--lines N] [--rounds N] [--check]   (with the Python of .build/end-to-end, after `make end-to-end`)

A server gets N pushes (a million), each with a payload of its own and every tenth with a mistake, keeps all of them in its
log, and is asked what lint finds. Two figures: the processor time of the server for the answer, and how far its resident
memory went beyond that of the log. Then a log of fewer pushes (200000) is judged by `lint --log` and `verify --log` in turn;
the figure is the ratio of processor times, a median of the rounds. What lint costs a push while no client asks is the case
`lint` of ratio.sh. `--check`: exit 1 when a figure misses its target. Needs Linux.
Variable MOCK_APNS: the executable (default .build/release/mock-apns).
"""

import argparse
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("MOCK_APNS", str(ROOT / ".build/release/mock-apns"))
sys.path.insert(0, str(ROOT / "Tests/PythonSupport"))

import wire  # noqa: E402
from server import EXECUTABLE, TOPIC, Server  # noqa: E402

# For a million records; the ratio for any number.
SECONDS, MEGABYTES, RATIO = 10, 200, 1.5
STREAMS = 500
# Those of HPACK's static table: ":method: POST", ":scheme: https", ":status: 200".
POST, HTTPS, OK = b"\x83", b"\x87", 0x88
AUTHORITY = wire.literal(":authority", "localhost")


def payload(number):
    badge = f'"{number % 10}"' if number % 10 == 0 else str(number % 10)
    return (f'{{"aps":{{"alert":{{"title":"Game {number}","body":"It is your turn, move {number % 97}"}},"badge":{badge},'
            f'"sound":"default","thread-id":"game-{number % 5000}"}},"match":{{"id":{number},"round":{number % 7}}}}}').encode()


def push_all(server, count):
    """Sends so many pushes to 100,000 devices on one connection, and wants 200 for each."""
    fields = wire.literal("authorization", f"bearer {server.token()}") + wire.block([
        ("apns-topic", TOPIC), ("apns-push-type", "alert"), ("apns-expiration", str(int(time.time()) + 86400))])
    with wire.Connection(server) as connection:
        socket, partial = connection.socket, connection.buffer
        sent, answered, credit = 0, 0, 65535
        socket.settimeout(60)
        while answered < count:
            batch = []
            while sent < count and sent - answered < STREAMS:
                body = payload(sent)
                if len(body) > credit:
                    break
                credit -= len(body)
                stream = 2 * sent + 1
                path = wire.literal(":path", f"/3/device/{sent % 100_000:064x}")
                batch.append(wire.frame(wire.HEADERS, wire.END_HEADERS, stream, POST + HTTPS + path + AUTHORITY + fields))
                batch.append(wire.frame(wire.DATA, wire.END_STREAM, stream, body))
                sent += 1
            if batch:
                socket.sendall(b"".join(batch))
            data = socket.recv(1 << 18)
            assert data, "the server ended the connection"
            partial += data
            start = 0
            while len(partial) - start >= 9:
                end = start + 9 + int.from_bytes(partial[start:start + 3], "big")
                if end > len(partial):
                    break
                kind, stream = partial[start + 3], int.from_bytes(partial[start + 5:start + 9], "big")
                if kind == wire.HEADERS:
                    assert partial[start + 9] == OK, f"stream {stream} was not answered with 200"
                    answered += 1
                elif kind == wire.WINDOW_UPDATE and stream == 0:
                    credit += int.from_bytes(partial[start + 9:end], "big")
                assert kind not in (wire.GOAWAY, wire.RST_STREAM), f"a frame of type {kind} came"
                start = end
            partial = partial[start:]


def cpu_time(server):
    """Seconds of all threads of the server."""
    tasks = pathlib.Path(f"/proc/{server.process.pid}/task")
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9


def memory(server, name):
    """Resident memory in MB: `VmRSS` of now, or `VmHWM`, the most since the peak was forgotten."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) / 1024


def judge_live(records):
    """Processor time in seconds and memory in MB for lint of so many records in memory."""
    with Server("--log-limit", str(records), "--initial-streams", str(STREAMS)) as server:
        push_all(server, records)
        pathlib.Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")
        before, resident = cpu_time(server), memory(server, "VmRSS")
        findings = {found["rule"]: found["count"] for found in server.get("/api/v1/lint")["findings"]}
        seconds, grown = cpu_time(server) - before, memory(server, "VmHWM") - resident
    assert findings["badge-type"] == (records + 9) // 10, findings
    return seconds, grown, resident


def judge_log(lines, rounds):
    """Processor times in seconds of `verify --log` and `lint --log`, and their ratio: the medians of so many rounds."""
    with Server("--log", "LOG", "--initial-streams", str(STREAMS)) as server:
        push_all(server, lines)
        scenario = server.log.with_name("scenario.json")
        scenario.write_text(f'{{"expect": [{{"requests": {{"status": 200}}, "count": {lines}}}]}}')
        pairs = []
        for number in range(rounds):
            commands = [("verify", ["--log", server.log, scenario]), ("lint", ["--fail-on", "never", "--log", server.log])]
            times = {name: spent(EXECUTABLE, name, *words) for name, words in commands[::1 if number % 2 else -1]}
            pairs.append((times["verify"], times["lint"]))
    verify, lint = (statistics.median(times) for times in zip(*pairs))
    return verify, lint, statistics.median(second / first for first, second in pairs)


def spent(*command):
    """The processor time of a command, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    seconds, grown, resident = judge_live(given.records)
    share = given.records / 1_000_000
    print(f"{given.records} records in memory ({resident:.0f} MB): {seconds:.2f} s of processor time "
          f"(at most {SECONDS * share:.2f}), {grown:.0f} MB more (at most {MEGABYTES})", flush=True)
    verify, lint, ratio = judge_log(given.lines, given.rounds)
    print(f"a log of {given.lines} pushes: {verify:.2f} s of processor time by verify, {lint:.2f} s by lint; "
          f"ratio {ratio:.2f} (at most {RATIO})")
    missed = seconds > SECONDS * share or grown > MEGABYTES or ratio > RATIO
    return 1 if given.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
