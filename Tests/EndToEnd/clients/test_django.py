"""django-push-notifications: a Django project of a few lines, whose models push by aioapns."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE, ROOT, device

PROJECT = ROOT / "Tests/EndToEnd/clients/django_project/project.py"
FORTY = [device(number) for number in range(40)]


class Django(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-django-")))

    def push(self, tokens, scenario, **variables):
        """What the project prints after pushing to these devices; the scenario's expectations have to hold."""
        file, self.log = self.folder / "scenario.json", self.folder / "log"
        file.write_text(json.dumps(scenario))
        done = subprocess.run(
            [EXECUTABLE, "exec", "--quiet", "--certs", str(self.folder / "certs"), "--scenario", str(file),
             "--log", str(self.log), "--", sys.executable, str(PROJECT), *tokens],
            env={**os.environ, **variables}, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def outcomes(self):
        """What the log says of each device's pushes."""
        outcomes = {token: [] for token in FORTY}
        for line in self.log.read_text().splitlines():
            record = json.loads(line)
            if record["event"] == "request":
                outcomes[record["token"]].append(record["status"] or record["outcome"])
        return outcomes

    def test_a_device_that_is_gone_becomes_inactive(self):
        gone = device(1)
        told = self.push([gone], {
            "devices": [{"name": "gone", "token": gone, "registered": False}],
            "expect": [{"requests": {"device": "gone", "reason": "Unregistered"}, "count": 1}]})
        self.assertEqual(told["active"], [])
        self.assertIn("Unregistered", told["answer"])

    def test_a_bulk_of_forty(self):
        told = self.push(FORTY, {
            "expect": [{"requests": {"status": 200}, "distinct": "token", "count": 40}, {"connections": {"atMost": 10}}]})
        self.assertEqual(told["active"], FORTY)
        self.assertEqual(told["answer"], [{token: "Success" for token in FORTY}])

    def test_a_goaway_in_the_middle_of_a_bulk(self):
        told = self.push(FORTY, {
            "rules": [{"name": "shutdown", "skip": 9, "times": 1,
                       "then": {"goAway": {"reason": "Shutdown", "lastStream": "previous"}}}],
            "expect": [{"requests": {"decidedBy": "rule:shutdown", "outcome": "goAway"}, "count": 1}]})
        results, outcomes = told["results"], self.outcomes()
        self.assertEqual(sorted(results), FORTY)
        # aioapns offers a connection to further pushes until it is closed, and does not repeat those that h2 then
        # refuses: they were never sent. What was sent above the last stream is sent again.
        unsent = {token for token in FORTY if not outcomes[token]}
        refused = "CommunicationError: Invalid input ConnectionInputs.SEND_HEADERS in state ConnectionState.CLOSED"
        self.assertEqual(results, {token: refused if token in unsent else "Success" for token in FORTY})
        for token in set(FORTY) - unsent:
            *refused, last = outcomes[token]
            self.assertEqual(last, 200, outcomes[token])
            self.assertLessEqual(set(refused), {"goAway", "ignored"}, outcomes[token])
        self.assertEqual(told["active"], FORTY)

    def test_a_goaway_after_a_whole_bulk_loses_nothing(self):
        told = self.push(FORTY, {
            "rules": [{"name": "shutdown", "skip": 39, "times": 1,
                       "then": {"goAway": {"reason": "Shutdown", "lastStream": "previous"}}}],
            "expect": [{"requests": {"decidedBy": "rule:shutdown", "outcome": "goAway"}, "count": 1},
                       {"requests": {"status": 200}, "distinct": "token", "count": 40},
                       {"requests": {}, "count": 41}, {"connections": {"atLeast": 2}}]})
        self.assertEqual(told["answer"], [{token: "Success" for token in FORTY}])
        self.assertEqual(sorted(map(str, sum(self.outcomes().values(), []))), ["200"] * 40 + ["goAway"])

    def test_a_certificate(self):
        certs = self.folder / "certs"
        subprocess.run([EXECUTABLE, "certs", "--certs", str(certs)], check=True, capture_output=True, timeout=PATIENCE)
        both = self.folder / "both.pem"
        both.write_text((certs / "client.pem").read_text() + (certs / "client.key").read_text())
        told = self.push([device(1)], {"expect": [
            {"requests": {"status": 200, "keyID": {"exists": False}}, "count": 1}, {"providerTokens": 0}]},
            CERTIFICATE=str(both))
        self.assertEqual(told["answer"], {"results": ["Success"]})


if __name__ == "__main__":
    unittest.main()
