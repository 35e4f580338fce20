"""Starts and stops the server under test, and reads what it recorded.

The executable is named by the variable MOCK_APNS. Every server listens on free ports of 127.0.0.1.
"""

import contextlib
import json
import os
import pathlib
import queue
import random
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXECUTABLE = os.environ.get("MOCK_APNS") or str(ROOT / ".build/tests/release/mock-apns")
TOPIC = "com.example.app"
# How long a test waits for what has to come, in seconds. It ends a test that hangs and judges no speed: a machine may be
# slow, and busy with other tests.
PATIENCE = 300
# Which of the processes that run tests this is, of how many, and the ports that it has given away.
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
GIVEN = set()


def device(number):
    """A device token of 64 hex digits."""
    return f"{number + 0xA0000000:064x}"


def free_port():
    """A free port below those that the system gives away: it may give one of its own to another test, or to the very
    connection that looks whether a server listens there. No test that runs beside this one gets it, and none after it."""
    while True:
        port = random.randrange(10_000 + WORKER, 32_000, WORKERS)
        with contextlib.closing(socket.socket()) as found, contextlib.suppress(OSError):
            found.bind(("127.0.0.1", port))
            if port not in GIVEN:
                GIVEN.add(port)
                return port


def until(condition, failure):
    """Waits for something that tells of no event. `failure` makes the message, if it never comes."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(failure())
        time.sleep(0.02)


def shortest(limit, attempts):
    """The least time that something took, in seconds, of the attempts up to the first within the limit.

    Another process may hold up one attempt, but hardly all. `attempts` yields the time of each.
    """
    least = float("inf")
    for seconds in attempts:
        least = min(least, seconds)
        if least < limit:
            break
    return least


class Server:
    """One running `mock-apns serve`; a context manager that ends it by SIGTERM and wants exit code 0."""

    _shared_certs = None
    # The subcommand, with options of its own.
    command = ("serve",)

    def __init__(self, *options, certs=None):
        self.certs = pathlib.Path(certs or self._certs())
        self.options = options
        self.folder = tempfile.TemporaryDirectory(prefix="mock-apns-")
        self.log = pathlib.Path(self.folder.name) / "log.jsonl"
        self.stderr_path = pathlib.Path(self.folder.name) / "stderr.txt"
        self.exit_code = None

    @classmethod
    def _certs(cls):
        if Server._shared_certs is None:
            Server._shared_certs = tempfile.TemporaryDirectory(prefix="mock-apns-certs-")
        return Server._shared_certs.name

    def __enter__(self):
        command = [EXECUTABLE, *self.command, "--port", "0", "--admin-port", "0", "--certs", str(self.certs)]
        command += [str(self.log) if option == "LOG" else option for option in self.options]
        with open(self.stderr_path, "wb") as stderr:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr
            )
        try:
            self._wait_until_ready()
        except BaseException:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            raise
        return self

    def _wait_until_ready(self):
        lines = queue.Queue()

        def drain():
            for line in self.process.stdout:
                lines.put(line)
            lines.put(b"")

        self.drain = threading.Thread(target=drain, daemon=True)
        self.drain.start()
        try:
            line = lines.get(timeout=PATIENCE)
        except queue.Empty:
            line = b""
        if not line:
            raise AssertionError(f"no ready line; standard error says:\n{self.stderr()}")
        self.ready = json.loads(line)
        assert self.ready["event"] == "ready", line
        self.port = urllib.parse.urlsplit(self.ready["apns"]).port
        self.url = f"https://127.0.0.1:{self.port}"
        self.admin = self.ready["admin"]
        self.authority = self.ready["certificateAuthority"]
        self.key = pathlib.Path(self.ready["signingKey"]).read_text()

    def __exit__(self, kind, error, trace):
        ended_by_itself = self.exit_code is None and self.process.poll() is not None
        try:
            if self.exit_code is None:
                self.process.send_signal(signal.SIGTERM)
                self.wait(PATIENCE)
            if kind is None:
                assert not ended_by_itself, f"the server ended by itself with {self.exit_code}:\n{self.stderr()}"
                assert self.exit_code == 0, f"exit code {self.exit_code}:\n{self.stderr()}"
        finally:
            self.drain.join(PATIENCE)
            self.process.stdout.close()
            self.folder.cleanup()

    def wait(self, seconds):
        """Waits for the end of the server, which a test has asked for; returns the exit code."""
        try:
            self.exit_code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.exit_code = self.process.wait()
        return self.exit_code

    def stderr(self):
        return self.stderr_path.read_text(errors="replace")

    def until_said(self, text):
        """Waits until a text is on standard error; the banner comes after the ready line. Returns all that was said."""
        until(lambda: text in self.stderr(), lambda: f"{text!r} was not said:\n{self.stderr()}")
        return self.stderr()

    def token(self):
        """A provider token of the default identity, from the command."""
        command = [EXECUTABLE, "token", "--certs", str(self.certs)]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.strip()

    def tls(self, alpn=("h2",), **limits):
        """A client's TLS context that trusts the server's authority, and nothing else."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(self.authority)
        if alpn:
            context.set_alpn_protocols(list(alpn))
        for name, value in limits.items():
            setattr(context, name, value)
        return context

    def get(self, path):
        """One answer of the admin API, read as JSON."""
        with urllib.request.urlopen(self.admin + path, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def patch(self, path, body):
        """The answer of the admin API to a PATCH, read as JSON."""
        return self.post(path, body, "PATCH")

    def post(self, path, body, method="POST"):
        """The answer of the admin API to a POST, read as JSON."""
        request = urllib.request.Request(self.admin + path, json.dumps(body).encode(), method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def records(self):
        """Every request in the log, in order, page by page."""
        found, after = [], 0
        while True:
            page = self.get(f"/api/v1/requests?after={after}&limit=1000")["requests"]
            if not page:
                return found
            found += page
            after = page[-1]["sequence"]

    def log_lines(self, event="request"):
        """The objects of one kind in the file given by `--log LOG`."""
        lines = (json.loads(line) for line in self.log.read_text().splitlines())
        return [line for line in lines if line["event"] == event]

    def resident(self):
        """Resident memory in bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
        raise AssertionError("the server is gone")


class Relay(Server):
    """A relay to another server, or to an address."""

    def __init__(self, upstream, *options):
        super().__init__(*options)
        self.command = ["relay", "--upstream", upstream.url if isinstance(upstream, Server) else upstream]
        if isinstance(upstream, Server):
            self.command += ["--upstream-ca", str(upstream.certs / "ca.pem")]
