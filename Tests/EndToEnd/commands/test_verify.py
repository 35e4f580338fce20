"""`mock-apns verify --admin`: expectations judged on a running server, by its admin API."""

import contextlib
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import unittest
import xml.etree.ElementTree as XML

import endless
from server import EXECUTABLE, PATIENCE, ROOT, TOPIC, Server, device

ALICE = device(31)
SCENARIO = {
    "name": "two",
    "clock": {"manual": "now"},
    "devices": [{"name": "alice", "token": ALICE, "online": False}],
    "timeline": [{"at": "10m", "do": {"device": "alice", "online": True}}],
    "expect": [
        {"name": "taken", "requests": {"status": 200}, "count": 1},
        {"name": "arrives", "device": "alice", "received": 1},
    ],
}


class EndlessAnswers(unittest.TestCase):
    """Servers whose answers never end: what asks them takes little memory, and ends."""

    def test_verify(self):
        for kind in endless.ADMIN_KINDS:
            # These come to their minute before they come to 64 MB; `ready` asks them, too, and has five seconds.
            if kind in ("chunks", "informational", "drip", "silent"):
                continue
            with self.subTest(kind), endless.Admin(kind) as admin:
                code, told = endless.watch([EXECUTABLE, "verify", "--admin", admin.url], memory=400 * endless.MB)
                self.assertEqual((code, told.count("\n")), (69, 1), told)
                what = f"What answers at {admin.url} is not a mock-apns server" if kind in ("body", "json") else \
                    f"No server answers at {admin.url}."
                self.assertIn(what, told)

    def test_ready(self):
        for kind in endless.ADMIN_KINDS:
            with self.subTest(kind), endless.Admin(kind) as admin:
                code, told = endless.watch([EXECUTABLE, "ready", "--admin", admin.url])
                self.assertEqual((code, told), (1, f"mock-apns: no server answers at {admin.url}.\n"))


