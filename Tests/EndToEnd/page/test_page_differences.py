"""Where the upstream of a relay answers otherwise: the view Differences, the report for an issue, and a push that was passed on."""

import contextlib
import unittest

from browser import ALICE, PageTest
from screenshots import differ
from server import TOPIC, Server

ROWS = "Array.from(document.querySelectorAll('[aria-label=Differences] tbody tr'), (row) => Array.from(row.cells, (cell) => cell.innerText.trim()).join(' | '))"
DIFFERENCES = [
    "200 OK | 429 TooManyRequests | 2 | Push 3", "200 OK | 429 TooManyProviderTokenUpdates | 1 | Push 5", "200 OK | 418 | 1 | Push 6",
    f"200 OK | 400 nobody has {ALICE} | 1 | Push 7", "200 OK | no answer: RST_STREAM INTERNAL_ERROR | 1 | Push 8",
]
REPORT = """### mock-apns {} beside another APNs

The upstream answered 2 of 8 pushes as mock-apns would have answered.

- 429 TooManyRequests where mock-apns answers 200 OK: 2 pushes
- 429 TooManyProviderTokenUpdates where mock-apns answers 200 OK: 1 push
- 418 where mock-apns answers 200 OK: 1 push
- 400 (another reason) where mock-apns answers 200 OK: 1 push
- no answer: RST_STREAM INTERNAL_ERROR where mock-apns answers 200 OK: 1 push
"""
SEQUENCES = "Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence))"
VIEWS = "Array.from(document.querySelectorAll('nav > a'), (each) => each.dataset.view)"
# By term.
FACTS = "Object.fromEntries(Array.from(document.querySelectorAll('.facts dt'), (each) => [each.textContent, each.nextElementSibling.textContent]))"


