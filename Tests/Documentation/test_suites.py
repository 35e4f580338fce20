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

from copies import SUITES, SWIFT_SUITE, copy_suites
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
SWIFT_TEST = "NotificationsTests.swift"
# What the article says of the rest that a session has.
SWIFT_MEMBERS = r'''
@Suite(.mockAPNS(#"{"clock": {"manual": "2026-01-01T00:00:00Z"}, "devices": [{"name": "alice", "token": "\#(alice)"}]}"#))
struct MembersTests {
    @Test func theyDoWhatTheySay() async throws {
        let apns = try MockAPNS.current
        _ = try await apns.call("PATCH", "/devices/alice", ["online": false])
        let device = try await apns.call("GET", "/devices")["devices"][0]
        #expect(device["name"].text == "alice" && device["online"] == false && device[0] == .null)
        #expect(try await apns.devices() == [device])
        try await apns.addRule(["name": "busy", "then": ["reject": "TooManyRequests"]])
        try Provider(apns).push("Hello", to: alice)
        #expect(try await apns.requests(matching: ["status": 429]).count == 3)
        let before = try await apns.call("GET", "/clock")
        try await apns.advance(by: .seconds(60))
        #expect(try await apns.call("GET", "/clock")["now"] != before["now"])
        #expect(apns.keyID != "" && apns.teamID != "" && apns.signingKey.hasPrefix("-----BEGIN"))
        #expect(throws: MockAPNS.Failure.self) { try apns.file("clientQuay") }
    }

    @Test func aBuiltInScenarioIsOpenedByItsName() async throws {
        let tour = try await MockAPNS.open("tour")
        #expect(try await !tour.call("GET", "/rules")["rules"].elements.isEmpty)
        try await tour.close(isJudged: false)
        await #expect(throws: MockAPNS.Failure.self) { try await MockAPNS.open("no-such-scenario") }
    }
}
'''
# What each says of a provider that does not try again; `part of the report` in the article.
REPORT = """\
1 of 1 expectation failed.
FAILED  tried again until it worked
  expected  exactly 1 request with status 200
  seen      0 requests
  nearest   request 1: status is 429, not 200
"""


class Runs(unittest.TestCase):
    """A folder to run test files in, and what they leave behind there."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-suites-")))
        # What a test file leaves behind lies here.
        (self.folder / "tmp").mkdir()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/mock-apns").symlink_to(EXECUTABLE)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MOCK_APNS")},
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(self.folder / "tmp"),
            "FOLDER": str(self.folder), "GOCACHE": str(ROOT / ".build/go"),
            "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={self.folder / 'tmp'}",
        }

    def left(self):
        return [path.name for path in (self.folder / "tmp").iterdir() if path.name.startswith("mock-apns-")]

    def metrics(self, server):
        done = subprocess.run(["curl", "--silent", f"{server.admin}/metrics"], check=True, capture_output=True, text=True,
                              timeout=PATIENCE)
        return done.stdout


class Suites(Runs):
    def setUp(self):
        super().setUp()
        copy_suites(self.folder / "suites")

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

    def test_each_is_run(self):
        self.assertEqual(set(SUITES), set(COMMANDS))

    def test_the_article_shows_what_is_run(self):
        parts = ARTICLES["TestSuites"].named_blocks("part of")
        self.assertIn(parts.pop(SWIFT_TEST), (SWIFT_SUITE / SWIFT_TEST).read_text())
        self.assertEqual(parts.pop("the report"), REPORT)
        self.assertEqual(set(parts), set(COMMANDS))
        for name, part in parts.items():
            self.assertIn(part, SUITES[name].read_text())


@unittest.skipIf(sys.platform != "linux" and not shutil.which("swift"), "Swift is not installed")
class SwiftSuite(Runs):
    """The test file in Swift. One copy of its package serves all, since the first build takes longer than everything else."""

    def setUp(self):
        super().setUp()
        shutil.copytree(SWIFT_SUITE, self.folder / "swift", ignore=shutil.ignore_patterns(".build"))
        self.file = self.folder / "swift" / SWIFT_TEST

    def swift_test(self, *options, **variables):
        done = subprocess.run(
            ["swift", "test", "--disable-xctest", *options], cwd=self.folder / "swift", env={**self.environment, **variables},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout

    def replace(self, before, after):
        text = self.file.read_text()
        self.assertEqual(text.count(before), 1)
        self.file.write_text(text.replace(before, after))

    def test_it_is_run(self):
        self.check_a_good_provider()
        self.check_what_cannot_start()
        self.check_what_a_session_has()
        self.check_a_provider_that_gives_up()
        self.check_that_nothing_survives()

    def check_a_good_provider(self):
        code, output = self.swift_test()
        self.assertEqual(code, 0, output)
        self.assertIn("Test run with 1 test", output)
        self.assertNotIn("warning:", output)
        until(lambda: not self.left(), lambda: f"{self.left()} is left behind")
        with Server() as server:
            code, output = self.swift_test("--skip-build", MOCK_APNS_ADMIN_URL=server.admin)
            self.assertEqual(code, 0, output)
            self.assertEqual(server.get("/api/v1/sessions"), {"sessions": []})
            self.assertIn("\nmock_apns_requests_total 3\n", self.metrics(server))

    def check_what_a_session_has(self):
        text = self.file.read_text()
        self.file.write_text(text + SWIFT_MEMBERS)
        code, output = self.swift_test()
        self.assertEqual(code, 0, output)
        self.assertIn("Test run with 3 tests", output)
        self.file.write_text(text)

    def check_what_cannot_start(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # and nothing listens to it
            address = f"127.0.0.1:{unused.getsockname()[1]}"
            for variables, words in [
                ({"MOCK_APNS_ADMIN_URL": f"http://{address}"}, address),
                ({"MOCK_APNS_EXECUTABLE": "nowhere"}, "The command nowhere is not on the PATH"),
                ({"MOCK_APNS_OPTIONS": "--nonsense"}, "did not start: mock-apns: Unknown option '--nonsense'"),
            ]:
                code, output = self.swift_test("--skip-build", **variables)
                self.assertNotEqual(code, 0, output)
                self.assertIn(words, output)

    def check_a_provider_that_gives_up(self):
        self.replace("1...3", "1...1")
        code, output = self.swift_test()
        self.assertNotEqual(code, 0, output)
        # What the scenario expects, and what the test waits for.
        for line in [*REPORT.splitlines(), "  expected  at least 1 request with status 200"]:
            self.assertIn(line, output)
        self.replace("    let requests", '    throw MockAPNS.Failure(description: "my own mistake")\n    let requests')
        code, output = self.swift_test()
        self.assertNotEqual(code, 0, output)
        self.assertIn("my own mistake", output)
        self.assertIn("FAILED  tried again until it worked", output)

    def check_that_nothing_survives(self):
        """The server and its folder go with the tests, even if these are killed."""
        self.replace("    throw", "    kill(getpid(), SIGKILL)\n    throw")
        code, output = self.swift_test()
        self.assertNotEqual(code, 0, output)
        self.assertIn("triesAgainWhenAPNsIsBusy() started", output)
        self.assertNotIn("Test run with", output)
        until(lambda: not self.left(), lambda: f"{self.left()} is left behind")


def run(name):
    return unittest.skipIf(Suites.is_missing(name), f"{name} has nothing to run it")(lambda self: self.check(name))


# A test for each file.
for _name in COMMANDS:
    setattr(Suites, f"test_{_name.replace('.', '_')}", run(_name))


if __name__ == "__main__":
    unittest.main()
