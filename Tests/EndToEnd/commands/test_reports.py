"""The reports of `exec` and `verify`: JUnit XML as an XML reader reads it, and the same verdict from server and log."""

import json
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as XML

from server import EXECUTABLE, PATIENCE, Server, device

ALICE = device(9)
SCENARIO = {
    "name": "a & <b> \"c\" 'd' \u0007",
    "description": "Line one\nline | two",
    "clock": {"manual": "2026-01-01T00:00:00.000Z"},
    "devices": [{"name": "alice", "token": ALICE, "online": False}],
    "timeline": [{"at": "10m", "do": {"device": "alice", "online": True}}],
    "expect": [
        {"name": "it <arrives>", "device": "alice", "displayed": [{"/aps/alert": "]]> \u001b[1m"}], "received": 1},
        {"name": "none & \u0000 \ufffe", "requests": {"status": 400}, "count": 3},
        {"name": "twice", "requests": {}, "count": 2},
        {"name": "twice", "connections": {"atLeast": 9}},
    ],
}
PUSH = r"""
for body in '{' '{"aps": {"alert": "]]> \u001b[1m"}}'; do
    curl --silent --http2 --output /dev/null -H "authorization: bearer $("$0" token --certs "$MOCK_APNS_CERTS")" \
        -H "apns-topic: $MOCK_APNS_TOPIC" -H 'apns-expiration: 1767229200' --data-raw "$body" \
        "$MOCK_APNS_URL/3/device/$1"
done
"""


