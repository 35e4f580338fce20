"""The header is one row from 700 px upwards, whatever it holds; what has no room is one click away."""

import json
import pathlib
import tempfile
import unittest

from browser import ALICE, Keys, PageTest
from server import device

SCENARIO = {
    "clock": {"manual": "2026-01-01T09:00:00Z"}, "devices": [{"name": "alice", "token": ALICE}, {"name": "bob", "token": device(2), "online": False}],
    "expect": [{"name": "two refused", "requests": {"status": 410}, "count": 2}],
}
SEEN = "Array.from(document.querySelectorAll('.bar :is(nav > a, button, .alarm, .state, .clock)')).filter((each) => each.checkVisibility())"
# Nothing lies over another, or outside.
PLACES = f"""const boxes = {SEEN}.filter((each) => !each.closest('[popover]') && !each.parentElement.closest('a, button')).map((each) => each.getBoundingClientRect())
  .toSorted((one, other) => one.left - other.left);
return boxes.every((box, index) => box.right <= innerWidth && (!index || box.left >= boxes[index - 1].right - 1))"""
SETTLED = "['1 offline', '1 ✕', '1'].every((each) => Array.from(document.querySelectorAll('nav > a .alarm'), (alarm) => alarm.textContent).includes(each))"


class Header(PageTest):
    changes_tabs = True

    def playing(self, scenario):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps(scenario))
        return self.serving("--scenario", str(file))

    def widen(self, width):
        self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 700, "deviceScaleFactor": 1, "mobile": False})

    def full(self):
        """Badges, a fault, answers of all classes."""
        self.server.post("/api/v1/rules", {"name": "busy", "times": 1, "then": {"reject": "InternalServerError"}})
        self.provider.alert("broken")
        self.provider.alert("refused", priority=7)
        self.provider.push({"aps": {"badge": "7"}})
        self.server.post("/api/v1/rules", {"name": "busy again", "then": {"reject": "TooManyRequests"}})

    def test_it_is_one_row_at_every_width(self):
        real = {name: each for name, each in SCENARIO.items() if name != "clock"}
        for scenario in (SCENARIO, real):
            with self.subTest(manual="clock" in scenario), self.playing(scenario):
                self.full()
                self.open("scenario")
                self.page.element(".fault-chip", "1 fault")
                self.page.until(SETTLED)
                for width in (2560, 1920, 1440, 1280, 1100, 1000, 860, 700, 860, 1280, 1920):
                    self.widen(width)
                    self.page.until(f"innerWidth === given[0] && (() => {{ {PLACES} }})()", width)
                    self.assertLess(self.page.run("return document.querySelector('.bar').offsetHeight"), 50)
                    # The view that is open, the state, and every badge are in sight; so are all views, if there is room.
                    self.assertTrue(self.page.run("return document.querySelector('nav > [aria-current=page]').checkVisibility() && document.querySelector('.state').checkVisibility()"))
                    seen = self.page.run("return Array.from(document.querySelectorAll('nav .alarm')).filter((each) => each.checkVisibility()).map((each) => each.textContent).join()")
                    self.assertEqual(seen, "1 offline,1 ✕,1")
                    # A wider window has had room since before the page knew.
                    if width not in (1000, 1100):
                        self.page.until("document.querySelector('nav .more').checkVisibility() === given[0]", width < 1000)
                    self.page.until("Array.from(document.querySelectorAll('.total')).every((each) => each.checkVisibility()) === given[0]", width >= 1440)

    def test_views_without_room_are_in_a_list(self):
        with self.playing(SCENARIO):
            self.full()
            self.widen(700)
            self.open("pushes")
            self.page.until(SETTLED)
            self.page.element("nav .more", "1 ✕")
            self.page.until("document.querySelector('nav .more').focus() ?? true")
            self.page.type(Keys.ENTER)
            self.page.element("nav .drop a", "Lint")
            # Escape is no way back from the view, and gives focus back.
            self.page.type(Keys.ESCAPE)
            self.page.until("!document.querySelector('nav .drop').checkVisibility() && document.activeElement.matches('.more') && location.pathname.endsWith('/pushes')")
            self.page.click("nav .more")
            self.page.click("nav .drop a", "Scenario")
            self.page.element("h1", "Scenario")
            self.page.until("!document.querySelector('nav .drop').checkVisibility() && document.querySelector('nav > [data-view=scenario]').checkVisibility()")

    def test_a_narrow_window_has_the_same_list(self):
        over = "(document.querySelector('.bar').offsetHeight > 110 || Array.from(document.querySelectorAll('nav, .meters')).some((each) => each.scrollWidth > each.clientWidth))"
        with self.playing(SCENARIO):
            self.full()
            self.open("pushes")
            self.page.until(SETTLED)
            for width in (640, 320):
                self.widen(width)
                self.page.until(f"innerWidth === given[0] && !{over} && document.querySelector('nav .more').checkVisibility()", width)
                self.assertEqual(self.page.run(f"return {SEEN}.filter((each) => each.getBoundingClientRect().right > innerWidth).map((each) => each.textContent)"), [])
                self.assertTrue(self.page.run("return ['.state', 'nav > [aria-current=page]', '[aria-label=\"Theme and keys\"]'].every((css) => document.querySelector(css).checkVisibility())"))
                self.page.click("nav .more")
                self.page.click("nav .drop a", "Scenario")
                self.page.element("h1", "Scenario")
                self.page.until(f"document.querySelector('nav > [data-view=scenario]').checkVisibility() && !{over}")
                self.open("pushes")

    def test_theme_and_keys_are_in_a_menu(self):
        with self.serving():
            self.open()
            self.page.run("document.querySelector('.bar [aria-label=\"Theme and keys\"]').focus()")
            self.page.type(Keys.ENTER)
            self.page.element(".drop select")
            self.page.run("const s = document.querySelector('.drop select'); s.value = 'dark'; s.dispatchEvent(new Event('change'))")
            self.page.until("document.documentElement.style.colorScheme === 'dark'")
            self.page.run("const s = document.querySelector('.drop select'); s.value = 'light dark'; s.dispatchEvent(new Event('change'))")
            self.page.click(".drop button", "Keys")
            self.page.element("dialog", "Single-key shortcuts")
            self.page.type(Keys.ESCAPE)
            # Focus is where the menu was opened.
            self.page.until("!document.querySelector('dialog') && document.activeElement.ariaLabel === 'Theme and keys'")

    def test_long_answers_stay_in_their_rows_at_320_px(self):
        with self.serving():
            for reason in ("TooManyProviderTokenUpdates", "DeviceTokenNotForTopic", "PayloadTooLarge"):
                self.server.post("/api/v1/rules", {"name": reason, "times": 1, "then": {"reject": reason}})
                self.provider.push({"aps": {"alert": "text", "badge": "2"}})
            self.widen(320)
            self.open()
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 3 && document.querySelectorAll('td.c7 .mark').length === 6")
            self.assertEqual(self.page.run("""
                return Array.from(document.querySelectorAll('tr[data-sequence] td')).filter((cell) => cell.checkVisibility()).filter((cell) => {
                  const row = cell.parentElement.getBoundingClientRect(), box = cell.getBoundingClientRect();
                  return box.top < row.top || box.bottom > row.bottom || box.right > innerWidth;
                }).map((cell) => cell.textContent)"""), [])


if __name__ == "__main__":
    unittest.main()