class Verify(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-verify-")))
        self.scenario = self.write(SCENARIO)

    def write(self, scenario, name="scenario.json"):
        file = self.folder / name
        file.write_text(scenario if isinstance(scenario, str) else json.dumps(scenario))
        return str(file)

    def verify(self, admin, *words, code, **variables):
        environment = {name: value for name, value in os.environ.items() if name != "MOCK_APNS_ADMIN_TOKEN"}
        done = subprocess.run([EXECUTABLE, "verify", "--admin", admin, *words], capture_output=True, text=True,
                              timeout=PATIENCE, env={**environment, **variables})
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        return done.stderr

    def push(self, server):
        done = subprocess.run(
            ["curl", "--silent", "--http2", "--output", "/dev/null", "--write-out", "%{http_code}", "--cacert",
             server.authority, "-H", f"authorization: bearer {server.token()}", "-H", f"apns-topic: {TOPIC}", "-H",
             "apns-push-type: alert", "-H", "apns-expiration: 4000000000", "-d", '{"aps":{"alert":"Hello"}}', f"{server.url}/3/device/{ALICE}"],
            check=True, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "200")

    def test_verify_takes_a_sessions_name_or_address(self):
        nothing = {"expect": [{"name": "nothing", "requests": {}, "count": 0}]}
        with Server() as server:
            server.post("/api/v1/sessions", {"name": "mine", "scenario": nothing})
            for options in [f"{server.admin}/", "--session", "mine"], [f"{server.admin}/api/v1/sessions/mine"]:
                with self.subTest(options=options):
                    done = subprocess.run(
                        [EXECUTABLE, "verify", "--admin", *options], capture_output=True, text=True, timeout=PATIENCE)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_scenario_that_is_played(self):
        with Server("--scenario", self.scenario) as server:
            told = self.verify(server.admin, code=1)
            self.assertIn("2 of 2 expectations failed.\nFAILED  taken\n", told)
            self.push(server)
            junit, report = self.folder / "report.xml", self.folder / "report.md"
            told = self.verify(server.admin, "--junit", str(junit), "--report", str(report), code=1)
            self.assertIn("FAILED  arrives\n  expected  alice has received exactly 1 push\n", told)
            suite, = XML.parse(junit).getroot().findall("testsuite")
            self.assertEqual((suite.get("name"), suite.get("failures")), ("two", "1"))
            self.assertRegex(suite.get("timestamp"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$")
            self.assertTrue(report.read_text().startswith("## ❌ two\n"))
            self.assertIn("\n### Totals\n\n```text\n1 request, at most 1 in a second.\n  200  1\n", report.read_text())
            self.assertIn("1 request, at most 1 in a second.\n", suite.find("system-out").text)
            told = self.verify(server.admin, "--finish", "--junit", str(junit), code=0)
            self.assertIn("All 2 expectations hold.", told)
            self.assertEqual(XML.parse(junit).getroot().get("failures"), "0")

    def test_the_report_is_that_of_the_server(self):
        scenario = {**SCENARIO, "expect": [
            {"requests": {"payload": {"/aps": "x", "/none": 1}}, "count": 1},
            {"requests": {"topic": "ü & \"x\"", "status": 429}, "count": {"atLeast": 2}}, {"nothingElse": True}]}
        with Server("--scenario", self.write(scenario)) as server:
            self.push(server)
            self.push(server)
            told = self.verify(server.admin, code=1)
            served = subprocess.run(["curl", "-s", "-d", "{}", f"{server.admin}/api/v1/verify?format=text"],
                                    check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
            self.assertEqual(told.rstrip("\n"), served.rstrip("\n"))
            self.assertIn("nearest", told)

    def test_lint_of_a_server(self):
        junit, report = self.folder / "report.xml", self.folder / "report.md"
        with Server("--scenario", self.write({"lint": {"failOn": "note"}})) as server:
            nothing = "Lint failed: no push was recorded, so there was nothing to judge.\n"
            self.assertIn(nothing, self.verify(server.admin, "--lint", code=1))
            self.push(server)
            told = self.verify(server.admin, "--lint", "--junit", str(junit), "--report", str(report), code=1)
            self.assertIn("Lint failed: 1 note in 1 push.\npush 1: note: /aps/alert is the string", told)
            _, lint = XML.parse(junit).getroot().findall("testsuite")
            self.assertEqual([case.get("name") for case in lint.iter("testcase")], ["alert-is-string"])
            self.assertIn("### ❌ Lint failed: 1 note in 1 push.", report.read_text())
            # Whether it fails depends on what the server plays.
            other = self.write({"lint": {"rules": {"alert-is-string": "off"}}}, "other.json")
            self.assertIn("Lint failed: 1 note in 1 push.\n", self.verify(server.admin, "--lint", other, code=1))
            self.assertNotIn("Lint", self.verify(server.admin, code=0))
            # A session has findings of its own.
            server.post("/api/v1/sessions", {"name": "mine"})
            self.assertIn(nothing, self.verify(f"{server.admin}/api/v1/sessions/mine", "--lint", code=1))

    def test_findings_are_expected(self):
        expected = {"expect": [{"lint": {"rule": "alert-is-string"}, "count": 1},
                               {"lint": {"severity": "warning"}, "count": 0}]}
        with Server("--scenario", self.write(expected)) as server:
            told = self.verify(server.admin, code=1)
            self.assertIn('expected  exactly 1 lint finding of rule "alert-is-string"\n  seen      0 lint findings', told)
            self.push(server)
            self.assertIn("All 2 expectations hold.", self.verify(server.admin, code=0))
            other = {"expect": [{"lint": {"rule": "alert-is-string", "severity": "warning"}, "count": 1}]}
            result, = server.post("/api/v1/verify", other)["results"]
            self.assertEqual(result["nearMisses"], [{"sequence": 1, "differences": [
                {"field": "lint severity", "expected": '"warning" or worse', "found": "note"}]}])

    def test_the_expectations_of_another_file(self):
        other = self.write({"name": "other", "expect": [{"requests": {"topic": TOPIC}, "count": 2}]}, "other.json")
        nothing = self.write({}, "nothing.json")
        with Server() as server:
            self.push(server)
            self.assertIn("expected  exactly 2 requests", self.verify(server.admin, other, code=1))
            self.push(server)
            self.assertIn("The expectation holds.", self.verify(server.admin, other, code=0))
            self.assertIn("Nothing was expected: \"expect\" is missing or empty.", self.verify(server.admin, nothing, code=0))
            # The server does not know alice.
            self.assertIn("cannot judge that: ", self.verify(server.admin, self.scenario, code=65))

    def test_played_expectations_do_not_need_the_whole_log(self):
        scenario = self.write({"expect": [{"requests": {}, "count": 3}]})
        with Server("--scenario", scenario, "--log-limit", "1") as server:
            for _ in range(3):
                self.push(server)
            self.verify(server.admin, scenario, code=0)
            other = self.write({"expect": [{"requests": {"status": 200}, "count": 3}]}, "other.json")
            self.assertIn("had dropped 2 requests", self.verify(server.admin, other, code=1))

    def test_files_with_mistakes(self):
        with Server() as server:
            wrong = self.write('{"expect": [{"requets": {}}]}', "wrong.json")
            self.assertIn("wrong.json:1:", self.verify(server.admin, wrong, code=65))
            self.assertIn("There is no file", self.verify(server.admin, str(self.folder / "none"), code=69))

    def test_a_token(self):
        with Server("--scenario", self.scenario, "--admin-token", "s3cret") as server:
            for variables in ({}, {"MOCK_APNS_ADMIN_TOKEN": "other"}):
                told = self.verify(server.admin, code=69, **variables)
                self.assertIn("requires a token (401); give it with --admin-token or MOCK_APNS_ADMIN_TOKEN", told)
            self.verify(server.admin, code=1, MOCK_APNS_ADMIN_TOKEN="s3cret")
            self.verify(server.admin, "--admin-token", "s3cret", code=1, MOCK_APNS_ADMIN_TOKEN="other")
            self.verify(server.admin, "--admin-token", "a b", code=64)

    def test_the_snippets_for_ci_judge_with_it(self):
        texts = [ROOT / "README.md", *sorted((ROOT / "Sources/MockAPNS/MockAPNS.docc").rglob("*.md"))]
        blocks = [block for text in texts for block in re.findall(r"^```yaml\n(.*?)^```$", text.read_text(), re.M | re.S)]
        # exec judges by itself.
        jobs = [block for block in blocks if re.search(r"^ +(script|steps):$", block, re.M) and "mock-apns exec" not in block]
        self.assertGreaterEqual(len(jobs), 2)
        scenario = self.write({"name": "empty"})
        with Server("--scenario", scenario) as server:
            for job in jobs:
                with self.subTest(job):
                    self.assertNotIn("grep", job)
                    lines = re.findall(r"mock-apns verify --admin (http://[^ ]*:2198)( .*)?$", job, re.M)
                    self.assertTrue(lines)
                    for _, options in lines:
                        self.assertIn(" --finish", options)
                        done = subprocess.run([EXECUTABLE, "verify", "--admin", server.admin, *options.split()],
                                              cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
                        self.assertEqual(done.returncode, 0, done.stderr)

    def test_no_server_there(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        junit = self.folder / "report.xml"
        told = self.verify(f"http://127.0.0.1:{port}", self.scenario, "--junit", str(junit), code=69)
        self.assertIn(f"No server answers at http://127.0.0.1:{port}.", told)
        self.assertEqual(XML.parse(junit).getroot().get("errors"), "1")

    def test_another_server_there(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def do_POST(self):
                code = 200 if self.server.posts else 503
                self.server.posts += 1
                self.send_response(code)
                self.send_header("Content-Length", "5")
                self.end_headers()
                self.wfile.write(b"hello")

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as other:
            other.posts = 0
            thread = threading.Thread(target=other.serve_forever)
            thread.start()
            with contextlib.ExitStack() as stack:
                stack.callback(thread.join)
                stack.callback(other.shutdown)
                address = f"http://127.0.0.1:{other.server_address[1]}"
                refused = 'gave no verdict; it answered 503 Service Unavailable. It says: "hello"'
                self.assertIn(refused, self.verify(address, code=69))
                other = 'is not a mock-apns server that judges expectations. It says: "hello"'
                self.assertIn(other, self.verify(address, code=69))

    def test_the_provider_port(self):
        with Server() as server:
            port = server.ready["apns"].replace("https://", "http://")
            is_provider = f"{port} is the provider port, which takes pushes; "
            admin = f"the admin API is at {server.admin}.\n"
            self.assertIn(is_provider + admin, self.verify(port, code=69))
            ready = subprocess.run([EXECUTABLE, "ready", "--admin", port], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((ready.returncode, ready.stderr.endswith(is_provider + admin)), (1, True), ready.stderr)
            told = self.verify(server.ready["apns"], code=64)
            self.assertIn('https:// is for the provider port: the URL of the admin API is "admin" in the', told)
            # The port of a session knows no admin API.
            session = server.post("/api/v1/sessions", {})["apns"].replace("https://", "http://")
            told = self.verify(session, code=69)
            self.assertIn('takes pushes; the URL of the admin API is "admin" in the server\'s ready line.', told)


if __name__ == "__main__":
    unittest.main()
