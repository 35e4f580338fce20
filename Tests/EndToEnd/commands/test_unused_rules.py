"""Rules that never applied: which are named, where, and when they fail a run."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.request
import xml.etree.ElementTree as XML

from server import EXECUTABLE, PATIENCE, ROOT, Server, device

ALICE = device(61)
PROVIDER = [sys.executable, str(ROOT / "Tests/PythonSupport/provider.py"), ALICE]
REFERENCE = [sys.executable, str(ROOT / "Tests/EndToEnd/reference/driver.py")]
SAID = "2 rules never applied: busy, gone"
SCENARIO = {
    "name": "rules",
    "devices": [{"name": "alice", "token": ALICE, "topic": "com.example.app"}],
    "rules": [
        {"name": "busy", "when": {"topic": "com.example.other"}, "then": {"reject": "TooManyRequests"}},
        {"name": "passes", "when": {"device": "alice"}, "times": 1, "then": {"pass": True}},
        {"name": "gone", "when": {"device": "alice"}, "skip": 7, "then": {"reject": "Unregistered"}},
    ],
    "workload": [{"push": {"device": "alice", "pushType": "alert", "payload": {"aps": {"alert": "Hello"}}}}],
    "expect": [{"requests": {"status": 200}, "count": 1}],
}


class UnusedRules(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-rules-")))

    def write(self, name="scenario", **changes):
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps({**SCENARIO, **changes}))
        return file

    def run_command(self, *words, code=0):
        done = subprocess.run([EXECUTABLE, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def exec(self, scenario, *options, command=PROVIDER, code=0):
        return self.run_command("exec", "--certs", Server._certs(), "--scenario", scenario, *options, "--", *command,
                                code=code)

    def call(self, server, method, path):
        urllib.request.urlopen(urllib.request.Request(server.admin + path, method=method), timeout=PATIENCE).close()

    def files(self):
        return self.folder / "report.xml", self.folder / "report.md"

    def check_reports(self, told, fails):
        junit, report = self.files()
        self.assertIn(SAID, told)
        self.assertIn(SAID, report.read_text())
        self.assertIn(SAID, junit.read_text())
        suite = XML.parse(junit).getroot().find("testsuite")
        self.assertEqual(suite.get("failures"), str(int(fails)))
        failed = [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None]
        self.assertEqual(failed, ["unusedRules"] if fails else [])

    def test_exec_and_its_log(self):
        junit, report = self.files()
        words = ["--junit", junit, "--report", report]
        for policy, fails in ({}, False), ({"unusedRules": "report"}, False), ({"unusedRules": "fail"}, True):
            with self.subTest(policy):
                scenario, log = self.write(**policy), self.folder / f"{policy}.jsonl"
                told = self.exec(scenario, "--log", log, *words, code=int(fails))
                self.check_reports(told, fails)
                if fails:
                    self.assertIn("FAILED  unusedRules\n  expected  every rule applies\n  seen      " + SAID + "\n", told)
                told = self.run_command("verify", "--log", log, *words, scenario, code=int(fails))
                self.check_reports(told, fails)
        told = self.exec(self.write(unusedRules="ignore"), *words)
        self.assertNotIn("never applied", told + junit.read_text() + report.read_text())
        # All of them apply: it counts as one that holds.
        told = self.exec(self.write(unusedRules="fail", rules=SCENARIO["rules"][1:2]))
        self.assertIn("All 2 expectations hold.", told)

    def test_a_running_server_and_a_session(self):
        scenario = self.write()
        with Server("--scenario", str(scenario)) as server:
            answer = server.post("/api/v1/verify", {})
            self.assertEqual(answer["unusedRules"], ["busy", "passes", "gone"])
            self.assertNotIn("unknownRules", answer)
            self.assertIn("3 rules never applied: busy, passes, gone.\n", answer["report"])
            server.post("/api/v1/rules", {"then": {"pass": True}, "when": {"topic": "com.example.none"}})
            answer = server.post("/api/v1/verify", {"expect": [{"requests": {}, "count": 0}]})
            self.assertEqual(answer["unusedRules"], ["rule-1", "busy", "passes", "gone"])
            # One that was removed before it applied is still one that never did.
            self.call(server, "DELETE", "/api/v1/rules/rule-1")
            answer = server.post("/api/v1/verify", {})
            self.assertEqual(answer["unusedRules"], ["busy", "passes", "gone", "rule-1"])
            self.assertFalse(answer["passed"])
            junit, report = self.files()
            told = self.run_command("verify", "--admin", server.admin, "--junit", junit, "--report", report, code=1)
            self.assertIn("4 rules never applied: busy, passes, gone, rule-1", told + "")
            self.assertIn("4 rules never applied", junit.read_text() and report.read_text())
            # By the policy of the file, though the server's own is to report.
            quiet = self.write("strict", expect=[{"requests": {}, "count": 0}], unusedRules="fail")
            told = self.run_command("verify", "--admin", server.admin, quiet, code=1)
            self.assertIn("FAILED  unusedRules", told)
            self.call(server, "POST", "/api/v1/reset")
            self.assertEqual(server.post("/api/v1/verify", {})["unusedRules"], ["busy", "passes", "gone"])
            server.post("/api/v1/sessions", {"name": "mine", "scenario": {**SCENARIO, "unusedRules": "fail", "expect": []}})
            told = self.run_command("verify", "--admin", server.admin, "--session", "mine", code=1)
            self.assertIn("seen      3 rules never applied: busy, passes, gone\n", told)
            self.assertEqual(told.count("never applied"), 1, told)

    def test_a_rule_that_is_added_again_and_applies(self):
        """Of several rules with one name, the latest counts; a reset between them changes nothing."""
        add = 'call POST "$MOCK_APNS_ADMIN_URL/api/v1/rules" -d'
        rule = '{"name": "again", "when": {"topic": "%s"}, "then": {"pass": true}}'
        for between in "DELETE $MOCK_APNS_ADMIN_URL/api/v1/rules/again", "POST $MOCK_APNS_ADMIN_URL/api/v1/reset":
            with self.subTest(between):
                log = self.folder / f"{between[:4]}.jsonl"
                command = ["sh", "-c", f"""
