"""Expectations that had nothing to judge, by `exec`, `verify --log`, `verify --admin` and `suite`.

The table is Tests/Scenarios/nothing-to-judge.json; NothingToJudgeTests in Swift judges its rows one by one.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE, ROOT, Server

TABLE = json.loads((ROOT / "Tests/Scenarios/nothing-to-judge.json").read_text())
DEVICES = [{"name": name, "token": token} for name, token in TABLE["devices"].items()]
REFERENCE = [sys.executable, str(ROOT / "Tests/EndToEnd/reference/driver.py")]
RUNS = sorted({tuple(case["pushes"]) for case in TABLE["cases"]})
ALLOWED = '; "orNone": true allows that'


class NothingToJudge(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-nothing-")))

    def scenario(self, pushes, is_allowed):
        """A scenario with all expectations of a run, and those rows."""
        cases = [case for case in TABLE["cases"] if tuple(case["pushes"]) == pushes]
        allowed = {"orNone": True} if is_allowed else {}
        expect = [{**case["expect"], **(allowed if case["seen"] else {})} for case in cases]
        workload = [{"push": {"device": name, "pushType": "alert", "payload": {"aps": {"alert": "Hello"}}},
                     **({"after": "all"} if number else {})} for number, name in enumerate(pushes)]
        file = self.folder / "scenario.json"
        file.write_text(json.dumps({"devices": DEVICES, "workload": workload, "expect": expect}))
        return file, cases

    def run_command(self, *words, code):
        done = subprocess.run([EXECUTABLE, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def check(self, cases, told, is_allowed):
        """Checks what was told of each row: those that hold are not told."""
        for number, case in enumerate(cases):
            with self.subTest(case["expect"], allowed=is_allowed):
                _, failed, rest = told.partition(f"FAILED  expect[{number}]\n")
                holds = is_allowed if case["seen"] else case["holds"]
                self.assertEqual(not failed, holds, told)
                if case["seen"] and not is_allowed:
                    self.assertEqual(rest.splitlines()[1], f"  seen      nothing to judge: {case['seen']}{ALLOWED}")

    def code(self, cases, is_allowed):
        return 0 if all(is_allowed if case["seen"] else case["holds"] for case in cases) else 1

    def each(self):
        for pushes in RUNS:
            for is_allowed in (False, True):
                yield pushes, is_allowed, *self.scenario(pushes, is_allowed)

    def pushing(self, pushes):
        """A command that pushes to these devices, over one connection."""
        if not pushes:
            return ["true"]
        provider = ROOT / "Tests/PythonSupport/provider.py"
        return [sys.executable, provider, *(TABLE["devices"][name] for name in pushes)]

    def test_exec_and_the_log(self):
        for pushes, is_allowed, file, cases in self.each():
            log = self.folder / f"{len(pushes)}{is_allowed}.jsonl"
            code = self.code(cases, is_allowed)
            told = self.run_command("exec", "--certs", Server._certs(), "--scenario", file, "--log", log, "--",
                                    *self.pushing(pushes), code=code)
            self.check(cases, told, is_allowed)
            self.check(cases, self.run_command("verify", "--log", log, file, code=code), is_allowed)

    def test_a_running_server(self):
        for pushes, is_allowed, file, cases in self.each():
            if pushes:
                continue  # who pushes makes no difference to who judges
            code = self.code(cases, is_allowed)
            with Server("--scenario", str(file)) as server:
                self.check(cases, self.run_command("verify", "--admin", server.admin, code=code), is_allowed)
                session = server.post("/api/v1/sessions", {"name": "mine", "scenario": json.loads(file.read_text())})
                self.assertEqual(session["name"], "mine")
                told = self.run_command("verify", "--admin", server.admin, "--session", "mine", code=code)
                self.check(cases, told, is_allowed)
            # Expectations that the server does not play are judged by what its log holds.
            devices = self.folder / "devices.json"
            devices.write_text(json.dumps({"devices": DEVICES}))
            with Server("--scenario", str(devices)) as server:
                self.check(cases, self.run_command("verify", "--admin", server.admin, file, code=code), is_allowed)

    def test_a_suite(self):
        for pushes, is_allowed, file, cases in self.each():
            if not pushes:
                continue  # a story without a workload is skipped
            report = self.folder / "suite.json"
            self.run_command("suite", "--json", report, file, "--", *REFERENCE, code=self.code(cases, is_allowed))
            story, = json.loads(report.read_text())["stories"]
            self.assertEqual(len(story["results"]), len(cases), story)
            for case, result in zip(cases, story["results"]):
                with self.subTest(case["expect"], allowed=is_allowed):
                    self.assertEqual(result["passed"], is_allowed if case["seen"] else case["holds"], result)
                    if case["seen"]:
                        self.assertEqual(result["seen"], f"nothing to judge: {case['seen']}" + ("" if is_allowed else ALLOWED))

    def test_nothing_pushed_and_nothing_expected_is_told(self):
        report, junit = self.folder / "report.md", self.folder / "report.xml"
        told = self.run_command("exec", "--certs", Server._certs(), "--report", report, "--junit", junit, "--", "true", code=0)
        line = ('Nothing was pushed and nothing expected. There were no requests and no connections. The command finds the '
                'server through MOCK_APNS_URL; "expect" in a scenario says what has to arrive.')
        self.assertIn(f"mock-apns: {line}\n", told)
        self.assertIn("Nothing was pushed and nothing expected.", report.read_text())
        self.assertIn("Nothing was pushed and nothing expected.", junit.read_text())
        # Who pushes, or expects that nothing comes, is not told.
        alice = self.pushing(["alice"])
        told = self.run_command("exec", "--certs", Server._certs(), "--", *alice, code=0)
        self.assertNotIn("Nothing was pushed", told)
        quiet = self.folder / "quiet.json"
        quiet.write_text(json.dumps({"expect": [{"nothingElse": True}]}))
        told = self.run_command("exec", "--certs", Server._certs(), "--scenario", quiet, "--", "true", code=0)
        self.assertNotIn("Nothing was pushed", told)


if __name__ == "__main__":
    unittest.main()
