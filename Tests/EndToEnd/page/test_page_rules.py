"""Rules in the page: many of them, those that never applied, and the outages that they begin."""

import json
import pathlib
import tempfile
import unittest

from browser import Keys, PageTest

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
            self.page.until("document.querySelectorAll('.rules > div li').length === 60")
            self.page.click(".rules button", "839 more")
            self.page.until("document.querySelectorAll('.rules > div li').length === 300")
            self.page.element(".rules", "The first 1,000 of 1,107.")
            self.page.element(".rules", "Used up: 101")
            self.page.click(".fault-chip .chip", "1 fault")
            self.page.element(".in-force li", "answered by the checks · to topic a.b · until removed")
            for number in range(100):
                self.server.post("/api/v1/rules", {"name": f"more {number}", "when": {"topic": "a.b"}, "then": {"pass": True}})
            self.page.element(".fault-chip .chip", "101 faults")

    def test_rules_that_never_applied_are_named(self):
        rules = [{"name": f"r{number}", "when": {"topic": f"a.t{number}"}, "then": {"pass": True}} for number in range(21)]
        with self.playing(rules=[*rules, {"name": "applies", "then": {"pass": True}}]):
            self.open("expect")
            self.page.element("section", "22 rules never applied: r0, r1,")
            self.page.element("section", "r19")
            self.provider.alert("x")
            self.page.element("section", "21 rules never applied: r0, r1,")
            self.page.element("section", "r19")

    def test_rules_are_sentences(self):
        told = {
            "to a device": ({"when": {"device": "alice"}, "times": 3, "then": {"reject": "TooManyRequests"}}, "429 TooManyRequests · to alice · 3 of 3 left"),
            "to several": ({"when": {"topic": {"oneOf": ["a.b", "a.c"]}, "pushType": {"not": "voip"}}, "then": {"stall": True}}, "no answer · to topic a.b or a.c and type not voip · until removed"),
            "to a token": ({"when": {"token": "ab" * 32}, "then": {"close": "reset", "deliver": True}}, "taken by the device, connection reset · to abababab… · until removed"),
            "in steps": ({"then": [{"pass": True, "delay": "300ms"}, {"goAway": {"reason": "Shutdown"}}]}, "answered by the checks after 300ms, then GOAWAY Shutdown · to every push · 2 of 2 left"),
            "for each": ({"times": 2, "countPer": "apnsID", "then": {"reject": "TooManyRequests"}}, "429 TooManyRequests · to every push · 2 for each apns-id · until removed"),
            "for each in steps": ({"countPer": "token", "then": [{"reject": "TooManyRequests"}, {"stall": True}, {"pass": True}]},
                                  "429 TooManyRequests, then no answer, then answered by the checks · to every push · 3 for each token · until removed"),
            "on connections": ({"when": {"on": "ping"}, "then": {"ignore": True}}, "not answered · on PING · until removed"),
            "at times": ({"skip": 2, "every": 3, "probability": 0.5, "then": {"outage": {"reason": "ServiceUnavailable", "for": "30s"}}},
                         "503 ServiceUnavailable for 30s · to every push · after the first 2 · every 3 · 50 % of them · until removed"),
        }
        with self.playing(devices=[{"name": "alice", "token": "ab" * 32}], rules=[{"name": name, **rule} for name, (rule, _) in told.items()]):
            self.open("faults")
            for name, (_, sentence) in told.items():
                with self.subTest(name):
                    self.page.element(".rules summary", f"{sentence} {name}")

    def test_a_rule_that_counts_for_each_value_lists_its_pushes(self):
        with self.playing(rules=[{"name": "busy", "countPer": "token", "times": 1, "then": {"reject": "TooManyRequests"}}]):
            self.provider.alert("x")
            self.open("faults")
            self.page.click(".rules summary", "busy")
            self.page.element(".decided .history", "429 TooManyRequests")

    def test_many_faults_are_one_chip_in_one_row(self):
        with self.playing(devices=[{"name": "alice", "token": "ab" * 32}]):
            self.open("devices/alice")
            self.page.until_text(".state", "live")
            self.provider.alert("x", priority=7)
            self.page.element(".totals a")
            height = "return document.querySelector('.bar').offsetHeight"
            before = self.page.run(height)
            for number in range(5):
                self.server.post("/api/v1/rules", {"name": f"a rule with a long name, {number}", "when": {"topic": "a.b"}, "then": {"reject": "BadTopic"}})
            self.page.element(".fault-chip", "5 faults")
            self.assertEqual(self.page.run(height), before)
            self.assertLess(before, 50)
            # Escape closes their list, and focus is where it was; the view stays.
            self.page.until("document.querySelector('.fault-chip .chip').focus() ?? true")
            self.page.type(Keys.ENTER)
            self.page.element(".in-force li", "400 BadTopic · to topic a.b · until removed")
            self.page.type(Keys.ESCAPE)
            self.page.until("!document.querySelector('.in-force').matches(':popover-open') && document.activeElement.matches('.chip')")
            self.assertTrue(self.page.run("return location.pathname.endsWith('/alice')"))

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
