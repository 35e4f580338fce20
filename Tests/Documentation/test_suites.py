"""The test files of the article TestSuites: one in each language, with an unmodified client. Each is run with a server of
its own, in a session of a running one, and with a provider that does not try again, which has to fail."""

import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

from copies import SUITES, copy_suites
from junit5 import javac, junit
from server import EXECUTABLE, PATIENCE, ROOT, Server, until
from texts import ARTICLES

JAVA = f"""
    {shlex.join(javac("classes", "-sourcepath", ".", "NotificationsTest.java"))}
    exec {shlex.join(junit("classes", "-c", "NotificationsTest"))}
"""
# How each is run, and the number of its provider's tries. .ci/packages installs all of it on Debian.
COMMANDS = {
    "notifications_test.go": (["go", "test", "-count=1", "notifications_test.go"], "tries < 3"),
    "notifications.test.js": (["node", "--test", "notifications.test.js"], "tries < 3"),
    "notifications_spec.rb": (["rspec", "notifications_spec.rb"], "3.times"),
    "NotificationsTest.php": (["phpunit", "NotificationsTest.php"], "$tries < 3"),
    "NotificationsTest.java": (["sh", "-euc", JAVA], "tries < 3"),
}
# What each says of a provider that does not try again; `part of the report` in the article.
REPORT = """\
1 of 1 expectation failed.
FAILED  tried again until it worked
  expected  exactly 1 request with status 200
  seen      0 requests
  nearest   request 1: status is 429, not 200
"""


class Suites(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-suites-")))
        # What a test file leaves behind lies here.
        (self.folder / "tmp").mkdir()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/mock-apns").symlink_to(EXECUTABLE)
        copy_suites(self.folder / "suites")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MOCK_APNS")},
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(self.folder / "tmp"),
            "FOLDER": str(self.folder), "GOCACHE": str(ROOT / ".build/go"),
            "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={self.folder / 'tmp'}",
        }

    def run_suite(self, name, **variables):
        done = subprocess.run(
            COMMANDS[name][0], cwd=self.folder / "suites", env={**self.environment, **variables}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout

    def check(self, name):
        code, output = self.run_suite(name)
        self.assertEqual(code, 0, output)
        until(lambda: not self.left(), lambda: f"{name} leaves {self.left()} behind")

        with Server() as server:
            code, output = self.run_suite(name, MOCK_APNS_ADMIN_URL=server.admin)
            self.assertEqual(code, 0, output)
            self.assertEqual(server.get("/api/v1/sessions"), {"sessions": []})
            self.assertIn("\nmock_apns_requests_total 3\n", self.metrics(server))

            # A provider that does not try again.
            file, tries = self.folder / "suites" / name, COMMANDS[name][1]
            text = file.read_text()
            self.assertEqual(text.count(tries), 1)
            file.write_text(text.replace(tries, tries.replace("3", "1")))
            code, output = self.run_suite(name, MOCK_APNS_ADMIN_URL=server.admin)
            self.assertNotEqual(code, 0, output)
            for line in REPORT.splitlines():
                self.assertIn(line, output)
            self.assertNotIn("nearMisses", output)
            self.assertEqual(server.get("/api/v1/sessions"), {"sessions": []})

    @unittest.skipIf(sys.platform != "linux" and not shutil.which("go"), "go is not installed")
    def test_go_runs_again_against_another_server(self):
        """It may show an earlier result only when nothing has changed, and the address of the server has."""
        COMMANDS["go.mod"] = (["go", "test", "."], "")
        self.addCleanup(COMMANDS.pop, "go.mod")
        for _ in range(2):
            with Server() as server:
                code, output = self.run_suite("go.mod", MOCK_APNS_ADMIN_URL=server.admin)
                self.assertEqual(code, 0, output)
                self.assertIn("\nmock_apns_requests_total 3\n", self.metrics(server), output)

    def test_a_missing_command_is_one_sentence(self):
        shutil.rmtree(self.folder / "bin")
        for name in ("notifications_test.go", "notifications.test.js", "NotificationsTest.php", "NotificationsTest.java"):
            if self.is_missing(name):
                continue
            code, output = self.run_suite(name)
            self.assertNotEqual(code, 0, output)
            self.assertIn("he command mock-apns is not on the PATH", output)
            self.assertEqual(self.left(), [])

    def test_the_address_that_does_not_answer_is_named(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # and nothing listens to it
            address = f"127.0.0.1:{unused.getsockname()[1]}"
            for name in COMMANDS:
                with self.subTest(name):
                    if self.is_missing(name):
                        continue
                    code, output = self.run_suite(name, MOCK_APNS_ADMIN_URL=f"http://{address}")
                    self.assertNotEqual(code, 0, output)
                    self.assertIn(address, output)

    def test_the_tests_own_error_is_shown_too(self):
        """Beside what the scenario expected."""
        for name, (before, statement) in {
            "notifications.test.js": ("  const [request]", 'throw new Error("my own mistake");'),
            "NotificationsTest.php": ("            [$request]", 'throw new Exception("my own mistake");'),
            "notifications_spec.rb": ("    request = @apns", 'raise "my own mistake"'),
            "notifications_test.go": ("	for _, request", 't.Error("my own mistake")'),
            "NotificationsTest.java": ("        var request = apns", 'if (true) throw new Exception("my own mistake");'),
        }.items():
            with self.subTest(name):
                if self.is_missing(name):
                    continue
                file, tries = self.folder / "suites" / name, COMMANDS[name][1]
                text = file.read_text()
                self.assertEqual((text.count(before), text.count(tries)), (1, 1))
                file.write_text(text.replace(before, f"{statement}\n{before}").replace(tries, tries.replace("3", "1")))
                code, output = self.run_suite(name)
                self.assertNotEqual(code, 0, output)
                self.assertIn("my own mistake", output)
                self.assertIn("FAILED  tried again until it worked", output)

    @staticmethod
    def is_missing(name):
        tool = {"sh": "javac"}.get(COMMANDS[name][0][0], COMMANDS[name][0][0])
        return sys.platform != "linux" and not shutil.which(tool)

    def left(self):
        return [path.name for path in (self.folder / "tmp").iterdir() if path.name.startswith("mock-apns-")]

    def metrics(self, server):
        done = subprocess.run(["curl", "--silent", f"{server.admin}/metrics"], check=True, capture_output=True, text=True,
                              timeout=PATIENCE)
        return done.stdout

    def test_each_is_run(self):
        self.assertEqual(set(SUITES), set(COMMANDS))

    def test_the_article_shows_what_is_run(self):
        parts = ARTICLES["TestSuites"].named_blocks("part of")
        self.assertEqual(parts.pop("the report"), REPORT)
        self.assertEqual(set(parts), set(COMMANDS))
        for name, part in parts.items():
            self.assertIn(part, SUITES[name].read_text())


def run(name):
    return unittest.skipIf(Suites.is_missing(name), f"{name} has nothing to run it")(lambda self: self.check(name))


# A test for each file.
for _name in COMMANDS:
    setattr(Suites, f"test_{_name.replace('.', '_')}", run(_name))


if __name__ == "__main__":
    unittest.main()
