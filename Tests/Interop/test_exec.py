"""`mock-apns exec`: its exit codes, its variables, and that it leaves the command's input and output alone."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from server import EXECUTABLE, Server, device

ALICE = device(7)
SHELL_PUSH = """
push() {
    curl --silent --http2 --output /dev/null --write-out '%{http_code}\\n' -H "authorization: bearer $TOKEN" \\
        -H "apns-topic: $MOCK_APNS_TOPIC" -H 'apns-push-type: alert' "$@" "$MOCK_APNS_URL/3/device/TOKEN_OF_ALICE"
}
""".replace("TOKEN_OF_ALICE", ALICE)


class Exec(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-exec-")))

    def command(self, *words, options=(), scenario=None):
        arguments = [EXECUTABLE, "exec", "--certs", str(Server._certs()), *options]
        if scenario is not None:
            file = self.folder / "scenario.json"
            file.write_text(json.dumps(scenario))
            arguments += ["--scenario", str(file)]
        return arguments + ["--", *words]

    def run_command(self, *words, options=(), scenario=None, **more):
        return subprocess.run(self.command(*words, options=options, scenario=scenario), capture_output=True, text=True,
                              timeout=60, **more)

    def run_shell(self, script, **more):
        token = f'TOKEN=$("{EXECUTABLE}" token --certs "$MOCK_APNS_CERTS")\n'
        return self.run_command("sh", "-c", token + SHELL_PUSH + script, **more)

    # Exit codes

    def test_a_command_that_succeeds(self):
        done = self.run_command("true")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_the_code_of_a_command_that_fails_wins(self):
        scenario = {"expect": [{"requests": {}, "count": 1}]}
        for code in (1, 7, 64, 127):
            self.assertEqual(self.run_command("sh", "-c", f"exit {code}", scenario=scenario).returncode, code)

    def test_a_signal_is_128_and_its_number(self):
        done = self.run_command("sh", "-c", "kill -KILL $$")
        self.assertEqual(done.returncode, 137)
        self.assertIn("ended by signal 9", done.stderr)

    def test_a_command_that_is_not_there(self):
        for words in (["no-such-command"], [str(self.folder / "no-such-file")], [str(self.folder)]):
            done = self.run_command(*words)
            self.assertEqual(done.returncode, 127)
            self.assertIn(f"The command {words[0]} cannot be started", done.stderr)

    def test_wrong_usage(self):
        for words in ([], ["--log", "-", "--", "true"], ["--no-such-option", "--", "true"]):
            done = subprocess.run([EXECUTABLE, "exec", *words], capture_output=True, text=True, timeout=20)
            self.assertEqual((done.returncode, done.stdout), (64, ""))

    def test_a_bad_scenario(self):
        done = self.run_command("touch", str(self.folder / "ran"), scenario={"rules": [{"then": {"rejct": "Shutdown"}}]})
        self.assertEqual(done.returncode, 65)
        self.assertRegex(done.stderr, r"scenario\.json:1:[0-9]+: rules\[0\]\.then\.rejct .*did you mean \"reject\"\?")
        self.assertFalse((self.folder / "ran").exists())

    # Expectations

    def test_expectations_hold_or_fail(self):
        scenario = {"expect": [{"name": "two pushes", "requests": {"status": 200}, "count": 2}]}
        done = self.run_shell("push -d '{}'; push -d '{}'", scenario=scenario)
        self.assertEqual((done.returncode, done.stdout), (0, "200\n200\n"), done.stderr)
        done = self.run_shell("push -d '{}'; push -d '{}' -H 'apns-priority: 7'", scenario=scenario)
        self.assertEqual((done.returncode, done.stdout), (1, "200\n400\n"))
        self.assertIn("two pushes", done.stderr)
        self.assertIn("status is 400, not 200", done.stderr)

    def test_a_manual_clock_goes_to_the_end_of_the_timeline(self):
        scenario = {
            "clock": {"manual": "2026-01-01T00:00:00.000Z"},
            "devices": [{"name": "alice", "token": ALICE, "online": False}],
            "timeline": [{"at": "10m", "do": {"device": "alice", "online": True}}],
            "expect": [{"device": "alice", "displayed": [{"/aps/alert": "Hello"}], "received": 1, "stored": 0}],
        }
        done = self.run_shell("push -d '{\"aps\": {\"alert\": \"Hello\"}}' -H 'apns-expiration: 1767229200'",
                              scenario=scenario)
        self.assertEqual((done.returncode, done.stdout), (0, "200\n"), done.stderr)

    def test_a_request_sent_last_of_all_counts(self):
        scenario = {"expect": [{"requests": {"outcome": "responded"}, "count": 20}]}
        done = self.run_shell("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do push -d '{}'; done",
                              scenario=scenario)
        self.assertEqual(done.returncode, 0, done.stderr)

    # The command's surroundings

    def test_its_input_and_output_are_its_own(self):
        script = "import os, sys; sys.stdout.buffer.write(sys.stdin.buffer.read()); sys.stderr.write('to stderr')"
        data = bytes(range(256)) * 1000
        done = subprocess.run(self.command(sys.executable, "-c", script, options=["--quiet"]), input=data,
                              capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, data, b"to stderr"))

    def test_messages_wait_until_the_command_has_ended(self):
        # A client that speaks HTTP/1.1 earns a warning.
        script = "curl --silent --http1.1 --no-alpn \"$MOCK_APNS_URL/\"; echo last >&2"
        done = self.run_command("sh", "-c", script)
        self.assertTrue(done.stderr.startswith("last\n"), done.stderr)
        self.assertIn("warning", done.stderr)

    def test_it_is_given_what_a_provider_needs(self):
        done = self.run_command(sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))")
        variables = json.loads(done.stdout)
        self.assertEqual(variables["MOCK_APNS_URL"], f"https://127.0.0.1:{variables['MOCK_APNS_PORT']}")
        self.assertEqual(variables["MOCK_APNS_HOST"], "127.0.0.1")
        self.assertRegex(variables["MOCK_APNS_ADMIN_URL"], r"^http://127\.0\.0\.1:[0-9]+$")
        self.assertEqual(variables["MOCK_APNS_KEY_ID"], "ABC123DEFG")
        self.assertEqual(variables["MOCK_APNS_TEAM_ID"], "DEF123GHIJ")
        self.assertEqual(variables["MOCK_APNS_TOPIC"], "com.example.app")
        for name in ("CERTS", "CA", "KEY", "CLIENT_CERT", "CLIENT_KEY"):
            self.assertTrue(pathlib.Path(variables["MOCK_APNS_" + name]).exists(), name)
        self.assertEqual(variables["NODE_EXTRA_CA_CERTS"], variables["MOCK_APNS_CA"])

    def test_bundles_hold_what_was_trusted_before_and_ours(self):
        mine = self.folder / "mine.pem"
        mine.write_text("my own roots\n")
        script = "import os, sys; sys.stdout.write(open(os.environ['SSL_CERT_FILE']).read() + '|' + " \
                 "open(os.environ['CURL_CA_BUNDLE']).read())"
        environment = {**os.environ, "SSL_CERT_FILE": str(mine)}
        environment.pop("CURL_CA_BUNDLE", None)
        done = self.run_command(sys.executable, "-c", script, env=environment)
        first, second = done.stdout.split("|")
        ours = (pathlib.Path(Server._certs()) / "ca.pem").read_text()
        self.assertTrue(first.startswith("my own roots\n"))
        for bundle in (first, second):
            self.assertTrue(bundle.endswith(ours))
        self.assertNotIn("my own roots", second)

    def test_the_variable_holds_options(self):
        log = self.folder / "log.jsonl"
        environment = {**os.environ, "MOCK_APNS_OPTIONS": f"--log '{log}' --quiet"}
        done = self.run_shell("push -d '{}'", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('"event":"request"', log.read_text())

    # Signals

    def test_signals_are_passed_on_to_the_group(self):
        script = "trap 'echo told; wait; exit 3' TERM; (trap 'echo child told; exit 0' TERM; sleep 60 & wait) & " \
                 "echo started; wait"
        for number in (signal.SIGTERM,):
            process = subprocess.Popen(self.command("sh", "-c", script, options=["--quiet"]), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            self.assertEqual(process.stdout.readline(), "started\n")
            # The inner shell may need a moment for its trap.
            time.sleep(0.2)
            process.send_signal(number)
            output, errors = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 3, errors)
            self.assertEqual(sorted(output.splitlines()), ["child told", "told"])

    def test_the_command_has_a_group_of_its_own(self):
        done = self.run_command(sys.executable, "-c", "import os; print(os.getpgrp() == os.getpid())")
        self.assertEqual(done.stdout, "True\n")

    def test_nothing_is_left_behind(self):
        environment = {**os.environ, "TMPDIR": str(self.folder)}
        self.run_command("true", env=environment)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
