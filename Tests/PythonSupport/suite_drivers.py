"""The drivers of the article Suite: how each is built and run, which client it drives, and what comes of each story.

A driver passes every story but those in Documentation/driver_failures.json, which says why, and those that need what it cannot do.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import copies
from server import EXECUTABLE, PATIENCE, ROOT

BUILT = ROOT / ".build/drivers"
# None of the drivers sends PING, or signs for a second team.
LACKING = ["pings", "teams"]
# Those that say what to push; a driver pushes to devices only, and not to broadcast channels.
STORIES = sorted(path.stem for path in (ROOT / "scenarios").glob("*.json") if "workload" in json.loads(path.read_text()))
FAILURES = json.loads((ROOT / "Tests/Documentation/driver_failures.json").read_text())
ROOTS = "/etc/ssl/certs/ca-certificates.crt"
# URLSession trusts the system alone, so the system it sees is one that trusts the server.
TRUSTING = ["unshare", "--mount", "--propagation", "private", "sh", "-c",
            f'mount --bind "$SSL_CERT_FILE" {ROOTS} && exec "$0"']


def needs(story):
    """What a story needs of a driver."""
    return json.loads((ROOT / "scenarios" / f"{story}.json").read_text()).get("needs", [])


def printed(*command):
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout


def package(name):
    """A package of PyPI with its version, as it is installed."""
    return f"{name} " + printed(sys.executable, "-c", f"import importlib.metadata as m; print(m.version({name!r}))").strip()


class Driver:
    """One driver. `language` and `client` are what it is written in, and whom it lets push, with versions."""

    def __init__(self, file, language, client, run, build=None, skips=()):
        self.path = copies.DRIVERS[file]
        self.language, self.client = language, client
        self.run, self.build = run, build
        self.skips = [*LACKING, *skips]

    def expected(self):
        """The outcome of each story."""
        failures = FAILURES.get(self.path.name, {})
        return {story: "skipped" if set(needs(story)) & set(self.skips) else "failed" if story in failures else "passed"
                for story in STORIES}

    def play(self, stories, *words):
        """Plays stories; returns what the suite reports of each, by their names.

        On a busy machine the timeouts of a driver may end what would have been answered. So what is not as expected is
        played again, one story at a time; its `first` says what came of it before.
        """
        BUILT.mkdir(parents=True, exist_ok=True)
        if self.build:
            environment = {**os.environ, "GOCACHE": str(BUILT / "go")}
            subprocess.run(self.build, check=True, timeout=PATIENCE, env=environment)
        played = self._play(stories, *words)
        expected = self.expected()
        again = [name for name, story in played.items() if story["outcome"] != expected[name]]
        for name, story in (self._play(again, *words, "--jobs", "1") if again else {}).items():
            first = f"{played[name]['outcome']}: {played[name]['reason']}"
            played[name] = {**story, "first": first}
        return played

    def _play(self, stories, *words):
        skips = [word for need in self.skips for word in ("--skip", need)]
        with tempfile.TemporaryDirectory(prefix="mock-apns-drivers-") as folder:
            # Those that let the executable sign look for it on the PATH.
            pathlib.Path(folder, "mock-apns").symlink_to(EXECUTABLE)
            environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
            report = pathlib.Path(folder, "suite.json")
            command = [EXECUTABLE, "suite", "--json", report, *skips, *words, *stories, "--", *self.run]
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=10 * PATIENCE)
            assert done.returncode in (0, 1), f"The suite exited with {done.returncode}: {done.stdout}{done.stderr}"
            return {story["name"]: story for story in json.loads(report.read_text())["stories"]}


def built(name):
    return str(BUILT / name)


def source(name):
    return str(copies.DRIVERS[name])


def first(pattern, *command):
    """The first thing like that in what a command prints."""
    return re.search(pattern, printed(*command))[0]


DRIVERS = {driver.path.name: driver for driver in (
    Driver("driver.sh", lambda: "sh", lambda: first(r"curl \S+", "curl", "--version"), ["sh", source("driver.sh")],
           skips=["keepsConnection"]),
    Driver("driver.py", lambda: f"Python {sys.version.split()[0]}", lambda: f"{package('httpx')} with {package('h2')}",
           [sys.executable, source("driver.py")]),
    Driver("driver_aioapns.py", lambda: f"Python {sys.version.split()[0]}",
           lambda: f"{package('aioapns')} with {package('h2')}", [sys.executable, source("driver_aioapns.py")]),
    Driver("driver.go", lambda: "Go " + first(r"go([\d.]+)", "go", "version")[2:], lambda: "its `net/http`",
           [built("driver-go")], build=["go", "build", "-o", built("driver-go"), source("driver.go")]),
    Driver("driver.php", lambda: "PHP " + printed("php", "-r", "echo PHP_VERSION;"),
           lambda: "its curl, with libcurl " + printed("php", "-r", "echo curl_version()['version'];"),
           ["php", source("driver.php")]),
    Driver("driver.rb", lambda: "Ruby " + printed("ruby", "-e", "print RUBY_VERSION"),
           lambda: "http-2 " + printed("ruby", "-r", "http/2", "-e", "print HTTP2::VERSION"),
           ["ruby", source("driver.rb")]),
    Driver("driver.swift", lambda: first(r"Swift version \S+", "swift", "--version").replace("version ", ""),
           lambda: "its Foundation for Linux", [*TRUSTING, built("driver-swift")],
           build=["swiftc", "-O", source("driver.swift"), "-o", built("driver-swift")]),
    Driver("driver.mjs", lambda: "Node " + printed("node", "-p", "process.versions.node").strip(),
           lambda: "its `http2`, with nghttp2 " + printed("node", "-p", "process.versions.nghttp2").strip(),
           ["node", source("driver.mjs")]),
    Driver("Driver.java", lambda: "Java " + first(r"\d[\d.]*", "java", "--version"), lambda: "its `java.net.http`",
           ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", str(BUILT), "Driver"],
           build=["javac", "-d", str(BUILT), source("Driver.java")]),
)}
