"""Well-behaved clients are not disturbed: h2load pushes over 20 connections while 20 others misbehave in every way.

The variable SOAK_PUSHES says how many good pushes there are; SEED repeats the order of the rest.
"""

import collections
import json
import os
import pathlib
import random
import re
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

import pytest

import wire
from server import EXECUTABLE, PATIENCE, Server, device, shortest
from wire import DATA, END_STREAM, HEADERS, RST_STREAM

PUSHES = int(os.environ.get("SOAK_PUSHES") or 20_000)
SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
GOOD = BAD = 20
LONGEST = 1.0  # seconds, in the best of three runs: the machine may be busy
KINDS = ("expired", "revoked", "wrong-environment", "unknown-authority", "not-push")
BODY = b'{"aps":{"alert":{"title":"Soak","body":"A push of about one hundred bytes."},"badge":1}}'
PATH = "/3/device/" + device(21)

GOAWAYS = [
    {}, {"reason": "Shutdown"}, {"reason": "Shutdown", "then": "stayOpen"}, {"reason": "Shutdown", "then": "close"},
    {"text": "Maximum active streams violated for this endpoint.", "errorCode": "REFUSED_STREAM", "then": "close"},
    {"lastStream": "zero"}, {"lastStream": "previous", "then": "stayOpen"}, {"lastStream": "all"},
    [{"reason": "Shutdown", "lastStream": "all"}, {}],
]
# Limits that the well-behaved never meet, and a rule for each way in which a server may be strange.
SCENARIO = {
    "connection": {
        "idle": {"after": "2s", "then": "goAway"}, "wedgeAfterExpiredToken": True, "afterRejection": 1,
        "closeAfterErrors": 40,
    },
    "rules": [{"when": {"header": {"x-soak": name}}, "repeat": "cycle", "then": step} for name, step in {
        "stall": {"stall": True}, "drip": {"reject": "TooManyRequests", "drip": {"bytes": 2, "every": "1ms"}},
        "late": {"pass": True, "delay": {"uniform": ["1ms", "300ms"]}}, "split": {"hostile": "splitBody"},
        "flood": {"hostile": "settingsFlood"}, "window": {"hostile": "windowStall"},
        "reset": {"resetStream": ["REFUSED_STREAM", "STREAM_CLOSED"]}, "goaway": {"goAway": {"reason": "Shutdown"}},
        "limit": {"pass": True, "settings": {"maxConcurrentStreams": 0, "for": "50ms"}},
        "close": {"close": "reset"}, "silent": {"close": "silent"},
    }.items()],
}
RULES = [rule["when"]["header"]["x-soak"] for rule in SCENARIO["rules"]]
CLOSES = ["end", "truncate", "reset", "silent"]


def duration(text):
    """Seconds of h2load's `1.23ms`."""
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1}[unit]


