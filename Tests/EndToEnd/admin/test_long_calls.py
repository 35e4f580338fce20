"""Calls of the admin API that take long, or are many: the server serves others meanwhile, gives up what is no longer waited
for, and ends at once when it is told to."""

import contextlib
import fcntl
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import tempfile
import termios
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from server import PATIENCE, TOPIC, Server, device, shortest, until

MB = 1 << 20
RECORDS = 2000
# For each record of the log it compares for so long that the whole search takes minutes.
SLOW = {"requests": {"body": {"oneOf": [{"contains": f"not there {number}"} for number in range(20_000)]}}}
# For what should take no time, in seconds. It has three attempts, since the machine may be busy.
SOON = 10.0
WAITS = 3000


def has_been_read(pipe):
    """Whether nothing is left in a pipe."""
    return fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)) == bytes(4)


def push(server, count):
    """Lets h2load push so many times."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as body:
        body.write('{"aps":{"alert":{"title":"Benchmark","body":"A push of one hundred bytes, to the byte."},"badge":1}}')
        body.flush()
        command = ["h2load", "-n", str(count), "-c", "1", "-m", "100", "-d", body.name,
                   "-H", f"authorization: bearer {server.token()}", "-H", f"apns-topic: {TOPIC}",
                   f"{server.url}/3/device/{device(1)}"]
        output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
    assert f"{count} succeeded" in output, output


def begin(server, path, question):
    """Sends a question, and does not wait for the answer."""
    address = urllib.parse.urlsplit(server.admin)
    connection = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
    body = json.dumps(question).encode()
    head = f"POST /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    return connection


def ask(server, path, question, method="POST"):
    """An answer's status and JSON."""
    body = question if isinstance(question, bytes) else json.dumps(question).encode()
    request = urllib.request.Request(f"{server.admin}/api/v1/{path}", data=body, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def processor_seconds(server):
    """How long the server's threads have worked."""
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def highest_resident(server):
    """The most resident memory that the server has had, in bytes."""
    with open(f"/proc/{server.process.pid}/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


class LongCalls(unittest.TestCase):
    def searches(self, server, stack):
        """More searches than the machine has processors."""
        return [
            stack.enter_context(contextlib.closing(begin(server, path, question)))
            for path, question in [
                ("requests/find", SLOW), ("requests/count", SLOW), ("verify", {"expect": [SLOW | {"count": 1}]}),
            ] * 4
        ]

    def get(self, server, path):
        """How long an answer takes."""
        start = time.monotonic()
        with urllib.request.urlopen(server.admin + path, timeout=PATIENCE) as answer:
            self.assertEqual(answer.status, 200)
            answer.read()
        return time.monotonic() - start

    def test_searches_delay_no_calls_and_end_with_clients(self):
        with Server() as server, contextlib.ExitStack() as stack:
            push(server, RECORDS)
            searches = self.searches(server, stack)
            for path in ("/livez", "/readyz", "/api/v1/summary", "/api/v1/requests?limit=1"):
                self.assertLess(shortest(SOON, (self.get(server, path) for _ in range(3))), SOON, path)
            for search in searches:
                search.setblocking(False)
                with self.assertRaises(BlockingIOError, msg="a search was over too soon to be a test"):
                    search.recv(1)
            stack.close()
            # The server notices each at the end of a slice, and has nothing to do then.
            deadline = time.monotonic() + PATIENCE
            while True:
                before = processor_seconds(server)
                time.sleep(1)
                if processor_seconds(server) - before < 0.2:
                    break
                self.assertLess(time.monotonic(), deadline, "it goes on searching")

    def test_a_search_does_not_hold_up_the_end(self):
        self.assertLess(shortest(SOON, (self.end_while_searching() for _ in range(3))), SOON)

    def end_while_searching(self):
        """How long the end takes of a server that searches."""
        with Server() as server, contextlib.ExitStack() as stack:
            push(server, RECORDS)
            self.searches(server, stack)
            # They have begun when another that came later is answered.
            self.assertEqual(ask(server, "requests/count", {})[1], {"count": RECORDS, "dropped": 0})
            start = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(PATIENCE), 0)
            return time.monotonic() - start

    def test_a_scenario_of_mistakes(self):
        with Server() as server:
            resident = server.resident()
            text = b'{"rules":[' + b"1," * (32 * MB - 20) + b"1]}"
            self.assertGreater(len(text), 63 * MB)
            status, answer = ask(server, "scenario", text, "PUT")
            self.assertEqual(status, 400)
            self.assertIn("no more than", answer["error"]["message"])
            few = b'{"rules":[' + b"1," * 500_000 + b"1]}"
            status, answer = ask(server, "scenario", few, "PUT")
            self.assertEqual(status, 400)
            self.assertIn("There are more than 100 mistakes in all.", answer["error"]["message"])
            self.assertLess(highest_resident(server) - resident, 800 * MB)

    def test_abandoned_waits_give_their_memory_back(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < WAITS + 500:
            self.skipTest(f"only {hard} files can be open")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, WAITS + 500), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with Server() as server:
            ask(server, "requests/count", {})
            before = server.resident()
            with contextlib.ExitStack() as stack:
                for number in range(WAITS):
                    question = {"requests": {"topic": f"com.example.none{number}"}, "timeout": "10m"}
                    stack.enter_context(contextlib.closing(begin(server, "requests/wait", question)))
                self.assertEqual(ask(server, "requests/count", {})[1], {"count": 0, "dropped": 0})
            peak = highest_resident(server) - before
            self.assertGreater(peak, 30 * MB)
            # It takes 10 s; there is no limit but that of a test that hangs.
            until(lambda: server.resident() - before <= peak / 2, lambda: "nothing was given back")

    def put_large_scenarios(self, server, stack, count):
        """Scenarios each of which takes a while to be read, and is refused then."""
        body = b'{"rules":[' + b"1," * 1_900_000 + b"1]}"
        address = urllib.parse.urlsplit(server.admin)
        connections = []
        for _ in range(count):
            connection = stack.enter_context(
                contextlib.closing(socket.create_connection((address.hostname, address.port), timeout=60)))
            head = f"PUT /api/v1/scenario HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            connections.append(connection)
        return connections

    def test_large_scenarios_delay_neither_small_ones_nor_shutdown(self):
        with Server() as server, contextlib.ExitStack() as stack:
            *_, last = self.put_large_scenarios(server, stack, 40)
            self.assertEqual(ask(server, "scenario", {"name": "small"}, "PUT")[0], 200)
            last.setblocking(False)
            with self.assertRaises(BlockingIOError, msg="all large ones came before it"):
                last.recv(1)
            start = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(120), 0)
            self.assertLess(time.monotonic() - start, SOON)

    def test_scenarios_of_departed_clients_are_not_read(self):
        with Server() as server, contextlib.ExitStack() as stack:
            self.put_large_scenarios(server, stack, 40)
            self.assertEqual(ask(server, "scenario", {"name": "small"}, "PUT")[0], 200)
            stack.close()
            start = time.monotonic()
            # As large as those that are no longer waited for.
            large = {"name": "large", "description": "x" * 2 * MB}
            self.assertEqual(ask(server, "scenario", large, "PUT")[0], 200)
            self.assertLess(time.monotonic() - start, SOON)

    def test_scenarios_that_never_arrive_do_not_delay_shutdown(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        scenario = folder / "scenario.json"
        scenario.write_text("{}")
        with Server("--scenario", str(scenario)) as server:
            scenario.unlink()
            os.mkfifo(scenario)
            # Spaces are written to it now and then, so that the server does not give up.
            with contextlib.ExitStack() as stack:
                pipe = os.open(scenario, os.O_RDWR)
                os.write(pipe, b" ")
                stack.callback(os.close, pipe)
                over = threading.Event()

                def write():
                    while not over.wait(0.5):
                        os.write(pipe, b" ")

                writer = threading.Thread(target=write)
                writer.start()
                stack.callback(writer.join)
                stack.callback(over.set)
                server.process.send_signal(signal.SIGHUP)
                until(lambda: has_been_read(pipe), lambda: "the server does not read the scenario")
                start = time.monotonic()
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(server.wait(60), 0)
                self.assertLess(time.monotonic() - start, SOON)

    def test_thousands_of_waits_that_are_given_up(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < WAITS + 500:
            self.skipTest(f"only {hard} files can be open")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, WAITS + 500), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with Server() as server, contextlib.ExitStack() as stack:
            push(server, RECORDS)
            for number in range(WAITS):
                question = {"requests": {"header": {"apns-topic": "com.example.none"}}, "timeout": "10m"}
                if number % 2:
                    question = {"count": RECORDS + 1000 + number, "timeout": "10m"}
                stack.enter_context(contextlib.closing(begin(server, "requests/wait", question)))
            self.assertEqual(ask(server, "requests/count", {})[1], {"count": RECORDS, "dropped": 0})
            push(server, 500)
            resident = server.resident()
            stack.close()
            push(server, 500)
            # No client is there to be answered, so no answer is made.
            self.assertEqual(ask(server, "requests/count", {})[1], {"count": RECORDS + 1000, "dropped": 0})
            self.assertLess(server.resident() - resident, 100 * MB)


if __name__ == "__main__":
    unittest.main()
