"""The panel in wide windows: everything at once, as wide as the user wants it; and the provider token as a card."""

import base64
import json
import pathlib
import tempfile
import time
import unittest

import test_page_access
from browser import ALICE, Keys, PageTest
from selenium.webdriver.common.action_chains import ActionChains
from server import TOPIC

PARTS = "Array.from(document.querySelectorAll('[data-part]'), (each) => each.dataset.part)"
WIDTH = "Math.round(document.querySelector('.detail').getBoundingClientRect().width)"


class Inspector(PageTest):
    changes_tabs = True

    def resize(self, width, height=900):
        self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def test_wide_windows_have_no_tabs(self):
        with self.serving():
            self.provider.push({"aps": {"alert": {"title": "2-1", "body": "Reds lead\n" * 6}, "badge": 3}})
            self.provider.alert("late", priority=7)
            self.resize(1400)
            for path in ("pushes?at=2", "pushes/2"):
                with self.subTest(path):
                    self.open(path)
                    self.page.until(f"{PARTS}.join() === 'why,summary,screen,payload,headers,lint,copy'")
                    self.assertEqual(self.page.run("return document.querySelectorAll('[role=tab]').length"), 0)
                    self.assertEqual(self.page.run(test_page_access.CHECK), [])
                    self.assertIn("priorityIsKnown", self.page.text(".part-why .failed"))
                    left, right = self.page.run("return ['why', 'screen'].map((name) => document.querySelector(`.part-${name}`).getBoundingClientRect().left)")
                    self.assertLess(left, right)
            self.open("pushes?at=1&tab=headers")
            self.page.until("Array.from(document.querySelectorAll('.part-screen figcaption'), (each) => each.textContent).join() === 'Lock Screen,Banner,Expanded'")
            # Checks that passed are folded; a link to a part leads there.
            self.assertTrue(self.page.run("return !document.querySelector('.checks .passed').checkVisibility()"))
            self.page.until("document.querySelector('.panel').scrollTop > 0")
            self.resize(1399)
            self.page.until("document.querySelector('[role=tab][aria-selected=true]')?.textContent === 'Headers'")
            self.resize(1400)
            self.page.until(f"{PARTS}.length === 7 && !document.querySelector('[role=tab]')")

    def test_the_width_is_dragged_or_keyed_and_kept(self):
        with self.serving():
            self.provider.alert("Hello")
            self.resize(1600)
            self.open("pushes?at=1")
            self.page.element("[data-part=headers]")
            usual = self.page.run(f"return {WIDTH}")
            edge = self.page.driver.find_element("css selector", ".edge")
            ActionChains(self.page.driver).drag_and_drop_by_offset(edge, -100, 0).perform()
            self.page.until(f"Math.abs({WIDTH} - given[0]) < 7", usual + 100)
            dragged = self.page.run(f"return {WIDTH}")
            self.page.until("document.activeElement.role === 'separator' && document.activeElement.ariaValueNow === String(given[0])", dragged)
            self.page.type(Keys.ARROW_RIGHT)
            self.page.until(f"{WIDTH} === given[0]", dragged - 32)
            self.page.driver.refresh()
            self.page.until(f"{WIDTH} === given[0]", dragged - 32)
            # There is always room for the log, and a button for those who do not drag.
            self.page.run("document.querySelector('.edge').focus()")
            self.page.type(Keys.HOME)
            self.page.until("Math.round(document.querySelector('.list').getBoundingClientRect().width) >= 340")
            self.page.click(".widening")
            self.page.until(f"{WIDTH} === given[0]", usual)
            self.page.click(".widening")
            self.page.until(f"{WIDTH} > given[0] + 50", usual)
            self.page.run("localStorage.removeItem('mock-apns.side')")

    def test_refused_storage_breaks_nothing(self):
        with self.serving():
            self.provider.alert("Hello")
            self.resize(1600)
            self.page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
                "source": "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('refused', 'SecurityError'); }});"})
            self.open("pushes?at=1")
            self.page.element("[data-part=headers]")
            usual = self.page.run(f"return {WIDTH}")
            self.page.run("document.querySelector('.edge').focus()")
            self.page.type(Keys.ARROW_LEFT)
            self.page.until(f"{WIDTH} === given[0]", usual + 32)

    def test_the_widths_of_large_screens_are_used(self):
        with self.serving():
            self.provider.alert("Hello")
            for width in (1920, 2560):
                with self.subTest(width):
                    self.resize(width, 1200)
                    for path, css in (("pushes/1", ".single"), ("faults", ".page"), ("lint", ".page")):
                        self.open(path)
                        self.page.until("document.querySelector(given[0]).getBoundingClientRect().width > .9 * given[1]", css, width)
                    self.open("pushes?at=1")
                    self.page.until(f"{WIDTH} > .35 * given[0]", width)


