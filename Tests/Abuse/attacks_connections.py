"""Ends by force, and the limits of connections and descriptors."""

import json
import resource
import socket
import ssl
import subprocess
import threading
import time

import wire
from server import EXECUTABLE
from victim import BODY, END, MB, PATH, Skip, Victim, attack, demand
from wire import END_HEADERS, END_STREAM, HEADERS


class Load(threading.Thread):
    """A provider that pushes as fast as it is answered, and remembers the ids of what was answered."""

    def __init__(self, victim, prefix):
        super().__init__(daemon=True)
        self.connection = wire.Connection(victim)
        self.connection.answer(self.connection.request(wire.push(victim.token_text, PATH), BODY))
        self.fields = [field for field in wire.push(victim.token_text, PATH)]
        self.prefix, self.sent, self.answered, self.failure = prefix, {}, set(), None

    def run(self):
        number = 0
        try:
            while True:
                data = b""
                while len(self.sent) - len(self.answered) < 200:
                    number += 1
                    identifier = f"{self.prefix:08X}-0000-4000-8000-{number:012X}"
                    stream = self.connection.next_stream()
                    self.sent[stream] = identifier
                    data += wire.frame(HEADERS, END_HEADERS | END_STREAM, stream,
                                       wire.block(self.fields + [("apns-id", identifier)]))
                self.connection.send(data)
                self.read()
        except (OSError, ssl.SSLError, wire.Closed):
            pass
        # What the server has sent before its end was answered.
        try:
            while True:
                self.read(timeout=1)
        except (OSError, ssl.SSLError, wire.Closed):
            pass

    def read(self, timeout=10):
        got = self.connection.receive(timeout)
        if got.type == HEADERS and got.stream in self.sent:
            self.answered.add(self.sent[got.stream])


@attack("kill-9", seconds=150)
def kill(victim, random, scale):
    """Servers that are killed while they log: whatever they have answered is in the log, also over several runs."""
    log = victim.log
    rounds, answered = max(3, int(15 * scale)), set()
    for number in range(rounds):
        with Victim("--log", str(log)) as other:
            other.token_text = victim.token_text
            loads = [Load(other, number * 2 + each) for each in range(2)]
            for load in loads:
                load.start()
            time.sleep(random.uniform(0.05, 0.5))
            other.process.kill()
            other.process.wait()
            for load in loads:
                load.join(20)
                answered |= load.answered
                load.connection.close()
    lines = log.read_bytes().split(b"\n")
    torn, logged, starts = 0, set(), 0
    for line in lines:
        if not line:
            continue
        try:
            record = json.loads(line)
        except ValueError:
            torn += 1
            continue
        starts += record["event"] == "scenario" and record["state"] == "started"
        if record["event"] == "request":
            logged.add(record["apnsID"])
    missing = len(answered - logged)
    demand(not missing, f"{missing} of {len(answered)} answered pushes are not in the log")
    demand(starts == rounds, f"{rounds} runs began, the log tells of {starts}; {torn} lines were torn")
    scenario = log.parent / "any.json"
    scenario.write_text('{"expect": [{"requests": {}, "count": {"atLeast": 0}}]}')
    done = subprocess.run([EXECUTABLE, "verify", "--log", str(log), str(scenario)], capture_output=True, text=True, timeout=60)
    demand(done.returncode == 0, f"verify says {done.returncode}: {done.stderr[-300:]}")
    return f"{rounds} kills, {len(answered)} answers, all in the log, {torn} torn lines"


@attack("sigterm-in-load", seconds=60)
def sigterm(victim, random, scale):
    """SIGTERM in the middle of pushes, waits, event streams and half requests: the end comes soon, and in order."""
    rounds = max(2, int(5 * scale))
    slowest = 0.0
    for number in range(rounds):
        with Victim() as other:
            other.token_text = victim.token_text
            load = Load(other, number)
            load.start()
            held = [other.admin_socket() for _ in range(6)]
            wait = b'{"requests": {"status": 500}, "timeout": "10m"}'
            held[0].sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            held[1].sendall(b"POST /api/v1/requests/wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                            % (len(wait), wait))
            held[2].sendall(b"POST /api/v1/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            half = wire.Connection(other)
            half.request(wire.push(other.token_text, PATH), BODY, end=False)
            time.sleep(random.uniform(0.1, 0.5))
            began = time.monotonic()
            other.end()
            slowest = max(slowest, time.monotonic() - began)
            load.join(20)
            for each in [*held, half, load.connection]:
                each.close()
    return f"{rounds} times, slowest end {slowest:.2f} s of {END:.0f}"


# Without --quiet, which leaves warnings out.
@attack("descriptor-limit", "--verbose", seconds=60)
def descriptor_limit(victim, random, scale):
    """More connections than descriptors: the server waits without spinning, says so, and goes on."""
    if not hasattr(resource, "prlimit"):
        raise Skip("only Linux changes another process's limits")
    limit = victim.descriptors() + 30
    resource.prlimit(victim.process.pid, resource.RLIMIT_NOFILE, (limit, limit))
    held = [socket.create_connection(("127.0.0.1", victim.port), 5) for _ in range(60)]
    held += [victim.admin_socket() for _ in range(30)]
    try:
        time.sleep(0.5)
        before = victim.processor_seconds()
        time.sleep(2)
        used = (victim.processor_seconds() - before) / 2
        said = victim.stderr()
    finally:
        for each in held:
            each.close()
    demand(used < 0.2, f"spins at the limit: {used * 100:.0f} % of a processor")
    demand("descriptor" in said or "open files" in said, "says nothing of the limit")
    demand(said.count("\n") < 20, f"says it {said.count(chr(10))} times")
    time.sleep(1)
    return f"limit {limit}, {used * 100:.0f} % of a processor at it"


@attack("connection-peak", memory=48, seconds=180)
def connection_peak(victim, random, scale):
    """Thousands of connections at once: what one costs, and what is given back when they are gone."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(int(4000 * scale), soft - 500)
    before = victim.resident()
    context = victim.tls()
    held, lock, threads = [], threading.Lock(), []

    def connect(number):
        for _ in range(number):
            connection = wire.Connection(victim, context)
            connection.answer(connection.request(wire.push(victim.token_text, PATH), BODY))
            with lock:
                held.append(connection)

    for _ in range(4):
        threads.append(threading.Thread(target=connect, args=(count // 4,), daemon=True))
        threads[-1].start()
    for thread in threads:
        thread.join(150)
    demand(len(held) == count // 4 * 4, f"only {len(held)} of {count} connections came about")
    time.sleep(1)
    peak = victim.resident()
    for connection in held:
        connection.close()
    each = (peak - before) / len(held) / 1024
    deadline = time.monotonic() + 60
    while victim.resident() - before > (peak - before) / 2 and time.monotonic() < deadline:
        time.sleep(0.5)
    kept = (victim.resident() - before) / max(1, peak - before)
    demand(each < 64, f"{each:.0f} KB for each connection")
    demand(kept <= 0.5, f"{kept * 100:.0f} % of {(peak - before) / MB:.0f} MB are kept a minute later")
    return f"{len(held)} connections, {each:.0f} KB each, {kept * 100:.0f} % of it kept"
