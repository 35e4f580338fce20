"""`mock-apns exec`: its exit codes, its variables, and that it leaves the command's input and output alone."""

import json
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import xml.etree.ElementTree as XML

from server import EXECUTABLE, PATIENCE, Server, device, shortest, until

ALICE = device(7)
SHELL_PUSH = """
push() {
    curl --silent --http2 --output /dev/null --write-out '%{http_code}\\n' -H "authorization: bearer $TOKEN" \\
        -H "apns-topic: $MOCK_APNS_TOPIC" -H 'apns-push-type: alert' "$@" "$MOCK_APNS_URL/3/device/TOKEN_OF_ALICE"
}
""".replace("TOKEN_OF_ALICE", ALICE)


def listens(address):
    """Whether anything listens at the host and port of an address."""
    try:
        socket.create_connection((address.hostname, address.port), timeout=PATIENCE).close()
    except OSError:
        return False
    return True


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
                              timeout=PATIENCE, **more)

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
            done = subprocess.run([EXECUTABLE, "exec", *words], capture_output=True, text=True, timeout=PATIENCE)
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

    def test_without_a_request_the_report_says_why(self):
        junit, report = self.folder / "report.xml", self.folder / "report.md"
        options = ["--quiet", "--junit", str(junit), "--report", str(report)]
        scenario = {"expect": [{"requests": {}, "count": 1}]}
        done = self.run_command("true", options=options, scenario=scenario)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith("mock-apns: There were no requests and no connections.\n1 of 1"), done.stderr)
        push = 'for i in 1 2; do curl --silent --http1.1 "$MOCK_APNS_URL/3/device/7"; done; true'
        done = self.run_command("sh", "-c", push, options=options, scenario=scenario)
        why = ("No request arrived. Connection 1 (and 1 other like it): Unexpected HTTP/1.x request: GET /3/device/7. "
               "APNs takes HTTP/2 only (curl --http2, httpx http2=True, Go ForceAttemptHTTP2).")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith(f"mock-apns: {why}\n1 of 1 expectation failed.\n"), done.stderr)
        self.assertIn(f"{why}\nFAILED  ", junit.read_text())
        self.assertIn(f"\n\n{why}\n\n", report.read_text())

    def test_the_totals_have_the_requests_of_sessions(self):
        junit = self.folder / "report.xml"
        session = """MOCK_APNS_URL=$(curl -s "$MOCK_APNS_ADMIN_URL/api/v1/sessions" -d '{}' \
            | sed 's/.*"apns":"\\([^"]*\\)".*/\\1/'); push -d '{}'"""
        done = self.run_shell(session, options=["--junit", str(junit)])
        self.assertEqual((done.returncode, done.stdout), (0, "200\n"), done.stderr)
        self.assertIn("\n1 connection, 0 open.", done.stderr)
        self.assertIn("1 request,", junit.read_text())

    def test_a_scenario_that_only_sessions_could_fulfil_is_told_of(self):
        scenario = {"expect": [{"requests": {"status": 200}, "count": 1}]}
        session = """MOCK_APNS_URL=$(curl -s "$MOCK_APNS_ADMIN_URL/api/v1/sessions" -d '{}' \
            | sed 's/.*"apns":"\\([^"]*\\)".*/\\1/'); push -d '{}'"""
        told = "All requests came in sessions, which have scenarios of their own."
        done = self.run_shell(session, scenario=scenario)
        self.assertEqual(done.returncode, 1)
        self.assertIn(told, done.stderr)
        done = self.run_shell(f"{session}; true", scenario={"expect": [{"requests": {}, "count": 0}]})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(told, done.stderr)

    def test_manual_clocks_advance_to_the_timelines_end(self):
        scenario = {
            "clock": {"manual": "2026-01-01T00:00:00.000Z"},
            "devices": [{"name": "alice", "token": ALICE, "online": False}],
            "timeline": [{"at": "10m", "do": {"device": "alice", "online": True}}],
            "expect": [{"device": "alice", "displayed": [{"/aps/alert": "Hello"}], "received": 1, "stored": 0}],
        }
        done = self.run_shell("push -d '{\"aps\": {\"alert\": \"Hello\"}}' -H 'apns-expiration: 1767229200'",
                              scenario=scenario)
        self.assertEqual((done.returncode, done.stdout), (0, "200\n"), done.stderr)

    def test_a_timeline_that_was_not_reached_is_told_of(self):
        told = 'the clock is real. With "clock": {"manual": "now"}, exec moves it to the end of the timeline.'
        scenario = {
            "devices": [{"name": "alice", "token": ALICE, "online": False}],
            "timeline": [{"at": "10m", "do": {"device": "alice", "online": True}}],
            "expect": [{"device": "alice", "received": 1}],
        }
        for received, code in (1, 1), (0, 0):
            scenario["expect"][0]["received"] = received
            done = self.run_shell("push -d '{\"aps\": {\"alert\": \"Hello\"}}'", scenario=scenario)
            self.assertEqual((done.returncode, told in done.stderr), (code, code == 1), done.stderr)

    def test_a_request_sent_last_of_all_counts(self):
        scenario = {"expect": [{"requests": {"outcome": "responded"}, "count": 20}]}
        done = self.run_shell("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do push -d '{}'; done",
                              scenario=scenario)
        self.assertEqual(done.returncode, 0, done.stderr)

    # Lint

    BADGE = """push -d '{"aps":{"badge":"1"}}'\n"""

    def lint_of(self, script, code, scenario=None):
        """What exec --lint prints, and the test suite of lint in its JUnit file."""
        junit, report = self.folder / "report.xml", self.folder / "report.md"
        done = self.run_shell(script, options=["--lint", "--junit", str(junit), "--report", str(report)],
                              scenario=scenario)
        self.assertEqual(done.returncode, code, done.stderr)
        _, lint = XML.parse(junit).getroot().findall("testsuite")
        self.assertEqual(report.read_text().startswith("## ✅"), code == 0)
        return done.stderr, lint

    def test_lint_follows_the_totals_and_fails_the_run(self):
        script = self.BADGE + """push -d '{"aps":{"alert":"Hello"}}'\n"""
        told, lint = self.lint_of(script, 1)
        headline = "Lint failed: 1 error, 1 note in 2 pushes.\n"
        self.assertLess(told.index("2 requests"), told.index(headline + "push 1: error: /aps/badge is the string"))
        self.assertEqual([(case.get("name"), len(case.findall("failure"))) for case in lint.findall("testcase")],
                         [("alert-is-string", 0), ("badge-type", 1)])
        report = (self.folder / "report.md").read_text()
        self.assertIn("### ❌ Lint failed: 1 error, 1 note in 2 pushes.\n\n| Severity |", report)
        self.assertLess(report.index("| ❌ error | badge-type |"), report.index("| note | alert-is-string |"))
        # It is not asked for.
        done = self.run_shell(script)
        self.assertEqual((done.returncode, "Lint" in done.stderr), (0, False), done.stderr)

    def test_lint_that_fails_comes_after_the_expectations(self):
        scenario = {"expect": [{"requests": {}, "count": 1}, {"requests": {"status": 200}, "count": 1}]}
        told, _ = self.lint_of(self.BADGE, 1, scenario)
        self.assertRegex(told, r"All 2 expectations hold\.\n(?s:.*)\nLint failed: 1 error in 1 push\.\npush 1: error: [^\n]*\n+$")
        told, _ = self.lint_of(self.BADGE, 0, {**scenario, "lint": {"failOn": "never"}})
        self.assertRegex(told, r"Lint: 1 error in 1 push\.\n(?s:.*)All 2 expectations hold\.\n(?s:.*)$")

    def test_lint_fails_by_the_scenario(self):
        told, lint = self.lint_of(self.BADGE, 0, {"lint": {"failOn": "never"}})
        self.assertIn("Lint: 1 error in 1 push.\n", told)
        self.assertEqual(lint.get("failures"), "0")
        told, lint = self.lint_of("push -d '{\"aps\":{\"alert\":\"Hello\"}}'", 1, {"lint": {"failOn": "note"}})
        self.assertIn("Lint failed: 1 note in 1 push.\n", told)
        told, lint = self.lint_of(self.BADGE, 0, {"lint": {"rules": {"badge-type": "off"}}})
        self.assertEqual([case.get("name") for case in lint.findall("testcase")], ["all rules"])

    def test_lint_expects_a_push(self):
        scenario = {"expect": [{"name": "no mistakes", "lint": {}, "count": 0}]}
        done = self.run_shell("true", scenario=scenario)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("seen      0 lint findings, as there was no push to judge", done.stderr)

    def test_unretried_pushes_are_reported_when_the_command_ends(self):
        scenario = {"rules": [{"times": 1, "then": {"reject": "TooManyRequests"}}]}
        told, lint = self.lint_of("push -d '{}'", 0, scenario)
        self.assertIn("push 1: warning: Push 1 failed with TooManyRequests, and was not sent again before the end of the run",
                      told)
        self.assertIn("never-retried", [case.get("name") for case in lint.findall("testcase")])

    def test_the_whole_run_is_linted(self):
        session = """
        sessions="$MOCK_APNS_ADMIN_URL/api/v1/sessions"
        open() { curl -s "$sessions" -d "{\\"name\\": \\"$1\\"}" | sed 's/.*"apns":"\\([^"]*\\)".*/\\1/'; }
        MOCK_APNS_URL=$(open ended)
        push -d '{"aps":{"sound":7}}'
        curl -s -o /dev/null -X DELETE "$sessions/ended"
        MOCK_APNS_URL=$(open skipped)
        push -d '{"aps":{"sound":7}}'
        curl -s -o /dev/null -X DELETE "$sessions/skipped?judge=false"
        MOCK_APNS_URL=$(open mine)
        push -d '{"aps":{"sound":7}}'
        """
        told, lint = self.lint_of(self.BADGE + self.RESET + self.BADGE + self.RESET + session, 1)
        self.assertIn("Lint failed: 3 errors in 4 pushes.\n", told)
        self.assertRegex(told, r"\npush 1 before \S+Z, when the scenario was reset: error: .* \(2 times\) \[badge-type\]\n"
                               r"session ended: push 1: error: .*\nsession mine: push 1: error: ")
        self.assertEqual(lint.get("failures"), "2")

    def test_findings_are_expected(self):
        scenario = {"expect": [{"name": "no mistakes", "lint": {"severity": "error"}, "count": 0}]}
        self.assertEqual(self.run_shell("push -d '{\"aps\":{\"badge\":1}}'", scenario=scenario).returncode, 0)
        done = self.run_shell(self.BADGE + self.RESET, scenario=scenario)
        self.assertEqual(done.returncode, 1)
        self.assertIn('FAILED  no mistakes\n  expected  no lint findings with severity "error"\n'
                      "  seen      1 lint finding: push 1: error: /aps/badge is", done.stderr)

    # What is expected until a reset, or until another scenario comes

    RESET = 'curl --silent --fail --output /dev/null -X POST "$MOCK_APNS_ADMIN_URL/api/v1/reset"\n'
    PLAY = 'play() { curl --silent --fail --output /dev/null -X PUT -d "$1" "$MOCK_APNS_ADMIN_URL/api/v1/scenario$2"; }\n'
    ONE = {"name": "story", "expect": [{"name": "one", "requests": {"status": 200}, "count": 1}]}

    def test_failures_at_a_reset_fail_the_run(self):
        junit = self.folder / "report.xml"
        good = f"{self.RESET} push -d '{{}}'; {self.RESET} {self.RESET} push -d '{{}}'"
        done = self.run_shell(good, scenario=self.ONE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("All 2 expectations hold.", done.stderr)
        bad = f"push -d '{{}}'; push -d '{{}}'; {self.RESET} push -d '{{}}'"
        done = self.run_shell(bad, scenario=self.ONE, options=["--junit", str(junit)])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"1 of 2 expectations failed\.\nFAILED  one\n  expected .*\n  seen      2 requests.*\n"
                                      r"  judged    \d{4}-\S+Z, when the scenario was reset\n")
        text = junit.read_text()
        self.assertRegex(text, r'seen: 2 requests, numbers 1 and 2; judged \S+Z, when the scenario was reset"')
        self.assertIn('tests="2" failures="1"', text)

    def test_a_failure_before_another_scenario_is_one_too(self):
        for query, code in (("", 1), ("?reset=true", 1)):
            script = f"{self.PLAY} push -d '{{}}'; push -d '{{}}'; play '{{}}' {query}"
            done = self.run_shell(script, scenario=self.ONE)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn("when another scenario replaced it", done.stderr)
        # A scenario that came by the API counts as one that came as a file.
        other = json.dumps({"expect": [{"name": "none", "requests": {}, "count": 0}]})
        done = self.run_shell(f"{self.PLAY} play '{other}' ?reset=true; push -d '{{}}'; play '{{}}' ?reset=true")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAILED  none", done.stderr)

    def test_expectations_that_were_never_judged_are_no_success(self):
        done = self.run_shell(f"{self.PLAY} play '{{}}'; push -d '{{}}'", scenario=self.ONE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no request arrived before it was dropped, so it was never judged", done.stderr)
        # The same ones once more are no others.
        done = self.run_shell(f"{self.PLAY} play '{json.dumps(self.ONE)}'; push -d '{{}}'", scenario=self.ONE)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_reset_may_come_last(self):
        again = f"{self.PLAY} play '{json.dumps(self.ONE)}' ?reset=true\n"
        for last, cause in ((self.RESET, "the scenario was reset"), (self.RESET * 2, "the scenario was reset"),
                            (again, "another scenario replaced it")):
            done = self.run_shell(f"push -d '{{}}'; {last}", scenario=self.ONE)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("The expectation holds.", done.stderr)
            self.assertRegex(done.stderr, rf"mock-apns: No request has arrived since \S+Z, when {cause}; earlier "
                                          r"expectations have been judged\.\n")
        done = self.run_shell(f"push -d '{{}}'; push -d '{{}}'; {self.RESET}", scenario=self.ONE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("1 of 1 expectation failed.", done.stderr)

    def test_runs_without_pushes_fail_however_often_reset(self):
        other = json.dumps({"expect": [{"name": "other", "requests": {"status": 200}, "count": 1}]})
        # No push at all; none for the scenario that came last; and a provider that connects and pushes nothing.
        for script in (self.RESET, self.RESET * 2, f"{self.PLAY} push -d '{{}}'; play '{other}' ?reset=true",
                       f"push -d '{{}}'; {self.RESET} "
                       'curl --silent --http1.1 --no-alpn "$MOCK_APNS_URL/" >/dev/null || true'):
            with self.subTest(script):
                done = self.run_shell(script, scenario=self.ONE)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r"mock-apns: No request has arrived since \S+Z, when [^;]*\.\n")

    def test_one_line_says_how_the_command_failed(self):
        done = self.run_command("sh", "-c", "exit 3", options=["--quiet"])
        self.assertEqual((done.returncode, done.stderr), (3, "mock-apns: The command ended with exit code 3.\n"))
        done = self.run_command("sh", "-c", "kill -TERM $$", options=["--quiet"])
        self.assertEqual(done.stderr, "mock-apns: The command was ended by signal 15; exec ends with exit code 143.\n")
        done = self.run_command("no-such-command", options=["--quiet"])
        self.assertIn("exec ends with exit code 127", done.stderr)

    # The command's surroundings

    def test_its_input_and_output_are_its_own(self):
        script = "import os, sys; sys.stdout.buffer.write(sys.stdin.buffer.read()); sys.stderr.write('to stderr')"
        data = bytes(range(256)) * 1000
        done = subprocess.run(self.command(sys.executable, "-c", script, options=["--quiet"]), input=data,
                              capture_output=True, timeout=PATIENCE)
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
        self.assertEqual(variables["no_proxy"], "localhost,127.0.0.1,::1")
        self.assertNotIn("MOCK_APNS_MANAGE_URL", variables)

    def test_it_is_given_the_ports_for_channels(self):
        ports = ["--manage-port", "0:production", "--manage-port", "0:sandbox"]
        script = "import json, os; print(json.dumps({name[17:]: value for name, value in os.environ.items() " \
                 "if name.startswith('MOCK_APNS_MANAGE_')}))"
        done = self.run_command(sys.executable, "-c", script, options=ports)
        given = json.loads(done.stdout)
        self.assertEqual(set(given), {"URL", "PORT", "SANDBOX_URL", "PRODUCTION_URL"})
        self.assertEqual(given["URL"], given["PRODUCTION_URL"])
        self.assertEqual(given["URL"], f"https://127.0.0.1:{given['PORT']}")
        self.assertNotEqual(given["URL"], given["SANDBOX_URL"])
        # The same by the API, for jobs that exec does not start.
        identity = 'curl --silent "$MOCK_APNS_ADMIN_URL/api/v1/identity?format=shell"'
        done = self.run_command("sh", "-c", f'eval "$({identity})"; echo "$MOCK_APNS_MANAGE_URL $MOCK_APNS_MANAGE_PORT"; '
                                'curl --silent "$MOCK_APNS_ADMIN_URL/api/v1/identity"', options=ports)
        line, _, answer = done.stdout.partition("\n")
        identity = json.loads(answer)
        self.assertEqual(identity["manageEnvironments"], ["production", "sandbox"])
        self.assertEqual(line, f"{identity['manage'][0]} {identity['manage'][0].rpartition(':')[2]}")

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
        # curl goes by this variable, too, where it has none of its own.
        self.assertTrue(second.startswith("my own roots\n"))

    # What trusts more than the system does, by exec and by a shell that evaluates the identity.

    PRINT = "import json, os; print(json.dumps({name: os.path.isfile(value) and open(value).read() or value for name, " \
            "value in os.environ.items() if 'CA' in name or 'CERT' in name or 'proxy' in name.lower()}))"

    def trust(self, **variables):
        """The contents of the bundles of a command that had these variables before, once in each way."""
        clean = {name: value for name, value in os.environ.items()
                 if not name.endswith(("CA_BUNDLE", "CERT_FILE", "CA_CERTS")) and name.lower() != "no_proxy"}
        done = self.run_command(sys.executable, "-c", self.PRINT, env={**clean, **variables})
        yield json.loads(done.stdout)
        with Server() as server:
            script = f'set -eu; eval "$(curl --silent "{server.admin}/api/v1/identity?format=shell")"; exec "$@"'
            done = subprocess.run(["sh", "-c", script, "sh", sys.executable, "-c", self.PRINT], check=True,
                                  env={**clean, **variables}, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.stderr, "")
        yield json.loads(done.stdout)

    def test_roots_are_kept_wherever_they_come_from(self):
        roots = self.folder / "roots"
        roots.mkdir()
        for name in ("file", "a", "b"):
            ((roots if len(name) == 1 else self.folder) / name).write_text(f"roots of {name}")
        self.run_command("true")  # Makes the certificates.
        ours = (pathlib.Path(Server._certs()) / "ca.pem").read_text()
        file, folder = f"roots of file\n{ours}", f"roots of a\nroots of b\n{ours}"
        for found in self.trust(CURL_CA_BUNDLE=str(self.folder / "file"), NODE_EXTRA_CA_CERTS=str(self.folder / "file")):
            self.assertEqual(found["CURL_CA_BUNDLE"], file)
            # Requests goes by curl's variable.
            self.assertEqual(found["REQUESTS_CA_BUNDLE"], file)
            self.assertEqual(found["NODE_EXTRA_CA_CERTS"], file)
            self.assertNotIn("roots of", found["SSL_CERT_FILE"])
        for found in self.trust(REQUESTS_CA_BUNDLE=str(roots), SSL_CERT_FILE=str(self.folder / "file")):
            self.assertEqual(found["REQUESTS_CA_BUNDLE"], folder)
            self.assertEqual(found["SSL_CERT_FILE"], file)
            self.assertEqual(found["CURL_CA_BUNDLE"], file)
            self.assertEqual(found["NODE_EXTRA_CA_CERTS"], ours)

    def test_the_server_is_reached_without_a_proxy(self):
        ours = "localhost,127.0.0.1,::1"
        for before, lower, upper in (
            ({}, ours, ours), ({"no_proxy": "*"}, "*", "*"),
            ({"NO_PROXY": "a.example"}, f"a.example,{ours}", f"a.example,{ours}"),
            ({"NO_PROXY": "a.example", "no_proxy": "b.example"}, f"b.example,{ours}", f"a.example,{ours}"),
        ):
            for found in self.trust(**before):
                self.assertEqual((found["no_proxy"], found["NO_PROXY"]), (lower, upper), before)

    def test_the_variable_holds_options(self):
        log = self.folder / "log.jsonl"
        environment = {**os.environ, "MOCK_APNS_OPTIONS": f"--log '{log}' --quiet"}
        done = self.run_shell("push -d '{}'", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('"event":"request"', log.read_text())

    def with_variable(self, text, *options, words=("echo", "ran")):
        return self.run_command(*words, options=options, env={**os.environ, "MOCK_APNS_OPTIONS": text})

    def test_the_command_line_wins_over_the_variable(self):
        quiet, loud = self.with_variable("--verbose", "--quiet"), self.with_variable("--quiet", "--verbose")
        self.assertEqual((quiet.returncode, quiet.stderr), (0, ""))
        self.assertEqual(loud.returncode, 0)
        self.assertIn("No requests.", loud.stderr)
        files = self.folder / "first.xml", self.folder / "second.xml"
        self.assertEqual(self.with_variable(f"--junit {files[0]}", "--junit", str(files[1])).returncode, 0)
        self.assertEqual([file.exists() for file in files], [False, True])
        self.assertEqual(self.with_variable("--host nosuch.invalid", "--host", "127.0.0.1").stdout, "ran\n")

    def test_the_variable_holds_options_and_nothing_else(self):
        for text, sentence in (("-- sh -c 'echo pwn'", "it holds options"), ("--log 'a", "is not closed"),
                               ('"', "is not closed"), ("sh", "Unexpected argument 'sh'"),
                               ("--no-such-option", "MOCK_APNS_OPTIONS adds: --no-such-option")):
            done = self.with_variable(text)
            self.assertEqual((done.returncode, done.stdout), (64, ""), text)
            self.assertIn(sentence, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 2)
        for text in ("", "  "):
            self.assertEqual(self.with_variable(text).stdout, "ran\n")

    def test_the_variable_is_not_for_a_server_within(self):
        done = self.with_variable(f"--log '{self.folder / 'outer.jsonl'}'", words=("printenv", "MOCK_APNS_OPTIONS"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        words = self.command("echo", "ran", options=["--quiet"])
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        done = self.with_variable(f"--port {port}", words=words)
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"), done.stderr)

    # Signals

    def start(self, script, **more):
        """Starts a shell, and waits until it has said `started`."""
        process = subprocess.Popen(self.command("sh", "-c", script, options=["--quiet"]), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **more)
        self.assertEqual(process.stdout.readline(), "started\n")
        return process

    def test_signals_are_passed_on_to_the_group(self):
        # The inner shell says when both have their traps; what it says last comes before its end.
        script = "trap 'echo told; wait; exit 3' SIGNAL; " \
                 "(trap 'echo child told; exit 0' SIGNAL; echo started; while :; do sleep 0.05; done) & " \
                 "while :; do sleep 0.05; done"
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
            with self.subTest(number.name):
                name = number.name.removeprefix("SIG")
                # A shell without job control lets its background ignore INT and QUIT, and then forever.
                alone = number in (signal.SIGINT, signal.SIGQUIT)
                process = self.start("trap 'echo told; exit 3' SIGNAL; echo started; while :; do sleep 0.05; done"
                                     .replace("SIGNAL", name) if alone else script.replace("SIGNAL", name))
                process.send_signal(number)
                output, errors = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 3, errors)
                self.assertEqual(sorted(output.splitlines()), ["told"] if alone else ["child told", "told"])

    def test_signals_before_the_command_starts_end_exec(self):
        # What was trusted before is read before the command is started: a pipe makes that last.
        mine = self.folder / "mine.pem"
        os.mkfifo(mine)
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                process = subprocess.Popen(self.command("sleep", "60", options=["--quiet"]),
                                           stderr=subprocess.PIPE, env={**os.environ, "SSL_CERT_FILE": str(mine)})
                with open(mine, "wb"):
                    process.send_signal(number)
                process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 128 + number)

    def test_stopped_commands_are_ended_by_signals_too(self):
        # Not at the terminal of who runs the tests: there exec lets it have that.
        process = self.start("echo started; kill -STOP $$", start_new_session=True)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 143)

    # Whom the command left behind, with a request that is never answered

    LEFT_BEHIND = "(push --max-time 30 -d '{}' >/dev/null 2>&1; :) & " \
                  "until curl --silent --fail \"$MOCK_APNS_ADMIN_URL/api/v1/requests\" | grep -q '\"total\":1'; " \
                  "do sleep 0.05; done; echo $MOCK_APNS_ADMIN_URL"

    def leave_behind(self):
        scenario = {"rules": [{"then": {"stall": True}}]}
        token = f'TOKEN=$("{EXECUTABLE}" token --certs "$MOCK_APNS_CERTS")\n'
        script = token + SHELL_PUSH + self.LEFT_BEHIND
        process = subprocess.Popen(self.command("sh", "-c", script, scenario=scenario), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        return process, process.stdout.readline().strip()

    def test_exec_hardly_waits_for_processes_left_behind(self):
        def waits():
            for _ in range(3):
                process, _ = self.leave_behind()
                begun = time.monotonic()
                # The ends of its pipes are with who is left behind, too.
                self.assertEqual(process.wait(PATIENCE), 0)
                yield time.monotonic() - begun

        self.assertLess(shortest(4, waits()), 4)

    def test_signals_do_not_wait_for_processes_left_behind(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                process, admin = self.leave_behind()
                # When the admin listener is gone, the command is, too.
                address = urllib.parse.urlsplit(admin)
                until(lambda: not listens(address), lambda: "the admin listener stays")
                process.send_signal(number)
                self.assertEqual(process.wait(PATIENCE), 128 + number)
                # The end of its pipe is with who is left behind, too.
                errors = os.read(process.stderr.fileno(), 1 << 16).decode()
                self.assertIn(f"mock-apns: Signal {number} ended exec after the command, before the run was judged", errors)

    def test_the_command_has_a_group_of_its_own(self):
        done = self.run_command(sys.executable, "-c", "import os; print(os.getpgrp() == os.getpid())")
        self.assertEqual(done.stdout, "True\n")

    def test_nothing_is_left_behind(self):
        environment = {**os.environ, "TMPDIR": str(self.folder)}
        self.run_command("true", env=environment)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_each_run_has_its_own_bundle_folder(self):
        script = "import os; folder = os.path.dirname(os.environ['SSL_CERT_FILE']); print(folder, os.stat(folder).st_mode)"
        lines = [self.run_command(sys.executable, "-c", script).stdout.split() for _ in range(2)]
        self.assertNotEqual(lines[0][0], lines[1][0])
        for folder, mode in lines:
            self.assertEqual(stat.S_IMODE(int(mode)), 0o700)
            self.assertFalse(pathlib.Path(folder).exists())

    def test_missing_temporary_folders_are_not_created(self):
        missing = self.folder / "missing"
        done = self.run_command("true", env={**os.environ, "TMPDIR": str(missing)})
        self.assertEqual(done.returncode, 69)
        self.assertRegex(done.stderr, rf"^mock-apns: No folder can be created in {missing};.* TMPDIR.*\n$")
        self.assertFalse(missing.exists())


if __name__ == "__main__":
    unittest.main()