class Columns(PageTest):
    changes_tabs = True

    def test_columns_are_as_wide_as_what_they_hold(self):
        with self.serving() as server:
            topic = f"{TOPIC}.of.a.team.with.a.long.name"
            server.post("/api/v1/devices", {"name": "the device of the tester", "token": ALICE})
            self.provider.alert("short", topic=topic)
            server.post("/api/v1/rules", {"name": "slow", "times": 1, "then": {"reject": "TooManyProviderTokenUpdates"}})
            self.provider.alert("long", topic=topic)
            for width in (1920, 2560):
                with self.subTest(width):
                    self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
                    self.open()
                    self.page.until("document.querySelectorAll('tr[data-sequence]').length === 2")
                    # Nothing is cut, and the text has the rest.
                    self.page.until("""Array.from(document.querySelectorAll('.log [data-sequence] :is(td, .status span)')).every((each) => each.scrollWidth <= each.clientWidth + 1 || each.clientWidth === 0)""")
                    widths = self.page.run("return Array.from(document.querySelectorAll('thead th'), (each) => each.clientWidth)")
                    self.assertEqual(max(widths), widths[6])

    def test_digits_are_as_wide_as_they_are_drawn(self):
        with self.serving() as server:
            server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"alert": "x"}}, "repeat": 1000})
            server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"alert": "x"}}, "repeat": 111})
            self.open()
            self.page.until("document.querySelector('tr[data-sequence=\"1111\"]')")
            self.page.until("""(() => {
                const cell = document.querySelector('tr[data-sequence="1111"] td');
                const drawn = document.createRange();
                drawn.selectNodeContents(cell);
                const [text, box] = [drawn.getBoundingClientRect().width, cell.getBoundingClientRect().width];
                return text <= box && box < text + 4;
            })()""")


