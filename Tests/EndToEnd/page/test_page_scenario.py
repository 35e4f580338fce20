"""The scenario editor: line numbers, mistakes in their lines, keys that are possible, and the file."""

import json
import pathlib
import tempfile
import unittest

from selenium.webdriver.common.action_chains import ActionChains

from browser import Keys, PageTest
from server import until

SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[3] / "scenarios/scenario.schema.json").read_text())
WRITE = "const a = document.querySelector('.editor'); a.value = arguments[0]; a.dispatchEvent(new Event('input')); a.focus(); a.setSelectionRange(a.value.length, a.value.length)"
OFFERED = "Array.from(document.querySelectorAll('.completions:not([hidden]) li'), (each) => each.textContent)"
TEXT = "document.querySelector('.editor').value"


class Editor(PageTest):
    changes_tabs = True

    def opened(self):
        self.open("scenario")
        self.page.element(".verdict.ok", "No mistakes")

    def test_lines_have_numbers_that_scroll_with_them(self):
        with self.serving():
            self.opened()
            self.page.run(WRITE, "{\n" + ",\n".join(f'"$comment": "{number}"' for number in range(300)) + "\n}")
            self.page.until("document.querySelector('.numbers').textContent.trim().split('\\n').length === 302")
            self.page.run("document.querySelector('.editor').scrollTop = 1000")
            self.page.until("document.querySelector('.numbers').scrollTop === 1000")
            # A number stands beside its line.
            self.assertEqual(self.page.run("const [n, a] = ['.numbers', '.editor'].map((each) => document.querySelector(each)); return getComputedStyle(n).lineHeight === getComputedStyle(a).lineHeight && n.getBoundingClientRect().top === a.getBoundingClientRect().top"), True)

    def test_mistakes_stand_in_their_lines(self):
        with self.serving():
            self.opened()
            self.page.run(WRITE, '{\n  "name": "x",\n  "rules": [ { "then": { "rejekt": "TooManyRequests" } } ],\n  "seed": "y"\n}')
            self.page.until("Array.from(document.querySelectorAll('.line-marks p'), (each) => each.dataset.line).join() === '3,4'")
            self.page.element(".line-marks .message", "did you mean")
            top = "return document.querySelectorAll('.line-marks p')[0].getBoundingClientRect().top - document.querySelector('.editor').getBoundingClientRect().top"
            height = self.page.run("return parseFloat(getComputedStyle(document.querySelector('.editor')).lineHeight)")
            self.assertAlmostEqual(self.page.run(top), 2 * height + 4, delta=2)
            # They go with what is written.
            self.page.run(WRITE, '{"name": "x"}')
            self.page.until("!document.querySelector('.line-marks p')")

    def test_keys_of_the_schema_are_offered(self):
        """Where an object is being written, however little of the rest is there."""
        with self.serving():
            self.opened()
            for before, schema, given in (
                ("{", SCHEMA, []), ('{"name": "x", "rules": [{', SCHEMA["$defs"]["rule"], []), ('{"devices": [{"name": "a", ', SCHEMA["$defs"]["device"], ["name"]),
                ('{"rules": [], "expect": [{"name": "a"}, {', SCHEMA["$defs"]["expectation"], []),
            ):
                with self.subTest(before):
                    # Comments are possible everywhere, and not offered.
                    wanted = sorted(set(schema["properties"]) - {"$comment", *given})
                    self.page.run(WRITE, before)
                    self.page.type('"')
                    self.page.until(f"JSON.stringify({OFFERED}.toSorted()) === JSON.stringify(given[0])", wanted)
            # No keys among values.
            self.page.run(WRITE, '{"name": ')
            self.page.type('"')
            self.page.until(f"!{OFFERED}.length")

    def test_a_key_is_taken_by_keyboard_and_by_mouse(self):
        with self.serving():
            self.opened()
            self.page.run(WRITE, '{"rules": [{"then": {')
            self.page.type('"re')
            self.page.until(f"{OFFERED}.length > 2 && {OFFERED}.every((each) => /re/i.test(each))")
            self.assertEqual(self.page.run(f"return {OFFERED}[0]"), "reject")
            self.assertEqual(self.page.run("const a = document.activeElement; return document.getElementById(a.getAttribute('aria-activedescendant')).textContent"), "reject")
            self.page.type(Keys.ARROW_DOWN)
            self.page.until("document.querySelector('.completions [aria-selected=true]').textContent === 'respond'")
            self.page.type(Keys.ARROW_UP, Keys.ENTER)
            self.page.until(f"{TEXT} === given[0]", '{"rules": [{"then": {"reject": ')
            self.page.type('"TooManyRequests"}, "ti')
            self.page.until(f"{OFFERED}[0] === 'times'")
            # Escape closes the list, and leaves neither the field nor the view.
            self.page.type(Keys.ESCAPE)
            self.page.until(f"!{OFFERED}.length && document.activeElement.matches('.editor')")
            self.page.type(Keys.BACKSPACE)
            self.page.until(f"{OFFERED}[0] === 'times'")
            self.page.run("document.querySelector('.completions li').dispatchEvent(new PointerEvent('pointerdown', {bubbles: true, cancelable: true}))")
            self.page.until(f"{TEXT}.endsWith(given[0])", '"times": ')
            # Asked for, before anything is written.
            self.page.run(WRITE, '{"clock": {')
            ActionChains(self.page.driver).key_down(Keys.CONTROL).send_keys(" ").key_up(Keys.CONTROL).perform()
            self.page.until(f"{OFFERED}.join() === 'manual,providerTokens'")
            self.page.type(Keys.TAB)
            self.page.until(f"{TEXT} === given[0]", '{"clock": {"manual": ')

    def test_what_is_edited_is_compared_with_what_is_played(self):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps({"name": "a", "devices": [{"name": "alice", "token": "ab" * 32}], "expect": []}))
        changed = """Object.fromEntries(Array.from(document.querySelectorAll('.compared tbody tr'), (row) =>
          [row.cells[0].textContent, Array.from(row.cells).slice(1).map((cell) => cell.textContent.replace(/added:|removed:/, '').replace(/\\s+/g, ' ').trim())]))"""
        with self.serving("--scenario", str(file)):
            self.opened()
            self.page.until("document.querySelector('.page > details').hidden")
            edited = {"name": "b", "devices": [{"name": "alice"}], "expect": [{"name": "<b>all</b>", "requests": {}, "count": 1}]}
            self.page.run(WRITE, json.dumps(edited))
            self.page.element(".page > details > summary", "5 changes")
            self.page.click(".page > details > summary")
            self.page.element(".compared caption")
            self.assertEqual(self.page.run(f"return {changed}"), {
                "/name": ["− a", "+ b"], "/devices/0/token": [f"− {'ab' * 32}", "none"], "/expect/0/name": ["none", "+ <b>all</b>"],
                "/expect/0/requests": ["none", "+ {}"], "/expect/0/count": ["none", "+ 1"],
            })
            # It goes with what is written, stays open, and is silent about what cannot be read.
            self.page.run(WRITE, json.dumps({**edited, "expect": []}))
            self.page.until(f"Object.keys({changed}).join() === '/name,/devices/0/token'")
            self.page.run(WRITE, '{"name": ')
            self.page.until("document.querySelector('.page > details').hidden")
            # What is played has no changes.
            self.page.run(WRITE, json.dumps({"name": "c"}))
            self.page.element(".page > details > summary", "4 changes")
            self.page.click("button", "Play")
            self.page.click("dialog .danger")
            self.page.until("document.querySelector('.page > details').hidden")

    def test_control_and_enter_play_what_is_written(self):
        with self.serving() as server:
            self.opened()
            self.page.run(WRITE, '{"name": "mine", "devices": [{"name": "alice"}]}')
            self.page.element(".page > details > summary", "changes")
            ActionChains(self.page.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
            # The key that asks does not answer.
            self.page.element("dialog", "Play this scenario?")
            self.assertEqual(self.page.run("return document.activeElement.textContent"), "Cancel")
            self.page.click("dialog .danger")
            self.page.element(".toast", "It is played")
            self.assertEqual([each["name"] for each in server.get("/api/v1/devices")["devices"]], ["alice"])

    def test_edits_are_not_discarded_without_a_question(self):
        mine = '{"name": "mine"}'
        choose = "const s = document.querySelector('[aria-label=\"Built-in scenarios\"]'); s.selectedIndex = arguments[0]; s.dispatchEvent(new Event('change'))"
        with self.serving():
            self.opened()
            self.page.until("document.querySelector('[aria-label=\"Built-in scenarios\"]').options.length > 2")
            self.page.run(WRITE, mine)
            self.page.run(choose, 1)
            self.page.element("dialog", "Discard your edits?")
            self.page.click("dialog button", "Cancel")
            # The same can be chosen again.
            self.page.until("!document.querySelector('dialog') && document.querySelector('[aria-label=\"Built-in scenarios\"]').value === ''")
            self.assertEqual(self.page.run(f"return {TEXT}"), mine)
            self.page.run(choose, 1)
            self.page.click("dialog .danger", "Discard")
            self.page.until(f"{TEXT} !== given[0]", mine)
            # What was not edited needs no question.
            opened = self.page.run(f"return {TEXT}")
            self.page.run(choose, 2)
            self.page.until(f"{TEXT} !== given[0]", opened)
            self.page.run(WRITE, mine)
            self.page.click("button", "Reload current")
            self.page.element("dialog", "Discard your edits?")
            self.page.click("dialog button", "Cancel")
            # Nor are they when another view was open.
            self.page.click("nav a", "Faults")
            self.page.click("nav a", "Scenario")
            self.page.until(f"{TEXT} === given[0]", mine)
            self.page.until("document.querySelector('[aria-label=\"Built-in scenarios\"]').options.length > 2 && document.querySelector('.page > details > summary').checkVisibility()")
            self.page.run(choose, 1)
            self.page.element("dialog", "Discard your edits?")

    def test_it_is_downloaded(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
        with self.serving():
            self.opened()
            self.page.run(WRITE, '{"name": "my-chess"}')
            self.page.click("button", "Download")
            file = folder / "my-chess.json"
            until(lambda: file.is_file() and file.stat().st_size, lambda: f"only {list(folder.iterdir())}")
            self.assertEqual(file.read_text(), '{"name": "my-chess"}')


if __name__ == "__main__":
    unittest.main()
