"""The package for Java: its own tests, and that nothing outlives what runs the tests, however that ends."""

import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

import pytest
from copies import FOLDERS
from junit5 import javac, junit
from server import EXECUTABLE, PATIENCE, shortest, until
from texts import Text, names

PACKAGE = FOLDERS["java"]
README = Text(PACKAGE / "README.md")


@unittest.skipIf(sys.platform != "linux" and not shutil.which("javac"), "javac is not installed")
class Java(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="mock-apns-java-")))
        sources = [*(PACKAGE / "src").rglob("*.java"), *(PACKAGE / "tests").rglob("*.java")]
        # The path has jars of others, which name some that are not there.
        done = subprocess.run(javac(cls.classes, "-Xlint:all,-path", "-Werror", "-Xdoclint:html,reference,syntax", *sources),
                              capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
        shutil.copy(PACKAGE / "tests/mockapns/beside.json", cls.classes / "mockapns")

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-java-")))
        (self.folder / "tmp").mkdir()
        # The command, which holds the other end of `alive`.
        self.life = self.folder / "life"
        os.mkfifo(self.life)
        self.alive = os.open(self.life, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, self.alive)
        command = self.folder / "mock-apns"
        command.write_text(f'#!/bin/sh\nexec 9>"{self.life}"\necho "$$" >&9\nexec "{EXECUTABLE}" "$@"\n')
        command.chmod(0o755)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MOCK_APNS")},
            "MOCK_APNS_EXECUTABLE": str(command), "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={self.folder / 'tmp'}",
        }

    def start(self, *words):
        return subprocess.Popen(junit(self.classes, *words), cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def left(self):
        return [path.name for path in (self.folder / "tmp").iterdir()]

    def test_its_own_tests(self):
        with self.start("--scan-classpath", str(self.classes)) as runner:
            output, _ = runner.communicate(timeout=PATIENCE)
        self.assertEqual(runner.returncode, 0, output)
        self.assertRegex(output, r"\[ +0 tests failed +\]")
        self.assertGreater(int(re.search(r"\[ +(\d+) tests successful", output)[1]), 40)
        until(lambda: not self.left(), lambda: f"the tests leave {self.left()} behind")

    def test_the_readme(self):
        self.assertLessEqual(README.text.count("\n"), 150)
        example, method, field = README.unmarked("java")
        commands, = README.unmarked("sh")
        shown, = README.unmarked("text")
        shutil.copytree(PACKAGE / "src", self.folder, dirs_exist_ok=True)

        def run(text):
            (self.folder / "GoalTest.java").write_text(text)
            return subprocess.run(["sh", "-ec", commands], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)

        # With the second example, as it says, and both once more with the field.
        example = re.sub(r"\}\n$", lambda _: f"\n{method}}}\n", example)
        extension = "@ExtendWith(MockAPNsExtension.class)\nclass GoalTest {\n"
        self.assertEqual(example.count(extension), 1)
        other = example.replace(extension, f"class GoalTest {{\n{field}").replace("ExtendWith", "RegisterExtension")
        for text in (example, other):
            done = run(text)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertRegex(done.stdout, r"\[ +2 tests successful +\]")
        done = run(example.replace('"alert")', '"alert", "apns-priority", "7")'))
        self.assertEqual(done.returncode, 1, done.stdout)

        def lines(text):
            return [line.strip() for line in re.sub(r"\d\d:\d\d:\d\d\.\d{3}", "TIME", text).splitlines()]

        printed = "\n".join(lines(done.stdout))
        for part in "\n".join(lines(shown)).split("\n…\n"):
            self.assertIn(part, printed)

    def test_the_readme_names_what_there_is(self):
        sources = "".join(file.read_text() for file in (PACKAGE / "src").rglob("*.java"))
        there = set(re.findall(r"^    public .*?(\w+)\(", sources, re.MULTILINE))
        named = {name for code in names([README.prose]) for name in re.findall(r"(?<![\w.])(\w+)\(", code)}
        self.assertLessEqual(named - {"try"}, there)

    def end(self, name, code, kill=None):
        """Runs a test in the middle of which the runner ends. Returns what it printed; `seconds` is how long what it had
        started outlived it."""
        with self.start("--select-method", f"mockapns.Endings#{name}(mockapns.MockAPNs)") as runner:
            for line in runner.stdout:
                if line.startswith("admin "):
                    break
            _, admin, *files = line.split()
            if kill:
                runner.send_signal(kill)
            # It ends when all have closed the pipe.
            output = runner.stdout.read()
            runner.wait(PATIENCE)
        begun = time.monotonic()
        self.assertEqual(runner.returncode, code, output)
        server = int(os.read(self.alive, 100))
        waiting = select.poll()
        waiting.register(self.alive, select.POLLIN)
        self.assertTrue(waiting.poll(PATIENCE * 1000), f"the server {server} has outlived the runner")
        self.assertEqual(os.read(self.alive, 100), b"")
        until(lambda: not self.left(), lambda: f"{name} leaves {self.left()} behind")
        self.seconds = time.monotonic() - begun
        self.assertFalse(any(pathlib.Path(file).exists() for file in files))
        with self.assertRaises(ConnectionRefusedError):
            address = urllib.parse.urlsplit(admin)
            socket.create_connection((address.hostname, address.port), PATIENCE)
        return output

    def test_it_ends_normally(self):
        self.end("normally", 0)

    def test_it_exits(self):
        self.end("byExit", 3)

    def test_it_halts(self):
        self.end("byHalt", 4)

    def test_an_uncaught_error(self):
        self.assertIn("OutOfMemoryError: as if", self.end("byAnUncaughtError", 1))

    def test_a_timeout(self):
        self.assertIn("timed out after 1 second", self.end("byATimeout", 1))

    def test_signals(self):
        for kill, code in ((signal.SIGKILL, -9), (signal.SIGTERM, 143), (signal.SIGINT, 130)):
            with self.subTest(kill):
                self.end("bySignal", code, kill)

    @pytest.mark.alone
    def test_it_is_over_in_three_seconds(self):
        def attempts():
            for _ in range(5):
                self.end("bySignal", -9, signal.SIGKILL)
                yield self.seconds

        self.assertLess(shortest(3, attempts()), 3)


if __name__ == "__main__":
    unittest.main()
