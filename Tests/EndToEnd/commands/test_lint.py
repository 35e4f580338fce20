"""`mock-apns lint`: payload files in, findings out."""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import xml.etree.ElementTree as XML

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
            f'{bad}:3:14: error: /aps/badge is the string "1"; expected a number. It is ignored; APNs cannot count up. '
            "[badge-type]\n")
        self.assertEqual(done.stderr, "mock-apns: 1 error in 2 files\n")

    def test_a_scenario_is_no_payload(self):
        for scenario in ROOT / "scenarios/tour.json", self.write({"rules": [{"name": "x", "then": {"stall": True}}]}):
            done = self.lint(str(scenario), code=65)
            self.assertEqual(
                done.stderr,
                f"mock-apns: {scenario} is a scenario, not a payload; mock-apns check {scenario} reads it.\n")
        tour = (ROOT / "scenarios/tour.json").read_text()
        self.assertEqual(
            self.lint("-", code=65, text=tour).stderr,
            "mock-apns: standard input is a scenario, not a payload; mock-apns check reads the files of scenarios.\n")
        self.lint(self.write({"rules": []}), code=65)
        self.lint(self.write({**GOOD, "rules": "of the game"}))

    def test_standard_input(self):
        [finding] = self.findings("-", code=1, text=json.dumps(BADGE))
        self.assertEqual((finding["rule"], finding["file"], finding["pointer"]), ("badge-type", "stdin", "/aps/badge"))
        self.assertEqual((finding["severity"], finding["count"]), ("error", 1))
        self.assertIn("Generating a remote notification", finding["source"])

    def test_standard_input_may_be_anything(self):
        """Node and others hand over a socket, shells a pipe or a file, and /dev/null is empty."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(json.dumps(BADGE).encode())
            ours.shutdown(socket.SHUT_WR)
            done = subprocess.run([EXECUTABLE, "lint", "-"], stdin=theirs, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertTrue(done.stdout.startswith("stdin:1:19: error: /aps/badge is"), done.stdout)
        with open(self.write(BADGE)) as file:
            done = subprocess.run([EXECUTABLE, "lint", "-"], stdin=file, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        done = subprocess.run([EXECUTABLE, "lint", "-"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("[payload-not-json]", done.stdout)
        self.assertIn("Standard input has more than 1 MiB", self.lint("-", code=69, text=" " * (1 << 20) + "{}").stderr)
        self.assertIn("-, which is standard input", self.lint(code=64, text=json.dumps(GOOD)).stderr)

    def test_a_log_is_not_taken_for_a_payload(self):
        line = {"event": "scenario", "time": "2026-01-01T00:00:00.000Z", "state": "started"}
        log = self.write(json.dumps(line) + "\n" + (json.dumps({**line, "event": "update"}) + "\n") * 20_000, "run.jsonl")
        done = self.lint(log, code=65)
        self.assertIn(f"{log} is a log that serve or exec has written, not a payload; judge it with --log {log}.", done.stderr)
        done = self.lint("-", code=65, text=json.dumps(line) + "\n")
        self.assertIn("standard input is a log that serve or exec has written, not a payload; judge it with --log -.",
                      done.stderr)

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
        urgent = self.write({"aps": {"content-available": 1}})
        fields = ["--header", "apns-priority: 10", "--header", "apns-expiration: 3600"]
        found = self.findings("--push-type", "background", *fields, urgent, code=1)
        self.assertEqual([each["rule"] for each in found], ["background-priority", "expiration-unit"])
        large = self.write(json.dumps(GOOD) + " " * 4100)
        self.findings(large, code=1)
        self.findings("--topic", "com.example.app.voip", large)
        self.findings("--header", "apns-channel-id: dHN0LXNyY2gtY2hubA==", "--fail-on", "never", large)

    def test_undetermined_push_types_are_reported(self):
        update = self.write({"aps": {"event": "update"}}, "update.json")
        left_out = "is not known, so rules about push types were left out; "
        told = f"mock-apns: The push type of {update} {left_out}this looks like a Live Activity: --push-type liveactivity\n"
        self.assertEqual(self.lint(update).stderr, f"mock-apns: no findings in 1 file\n{told}")
        for form in "json", "sarif":
            self.assertEqual(self.lint("--format", form, update).stderr, told)
        done = self.lint(update, self.write({"aps": {"content-state": {}, "event": "end", "alert": {"title": "A"}}}, "end.json"))
        self.assertIn(f"The push type of {update} (and 1 more) {left_out}these look like Live Activities: --push-type live",
                      done.stderr)
        self.assertEqual(done.stdout, "")
        other = self.write({"notification": {"title": "A"}}, "other.json")
        done = self.lint(self.write(GOOD), update, other)
        self.assertIn(f"The push type of {update} (and 1 more) {left_out}say it with --push-type.\n", done.stderr)
        self.assertNotIn("push type", self.lint("--push-type", "liveactivity", update, code=1).stderr)
        self.assertEqual(self.lint("--format", "json", "--push-type", "alert", self.write(GOOD)).stderr, "")

    def test_nonexistent_push_types_are_reported_with_suggestions(self):
        for words, told in [(["--push-type", "bakground"], '--push-type is "bakground"; did you mean "background"?'),
                            (["--header", "Apns-Push-Type: alrt"], '--header apns-push-type is "alrt"; did you mean "alert"?')]:
            self.assertIn(told, self.lint(*words, self.write(GOOD), code=64).stderr)

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
            (["--header", "nothing", good], "expected a name and a value"), (["--format", "xml", good], "format"),
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
        """What the articles call good has no finding above a note; what they call bad has one of that rule."""
        articles = sorted((ROOT / "Sources/MockAPNS/MockAPNS.docc/Reference").glob("Lint?*.md"))
        rules = [part.split("\n", 1) for article in articles for part in article.read_text().split("\n### ")[1:]]
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
    def push(self, server, payload, *fields, token, url=None):
        words = [word for field in (f"authorization: bearer {token}", f"apns-topic: {TOPIC}", *fields)
                 for word in ("-H", field)]
        done = subprocess.run(
            ["curl", "--silent", "--http2", "--output", "/dev/null", "--write-out", "%{http_code}", "--cacert",
             server.authority, *words, "-d", json.dumps(payload), f"{url or server.url}/3/device/{device(31)}"],
            check=True, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "200")

    def test_a_log_and_the_server_say_the_same(self):
        silent = {"aps": {"content-available": 1, "sound": "default"}}
        alert = "apns-push-type: alert"
        with Server("--log", "LOG") as server:
            token = server.token()
            self.push(server, BADGE, alert, token=token)
            self.push(server, GOOD, alert, token=token)
            self.push(server, silent, "apns-push-type: background", "apns-priority: 5", token=token)
            self.push(server, BADGE | {"game": 2}, alert, token=token)
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
                                (["--session", "A"], "a name has"), (["--log", server.log], "given 2 times")]:
                wrong = subprocess.run([EXECUTABLE, "lint", "--log", server.log, *words], capture_output=True, text=True,
                                       timeout=PATIENCE)
                self.assertEqual(wrong.returncode, 64)
                self.assertIn(told, wrong.stderr)
            text = subprocess.run([EXECUTABLE, "lint", "--log", server.log], capture_output=True, text=True,
                                  timeout=PATIENCE)
            self.assertIn(f"{server.log}: push 1: error: /aps/badge is", text.stdout)
            with open(server.log) as log:
                piped = subprocess.run([EXECUTABLE, "lint", "--log", "-"], stdin=log, capture_output=True, text=True,
                                       timeout=PATIENCE)
            self.assertEqual(piped.stdout, text.stdout.replace(f"{server.log}: ", "stdin: "))
            self.assertIn("(2 times, last in push 4) [badge-type]", text.stdout)
            self.assertEqual(text.stderr, "mock-apns: Lint failed: 2 errors in 4 pushes.\n")
            sarif = subprocess.run([EXECUTABLE, "lint", "--log", server.log, "--format", "sarif"], capture_output=True,
                                   text=True, timeout=PATIENCE)
            Sarif.model_validate_json(sarif.stdout)

    def test_all_runs_and_sessions_are_linted(self):
        alert = "apns-push-type: alert"
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-lint-")))
        scenario = folder / "scenario.json"
        scenario.write_text('{"expect": [{"requests": {}, "count": {"atLeast": 0}}]}')

        def run(*words, code, text=None):
            done = subprocess.run([EXECUTABLE, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE, input=text)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done

        log = folder / "run.jsonl"
        for _ in range(2):
            with Server("--log", str(log)) as server:
                self.push(server, BADGE, alert, token=server.token())
                server.post("/api/v1/reset", {})
                session = server.post("/api/v1/sessions", {"name": "one"})
                self.push(server, {"aps": {"sound": 7}}, alert, token=server.token(), url=session["apns"])
                self.push(server, GOOD, alert, token=server.token())
                # What came before the reset is gone, and the session is not.
                done = run("verify", "--lint", "--admin", server.admin, code=1)
                self.assertIn("Lint failed: 1 error in 2 pushes.\nsession one: push 1: error: /aps/sound is", done.stderr)
                done = run("verify", "--lint", "--admin", server.admin, "--session", "default", code=0)
                self.assertIn("Lint: no findings in 1 push.", done.stderr)
                done = run("verify", "--lint", "--admin", server.admin, "--session", "one", code=1)
                self.assertIn("Lint failed: 1 error in 1 push.", done.stderr)
        for words in ["lint", "--log", log], ["lint", "--log", "-"]:
            done = run(*words, code=1, text=log.read_text() if words[-1] == "-" else None)
            first, second = done.stdout.splitlines()
            name = re.escape("stdin" if words[-1] == "-" else str(log))
            self.assertRegex(first, rf"^{name}: push 1 before .*, when the scenario was reset: error: /aps/b"
                                    r".*\(2 times\) \[badge-type\]$")
            self.assertRegex(second, rf"^session one: {name}: push 1 before .*, when the server was started "
                                     r"again: error: /aps/sound .*\(2 times\) \[sound-type\]$")
            self.assertIn("The log holds 6 runs, 1 session included; lint has judged each.", done.stderr)
            self.assertIn("Lint failed: 2 errors in 6 pushes.", done.stderr)
        found = json.loads(run("lint", "--log", log, "--format", "json", code=1).stdout)
        self.assertEqual([each.get("session") for each in found["findings"]], [None, "one"])
        self.assertEqual(found["pushes"], 6)
        sarif = run("lint", "--log", log, "--format", "sarif", code=1).stdout
        Sarif.model_validate_json(sarif)
        self.assertEqual([each["properties"].get("session") for each in json.loads(sarif)["runs"][0]["results"]], [None, "one"])
        self.assertIn("Lint failed: 1 error in 4 pushes.", run("lint", "--log", log, "--session", "default", code=1).stderr)
        self.assertIn("Lint failed: 1 error in 2 pushes.", run("lint", "--log", log, "--session", "one", code=1).stderr)
        self.assertIn("it has the sessions one", run("lint", "--log", log, "--session", "two", code=65).stderr)
        self.assertIn("Lint failed: 2 errors in 6 pushes.", run("verify", "--lint", "--log", log, scenario, code=1).stderr)
        self.assertIn("Lint failed: 1 error in 2 pushes.",
                      run("verify", "--lint", "--log", log, "--session", "one", scenario, code=1).stderr)
        other = folder / "other.jsonl"
        other.write_bytes(log.read_bytes())
        # The same pushes at the same time: the last run of both is judged as one.
        self.assertIn("Lint failed: 4 errors, 1 warning in 12 pushes.",
                      run("verify", "--lint", "--log", log, "--log", other, scenario, code=1).stderr)

    def test_a_gate_without_a_push_fails(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-lint-")))
        scenario, log = folder / "scenario.json", folder / "run.jsonl"
        told = "no push was recorded, so there was nothing to judge."

        def run(*words, code):
            done = subprocess.run([EXECUTABLE, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=PATIENCE)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stderr

        for lint, code, word in ({}, 1, "Lint failed: "), ({"failOn": "never"}, 0, "Lint: "):
            scenario.write_text(json.dumps({"lint": lint, "expect": [{"requests": {}, "count": 0}]}))
            log.unlink(missing_ok=True)
            exec_words = ["exec", "--lint", "--certs", Server().certs, "--scenario", scenario, "--log", log, "--", "true"]
            self.assertIn(word + told, run(*exec_words, code=code))
            self.assertIn(word + told, run("verify", "--lint", "--log", log, scenario, code=code))
            self.assertIn(word + told, run("lint", "--log", log, "--scenario", scenario, code=code))
            with Server("--scenario", str(scenario)) as server:
                self.assertIn(word + told, run("verify", "--lint", "--admin", server.admin, code=code))
        scenario.write_text(json.dumps({"expect": [{"name": "clean", "lint": {"severity": "error"}, "count": 0}]}))
        told = run("verify", "--log", log, scenario, code=1)
        self.assertIn("0 lint findings, as there was no push to judge", told)

    def test_unknown_lint_rules_come_with_a_suggestion(self):
        with Server() as server:
            for target, told in [
                ("/api/v1/lint?rule=badge_type", 'did you mean "badge-type"?'), ("/api/v1/lint?rule=nope", "such as"),
                ("/api/v1/lint/pushes?rule=badgetype", 'did you mean "badge-type"?'),
            ]:
                with self.assertRaises(urllib.error.HTTPError) as refused:
                    server.get(target)
                self.assertEqual(refused.exception.code, 400)
                self.assertIn(told, json.load(refused.exception)["error"]["message"])
            for call, body in [
                ("/api/v1/verify", {"expect": [{"lint": {"rule": "badge-typ"}, "count": 0}]}),
                ("/api/v1/requests/find", {"lint": {"rule": "badge-typ"}}),
            ]:
                with self.assertRaises(urllib.error.HTTPError) as refused:
                    server.post(call, body)
                self.assertEqual(refused.exception.code, 400)
                self.assertIn('did you mean "badge-type"?', refused.exception.read().decode().replace("\\", ""))

    def test_verify_lints_one_log_or_several(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-lint-")))
        scenario, junit = folder / "scenario.json", folder / "report.xml"
        scenario.write_text(json.dumps({"expect": [{"requests": {}, "count": {"atLeast": 1}}]}))

        def verify(*words, code):
            done = subprocess.run([EXECUTABLE, "verify", *words, "--junit", str(junit), str(scenario)],
                                  capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            return done.stderr

        with Server("--log", "LOG") as first, Server("--log", "LOG") as second:
            alert, token = "apns-push-type: alert", first.token()
            self.push(first, GOOD | {"game": 1}, alert, token=token)
            told = verify("--lint", "--log", str(first.log), code=0)
            self.assertIn("Lint: no findings in 1 push.\n\nThe expectation holds.", told)
            for payload in GOOD, BADGE, BADGE | {"game": 2}:
                self.push(second, payload, alert, token=token)
            told = verify("--lint", "--log", str(second.log), code=1)
            self.assertIn(f"Lint failed: 1 error in 3 pushes.\n{second.log}: push 2: error: /aps/badge is", told)
            told = verify("--lint", "--log", str(first.log), "--log", str(second.log), code=1)
            self.assertRegex(told, rf"in 4 pushes\.\n{re.escape(str(second.log))}: push 2: error: .*last in push 3\)")
            root = XML.parse(junit).getroot()
            self.assertEqual((root.get("tests"), root.get("failures")), ("2", "1"))
            self.assertIn("holds", verify("--log", str(second.log), code=0))
            settings = {"lint": {"failOn": "never"}, "expect": [{"lint": {"severity": "error"}, "count": 1}]}
            scenario.write_text(json.dumps(settings))
            self.assertIn("Lint: 1 error in 3 pushes.\n", verify("--lint", "--log", str(second.log), code=0))

    def test_what_a_provider_does_is_judged(self):
        """A provider token and a connection for each push, and the same push twice."""
        with Server("--log", "LOG") as server:
            for number in range(5):
                payload = {"aps": {"alert": {"title": "Game", "body": f"Turn {max(number, 1)}"}}}
                self.push(server, payload, "apns-push-type: alert", token=server.token())
            live = server.get("/api/v1/lint?severity=warning")["findings"]
            found = {each["rule"]: (each["severity"], each["count"], each["pointer"]) for each in live}
            self.assertEqual(found, {
                "token-per-push": ("error", 4, ""), "connection-per-push": ("error", 5, ""),
                "provider-token-young": ("warning", 4, ""), "duplicate-push": ("warning", 1, ""),
            })
            done = subprocess.run([EXECUTABLE, "lint", "--log", server.log, "--format", "json"], capture_output=True,
                                  text=True, timeout=PATIENCE)
            logged = [each for each in json.loads(done.stdout)["findings"] if each["severity"] != "note"]
            self.assertEqual([{**each, "file": str(server.log)} for each in live], logged)

    def test_the_benchmark_of_lint(self):
        """What it measures is judged by `make bench-lint`, with a release and many more pushes."""
        benchmark = [sys.executable, ROOT / "Tests/Benchmarks/lint.py", "--records", "2000", "--lines", "2000"]
        done = subprocess.run([*benchmark, "--rounds", "1"], env={**os.environ, "MOCK_APNS": str(EXECUTABLE)},
                              capture_output=True, text=True, timeout=10 * PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"2000 records in memory .* MB more.*\na log of 2000 pushes: .* ratio \d")

    def test_payloads_are_judged_by_scenario_and_clock(self):
        with Server() as server:
            [found] = server.post("/api/v1/lint", {"body": '{"aps": {"badge": "1"}}'})["findings"]
            self.assertEqual((found["rule"], found["pointer"]), ("badge-type", "/aps/badge"))
            late = {"aps": {"timestamp": 1767225500, "event": "update", "content-state": {}}}
            [found] = server.post("/api/v1/lint", {"payload": late, "pushType": "liveactivity"})["findings"]
            self.assertEqual(found["rule"], "timestamp-past")
            [found] = server.post("/api/v1/lint", {"payload": GOOD, "headers": {"apns-expiration": 1767225500}})["findings"]
            self.assertEqual(found["rule"], "expiration-past")
            self.assertEqual(server.get("/api/v1/lint")["findings"], [])


if __name__ == "__main__":
    unittest.main()
