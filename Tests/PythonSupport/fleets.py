"""Starts what a fleet consists of: an engine, a collector, replicas; and what may happen to them."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

from server import EXECUTABLE, PATIENCE, TOPIC, Server, device, free_port, until

TOKEN = device(77)
BOB = device(78)


class Engine:
    """A Redis server of this test's own, without files unless the options say otherwise."""

    def __init__(self, *options):
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        self.command = [os.environ.get("REDIS_SERVER", "redis-server"), "--port", str(self.port), "--bind", "127.0.0.1",
                        *(options or ("--save", "", "--appendonly", "no"))]

    def __enter__(self):
        self.start()
        return self

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        until(self.answers, lambda: "redis-server does not answer")

    def answers(self):
        try:
            return self.ask("PING") == b"+PONG\r\n"
        except OSError:
            return False

    def ask(self, line):
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(line.encode() + b"\r\n")
            return connection.recv(65536)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        """Ends it as `kill -9` does; `start` starts it again on the same port."""
        self.process.kill()
        self.process.wait()

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGCONT)
        self.kill()


class Collector:
    """One running `mock-apns collect`."""

    def __init__(self, engine, scenario=None, *options):
        self.command = [EXECUTABLE, "collect", "--fleet", engine.url, "--admin-port", "0", *options]
        if scenario:
            self.command += ["--scenario", scenario]

    def __enter__(self):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        line = self.process.stdout.readline()
        assert line, self.stderr()
        self.ready = json.loads(line)
        self.admin = self.ready["admin"]
        return self

    def stderr(self):
        self.errors.seek(0)
        return self.errors.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        told = self.stderr()
        self.errors.close()
        if kind is None and code != -signal.SIGKILL:
            assert code == 0, told

    get, post, records = Server.get, Server.post, Server.records

    def count(self, **match):
        return self.post("/api/v1/requests/count", {"requests": match})["count"]


class Relay:
    """A way to the engine that can be cut between a command and its answer."""

    def __init__(self, engine):
        self.engine = engine
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self.listener.getsockname()[1]}"
        self.cut = threading.Event()
        self.cuts = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        server = socket.create_connection(("127.0.0.1", self.engine.port))
        is_append = threading.Event()

        def forward():
            with contextlib.suppress(OSError):
                while data := client.recv(1 << 20):
                    if b"XADD" in data:
                        is_append.set()
                    server.sendall(data)
                server.shutdown(socket.SHUT_WR)

        threading.Thread(target=forward, daemon=True).start()
        with contextlib.suppress(OSError):
            while data := server.recv(1 << 20):
                if self.cut.is_set() and is_append.is_set():
                    # The engine has it, and its client will not hear of it.
                    self.cut.clear()
                    self.cuts += 1
                    break
                is_append.clear()
                client.sendall(data)
        for each in client, server:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


class Load:
    """Pushes to each of some replicas, one batch after another, until the block ends."""

    BATCH = 100

    def __init__(self, push, *servers):
        self.push, self.servers = push, servers
        self.ending = threading.Event()
        # Of each replica: the number of pushes, and of those answered with 200.
        self.sent, self.answered = [0] * len(servers), [0] * len(servers)

    def run(self, index):
        while not self.ending.wait(0.02):
            answered = self.push(self.servers[index], self.BATCH)
            self.answered[index] += answered
            self.sent[index] += self.BATCH

    def __enter__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor()
        self.runs = [self.pool.submit(self.run, index) for index in range(len(self.servers))]
        self.goes_on()
        return self

    def goes_on(self):
        """Waits until each replica has answered pushes that were sent after this call."""
        before = list(self.sent)
        until(lambda: all(now >= then + 2 * self.BATCH for now, then in zip(self.sent, before))
              or any(each.done() for each in self.runs), lambda: "the load stands still")

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Waits for the answers to what was sent."""
        self.ending.set()
        self.pool.shutdown()
        for each in self.runs:
            each.result()


@unittest.skipUnless(shutil.which("redis-server"), "redis-server is not installed")
class FleetCase(unittest.TestCase):
    """A test of a fleet."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-fleet-")))
        self.body = self.folder / "body.json"
        self.body.write_text('{"aps":{"alert":"Hello"}}')
        self.tokens = {}

    def scenario(self, count):
        file = self.folder / "expects.json"
        file.write_text(json.dumps({
            "devices": [{"name": "alice", "token": TOKEN}],
            "expect": [{"name": "all of them", "requests": {"status": 200}, "count": count}, {"nothingElse": True}]}))
        return str(file)

    def ordered(self, **more):
        file = self.folder / "ordered.json"
        file.write_text(json.dumps({
            "clock": {"manual": "now"},
            "devices": [{"name": "alice", "token": TOKEN}, {"name": "bob", "token": BOB, "online": False}], **more}))
        return str(file)

    def replica(self, engine, name, *options):
        return Server("--fleet", engine.url, "--replica", name, "--initial-streams", "1000", *options)

    def token(self, server):
        """A provider token, the same for all replicas with one key."""
        if server.key not in self.tokens:
            self.tokens[server.key] = server.token()
        return self.tokens[server.key]

    def push(self, server, count, port=None, to=TOKEN, topic=TOPIC, connections=2, fields=()):
        """Sends pushes; returns how many were answered with 200."""
        fields = [f"apns-topic: {topic}", f"authorization: bearer {self.token(server)}", *fields]
        done = subprocess.run(
            ["h2load", "-n", str(count), "-c", str(min(connections, count)), "-m", "20", "-d", str(self.body),
             *(word for field in fields for word in ("-H", field)),
             f"https://127.0.0.1:{port or server.port}/3/device/{to}"],
            capture_output=True, text=True, timeout=PATIENCE)
        return int(re.search(r"(\d+) 2xx", done.stdout)[1])

    def verify(self, engine, scenario, *options, code, **variables):
        done = subprocess.run(
            [EXECUTABLE, "verify", "--fleet", engine.url, *options, scenario], capture_output=True, text=True,
            timeout=PATIENCE, env={**os.environ, **variables})
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def status(self, server, path, method="GET", body=None):
        request = urllib.request.Request(
            server.admin + path, method=method, data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def change(self, server, path, method, body=None):
        code, text = self.status(server, "/api/v1" + path, method, body)
        self.assertIn(code, (200, 201), text)
        return json.loads(text)

    def push_to_all(self, replicas, count, to=TOKEN):
        """Sends pushes to several replicas at once; returns how many were answered with 200."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            return sum(pool.map(lambda each: self.push(each, count, to=to), replicas))
