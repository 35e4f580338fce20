"""The views of the page beside the log: devices with their screens, faults, expectations, the scenario, the clock."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import httpx

from browser import ALICE, Keys, PageTest
from server import EXECUTABLE, PATIENCE, TOPIC, device

ACTIVITY = f"{TOPIC}.push-type.liveactivity"
SCENARIO = {
    "clock": {"manual": "2026-11-21T10:00:00Z"},
    "apps": [{
        "topic": TOPIC, "name": "Chess", "language": "de",
        "strings": {"de": {"INVITE": "%@ möchte %2$@ spielen"}},
        "categories": [{"id": "INVITE", "actions": [{"title": "Annehmen"}, {"title": "Ablehnen", "destructive": True}]}],
    }],
    "devices": [
        {"name": "alice", "token": ALICE, "topics": [TOPIC, ACTIVITY, TOPIC + ".voip"]},
        {"name": "bob", "token": device(2), "online": False},
        {"name": "carol", "token": device(3), "notifications": False},
    ],
    "expect": [
        {"name": "alice reads the score", "device": "alice", "displayed": [{"title": "2-1"}]},
        {"name": "tried again", "requests": {"device": "alice", "status": 429}, "count": 2},
    ],
}


OUTAGES = "Array.from(document.querySelectorAll('main h2')).some((each) => each.textContent === 'Outages' && each.checkVisibility())"


class ViewTest(PageTest):
    def playing(self, scenario=SCENARIO):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        file = pathlib.Path(folder) / "scenario.json"
        file.write_text(json.dumps(scenario))
        return self.serving("--scenario", str(file))


class Screens(ViewTest):
    """Each row of the table of what a payload does to the screen, by what can be read."""

    def test_what_a_person_reads(self):
        with self.playing():
            self.open("devices/alice")
            self.page.until_text(".phone", "Nothing on the screen")
            # (what is pushed, what is read of it, what is not there)
            for payload, texts, selector in (
                ({"aps": {"alert": "Only a body"}}, ["Only a body", "Chess"], ".body"),
                ({"aps": {"alert": {"title": "2-1", "subtitle": "Halftime", "body": "Reds lead"}}}, ["2-1", "Halftime", "Reds lead"], ".headline + .subtitle + .body"),
                ({"aps": {"alert": {"loc-key": "INVITE", "loc-args": ["Bob", "Schach"]}}}, ["Bob möchte Schach spielen"], ".body"),
                ({"aps": {"alert": {"title-loc-key": "NOBODY"}}}, ["NOBODY"], ".side-note"),
                ({"aps": {"alert": "badge", "badge": 7}}, ["badge 7"], ".marks"),
                ({"aps": {"alert": "quiet", "interruption-level": "passive"}}, ["Quietly"], ".notification.passive"),
                ({"aps": {"alert": "now", "interruption-level": "time-sensitive"}}, ["Time Sensitive"], ".notification.time-sensitive .level"),
                ({"aps": {"alert": "!", "interruption-level": "critical"}}, ["Critical"], ".notification.critical .level"),
                ({"aps": {"alert": "ding", "sound": "bell.caf"}}, ["sound bell.caf"], ".marks"),
                ({"aps": {"alert": "choose", "category": "INVITE"}}, ["Annehmen", "Ablehnen"], ".choices .destructive"),
                ({"aps": {"alert": "odd", "category": "NONE"}}, ["NONE"], ".side-note"),
                ({"aps": {"alert": "changed", "mutable-content": 1}}, ["extension"], ".side-note"),
                ({"aps": {"alert": "x\n" * 8}}, ["more"], ".body + button"),
            ):
                with self.subTest(json.dumps(payload)[:60]):
                    self.server.post("/api/v1/reset", {})
                    self.page.until_text(".phone", "Nothing on the screen")
                    self.assertEqual(self.provider.push(payload), 200)
                    self.page.until(
                        "given[0].every((text) => document.querySelector('.phone .notification')?.textContent.includes(text))"
                        " && document.querySelector('.phone .notification').parentElement.querySelector(given[1])", texts, selector)

    def test_stacks_replacing_and_dismissing(self):
        with self.playing():
            for text in ("one", "two", "three"):
                self.provider.push({"aps": {"alert": text, "thread-id": "chess"}})
            self.provider.push({"aps": {"alert": "0-1"}}, collapse_id="score")
            self.provider.push({"aps": {"alert": "1-1"}}, collapse_id="score")
            self.open("devices/alice")
            self.page.until("document.querySelectorAll('.phone > ul > li').length === 2")
            first, second = self.page.run("return Array.from(document.querySelectorAll('.phone > ul > li'), (each) => each.textContent)")
            self.assertIn("1-1", first)
            self.assertNotIn("0-1", first)
            self.assertIn("three", second)
            self.assertIn("2 more", second)
            self.page.click(".phone button", "Dismiss")
            self.page.until("document.querySelectorAll('.phone > ul > li').length === 1")
            self.page.click(".phone > button", "Clear")
            self.page.until_text(".phone", "Nothing on the screen")
            self.assertEqual(self.server.get("/api/v1/devices/alice")["displayed"], [])

    def test_what_shows_nothing_says_why(self):
        with self.playing():
            self.provider.push({"aps": {"content-available": 1}}, kind="background", priority=5)
            self.provider.push({"x": 1}, kind="voip", topic=TOPIC + ".voip")
            self.provider.push({"aps": {"alert": "hidden"}}, to=device(3))
            self.provider.push({"aps": {"alert": "late"}}, to=device(2))
            self.provider.push({"aps": {"badge": 2}})
            for sequence, word in ((1, "wakes the app"), (2, "incoming call"), (3, "otifications"), (4, "offline"), (5, "")):
                with self.subTest(sequence):
                    self.open(f"pushes/{sequence}?tab=screen")
                    self.page.element(".explanation", word)
                    self.assertEqual(self.page.run("return document.querySelectorAll('.panel .notification').length"), 0)

    def test_a_live_activity(self):
        with self.playing():
            start = 1795255200  # the scenario's clock
            push = {"aps": {"timestamp": start, "event": "update", "content-state": {"home": 2, "away": 1}, "stale-date": start + 60}}
            self.assertEqual(self.provider.push(push, kind="liveactivity", topic=ACTIVITY), 200)
            self.open("devices/alice")
            self.page.element(".activity", '"home"')
            push["aps"] |= {"timestamp": start - 60, "content-state": {"home": 1}}
            self.provider.push(push, kind="liveactivity", topic=ACTIVITY)
            self.page.element(".activity .dropped", "2:")
            self.server.post("/api/v1/clock/advance", {"by": "5m"})
            self.page.element(".activity.stale", "stale")

    def test_what_can_happen_to_a_device(self):
        with self.playing():
            self.open("devices/bob")
            self.page.element(".lock .signs", "No connection")
            self.provider.alert("kept", to=device(2))
            self.page.element(".stored li", "Push 1")
            self.page.click("button", "Go online")
            self.page.element(".phone .notification", "kept")
            self.page.click("button", "Uninstall")
            self.page.element(".toolbar", "uninstalled (410)")
            self.assertEqual(self.provider.alert("gone", to=device(2)), 410)
            self.page.click("button", "Register again")
            self.page.element("button", "Uninstall")
            self.assertEqual(self.provider.alert("back", to=device(2)), 200)
            self.page.click("button", "Install as new token")
            self.page.until("!document.querySelector('.token').textContent.startsWith(given[0])", device(2)[:60])
            self.assertEqual(self.provider.alert("old token", to=device(2)), 410)

    def test_the_list_of_devices(self):
        with self.playing():
            self.provider.push({"aps": {"alert": {"title": "2-1"}, "badge": 3}})
            self.open("devices")
            self.page.until("document.querySelectorAll('.card').length === 3")
            self.page.element(".card", "2-1")
            self.page.element(".card", "offline")
            self.provider.alert("new here", to=device(9))
            self.page.element(".card", "new here")
            # From one to the next, and back.
            names = self.page.run("return Array.from(document.querySelectorAll('.card h2'), (each) => each.textContent)")
            self.page.type("jj")
            self.page.until("document.activeElement.textContent === given[0]", names[1])
            self.page.type("k")
            self.page.until("document.activeElement.textContent === given[0]", names[0])
            self.page.type(Keys.ENTER)
            self.page.element("h1", names[0])
            self.open("devices")
            self.page.click(".card a", "alice")
            self.page.element(".phone .notification", "2-1")


class Faults(ViewTest):
    def test_a_click_changes_the_next_answers(self):
        with self.serving():
            self.open("faults")
            self.page.element(".rules", "No rules")
            self.page.click("button", "next 3: 429")
            self.page.element(".fault-chip", "1 fault")
            self.page.element(".rules b", "429 TooManyRequests · to every push · 3 of 3 left")
            self.assertEqual([self.provider.alert("x") for _ in range(2)], [429, 429])
            self.page.element(".rules b", "1 of 3 left")
            self.assertEqual([self.provider.alert("x") for _ in range(2)], [429, 200])
            self.page.until("document.querySelector('.fault-chip').hidden")
            self.page.click(".rules summary", "Used up: 1")
            self.page.element(".rules b", "429 TooManyRequests · to every push · used up after 3")
            self.page.click("button", "next 1: 410")
            self.page.click(".fault-chip .chip", "1 fault")
            self.page.element(".in-force li", "410 Unregistered · to every push · 1 of 1 left")
            self.page.click(".in-force li button")
            self.page.until("document.querySelector('.fault-chip').hidden")
            self.assertEqual(self.provider.alert("x"), 200)

    def test_rules_that_were_added_have_names_for_people(self):
        with self.playing(SCENARIO | {"rules": [{"name": "own", "times": 9, "when": {"device": "bob"}, "then": {"reject": "Shutdown"}}]}):
            self.open("faults")
            self.page.element(".rules", "own")
            self.page.element(".rules b", "503 Shutdown · to bob · 9 of 9 left")
            for number in (1, 2):
                self.page.click("button", "next 1: 410")
                self.page.until("document.querySelectorAll('.rules li').length === given[0]", number + 1)
            self.server.post("/api/v1/rules", {"name": "by a test", "then": {"reject": "BadTopic"}})
            self.page.click(".fault-chip .chip", "3 faults")
            self.page.until("document.querySelectorAll('.in-force li').length === 3")
            names = [each["name"] for each in self.server.get("/api/v1/rules")["rules"]]
            self.assertEqual(names, ["by a test", "next 1: 410 Unregistered (2)", "next 1: 410 Unregistered", "own"])
            self.page.click(".in-force li button")
            self.page.until("document.querySelectorAll('.in-force li').length === 2")
            self.assertEqual(self.provider.alert("x"), 410)
            self.page.click(".rules summary", "Used up")
            self.page.click(".rules summary", "next 1: 410 Unregistered (2)")
            self.page.element(".decided .history li", "410 Unregistered")
            self.page.element(".decided pre", '"reject": "Unregistered"')
            self.page.click(".decided a", "In the log")
            self.page.element(".chip", 'rule next 1: 410 Unregistered (2)')
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")
            self.page.click("tr[data-sequence]")
            self.page.element(".explanation", "Rule \"next 1: 410 Unregistered (2)\" answers Unregistered")

    def test_a_rule_has_no_pushes_of_an_earlier_one_of_its_name(self):
        with self.playing(SCENARIO):
            for expected in (410, 410, 429):
                reason = {410: "Unregistered", 429: "TooManyRequests"}[expected]
                self.server.post("/api/v1/rules", {"name": "again", "then": {"reject": reason}})
                if expected == 429:
                    self.open("faults")
                    self.page.click(".rules summary", "again")
                    self.page.element(".decided", "It has decided nothing in the log.")
                self.assertEqual(self.provider.alert("x"), expected)
                if expected == 410:
                    httpx.delete(f"{self.server.admin}/api/v1/rules/again").raise_for_status()
            self.page.until("Array.from(document.querySelectorAll('.decided .history a'), (each) => each.textContent).join() === '3'")
            self.page.element(".decided a", "All 3 by this name")

    def test_an_outage_of_the_timeline_is_told(self):
        outage = {"at": "1h", "do": {"outage": {"reason": "Shutdown", "for": "30m"}}}
        with self.playing(SCENARIO | {"timeline": [outage]}):
            self.open("faults")
            self.page.element(".rules", "No rules")
            self.assertFalse(self.page.run(f"return {OUTAGES}"))
            self.server.post("/api/v1/clock/advance", {"by": "61m"})
            self.page.element("section li", "503 Shutdown · to every push · 29 min left on the manual clockby the timeline")
            self.server.post("/api/v1/clock/advance", {"by": "30m"})
            self.page.until(f"!{OUTAGES}")

    def test_every_quick_fault_is_a_rule(self):
        with self.serving():
            self.open("faults")
            self.page.element(".rules", "No rules")
            names = self.page.run("return Array.from(document.querySelectorAll('.page section:first-of-type button'), (each) => each.textContent)")
            for number, name in enumerate(names, 1):
                self.page.click(".page section:first-of-type button", name)
                self.page.until("document.querySelectorAll('.rules li').length === given[0]", number)
            self.assertEqual(len(self.server.get("/api/v1/rules")["rules"]), len(names))

    def test_faults_from_a_push_affect_its_device_only(self):
        with self.serving():
            self.provider.alert("to alice")
            self.open("pushes?at=1")
            self.page.click(".detail button", "Fault…")
            self.page.element("dialog", "this device")
            self.page.click("dialog button", "Begin")
            self.page.click(".fault-chip .chip", "1 fault")
            self.page.element(".in-force li", f"429 TooManyRequests · to {ALICE[:8]}… · 3 of 3 left")
            self.assertEqual(self.provider.alert("x", to=device(2)), 200)
            self.assertEqual(self.provider.alert("x"), 429)

    def test_connections(self):
        with self.serving():
            self.provider.alert("x")
            self.open("providers")
            self.page.element("td", "127.0.0.1")
            self.page.click("button", "GOAWAY to all")
            self.page.click("dialog button", "Send GOAWAY")
            self.page.element(".empty", "All are closed")
            self.assertEqual(self.server.get("/api/v1/connections")["connections"][0]["goAwaysSent"], 1)


class Others(ViewTest):
    def test_expectations_are_judged_live(self):
        with self.playing():
            self.open("expect")
            self.page.element(".verdict", "0 of 2 expectations hold")
            self.provider.push({"aps": {"alert": {"title": "2-1"}}})
            self.page.element(".verdict", "1 of 2 expectations hold")
            self.page.element("[aria-label='Nearest pushes']", "Push 1")
            self.open("pushes/1?tab=copy")
            self.page.click(".panel button", "Expectation")
            self.page.click(".panel button", "Try it")
            self.page.element(".results .passed", "is answered 200")

    def test_the_scenario_is_checked_while_it_is_written(self):
        with self.playing():
            self.open("scenario")
            self.page.element(".verdict.ok", "No mistakes")
            text = '{\n  "rules": [ { "then": { "rejekt": "TooManyRequests" } } ]\n}'
            self.page.run("const a = document.querySelector('textarea'); a.value = arguments[0]; a.dispatchEvent(new Event('input'))", text)
            self.page.element(".results li", "rejekt")
            said = subprocess.run([EXECUTABLE, "check", "--json", "/dev/stdin"], input=text, capture_output=True, text=True, timeout=PATIENCE)
            mistake = json.loads(said.stdout.splitlines()[0])
            self.assertIn(mistake["message"], self.page.text(".results li"))
            self.assertIn(f"{mistake['line']}:{mistake['column']}", self.page.text(".results li"))
            self.page.click(".results button")
            self.assertEqual(self.page.run("const a = document.querySelector('textarea'); return a.value.slice(a.selectionStart, a.selectionStart + 7)"), '"rejekt')
            good = text.replace("rejekt", "reject")
            self.page.run("const a = document.querySelector('textarea'); a.value = arguments[0]; a.dispatchEvent(new Event('input'))", good)
            self.page.element(".verdict.ok", "No mistakes")
            self.page.click("button", "Play")
            self.page.click("dialog button.danger", "Play")
            self.page.element(".toast", "is played")
            self.assertEqual(self.provider.alert("x"), 429)

    def test_pushes_are_sent_and_sent_again(self):
        with self.playing():
            self.open("send")
            self.page.until("document.querySelector('input[list]').value === 'alice' && document.querySelector('textarea').value.includes('Game')")
            self.page.element("#size", "of 4096 bytes")
            self.page.click("button", "Badge")
            self.page.until_text("#size", "of 4096")
            self.page.click("button.primary", "Send")
            self.page.element(".history li", "200 OK")
            self.page.run("const a = document.querySelector('textarea'); a.value = '{'; a.dispatchEvent(new Event('input'))")
            self.page.element("#size", "Not JSON")
            self.page.run("const s = document.querySelector('main select'); s.value = 'voip'; s.dispatchEvent(new Event('change'))")
            self.page.until("Array.from(document.querySelectorAll('input')).some((each) => each.value.endsWith('.voip'))")
            self.page.until_text("#size", "of 5120")
            record = self.server.get("/api/v1/requests/1")
            self.assertEqual((record["sentBy"], record["device"], record["payload"]), ("admin", "alice", {"aps": {"badge": 5}}))
            self.provider.push({"aps": {"alert": "from a provider"}}, collapse_id="x")
            self.open("pushes?at=2")
            self.page.click(".detail button", "Send again")
            self.page.element(".toast", "Sent again as 3: 200")
            one, other = (self.server.get(f"/api/v1/requests/{each}") for each in (2, 3))
            for member in ("token", "topic", "pushType", "collapseID", "payload"):
                self.assertEqual(one[member], other[member])
            # Both are in the log, and only what a provider sent is expected.
            self.page.element(".news", "1 new")
            self.assertEqual(self.server.post("/api/v1/requests/count", {"requests": {}})["count"], 1)
            self.open("pushes/2")
            self.page.click(".detail a", "Edit and send")
            self.page.until("document.querySelector('textarea').value.includes('from a provider')")

    def test_drafts_stay_while_other_views_are_open(self):
        with self.playing():
            write = "const a = document.querySelector('textarea'); a.value = arguments[0]; a.dispatchEvent(new Event('input', {bubbles: true}))"
            self.open("scenario")
            self.page.element(".verdict.ok", "No mistakes")
            self.page.run(write, '{"rules": []}')
            self.page.click("nav a", "Send")
            self.page.until("document.querySelector('input[list]').value === 'alice' && document.querySelector('textarea').value.includes('Game')")
            self.page.run(write, '{"aps": {"alert": "a draft"}}')
            self.page.run("const t = document.querySelectorAll('main input')[1]; t.value = 'com.example.draft'; t.dispatchEvent(new Event('input', {bubbles: true}))")
            self.page.click("nav a", "Scenario")
            self.page.until("document.querySelector('textarea.editor').value === given[0]", '{"rules": []}')
            self.page.click("nav a", "Send")
            self.page.until("document.querySelector('textarea:not(.editor)').value.includes('a draft')")
            self.assertEqual(self.page.run("return Array.from(document.querySelectorAll('main input'), (each) => each.value).slice(0, 2)"), ["alice", "com.example.draft"])

    def test_a_built_in_scenario_is_played(self):
        with self.playing():
            self.open("scenario")
            self.page.until("document.querySelectorAll('.toolbar option').length > 70")
            self.page.run("const s = document.querySelector('.toolbar select'); s.value = 'too-many-requests'; s.dispatchEvent(new Event('change'))")
            self.page.until("document.querySelector('textarea').value.includes('\"too-many-requests\"')")
            self.page.element(".verdict.ok", "No mistakes")
            self.page.click("button", "Play")
            self.page.click("dialog button.danger", "Play")
            self.page.element(".toast", "is played")
            self.assertEqual(self.server.get("/api/v1/scenario")["name"], "too-many-requests")

    def test_it_asks_until_that_is_not_wanted(self):
        with self.playing():
            self.open("scenario")
            self.page.element(".verdict.ok", "No mistakes")
            self.page.click("button", "Reset")
            self.page.click("dialog input[type=checkbox]")
            # Only who says yes is not asked again.
            self.page.click("dialog button", "Cancel")
            self.page.until("!document.querySelector('dialog')")
            self.page.click("button", "Reset")
            self.page.click("dialog input[type=checkbox]")
            self.page.click("dialog button.danger", "Reset")
            self.page.element(".toast", "Started over")
            self.page.run("document.querySelector('.toast').remove()")
            self.page.click("button", "Reset")
            self.page.element(".toast", "Started over")
            self.page.type("?")
            self.page.click("dialog label:last-of-type input")
            self.page.run("document.querySelector('dialog').close()")
            self.page.click("button", "Reset")
            self.page.element("dialog", "Reset the server?")

    def test_a_scenario_with_mistakes_cannot_be_played(self):
        with self.playing():
            self.open("scenario")
            self.page.element(".verdict.ok", "No mistakes")
            plays = "Array.from(document.querySelectorAll('.toolbar button')).filter((each) => each.textContent.startsWith('Play'))"
            write = "const a = document.querySelector('textarea'); a.value = arguments[0]; a.dispatchEvent(new Event('input'))"
            self.page.run(write, '{"rulez": []}')
            self.page.until(f"{plays}.length === 2 && {plays}.every((each) => each.disabled && each.title === 'The scenario has mistakes')")
            self.page.element(".results button", "1:")
            self.page.run(write, '{"rules": []}')
            self.page.until(f"{plays}.every((each) => !each.disabled && !each.title)")

    def test_the_clock_is_moved(self):
        with self.playing():
            self.provider.alert("late", to=device(2), expiration=1795255200 + 600)
            self.open("pushes/1")
            self.page.element(".facts", "Stored - Device Offline")
            self.page.element(".clock", "10:00:00")
            self.page.click(".clock")
            self.page.element("dialog", "Next: expiry at")
            self.page.click("dialog button", "Move there")
            self.page.element(".facts", "Discarded - Expired")
        with self.serving():
            self.open()
            self.page.element(".clock", "real")
            self.page.click(".clock")
            self.page.element("dialog", '"manual": "now"')

    def test_copied_as_curl_it_is_the_same_push(self):
        """However odd its texts are for a shell."""
        with self.serving():
            for text in ("it's", "a\nb", "\U0001f600 \\ $HOME `id` \"q\"", "@file", "!!"):
                for body in (json.dumps({"aps": {"alert": text}}, ensure_ascii=False).encode(), text.encode()):
                    with self.subTest(body):
                        self.provider.push(body, collapse_id="it's")
                        number = self.server.get("/api/v1/requests?order=desc&limit=1")["requests"][0]["sequence"]
                        self.open(f"pushes/{number}?tab=copy")
                        self.page.until_text("h1", f"Push {number}")
                        line = self.page.run("return document.querySelector('.panel pre').textContent")
                        with tempfile.TemporaryDirectory() as folder:
                            path = f"{pathlib.Path(EXECUTABLE).parent}:{os.environ['PATH']}"
                            subprocess.run(["sh", "-euc", line], cwd=folder, check=True, capture_output=True, timeout=PATIENCE,
                                           env={**os.environ, "PATH": path, "TMPDIR": folder})
                        one, other = (self.server.get(f"/api/v1/requests/{each}") for each in (number, number + 1))
                        for member in ("token", "topic", "pushType", "collapseID", "payload", "payloadText", "status"):
                            self.assertEqual(one[member], other[member])


if __name__ == "__main__":
    unittest.main()