class Misbehavior:
    """One client that goes through all ways of misbehaving, in an order of its own."""

    def __init__(self, server, folder, seed):
        self.server, self.folder = server, pathlib.Path(folder)
        self.random = random.Random(seed)
        self.token = server.token()
        self.ways = [getattr(self, name) for name in dir(self) if name.startswith("way_")]
        self.done = collections.Counter()
        self.failures = []

    def run(self, stop):
        while not stop.is_set():
            self.random.shuffle(self.ways)
            for way in self.ways:
                if stop.is_set():
                    return
                try:
                    way()
                    self.done[way.__name__] += 1
                except Exception as error:  # What it sees of its own misbehavior is not what this is about.
                    self.failures.append((way.__name__, repr(error)))
                stop.wait(0.01)

    def connect(self, context=None, **options):
        return wire.Connection(self.server, context, timeout=10, **options)

    def push(self, connection, token=None, **changes):
        return connection.request(wire.push(token or self.token, PATH, **changes), BODY)

    def order(self, connection, call, value):
        """Lets the admin API do something to a connection, which is found by its port."""
        port = connection.socket.getsockname()[1]
        shown = self.server.get("/api/v1/connections")["connections"]
        number = [each["id"] for each in shown if each["remoteAddress"].endswith(f":{port}")][-1]
        self.server.post(f"/api/v1/connections/{number}/{call}", value)

    def ordered(self, call, value):
        with self.connect() as connection:
            connection.answer(self.push(connection))
            half = connection.request(wire.push(self.token, PATH), BODY, end=False)
            self.order(connection, call, value)
            try:
                # It goes on as if nothing had happened.
                connection.send(wire.frame(DATA, END_STREAM, half))
                for _ in range(20):
                    self.push(connection)
                connection.until_closed(timeout=0.2)
            except (TimeoutError, OSError, ssl.SSLError):
                pass

    def way_goaway(self):
        self.ordered("goaway", self.random.choice(GOAWAYS))

    def way_close(self):
        self.ordered("close", self.random.choice(CLOSES))

    def way_certificate(self):
        name = f"client-{self.random.choice(KINDS)}"
        context = self.server.tls()
        context.load_cert_chain(self.folder / f"{name}.pem", self.folder / f"{name}.key")
        try:
            with self.connect(context, start=False) as connection:
                connection.until_closed()
        except (OSError, ssl.SSLError):
            pass

    def way_overrun(self):
        with self.connect() as connection:
            for _ in range(1200):
                connection.request(wire.push(self.token, PATH), BODY, end=False)
            connection.until(RST_STREAM)

    def way_expired_token(self):
        command = [EXECUTABLE, "token", "--certs", str(self.server.certs), "--issued-at", str(int(time.time()) - 4000)]
        old = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.strip()
        with self.connect() as connection:
            for _ in range(5):
                connection.answer(self.push(connection, old))

    def way_refused(self):
        with self.connect() as connection:
            connection.answer(self.push(connection))
            for _ in range(30):
                connection.answer(self.push(connection, **{"apns-priority": "7"}))

    def way_refused_too_often(self):
        with self.connect() as connection:
            connection.answer(self.push(connection))
            try:
                for _ in range(50):
                    self.push(connection, **{"apns-priority": "7"})
                connection.until_closed()
            except (OSError, ssl.SSLError):
                pass

    def way_idle(self):
        with self.connect() as connection:
            connection.answer(self.push(connection))
            connection.until_closed()

    def way_rules(self):
        with self.connect() as connection:
            connection.answer(self.push(connection))
            try:
                for name in self.random.sample(RULES, 3):
                    self.push(connection, **{"x-soak": name})
                connection.until_closed(timeout=0.2)
            except (TimeoutError, OSError, ssl.SSLError):
                pass

    def way_tokens_without_a_signer(self):
        with self.connect() as connection:
            for number in range(5):
                connection.answer(self.push(connection, f"e30.e30.{number}"))

    def way_stream_that_never_was(self):
        with self.connect() as connection:
            connection.send(wire.frame(DATA, 0, 99, b"x"))
            connection.until_closed()

    def way_pseudo_header_last(self):
        with self.connect() as connection:
            connection.request(wire.push(self.token, PATH)[1:] + [(":method", "POST")], BODY)
            connection.until_closed()

    def way_cancel(self):
        with self.connect() as connection:
            connection.answer(self.push(connection))
            for _ in range(100):
                stream = connection.request(wire.push(self.token, PATH), BODY, end=False)
                connection.send(wire.frame(RST_STREAM, 0, stream, b"\0\0\0\x08"))

    def way_reset(self):
        connection = self.connect()
        for _ in range(50):
            self.push(connection)
        connection.reset()

    def way_never_reads(self):
        with self.connect(receive_buffer=4096) as connection:
            connection.answer(self.push(connection))
            for _ in range(500):
                self.push(connection)
            time.sleep(0.1)

    def way_garbage(self):
        with self.connect(start=False) as connection:
            connection.send(b"GET / HTTP/1.1\r\n\r\n" if self.random.random() < 0.5 else self.random.randbytes(2000))
            connection.until_closed()


@pytest.mark.alone
class Soak(unittest.TestCase):
    def push(self, command):
        """Lets the good ones push; how long the slowest answer took."""
        told = subprocess.run(command, capture_output=True, text=True, timeout=800).stdout
        times = re.search(r"time for request: +(\S+) +(\S+) +(\S+)", told).groups()
        print(f"{PUSHES} good pushes, slowest answer {times[1]}, mean {times[2]}", flush=True)
        self.assertIn(f"status codes: {PUSHES} 2xx, 0 3xx, 0 4xx, 0 5xx", told)
        self.assertIn(f"{PUSHES} succeeded, 0 failed, 0 errored, 0 timeout", told)
        return duration(times[1])

    def test_good_clients_are_not_disturbed(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-certs-"))
        for kind in KINDS:
            command = [EXECUTABLE, "certs", "--certs", folder, "--kind", kind]
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        scenario = pathlib.Path(folder) / "soak.json"
        scenario.write_text(json.dumps(SCENARIO))
        server = self.enterContext(
            Server("--quiet", "--log-limit", "10000", "--scenario", str(scenario), certs=folder))
        body = pathlib.Path(folder) / "body"
        body.write_bytes(BODY)
        stop = threading.Event()
        clients = [Misbehavior(server, folder, f"{SEED} {number}") for number in range(BAD)]
        threads = [threading.Thread(target=client.run, args=(stop,), daemon=True) for client in clients]
        for thread in threads:
            thread.start()
        try:
            command = [
                "h2load", "-n", str(PUSHES), "-c", str(GOOD), "-m", "1", "-d", str(body),
                "-H", f"authorization: bearer {server.token()}", "-H", "apns-topic: com.example.app",
                "-H", "apns-push-type: alert", f"{server.url}/3/device/{device(22)}",
            ]
            slowest = shortest(LONGEST, (self.push(command) for _ in range(3)))
        finally:
            stop.set()
            for thread in threads:
                thread.join(PATIENCE)
        done = sum((client.done for client in clients), collections.Counter())
        failures = collections.Counter(each for client in clients for each in client.failures)
        print(f"SEED={SEED}; misbehaved {sum(done.values())} times: {dict(sorted(done.items()))}", flush=True)
        self.assertLess(slowest, LONGEST)
        # Each way was gone, and mostly to its end.
        self.assertEqual({way.__name__ for way in clients[0].ways} - set(done), set(), failures)
        self.assertLess(sum(failures.values()), sum(done.values()) / 10 + 20, failures.most_common(5))


if __name__ == "__main__":
    unittest.main()
