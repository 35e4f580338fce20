"""A hundred clients wait at once, each for requests of its own, while pushes come: how long after its last request each is
answered, and that none is forgotten.

Run by itself it prints figures for 200,000 pushes, 10,000 a second and at full load, and exits with 1 where they are too
high:

    MOCK_APNS=.build/release/mock-apns PYTHONPATH=Tests/PythonSupport python3 Tests/EndToEnd/admin/test_waits.py
"""

import datetime
import json
import pathlib
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

import pytest

from server import PATIENCE, TOPIC, Server, device, shortest, until

WAITS = 100
PUSHES = 200_000
# For all of them, on any machine; in seconds.
LIMIT = 300
# How late an answer may be on any machine, in the best of three runs; and on an idle one with a release, by pushes a second.
BOUND = 2.0
TARGETS = {10_000: 0.050, None: 0.250}


class Wait:
    """One `POST /api/v1/requests/wait`, sent and not yet answered."""

    def __init__(self, server, question):
        address = urllib.parse.urlsplit(server.admin)
        self.question = question
        self.socket = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
        body = json.dumps(question).encode()
        head = f"POST /api/v1/requests/wait HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        self.socket.sendall(head.encode() + body)
        self.received = b""
        self.answered = None

    def read(self):
        """Reads what there is; whether that was all."""
        if self.answered is None:
            self.answered = time.time()
        part = self.socket.recv(1 << 20)
        self.received += part
        return not part

    @property
    def answer(self):
        head, _, body = self.received.partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(body)

    @property
    def lateness(self):
        """From the decision of the last request that was waited for to the answer's first byte, in seconds."""
        record = self.answer[1]["requests"][self.question["count"] - 1]
        return self.answered - datetime.datetime.fromisoformat(record["time"].replace("Z", "+00:00")).timestamp()


def waiting(server):
    """How many clients wait, as the metrics tell."""
    with urllib.request.urlopen(server.admin + "/metrics", timeout=PATIENCE) as answer:
        return int(re.search(r'^mock_apns_used\{name="waits"\} (\d+)$', answer.read().decode(), re.MULTILINE)[1])


def run(server, count, rate, folder):
    """Loads the server with so many pushes, so many of them a second, or at full speed where that is not said, and lets
    all clients wait. Returns the waits, and what the loader says."""
    # Each connection goes twice through the list: there are eight pushes for each device. Half of those that are waited
    # for come one after the other, so that their clients are woken at once.
    targets = [device(WAITS + place) for place in range(count // 8)]
    for number in range(WAITS):
        targets[-1 - number // 2 if number % 2 else len(targets) // 2 // WAITS * number] = device(number)
    listed = folder / "targets.txt"
    listed.write_text("".join(f"{server.url}/3/device/{target}\n" for target in targets))
    body = folder / "body.json"
    body.write_text('{"aps":{"alert":{"title":"Benchmark","body":"A push of one hundred bytes, to the byte."},"badge":1}}')
    waits = [
        Wait(server, {"requests": {"token": device(number), "status": 200}, "timeout": f"{LIMIT}s",
                      "count": 1 + number // 2 % 6})
        for number in range(WAITS)
    ]
    until(lambda: waiting(server) == WAITS, lambda: f"{waiting(server)} of {WAITS} clients wait")
    clients = 4
    command = ["h2load", "-n", str(count), "-c", str(clients), "-m", "100", "-d", str(body), "-i", str(listed),
               "-H", f"authorization: bearer {server.token()}", "-H", f"apns-topic: {TOPIC}"]
    if rate:
        command += ["--rps", str(rate // clients)]
    loader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with selectors.DefaultSelector() as selector:
        for wait in waits:
            selector.register(wait.socket, selectors.EVENT_READ, wait)
        deadline = time.monotonic() + LIMIT
        while selector.get_map() and time.monotonic() < deadline:
            for key, _ in selector.select(1):
                if key.data.read():
                    selector.unregister(key.data.socket)
                    key.data.socket.close()
        for key in list(selector.get_map().values()):
            key.data.socket.close()
    output = loader.communicate(timeout=LIMIT)[0]
    assert f"{count} succeeded" in output, output
    return waits, output


@pytest.mark.alone
class Waits(unittest.TestCase):
    def test_each_is_answered_soon_after_its_last_request(self):
        self.assertLess(shortest(BOUND, (self.latest() for _ in range(3))), BOUND)

    def latest(self):
        """How late the latest answer was."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        with Server("--initial-streams", "1000") as server:
            waits, _ = run(server, 8000, 2000, folder)
            for wait in waits:
                with self.subTest(wait.question):
                    self.assertTrue(wait.received, "it was forgotten")
                    status, answer = wait.answer
                    self.assertEqual(status, 200)
                    records = answer["requests"]
                    self.assertGreaterEqual(len(records), wait.question["count"])
                    self.assertEqual({record["token"] for record in records}, {wait.question["requests"]["token"]})
        return max(wait.lateness for wait in waits)


def main():
    missed = False
    for rate, target in TARGETS.items():
        # The first and the last push to a device are half of them apart, so the log has to keep them all.
        options = ["--initial-streams", "1000", "--log-limit", str(PUSHES)]
        with tempfile.TemporaryDirectory() as folder, Server(*options) as server:
            waits, output = run(server, PUSHES, rate, pathlib.Path(folder))
            lateness = sorted(wait.lateness for wait in waits if wait.received and wait.answer[0] == 200)
            finished = next(line for line in output.splitlines() if line.startswith("finished in"))
            late = f"median {lateness[len(lateness) // 2] * 1000:.0f} ms, most {lateness[-1] * 1000:.0f} ms"
            print(f"{f'{rate} a second' if rate else 'full load':16} {len(lateness)} of {WAITS} answered; {late}; "
                  f"target {target * 1000:.0f} ms; {finished}")
            missed = missed or len(lateness) < WAITS or lateness[-1] > target
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