set -e
call() {{ curl -sf -o /dev/null -X "$@"; }}
{add} '{rule % "com.example.none"}'
call {between}
{add} '{rule % "com.example.app"}'
{' '.join(map(str, PROVIDER))}
"""]
                scenario = self.write(rules=SCENARIO["rules"][:1])
                self.assertIn("1 rule never applied: busy.\n", self.exec(scenario, "--log", log, command=command))
                self.assertIn("1 rule never applied: busy.\n", self.run_command("verify", "--log", log, scenario))

    def test_resets_other_scenarios_and_sessions_of_a_run(self):
        """A rule that applied before a reset has applied. One of another scenario, or of a session, is judged by itself."""
        command = ["sh", "-c", f"""
set -e
call() {{ curl -sf -o /dev/null -X "$@"; }}
{' '.join(map(str, PROVIDER))}
call POST "$MOCK_APNS_ADMIN_URL/api/v1/reset"
{' '.join(map(str, PROVIDER))}
call PUT "$MOCK_APNS_ADMIN_URL/api/v1/scenario" -d '{{"rules": [{{"name": "other", "then": {{"pass": true}}}}]}}'
call POST "$MOCK_APNS_ADMIN_URL/api/v1/sessions" -d '{{"name": "mine", "scenario": {{"rules": [{{"name": "own", "then": {{"stall": true}}}}]}}}}'
"""]
        rules = [{"name": "once", "when": {"device": "alice"}, "then": {"pass": True}},
                 {"name": "never", "when": {"topic": "com.example.none"}, "then": {"pass": True}}]
        told = self.exec(self.write(rules=rules), command=command)
        self.assertIn("3 rules never applied: never, other, mine: own.\n", told)

    def test_a_suite(self):
        scenario, report, junit, markdown = (self.write("mine"), *(self.folder / name for name in ("s.json", "s.xml", "s.md")))
        told = self.run_command("suite", scenario, "--json", report, "--junit", junit, "--report", markdown, "--", *REFERENCE)
        self.assertIn(f"passed   mine ({SAID})\n", told)
        story, = json.loads(report.read_text())["stories"]
        self.assertEqual(story["unusedRules"], ["busy", "gone"])
        self.assertIn(SAID, junit.read_text())
        self.assertIn(SAID, markdown.read_text())
        told = self.run_command("suite", self.write("mine", unusedRules="fail"), "--", *REFERENCE, code=1)
        self.assertIn(f"failed   mine: unusedRules: expected every rule applies; seen: {SAID}", told)

    def test_what_a_log_does_not_tell(self):
        rules = [{"name": "pings", "when": {"on": "ping"}, "then": {"ignore": True}},
                 {"name": "opens", "when": {"on": "connect"}, "then": {"pass": True}},
                 {"name": "calls", "when": {"on": "broadcast"}, "then": {"reject": "TooManyRequests"}}]
        scenario, log = self.write(rules=rules), self.folder / "log.jsonl"
        # The server knows, the log only that there was no PING frame.
        self.assertIn("2 rules never applied: pings, calls.\n", self.exec(scenario, "--log", log))
        told = self.run_command("verify", "--log", log, scenario)
        self.assertIn("2 rules never applied: pings, calls.\nIt is not known whether 1 rule applied: opens.\n", told)
        told = self.run_command("verify", "--log", log, self.write("strict", rules=rules[1:2], unusedRules="fail"), code=1)
        self.assertIn("seen      it is not known whether 1 rule applied: opens\n", told)
        lines = [line for line in log.read_text().splitlines() if '"event":"request"' not in line]
        lines.insert(1, json.dumps({"event": "log", "time": "2026-01-01T00:00:00.000Z", "state": "lost", "lines": 1}))
        log.write_text("".join(line + "\n" for line in lines))
        told = self.run_command("verify", "--log", log, scenario, code=1)
        self.assertIn("It is not known whether 3 rules applied: opens, pings, calls.\n", told)


if __name__ == "__main__":
    unittest.main()