class Reports(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-reports-")))
        self.scenario = self.folder / "scenario.json"
        self.scenario.write_text(json.dumps(SCENARIO))

    def run_command(self, *words, code):
        done = subprocess.run([EXECUTABLE, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def exec(self, *options, code=1):
        return self.run_command("exec", "--certs", Server._certs(), "--scenario", self.scenario, *options, "--", "sh",
                                "-c", PUSH, EXECUTABLE, ALICE, code=code)

    def test_server_and_log_come_to_the_same_verdict(self):
        junit, log = self.folder / "live.xml", self.folder / "log.jsonl"
        self.exec("--junit", junit, "--log", log)
        recorded = self.folder / "recorded.xml"
        self.run_command("verify", "--log", log, "--junit", recorded, self.scenario, code=1)

        def verdicts(path):
            return [(case.get("name"), [(failure.get("message"), failure.text) for failure in case.findall("failure")])
                    for case in XML.parse(path).iter("testcase")]

        self.assertEqual(verdicts(junit), verdicts(recorded))
        self.assertEqual([len(failures) for _, failures in verdicts(junit)], [0, 1, 0, 1])

    def test_junit_is_xml_with_all_texts(self):
        junit = self.folder / "report.xml"
        self.exec("--junit", junit)
        root = XML.parse(junit).getroot()
        self.assertEqual((root.tag, root.get("tests"), root.get("failures")), ("testsuites", "4", "2"))
        suite, = root.findall("testsuite")
        self.assertEqual(suite.get("name"), "a & <b> \"c\" 'd' \\u{07}")
        self.assertEqual([suite.get(key) for key in ("tests", "failures", "errors", "skipped")], ["4", "2", "0", "0"])
        self.assertRegex(suite.get("timestamp"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$")
        self.assertGreater(float(suite.get("time")), 0)
        cases = suite.findall("testcase")
        self.assertEqual([case.get("name") for case in cases],
                         ["it <arrives>", "none & \\0 \\u{FFFE}", "twice", "twice (2)"])
        for case in cases:
            self.assertEqual(case.get("classname"), suite.get("name"))
            float(case.get("time"))
        failure, = cases[1].findall("failure")
        self.assertEqual(failure.get("message"), "expected exactly 3 requests with status 400; seen: 0 requests")
        self.assertIn("nearest   request 2: status is 200, not 400", failure.text)
        self.assertIn("2 requests", suite.find("system-out").text)

    def test_markdown_has_a_row_for_each(self):
        report = self.folder / "report.md"
        self.exec("--report", report)
        text = report.read_text()
        self.assertIn("Line one line \\| two\n", text)
        rows = [line for line in text.splitlines() if line.startswith(("| ✅", "| ❌"))]
        self.assertEqual([row[2] for row in rows], ["✅", "❌", "✅", "❌"])
        self.assertIn("### Totals\n\n```text\n2 requests", text)

    def assertError(self, junit, report, sentence, failures="0"):
        """That both reports say it of a run that went wrong."""
        root = XML.parse(junit).getroot()
        self.assertEqual((root.get("errors"), root.get("failures")), ("1", failures))
        self.assertEqual(root.get("tests"), str(len(list(root.iter("testcase")))))
        case = next(root.iter("testcase"))
        self.assertEqual(case.get("name"), "the run")
        self.assertRegex(case.find("error").get("message"), sentence)
        text = report.read_text()
        self.assertTrue(text.startswith("## ❌ "), text)
        self.assertRegex(text.replace("\\", ""), sentence)

    def files(self):
        """Where reports go; there are some of another run."""
        junit, report = self.folder / "report.xml", self.folder / "report.md"
        for file in (junit, report):
            file.write_text("old " * 10_000)
        return junit, report

    def test_a_command_that_fails_makes_the_run_fail(self):
        junit, report = self.files()
        options = ["exec", "--certs", Server._certs(), "--junit", junit, "--report", report]
        self.run_command(*options, "--", "sh", "-c", "exit 4", code=4)
        self.assertError(junit, report, r"The command ended with exit code 4\.")
        self.run_command(*options, "--", "sh", "-c", "kill -KILL $$", code=137)
        self.assertError(junit, report, "The command was ended by signal 9")
        self.run_command(*options, "--scenario", self.scenario, "--", "false", code=1)
        self.assertError(junit, report, "The command ended with exit code 1", failures="4")

    def test_runs_that_cannot_begin_overwrite_old_reports(self):
        junit, report = self.files()
        options = ["exec", "--certs", Server._certs(), "--junit", junit, "--report", report]
        self.run_command(*options, "--", "no-such-command", code=127)
        self.assertError(junit, report, "The command no-such-command cannot be started")
        self.scenario.write_text('{"rulez": []}')
        junit, report = self.files()
        self.run_command(*options, "--scenario", self.scenario, "--", "true", code=65)
        self.assertError(junit, report, r"scenario\.json:1:2: rulez")
        self.assertIn('classname="scenario"', junit.read_text())
        junit, report = self.files()
        self.run_command(*options, "--trust-key", "/nowhere:OWN4567890:TEAM567890", "--", "true", code=69)
        self.assertError(junit, report, "/nowhere")
        junit, report = self.files()
        log = self.folder / "log.jsonl"
        log.write_text("no log\n")
        self.run_command("verify", "--log", log, "--junit", junit, "--report", report, self.scenario, code=65)
        self.assertError(junit, report, "scenario.json")

    def test_a_run_that_is_broken_off_says_so(self):
        junit, report = self.files()
        process = subprocess.Popen(
            [EXECUTABLE, "exec", "--certs", Server._certs(), "--junit", junit, "--report", report, "--", "sh", "-c",
             "echo started; read a"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "started\n")
        process.kill()
        process.communicate(timeout=PATIENCE)
        self.assertError(junit, report, "The run was interrupted before it was judged")

    def test_into_a_pipe_the_report_is_written_once(self):
        done = self.run_command("exec", "--certs", Server._certs(), "--quiet", "--report", "/dev/stdout", "--", "true",
                                code=0)
        self.assertTrue(done.stdout.startswith("## ✅ mock-apns\n"), done.stdout)
        self.assertEqual(done.stdout.count("mock-apns"), 1)

    def test_unwritable_reports_are_detected_before_the_run(self):
        done = self.run_command("exec", "--certs", Server._certs(), "--junit", self.folder / "no" / "x", "--", "echo",
                                "ran", code=69)
        self.assertEqual(done.stdout, "")
        self.assertIn("--junit", done.stderr)


if __name__ == "__main__":
    unittest.main()