class Differences(PageTest):
    changes_tabs = True

    @contextlib.contextmanager
    def relaying(self):
        with Server() as self.upstream, self.serving(upstream=self.upstream) as relay:
            yield relay

    def widen(self, width):
        self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})

    def test_they_are_listed_and_lead_to_their_pushes(self):
        with self.relaying():
            differ(self.upstream, self.provider)
            self.open("differences")
            self.page.element(".verdict.refused", "The upstream answered 2 of 8 pushes as mock-apns would have answered.")
            self.page.until(f"JSON.stringify({ROWS}) === JSON.stringify(given[0])", DIFFERENCES)
            self.page.element("nav [data-view=differences] .alarm", "6")
            self.assertEqual(self.page.run("return document.querySelector('nav [aria-current=page]').textContent"), "Differences 6")
            # All that the upstream answered so; of a reason that mock-apns does not know, all of that status.
            for row, found in enumerate(([4, 3], [5], [6], [7, 2], [8]), 1):
                with self.subTest(DIFFERENCES[row - 1]):
                    self.open("differences")
                    self.page.click(f"[aria-label=Differences] tr:nth-child({row}) td:nth-child(3) a")
                    self.page.until("document.querySelector('.note')?.textContent.includes('found')")
                    self.page.until(f"JSON.stringify({SEQUENCES}) === JSON.stringify(given[0])", found)
            self.open("differences")
            self.page.click("[aria-label=Differences] a", "Push 5")
            self.page.element("article.detail h1", "Push 5")

    def test_they_are_followed(self):
        with self.relaying():
            self.open("differences")
            self.page.element(".empty h2", "Nothing was passed on")
            self.page.until(f"{VIEWS}.at(-1) === 'differences'")
            self.provider.alert("good")
            self.page.element(".verdict.ok", "The upstream answered 1 of 1 push as mock-apns would have answered.")
            self.assertEqual(self.page.run("return document.querySelectorAll('main :is(table, button)').length"), 0)
            self.assertEqual(self.page.run("return document.querySelector('nav [aria-current=page]').textContent"), "Differences")
            for number in (1, 2):
                self.upstream.post("/api/v1/rules", {"name": f"busy {number}", "times": 1, "then": {"reject": "Shutdown"}})
                self.provider.alert("differs")
                self.page.until(f"JSON.stringify({ROWS}) === JSON.stringify(given[0])", [f"200 OK | 503 Shutdown | {number} | Push 2"])
                self.page.element("nav .alarm", str(number))
            # An upstream that breaks off.
            self.upstream.post("/api/v1/rules", {"name": "cut", "times": 1, "then": {"close": "truncate"}})
            self.assertEqual(self.provider.alert("lost"), 503)
            self.page.element(".verdict.refused", "answered 1 of 3 pushes as mock-apns would have answered. It did not answer 1 push.")
            self.server.post("/api/v1/reset", {})
            self.page.element(".empty h2", "Nothing was passed on")

    def test_the_report_has_both_answers_and_nothing_of_the_pushes(self):
        with self.relaying():
            differ(self.upstream, self.provider)
            version = self.server.get("/api/v1/openapi.json")["info"]["version"]
            # A session has a log of its own, and the same upstream.
            self.provider.url = self.server.post("/api/v1/sessions", {"name": "one"})["apns"]
            differ(self.upstream, self.provider)
            record = self.server.get("/api/v1/requests/3")
            for path in ("differences", "sessions/one/differences"):
                with self.subTest(path):
                    self.open(path)
                    self.page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
                    self.page.click("main button", "Copy report")
                    self.page.element(".toast", "Copied the report.")
                    text = self.page.run("return window.copied")
                    self.assertEqual(text, REPORT.format(version))
                    for private in (ALICE, ALICE[-8:], TOPIC, "differs", "httpx", record["apnsID"], record["authentication"]["keyID"]):
                        self.assertNotIn(private, text)

    def test_a_push_says_both_answers(self):
        with self.relaying():
            differ(self.upstream, self.provider)
            took = self.server.get("/api/v1/requests/3")["relayed"]["latencyMicroseconds"] / 1000
            for width in (1280, 1600):
                self.widen(width)
                for path in ("pushes?at=3", "pushes/3"):
                    with self.subTest(path, width=width):
                        self.open(path)
                        self.page.element(".facts mark", "differs")
                        facts = self.page.run(f"return {FACTS}")
                        self.assertRegex(facts["Upstream"], r"^429 TooManyRequests in \d+\.\d ms$")
                        self.assertAlmostEqual(float(facts["Upstream"].split()[-2]), took, delta=0.06)
                        self.assertEqual(facts["mock-apns"], "200 OK differs")
            self.open("pushes/2")
            self.page.element(".facts dt", "Upstream")
            facts = self.page.run(f"return {FACTS}")
            self.assertEqual((facts["mock-apns"], facts["Decided by"]), ("400 BadPriority as well", "upstream"))
            self.open("pushes/8")
            self.page.element(".facts mark")
            self.assertIn("no answer: RST_STREAM INTERNAL_ERROR in ", self.page.run(f"return {FACTS}")["Upstream"])

    def test_a_server_that_is_no_relay_has_no_such_view_in_its_header(self):
        with self.serving():
            self.provider.alert("one")
            self.open("pushes/1")
            self.page.element(".totals a")
            self.assertNotIn("differences", self.page.run(f"return {VIEWS}"))
            self.page.element(".facts dt", "Decided by")
            self.assertNotIn("Upstream", self.page.run(f"return {FACTS}"))
            self.open("differences")
            self.page.element(".empty p", "mock-apns relay")

    def test_it_goes_behind_more_first(self):
        with self.relaying():
            differ(self.upstream, self.provider)
            self.widen(860)
            self.open("pushes")
            self.page.element("nav .more", "6")
            self.page.click("nav .more")
            self.page.click("nav .drop a", "Differences")
            self.page.element("h1", "Differences")
            self.page.until("document.querySelector('nav > [data-view=differences]').checkVisibility() && document.querySelector('.bar').offsetHeight < 50")

    def test_it_fits_320_px(self):
        with self.relaying():
            differ(self.upstream, self.provider)
            self.widen(320)
            for path, there, pane in (("differences", "[aria-label=Differences] td", "main"), ("pushes/5", ".facts mark", ".panel"), ("pushes/7", ".facts mark", ".panel")):
                with self.subTest(path):
                    self.open(path)
                    self.page.element(there)
                    self.assertTrue(self.page.run("const pane = document.querySelector(arguments[0]); return pane.scrollWidth === pane.clientWidth", pane))


if __name__ == "__main__":
    unittest.main()