class Token(PageTest):
    changes_tabs = True

    def part(self, value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    def card(self, sequence, text):
        self.open(f"pushes/{sequence}")
        self.page.element(".token-card", text)
        return self.page.text(".token-card")

    def test_the_provider_token_is_decoded_with_its_age(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "scenario.json").write_text(json.dumps({"authentication": {"mode": "decode", "providerTokenLifetime": "30m"}}))
        with self.serving("--scenario", str(folder / "scenario.json")):
            for age in (1500, 2400):
                claims = {"iss": "DEF123GHIJ", "iat": int(time.time()) - age}
                self.provider.token = f"{self.part({'alg': 'ES256', 'kid': 'ABC123DEFG'})}.{self.part(claims)}.{'A' * 86}"
                self.provider.alert("Hello")
            self.provider.token = "nonsense"
            self.provider.alert("Hello")
            text = self.card(1, "Provider token")
            for part in ("Key ABC123DEFG, team DEF123GHIJ", "25 min old, 4 min left", "Now: expires in 4 min"):
                self.assertIn(part, text)
            # A bar, which is amber from five sixths of the life, and says the same in words.
            bar = self.page.run("const {value, max, high, ariaLabel} = document.querySelector('.token-card meter'); return [value >= 1500 && value < 1560, max, high, ariaLabel]")
            self.assertEqual(bar, [True, 1800, 1500, "Age of the token: 25 min old, 4 min left"])
            self.page.click(".token-card summary")
            self.page.element(".token-card pre", '"iss": "DEF123GHIJ"')
            text = self.card(2, "ExpiredProviderToken")
            self.assertIn("40 min old, 10 min past its end", text)
            self.assertIn("Now: expired 10 min ago", text)
            self.card(3, "It cannot be decoded.")

    def test_times_stay_fresh_also_of_what_took_long_to_draw(self):
        # A second passes while the checks are not answered, and what is beside them waits for them.
        self.page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            const [ask, every, now] = [window.fetch, window.setInterval, Date.now];
            window.skew = window.ticks = 0;
            Date.now = () => now() + window.skew;
            window.setInterval = (act, pause) => every(() => {
              act();
              if (pause === 1000) window.ticks += 1;
            }, pause);
            const held = new Promise((resolve) => { window.answer = resolve; });
            window.fetch = async (url, options) => {
              if (String(url).endsWith('/checks')) {
                window.asked = window.ticks;
                await held;
              }
              return ask(url, options);
            };"""})
        with self.serving():
            self.provider.alert("Hello")
            self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1600, "height": 900, "deviceScaleFactor": 1, "mobile": False})
            self.open("nothing")
            self.page.run("history.pushState(null, '', location.href.replace('nothing', 'pushes/1')); dispatchEvent(new PopStateEvent('popstate'))")
            self.page.until("window.ticks > window.asked + 1")
            self.page.run("window.answer()")
            self.page.element(".token-card", "expires in 59 min")
            self.page.run("window.skew = 600_000")
            self.page.element(".token-card", "expires in 49 min")

    def test_attempts_of_one_push_lead_to_each_other(self):
        with self.serving():
            for _ in range(3):
                self.provider.alert("again", id="78851bc1-9565-2614-14b9-6dcd668f593c")
            self.provider.alert("another")
            self.open("pushes/2")
            attempts = "Array.from(document.querySelectorAll('.facts dd'), (each) => each.textContent).find((text) => text.includes(' of 3: '))"
            shown = self.page.until(attempts)
            self.assertRegex(shown, r"^2 of 3: Push 1 \(200 OK, −[\d.]+ m?s\) Push 3 \(200 OK, \+[\d.]+ m?s\) $")
            self.page.click(".facts dd a", "Push 3")
            self.page.until(f"{attempts}.startsWith('3 of 3: Push 1 ')")
            self.open("pushes/4")
            self.page.element(".facts dd", "python-httpx/")
            self.assertNotIn("Attempt", self.page.text(".facts"))

    def test_a_late_delivery_says_how_late(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "scenario.json").write_text(json.dumps({"clock": {"manual": "2026-11-21T10:00:00Z"}, "devices": [{"name": "alice", "token": ALICE, "online": False}]}))
        with self.serving("--scenario", str(folder / "scenario.json")) as server:
            self.provider.alert("at once", to="ab" * 32)
            self.provider.alert("kept", expiration=1795255200 + 3600)
            server.post("/api/v1/clock/advance", {"by": "5m"})
            server.patch("/api/v1/devices/alice", {"online": True})
            for tab in ("summary", "why"):
                self.open(f"pushes/2?tab={tab}")
                self.page.until_text(".detail", "Delivered to Device (From Storage) · after 5 min")
            self.open("pushes/1")
            self.page.until_text(".facts", "Delivered to Device")
            self.assertNotIn("after", self.page.text(".facts"))

    def test_a_key_shows_all_pushes_to_the_device(self):
        with self.serving() as server:
            server.post("/api/v1/devices", {"name": "alice", "token": ALICE})
            self.provider.alert("one")
            self.provider.alert("other", to="ab" * 32)
            for number, query in ((1, "?device=alice&at=1"), (2, f"?token={'ab' * 32}&at=2")):
                self.open(f"pushes/{number}")
                self.page.element(".detail h1", f"Push {number}")
                self.page.type("d")
                self.page.until("location.search === given[0] && Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => row.dataset.sequence).join() === given[1]", query, str(number))

    def test_the_user_agent_and_what_has_the_same_connection(self):
        with self.serving():
            self.provider.alert("Hello")
            self.open("pushes/1")
            self.page.element(".facts", "python-httpx/")
            self.page.click(".facts a[title='All with this']", "1")
            self.page.until("new URLSearchParams(location.search).get('q') === 'connection:\"1\"' && document.querySelectorAll('tr[data-sequence]').length === 1")


if __name__ == "__main__":
    unittest.main()
