"""`mock-apns lint`: payload files in, findings out."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from server import EXECUTABLE, PATIENCE, ROOT, TOPIC, Server, device

GOOD = {"aps": {"alert": {"title": "Game", "body": "Your turn"}}}
BADGE = {"aps": {"badge": "1"}}


class Lint(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-lint-")))

    def write(self, value, name="payload.json"):
        file = self.folder / name
        file.write_text(value if isinstance(value, str) else json.dumps(value))
        return str(file)

    def lint(self, *words, code=0, text=None):
        done = subprocess.run([EXECUTABLE, "lint", *words], capture_output=True, text=True, timeout=PATIENCE, input=text)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def findings(self, *words, code=0, text=None):
        return json.loads(self.lint("--format", "json", *words, code=code, text=text).stdout)["findings"]

    def test_a_good_payload_has_no_findings(self):
        done = self.lint("--push-type", "alert", self.write(GOOD))
        self.assertEqual((done.stdout, done.stderr), ("", "mock-apns: no findings in 1 file\n"))

    def test_a_finding_has_file_line_and_column(self):
        bad = self.write('{\n  "aps": {\n    "badge": "1"\n  }\n}\n')
        done = self.lint(bad, self.write(GOOD, "good.json"), code=1)
        self.assertEqual(
            done.stdout,
            f'{bad}:3:14: error: /aps/badge is the string "1"; it takes a number. It is ignored; APNs cannot count up. '
            "[badge-type]\n")
        self.assertEqual(done.stderr, "mock-apns: 1 error in 2 files\n")

    def test_standard_input(self):
        [finding] = self.findings("-", code=1, text=json.dumps(BADGE))
        self.assertEqual((finding["rule"], finding["file"], finding["pointer"]), ("badge-type", "stdin", "/aps/badge"))
        self.assertEqual((finding["severity"], finding["count"]), ("error", 1))
        self.assertIn("Generating a remote notification", finding["source"])

    def test_not_json_is_a_finding(self):
        [finding] = self.findings(self.write('{"aps": {"badge": 1,}}'), code=1)
        self.assertEqual((finding["rule"], finding["line"], finding["column"]), ("payload-not-json", 1, 21))

    def test_header_fields_count(self):
        silent = self.write({"aps": {"content-available": 1, "sound": "default"}})
        self.assertEqual(self.findings(silent), [])
        for words in ["--push-type", "background"], ["--header", "apns-push-type: background"]:
            self.assertEqual([found["rule"] for found in self.findings(*words, silent, code=1)], ["background-with-alert"])
        urgent = self.write({"aps": {"alert": {"title": "A"}, "interruption-level": "time-sensitive"}})
        found = self.findings("--header", "apns-priority: 5", urgent)
        self.assertEqual([each["rule"] for each in found], ["interruption-level-priority"])
        large = self.write(json.dumps(GOOD) + " " * 4100)
        self.findings(large, code=1)
        self.findings("--topic", "com.example.app.voip", large)
        self.findings("--header", "apns-channel-id: dHN0LXNyY2gtY2hubA==", "--fail-on", "never", large)

    def test_fail_on(self):
        text = self.write({"aps": {"alert": "Your turn"}})
        for severity, code in {"error": 0, "warning": 0, "note": 1, "never": 0}.items():
            self.lint("--fail-on", severity, text, code=code)
        self.lint("--fail-on", "never", self.write(BADGE))

    def test_the_scenario_has_settings_strings_and_categories(self):
        strings = self.write('"TURN" = "%@, it is your turn";', "Localizable.strings")
        scenario = self.write({
            "clock": {"manual": "2026-01-01T00:00:00Z"},
            "lint": {"rules": {"badge-type": "note", "category-unknown": "error"}, "failOn": "warning"},
            "apps": [{"topic": "com.example.app", "strings": pathlib.Path(strings).name,
                      "categories": [{"id": "INVITE"}]}],
        }, "scenario.json")
        payload = self.write({"aps": {"badge": "1", "category": "INVIT", "alert": {"title": "A", "loc-key": "TURN"}}})
        found = self.findings("--scenario", scenario, "--topic", "com.example.app", payload, code=1)
        self.assertEqual({each["rule"]: each["severity"] for each in found},
                         {"badge-type": "note", "category-unknown": "error", "loc-args-count": "warning"})
        self.findings("--scenario", scenario, self.write(BADGE))
        self.findings("--scenario", scenario, "--fail-on", "note", self.write(BADGE), code=1)
        # The manual clock is the time of the pushes.
        late = {"aps": {"timestamp": 1767225500, "event": "update", "content-state": {}}}
        found = self.findings("--scenario", scenario, "--push-type", "liveactivity", self.write(late), code=1)
        self.assertEqual([each["rule"] for each in found], ["timestamp-past"])
        self.assertEqual(self.findings("--push-type", "liveactivity", self.write(late)), [])

    def test_sarif_is_valid(self):
        files = [self.write(BADGE, "a b.json"), self.write("[", "ü.json"), self.write(GOOD, "good.json")]
        text = self.lint("--format", "sarif", *files, code=1).stdout
        Sarif.model_validate_json(text)
        [run] = json.loads(text)["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        self.assertEqual([result["ruleId"] for result in run["results"]], ["badge-type", "payload-not-json"])
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
        places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
        self.assertTrue(places[0]["artifactLocation"]["uri"].endswith("/a%20b.json"))
        self.assertTrue(places[1]["artifactLocation"]["uri"].endswith("/%C3%BC.json"))
        self.assertEqual(places[0]["region"], {"startLine": 1, "startColumn": 19})
        empty = self.lint("--format", "sarif", files[2]).stdout
        Sarif.model_validate_json(empty)
        self.assertEqual(json.loads(empty)["runs"][0]["results"], [])

    def test_what_is_no_sarif_is_refused(self):
        """The classes are as strict as the schema."""
        text = self.lint("--format", "sarif", self.write(GOOD)).stdout
        for spoil in (lambda log: log.update(version="2.0"), lambda log: log.pop("runs"),
                      lambda log: log["runs"][0].update(result=[]), lambda log: log["runs"][0].pop("tool")):
            log = json.loads(text)
            spoil(log)
            with self.assertRaises(ValueError):
                Sarif.model_validate(log)

    def test_wrong_usage(self):
        good = self.write(GOOD)
        for words, told in [
            ([], "file"), (["--push-type", "alrt", good], 'did you mean "alert"?'),
            (["--header", "nothing", good], "it takes a name and a value"), (["--format", "xml", good], "format"),
            (["--fail-on", "often", good], "fail-on"), (["-", "-"], "one standard input"),
        ]:
            with self.subTest(words):
                self.assertIn(told, self.lint(*words, code=64).stderr)

    def test_files_that_cannot_be_read(self):
        self.assertIn("There is no file", self.lint(str(self.folder / "none.json"), code=69).stderr)
        self.assertIn("a folder", self.lint(str(self.folder), code=69).stderr)
        self.assertIn("1 MiB", self.lint(self.write(" " * (1 << 20) + "{}"), code=69).stderr)
        scenario = self.write({"lint": {"rules": {"badge-typ": "off"}}}, "scenario.json")
        done = self.lint("--scenario", scenario, self.write(GOOD), code=65)
        self.assertIn('lint.rules["badge-typ"] is not a rule of lint; did you mean "badge-type"?', done.stderr)

    def test_the_payloads_of_the_documentation(self):
        """What the article calls good has no finding above a note; what it calls bad has one of that rule."""
        article = (ROOT / "Sources/MockAPNS/MockAPNS.docc/Lint.md").read_text()
        rules = [part.split("\n", 1) for part in article.split("\n#### ")[1:]]
        self.assertGreater(len(rules), 60)
        for rule, text in rules:
            lines = {line[2:6].rstrip(":"): line for line in text.splitlines() if line.startswith(("- bad: ", "- good: "))}
            if "…" in text or " when " in text or " after " in text or "scenario" in text:
                continue
            for kind, line in lines.items():
                payload, *headers = line.split("`")[1::2]
                words = [word for header in headers for word in ("--header", header)]
                with self.subTest(rule, kind=kind):
                    found = self.findings("--fail-on", "never", *words, "-", text=payload)
                    if kind == "bad":
                        self.assertIn(rule, [each["rule"] for each in found])
                    else:
                        self.assertEqual([each for each in found if each["severity"] != "note"], [])


class LintOfARun(unittest.TestCase):
    def push(self, server, payload, *fields):
        words = [word for field in (f"authorization: bearer {server.token()}", f"apns-topic: {TOPIC}", *fields)
                 for word in ("-H", field)]
        done = subprocess.run(
            ["curl", "--silent", "--http2", "--output", "/dev/null", "--write-out", "%{http_code}", "--cacert",
             server.authority, *words, "-d", json.dumps(payload), f"{server.url}/3/device/{device(31)}"],
            check=True, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "200")

    def test_a_log_and_the_server_say_the_same(self):
        silent = {"aps": {"content-available": 1, "sound": "default"}}
        with Server("--log", "LOG") as server:
            self.push(server, BADGE)
            self.push(server, GOOD)
            self.push(server, silent, "apns-push-type: background", "apns-priority: 5")
            self.push(server, BADGE)
            server.post("/api/v1/pushes", {"token": device(31), "payload": BADGE})
            live = server.get("/api/v1/lint")["findings"]
            self.assertEqual([(found["rule"], found["count"], found["firstSequence"], found["lastSequence"])
                              for found in live], [("badge-type", 2, 1, 4), ("background-with-alert", 1, 3, 3)])
            self.assertEqual(server.get("/api/v1/lint?rule=badge-type&severity=error&sequence=4")["findings"],
                             [{**live[0], "count": 1, "sequence": 4, "firstSequence": 4}])
            # A push by the API is judged when it is asked for.
            self.assertEqual(len(server.get("/api/v1/lint?sequence=5")["findings"]), 1)
            done = subprocess.run([EXECUTABLE, "lint", "--log", server.log, "--format", "json"], capture_output=True,
                                  text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 1, done.stderr)
            logged = json.loads(done.stdout)["findings"]
            self.assertEqual([{**found, "file": str(server.log)} for found in live], logged)
            for words, told in [(["payload.json"], "contradict"), (["--push-type", "alert"], "has the header fields"),
                                (["--session", "A"], "a name has")]:
                wrong = subprocess.run([EXECUTABLE, "lint", "--log", server.log, *words], capture_output=True, text=True,
                                       timeout=PATIENCE)
                self.assertEqual(wrong.returncode, 64)
                self.assertIn(told, wrong.stderr)
            text = subprocess.run([EXECUTABLE, "lint", "--log", server.log], capture_output=True, text=True,
                                  timeout=PATIENCE)
            self.assertIn(f"{server.log}: push 1: error: /aps/badge is", text.stdout)
            self.assertIn("(2 times, last in push 4) [badge-type]", text.stdout)
            self.assertEqual(text.stderr, "mock-apns: 2 errors in 4 pushes\n")
            sarif = subprocess.run([EXECUTABLE, "lint", "--log", server.log, "--format", "sarif"], capture_output=True,
                                   text=True, timeout=PATIENCE)
            Sarif.model_validate_json(sarif.stdout)

    def test_a_payload_is_judged_by_the_scenario_and_the_clock(self):
        with Server() as server:
            [found] = server.post("/api/v1/lint", {"body": '{"aps": {"badge": "1"}}'})["findings"]
            self.assertEqual((found["rule"], found["pointer"]), ("badge-type", "/aps/badge"))
            late = {"aps": {"timestamp": 1767225500, "event": "update", "content-state": {}}}
            [found] = server.post("/api/v1/lint", {"payload": late, "pushType": "liveactivity"})["findings"]
            self.assertEqual(found["rule"], "timestamp-past")
            self.assertEqual(server.get("/api/v1/lint")["findings"], [])


if __name__ == "__main__":
    unittest.main()
