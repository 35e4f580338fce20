"""`--exit-with-parent`: a server ends with what started it, however that went; the test files to copy use it."""

import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from copies import NODE_PACKAGE, SUITES, copy_suites
from fleets import Engine
from server import EXECUTABLE, PATIENCE, ROOT

SERVE = ["serve", "--port", "0", "--admin-port", "0", "--quiet"]
# The process in between ends only after the one that will be the server has been made, which begins when it is an
# orphan.
ORPHAN = """
import os, sys
parent = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == parent:
    pass
if sys.argv[1] == "leader":
    os.setsid()
os.execv(sys.argv[2], sys.argv[2:])
"""


class ExitWithParent(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-parent-")))
        self.life = self.folder / "life"
        os.mkfifo(self.life)
        self.alive = os.open(self.life, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, self.alive)
        # The command, which holds the other end of `alive`.
        (self.folder / "bin").mkdir()
        self.command = self.folder / "bin/mock-apns"
        self.command.write_text(f'#!/bin/sh\nexec 9>"{self.life}"\necho "$$" >&9\nexec "{EXECUTABLE}" "$@"\n')
        self.command.chmod(0o755)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MOCK_APNS")},
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(self.folder),
            "GOCACHE": str(ROOT / ".build/go"),
        }

    def read(self):
        """What the server has written to `alive`; empty when it is gone."""
        waiting = select.poll()
        waiting.register(self.alive, select.POLLIN)
        self.assertTrue(waiting.poll(PATIENCE * 1000), "the server has outlived its parent")
        return os.read(self.alive, 4096)

    def assert_gone(self):
        """The server was there, and has ended."""
        number = int(self.read())
        self.addCleanup(self.end, number)
        self.assertEqual(self.read(), b"")
        self.ended = True

    ended = False

    def end(self, number):
        if not self.ended:
            os.kill(number, signal.SIGKILL)

    def run_parent(self, *options, signal=signal.SIGKILL, **variables):
        """A parent that is killed once the server is ready. Returns what the server said of its end."""
        errors = self.folder / "errors.txt"
        options = [*options, *(() if options[0] == "collect" else ("--certs", str(self.folder / "certs")))]
        words = " ".join(f"'{word}'" for word in [str(self.command), *options])
        with subprocess.Popen(["sh", "-c", f"{words} 2>'{errors}'; exit 0"], env={**self.environment, **variables},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as parent:
            self.assertIn(b'"event":"ready"', parent.stdout.readline())
            parent.send_signal(signal)
            parent.wait()
        self.assert_gone()
        return errors.read_text()

    def test_it_ends_as_by_sigterm(self):
        said = self.run_parent(*SERVE[:-1], "--exit-with-parent")
        self.assertIn("mock-apns is stopping", said)
        self.assertIn("No requests.", said)

    def test_the_variable(self):
        self.run_parent(*SERVE, MOCK_APNS_EXIT_WITH_PARENT="1")

    def test_a_wrong_variable(self):
        done = subprocess.run([EXECUTABLE, *SERVE], env={**self.environment, "MOCK_APNS_EXIT_WITH_PARENT": "yes"},
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 64)
        self.assertIn('MOCK_APNS_EXIT_WITH_PARENT is "yes"; set it to 1', done.stderr)

    @unittest.skipIf(sys.platform != "linux" and not shutil.which("redis-server"), "redis-server is not installed")
    def test_a_collector(self):
        with Engine() as engine:
            self.run_parent("collect", "--fleet", engine.url, "--admin-port", "0", "--exit-with-parent")

    def orphan(self, kind, stdout):
        """A server whose parent is gone before it begins."""
        subprocess.run([sys.executable, "-c", ORPHAN, kind, str(self.command), *SERVE, "--exit-with-parent",
                        "--certs", str(self.folder / "certs")],
                       stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.DEVNULL, env=self.environment,
                       check=True, start_new_session=True, timeout=PATIENCE)

    def test_a_parent_that_was_gone_before(self):
        self.orphan("member", subprocess.DEVNULL)
        self.assert_gone()

    def test_servers_end_if_the_ready_line_is_unread(self):
        ours, theirs = os.pipe()
        os.close(ours)
        self.orphan("leader", theirs)
        os.close(theirs)
        self.assert_gone()

    def test_a_new_session_has_a_parent(self):
        """As the Python client starts it."""
        with subprocess.Popen([self.command, *SERVE, "--exit-with-parent", "--certs", str(self.folder / "certs")],
                              env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              start_new_session=True) as server:
            self.assertIn(b'"event":"ready"', server.stdout.readline())
            with self.assertRaises(subprocess.TimeoutExpired):
                server.wait(1)
            server.terminate()
            self.assertEqual(server.wait(PATIENCE), 0)

    def run_suite(self, name, old, new, *command):
        """Runs a test file in which something was replaced; returns its exit code and what it printed."""
        copy_suites(self.folder / "suites")
        file = self.folder / "suites" / name
        text = file.read_text()
        self.assertEqual(text.count(old), 1)
        file.write_text(text.replace(old, new))
        done = subprocess.run(command, cwd=file.parent, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        self.assert_gone()
        return done.returncode, done.stdout

    @unittest.skipIf(sys.platform != "linux" and not shutil.which("go"), "go is not installed")
    def test_go_test_with_a_timeout(self):
        code, output = self.run_suite("notifications_test.go", 'push(t, apns, alice, "Goal")', "select {}",
                                      "go", "test", "-count=1", "-timeout", "2s", "notifications_test.go")
        self.assertEqual(code, 1, output)
        self.assertIn("test timed out after 2s", output)

    @unittest.skipIf(sys.platform != "linux" and not shutil.which("node"), "node is not installed")
    def test_node_that_exits(self):
        for runner in ([], ["--test"]):
            with self.subTest(runner):
                code, output = self.run_suite("notifications.test.js", 'await push(apns, alice, "Goal")',
                                              "process.exit(3)", "node", *runner, "notifications.test.js")
                self.assertEqual(code, 1 if runner else 3, output)
                shutil.rmtree(self.folder / "suites")

    def test_each_test_file_uses_it(self):
        for file in [*SUITES.values(), NODE_PACKAGE / "lib/server.js"]:
            text = file.read_text()
            self.assertEqual("--exit-with-parent" in text, bool(re.search("['\"]serve['\"]", text)), file.name)

    def test_what_a_server_says_that_cannot_start(self):
        """The test files do not let it inherit standard error, but tell why it did not start."""
        self.command.write_text("#!/bin/sh\necho 'mock-apns: no luck' >&2\nexit 69\n")
        copy_suites(self.folder / "suites")
        for name, command in (
            ("notifications_test.go", ["go", "test", "-count=1", "notifications_test.go"]),
            ("notifications.test.js", ["node", "--test", "notifications.test.js"]),
            ("notifications_spec.rb", ["rspec", "notifications_spec.rb"]),
            ("NotificationsTest.php", ["phpunit", "NotificationsTest.php"]),
        ):
            if sys.platform != "linux" and not shutil.which(command[0]):
                continue
            with self.subTest(name):
                done = subprocess.run(command, cwd=self.folder / "suites", env=self.environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("no luck", done.stdout)


if __name__ == "__main__":
    unittest.main()
