"""Recording what is done and pushed, and the scenario that is made of it."""

import json
import pathlib
import tempfile
import unittest

from browser import ALICE, Keys, PageTest
from server import TOPIC, device, until

SCENARIO = {
    "name": "a day", "clock": {"manual": "2026-01-01T09:00:00Z"},
    "devices": [{"name": "alice", "token": ALICE}, {"name": "bob", "token": device(2)}],
    "rules": [{"name": "never", "when": {"collapseID": "nobody's"}, "then": {"reject": "TooManyRequests"}}],
    "timeline": [{"at": "1d", "do": {"device": "bob", "online": False}}],
    "expect": [{"name": "some", "requests": {}, "count": {"atLeast": 1}}],
}
CHIP = ".recording"
TEXT = "JSON.parse(document.querySelector('.editor').value)"
STEPS = "Array.from(document.querySelectorAll('section:first-of-type .boxes > li'), (each) => each.innerText.replace(/\\s+/g, ' ').trim())"


class Record(PageTest):
    changes_tabs = True

    def playing(self, scenario=SCENARIO):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps(scenario))
        return self.serving("--scenario", str(file))

    def begin(self):
        self.open("faults")
        self.page.click("main button", "Record")
        self.page.element(CHIP, "Recording · Stop")
        self.assertEqual(self.server.get("/api/v1/recording")["state"], "recording")

    def stop(self):
        self.page.click(CHIP)
        self.page.element("h1", "Recording")
        self.page.until(f"!document.querySelector('{CHIP}').checkVisibility()")

    def check(self, label, is_on):
        self.page.until(
            "(() => { const box = Array.from(document.querySelectorAll('main label')).find((each) => each.textContent.includes(given[0]))?.firstChild;"
            " if (box && box.checked !== given[1]) box.click(); return Boolean(box); })()", label, is_on)

    def run_of_all_kinds(self):
        """A push, a device that goes offline, another push, a fault, a refusal, and a move of the clock, partly by the page."""
        self.provider.alert("one", to=device(2))
        self.open("devices/alice")
        self.page.click("main button", "Go offline")
        until(lambda: not self.server.get("/api/v1/devices/alice")["online"], lambda: "she is online")
        self.provider.alert("two")
        self.open("faults")
        self.page.click("button", "next 3: 429")
        self.page.element(".fault-chip", "1 fault")
        self.server.post("/api/v1/pushes", {"device": "alice", "topic": TOPIC, "pushType": "alert", "payload": {"aps": {"alert": "three"}}})
        self.server.patch("/api/v1/devices/alice", {"online": True})
        self.page.click(".clock")
        self.page.click("dialog button", "+10m")
        self.page.until_text(".clock", "09:10:00")

    def test_a_run_becomes_a_scenario_that_is_played(self):
        with self.playing():
            self.begin()
            self.run_of_all_kinds()
            self.stop()
            self.page.until(f"{STEPS}.length === 7")
            self.assertEqual(self.page.run(f"return {STEPS}"), [
                "alert to bob push 1", "alice goes offline after push 1", "alert to alice push 2",
                'rule "next 3: 429 TooManyRequests" is added after push 2', "alert to alice push 3", "alice comes online after push 3",
                "the clock moves on by 10m after push 3",
            ])
            self.page.element(".verdict.ok", "No mistakes")
            whole = self.page.run(f"return {TEXT}")
            self.assertEqual([rule["name"] for rule in whole["rules"]], ["next 3: 429 TooManyRequests", "never"])
            self.assertEqual(whole["rules"][0]["skip"], 2)
            self.assertEqual([each.get("after", {}).get("count") for each in whole["timeline"]], [None, 1, 3, 3])
            self.assertEqual(whole["expect"], SCENARIO["expect"])
            # Without the first push nothing waits for it.
            self.check("alert to bob", False)
            self.page.until(f"{TEXT}.workload.length === 2")
            made = self.page.run(f"return {TEXT}")
            self.assertEqual(made["timeline"], [
                SCENARIO["timeline"][0], {"at": "0s", "do": {"device": "alice", "online": False}},
                {"after": {"requests": {}, "count": 2}, "do": {"device": "alice", "online": True}},
                {"after": {"requests": {}, "count": 2}, "do": {"advance": "10m"}},
            ])
            self.assertEqual([each.get("after") for each in made["workload"]], [None, "all"])
            self.page.element(".verdict.ok", "No mistakes")
            # Without the second; and what is said of the push that was refused is expected.
            self.check("alert to bob", True)
            self.check("alert to alice", False)
            self.check("429 TooManyRequests · alert", True)
            self.page.until(f"{TEXT}.expect.length === 2")
            self.page.element(".verdict.ok", "No mistakes")
            made = self.page.run(f"return {TEXT}")
            self.assertEqual([each["push"]["payload"]["aps"]["alert"] for each in made["workload"]], ["one", "three"])
            self.assertEqual([each.get("after", {}).get("count") for each in made["timeline"]], [None, 1, 2, 2])
            self.assertEqual(made["rules"], [{**whole["rules"][0], "skip": 1}, *SCENARIO["rules"]])
            self.assertEqual(made["expect"], [*SCENARIO["expect"], {"requests": {"device": "alice", "pushType": "alert", "status": 429, "reason": "TooManyRequests"}, "count": {"atLeast": 1}}])
            self.assertEqual({**made, "timeline": 0, "workload": 0, "rules": 0, "expect": 0}, {**SCENARIO, "timeline": 0, "workload": 0, "rules": 0, "expect": 0})
            # Cancel plays nothing.
            self.page.click("button", "Play")
            self.page.click("dialog button", "Cancel")
            self.page.until("!document.querySelector('dialog')")
            self.assertEqual(self.server.get("/api/v1/scenario"), SCENARIO)
            self.page.click("button", "Play")
            self.page.click("dialog .danger")
            self.page.element(".toast", "It is played from its beginning; a provider has to send its 2 pushes.")
            self.assertEqual(self.server.get("/api/v1/scenario"), made)
            # It gives the same answers as were seen.
            self.assertEqual(self.provider.alert("one", to=device(2)), 200)
            until(lambda: not self.server.get("/api/v1/devices/alice")["online"], lambda: "she is online")
            self.assertEqual(self.provider.alert("three"), 429)
            until(lambda: self.server.get("/api/v1/clock")["now"] == "2026-01-01T09:10:00.000Z", lambda: self.server.get("/api/v1/clock"))
            until(lambda: self.server.get("/api/v1/devices/alice")["online"], lambda: "she is offline")

    def test_boxes_of_a_list_are_set_at_once(self):
        with self.playing():
            self.begin()
            for _ in range(2):
                self.provider.alert("same")
            self.provider.alert("other", to=device(2))
            self.stop()
            # Equal answers are there once.
            self.page.element("section", "200 OK · alert to alicepush 1, 2")
            self.page.click("[aria-label='Expect what I saw: all']")
            self.page.until(f"{TEXT}.expect.length === 3")
            self.page.click("[aria-label='Expect what I saw: none']")
            self.page.until(f"{TEXT}.expect.length === 1")
            self.page.click("[aria-label='Steps: none']")
            self.page.until(f"JSON.stringify({TEXT}) === given[0]", json.dumps(SCENARIO, separators=(",", ":")))
            self.page.click("[aria-label='Steps: all']")
            self.page.until(f"{TEXT}.workload.length === 2 && {TEXT}.workload[0].times === 2")
            # A push is one click away, and what was chosen is there afterwards.
            self.check("alert to bob", False)
            self.page.click("main a", "1")
            self.page.element(".detail")
            self.page.driver.back()
            self.page.until(f"{TEXT}.workload.length === 1")

    def test_mistakes_stand_in_their_lines_and_cannot_be_played(self):
        """A device that is left out is missing where it changes."""
        with self.playing({}):
            self.begin()
            self.server.post("/api/v1/devices", {"name": "dave", "token": device(4)})
            self.server.patch("/api/v1/devices/dave", {"online": False})
            self.stop()
            self.page.element(".verdict.ok", "No mistakes")
            self.page.until("document.querySelector('main input').focus() ?? document.querySelector('main input').checked")
            self.page.type(" ")
            self.page.element(".line-marks .message", "dave")
            self.page.element(".verdict.broken", "1 mistake")
            self.page.until("Array.from(document.querySelectorAll('main button')).filter((each) => each.textContent.startsWith('Play')).every((each) => each.disabled)")
            # The text is for reading; it is edited in the editor, where it is not played yet.
            self.assertTrue(self.page.run("return document.querySelector('.editor').readOnly"))
            made = self.page.run("return document.querySelector('.editor').value")
            self.page.click("button", "Open in the editor")
            self.page.element("h1", "Scenario")
            self.page.until("document.querySelector('.editor').value === given[0] && !document.querySelector('.editor').readOnly", made)
            self.page.element(".verdict.broken", "1 mistake")

    def test_pushes_wait_for_those_that_are_kept(self):
        """After a push that got no answer, the next ones wait for those before it, by their places."""
        waits = f"JSON.stringify({TEXT}.workload.map((each) => each.after ?? null))"
        with self.playing({"workload": [{"push": {"token": ALICE}}]}):
            self.begin()
            self.provider.alert("one")
            self.provider.alert("two")
            self.server.post("/api/v1/rules", {"name": "silent", "times": 1, "then": {"stall": True}})
            self.server.post("/api/v1/rules", {"name": "later", "times": 1, "then": {"reject": "TooManyRequests"}, "when": {"collapseID": "x"}})
            self.server.post("/api/v1/pushes", {"token": ALICE, "topic": TOPIC, "payload": {}})
            self.provider.alert("three")
            self.stop()
            self.page.until(f"{waits} === given[0]", '[null,"all","all","all",[0,1,2]]')
            # What was done first stands first, though it is tried last.
            self.assertEqual([each for each in self.page.run(f"return {STEPS}") if "rule" in each], ['rule "silent" is added after push 2', 'rule "later" is added after push 2'])
            self.assertEqual(self.page.run(f"return {TEXT}.rules.map((each) => each.name)"), ["later", "silent"])
            self.page.click("main label")
            self.page.until(f"{waits} === given[0]", '[null,"all","all",[0,1]]')
            self.page.element(".verdict.ok", "No mistakes")
            self.page.click("[aria-label='Steps: none']")
            self.page.until(f"{waits} === '[null]'")

    def test_it_is_downloaded(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
        with self.playing({"name": "recorded"}):
            self.begin()
            self.provider.alert("one")
            self.stop()
            self.page.click("button", "Download")
            file = folder / "recorded.json"
            until(lambda: file.is_file() and file.stat().st_size, lambda: f"only {list(folder.iterdir())}")
            self.assertEqual(len(json.loads(file.read_text())["workload"]), 1)

    def test_the_header_tells_of_it_after_a_reload_and_in_other_tabs(self):
        with self.playing():
            # By keyboard, from the menu.
            self.open("devices")
            self.page.until("!document.querySelector('.drop button').hidden")
            self.page.run("document.querySelector('.bar [aria-label=\"Theme and keys\"]').focus()")
            self.page.type(Keys.ENTER)
            self.page.element(".drop button", "Record")
            self.page.until("Array.from(document.querySelectorAll('.drop button')).find((each) => each.textContent === 'Record').focus() ?? true")
            self.page.type(Keys.ENTER)
            self.page.element(CHIP, "Recording · Stop")
            self.page.until("!document.querySelector('.drop:popover-open') && document.activeElement.ariaLabel === 'Theme and keys'")
            self.page.driver.refresh()
            self.page.element(CHIP)
            first = self.page.driver.current_window_handle
            self.page.driver.switch_to.new_window("tab")
            self.open("faults")
            self.page.element("main button", "Stop recording")
            self.page.click("main button", "Stop recording")
            self.page.element("h2", "Nothing was recorded")
            self.page.element("main p", "Faults, device changes, pushes and moves of the clock")
            # The button that was clicked is gone, the focus is not.
            self.page.until("document.activeElement.matches('main')")
            self.page.driver.switch_to.window(first)
            self.page.run("dispatchEvent(new Event('focus'))")
            self.page.until(f"!document.querySelector('{CHIP}').checkVisibility()")
            # Here it is another tab's.
            self.open("scenario/recording")
            self.page.element("h2", "There is no recording here")
            self.assertEqual(self.page.run("return document.querySelector('nav [aria-current=page]').textContent"), "Scenario")
            self.page.click("main a", "To the scenario")
            self.page.element("h1", "Scenario")

    def test_what_another_tab_did_meanwhile_is_told(self):
        with self.playing():
            self.open("faults")
            self.page.element("main button", "Record")
            self.server.post("/api/v1/recording", {"state": "start"})
            self.page.click("main button", "Record")
            self.page.element(".toast.error", "A recording is on already")
            self.page.element(CHIP)
            self.server.post("/api/v1/recording", {"state": "stop"})
            self.page.click(CHIP)
            self.page.element(".toast.error", "No recording is on")
            self.page.element("main button", "Record")
            # The browser says that it saw answers of 409.
            self.assertEqual([each for each in self.page.complaints() if "409" not in each and "recording" not in each], [])

    def test_a_reset_ends_it(self):
        with self.playing():
            self.begin()
            self.server.post("/api/v1/reset", {})
            self.page.click(CHIP)
            self.page.element(".toast.error", "The server was reset while the recording was on")
            self.page.until(f"!document.querySelector('{CHIP}').checkVisibility()")
            self.page.element("h1", "Faults")
            # The browser says that it saw answers of 409.
            self.assertEqual([each for each in self.page.complaints() if "409" not in each and "recording" not in each], [])

    def test_its_chip_stays_in_a_narrow_header(self):
        with self.playing():
            self.server.post("/api/v1/rules", {"name": "busy", "then": {"reject": "InternalServerError"}})
            self.provider.alert("broken")
            self.begin()
            for width in (1280, 1000, 860, 700, 320):
                self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 700, "deviceScaleFactor": 1, "mobile": False})
                self.page.until("innerWidth === given[0]", width)
                self.page.until(
                    "(() => { const box = document.querySelector('.recording').getBoundingClientRect(); return box.width > 100 && box.left >= 0 && box.right <= innerWidth"
                    " && box.height >= 24 && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2).closest('.recording') })()")
                if width >= 700:
                    self.page.until("document.querySelector('.bar').offsetHeight < 50")
            self.stop()
            self.page.element("h2", "Nothing was recorded")

    def test_a_long_recording_is_listed_in_parts(self):
        with self.playing({}):
            self.begin()
            for number in range(120):
                self.provider.alert(f"number {number}")
            self.stop()
            self.page.until("document.querySelectorAll('section:first-of-type .boxes > li').length === 101")
            self.page.click("main button", "20 more")
            self.page.until("document.querySelectorAll('section:first-of-type .boxes > li').length === 120")
            self.assertEqual(self.page.run(f"return {TEXT}.workload.length"), 120)
            # A line each, which can be drawn quickly.
            self.assertEqual(self.page.run("return document.querySelector('.editor').value.split('\\n').length"), 124)

    def test_it_fits_320_px(self):
        with self.playing():
            self.begin()
            self.run_of_all_kinds()
            self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 320, "height": 700, "deviceScaleFactor": 1, "mobile": False})
            self.stop()
            self.page.element(".verdict.ok", "No mistakes")
            self.assertTrue(self.page.run("const main = document.querySelector('main'); return main.scrollWidth === main.clientWidth"))


if __name__ == "__main__":
    unittest.main()
