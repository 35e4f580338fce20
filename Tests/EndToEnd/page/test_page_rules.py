"""Rules in the page: many of them, those that never applied, and the outages that they begin."""

import json
import pathlib
import tempfile
import unittest

from browser import PageTest

CLOCK = {"clock": {"manual": "2026-11-21T10:00:00Z"}}


class Rules(PageTest):
    def playing(self, **scenario):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps(scenario))
        return self.serving("--scenario", str(file))

    def test_more_rules_than_fit(self):
        """Rules that are used up hide no others, and what is not shown is told."""
        rules = [{"name": f"own {number}", "when": {"topic": f"a.t{number}"}, "then": {"pass": True}} for number in range(1005)]
        with self.playing(rules=rules):
            self.server.post("/api/v1/rules", {"name": "in force", "when": {"topic": "a.b"}, "then": {"pass": True}})
            for number in range(101):
                self.server.post("/api/v1/rules", {"name": f"used {number}", "times": 1, "then": {"pass": True}})
            for _ in range(101):
                self.provider.alert("x")
            self.open("faults")
            self.page.until("document.querySelectorAll('.rules tbody tr').length === 1000")
            self.page.element(".rules", "The first 1,000 of 1,107.")
            self.page.until("document.querySelectorAll('.rule-chips li').length === 1")
            self.page.element(".rule-chips li", "in force: until removed")
            for number in range(100):
                self.server.post("/api/v1/rules", {"name": f"more {number}", "when": {"topic": "a.b"}, "then": {"pass": True}})
            self.page.until("document.querySelectorAll('.rule-chips li').length === 100")

    def test_rules_that_never_applied_are_named(self):
        rules = [{"name": f"r{number}", "when": {"topic": f"a.t{number}"}, "then": {"pass": True}} for number in range(21)]
        with self.playing(rules=[*rules, {"name": "applies", "then": {"pass": True}}]):
            self.open("expect")
            self.page.element("section", "22 rules never applied: r0, r1,")
            self.page.element("section", "r19")
            self.provider.alert("x")
            self.page.element("section", "21 rules never applied: r0, r1,")
            self.page.element("section", "r19")

    def test_the_clock_names_an_outages_end_as_next(self):
        outage = {"at": "1m", "do": {"outage": {"reason": "Shutdown", "for": "30m"}}}
        with self.playing(**CLOCK, timeline=[outage]):
            self.server.post("/api/v1/clock/advance", {"by": "2m"})
            self.open("devices")
            self.page.element(".clock", "10:02:00")
            self.page.click(".clock")
            self.page.element("dialog", "Next: outage end at")


if __name__ == "__main__":
    unittest.main()
