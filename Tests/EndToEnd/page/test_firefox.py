"""The most important ways through the page in another engine: Firefox. That the browser complains of nothing, neither of
errors nor of what the page's policy forbids, is looked at in each."""

import unittest

import pytest

from browser import ALICE, Keys, PageTest
from firefox import FIREFOX, Firefox
from server import device, shortest
from test_page_load import FIRST_ROW

ID = "78851bc1-9565-2614-14b9-6dcd668f593c"
TEXT = "<img src=x onerror=document.title='owned'></script><svg/onload=document.title='owned'>"
VIEWS = ("pushes", "pushes?at=2", "pushes/2?tab=why", "pushes/1?tab=payload", "pushes/1?tab=copy", "pushes/1?tab=screen", "pushes?group=token", "devices",
         "devices/alice", "providers", "faults", "expect", "lint", "channels", "send", "scenario", "differences", "reasons")
# When the first row was there, in milliseconds since the page was asked for.
CLOCK = """() => new MutationObserver((_, observer) => {
  if (!document.querySelector('tr[data-sequence]')) return;
  observer.disconnect();
  window.firstRow = performance.now();
}).observe(document, {childList: true, subtree: true})"""
WIDE = """const {scrollWidth} = document.documentElement; return scrollWidth > innerWidth ? [location.href, scrollWidth] : null"""


@unittest.skipUnless(FIREFOX, "Firefox is not installed; Debian calls it firefox-esr")
class InFirefox(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.page = cls.enterClassContext(Firefox())

    def tearDown(self):
        self.page.open("about:blank")

    def pushed(self):
        """Alice gets eight pushes, of which the seventh is refused."""
        self.server.post("/api/v1/devices", {"name": "alice", "token": ALICE})
        for number in range(1, 9):
            self.provider.alert(f"Push {number}", **({"priority": 7} if number == 7 else {}))

    def shown(self, *sequences, path=""):
        if path is not None:
            self.open(path)
        self.page.until("Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence)).join() === given[0]",
                        ",".join(map(str, sequences)))
        self.page.until_text(".state", "live")

    def test_a_push_appears_and_opens(self):
        with self.serving():
            self.open()
            self.page.element(".empty", "No pushes yet")
            self.page.until_text(".state", "live")
            self.provider.alert("Hello")
            self.shown(1, path=None)
            self.page.point("tr[data-sequence='1']")
            self.page.until("location.search === '?at=1'")
            self.page.element(".detail .facts", "alert")
            self.page.click(".detail a", "Open")
            self.page.until("location.pathname.endsWith('/pushes/1')")
            self.page.element("h1", "Push 1")

    def first_rows(self):
        for _ in range(20):
            self.open()
            yield self.page.until("window.firstRow") / 1000

    @pytest.mark.alone
    def test_the_first_row_is_there_soon(self):
        with self.serving():
            self.pushed()
            self.page.send("script.addPreloadScript", functionDeclaration=CLOCK)
            least = shortest(FIRST_ROW, self.first_rows())
            print(f"\nthe first row after {least * 1000:.0f} ms")
            self.assertLess(least, FIRST_ROW)

    def test_why_it_was_refused(self):
        with self.serving():
            self.pushed()
            self.open("pushes/7")
            self.page.element(".explanation", "apns-priority is")
            self.page.click("[role=tab]", "Why")
            self.page.element(".checks .failed", "priorityIsKnown")

    def test_search_and_facets(self):
        with self.serving():
            self.pushed()
            self.shown(*range(8, 0, -1))
            self.page.type("/")
            self.page.until("document.activeElement.type === 'search'")
            self.page.type("BadPriority", Keys.ENTER)
            self.page.until("location.search.includes('BadPriority')")
            self.shown(7, path=None)
            self.page.type(Keys.ESCAPE, Keys.ESCAPE)
            self.shown(*range(8, 0, -1), path=None)
            self.page.click(".facets button.facet", "4xx")
            self.shown(7, path=None)

    def test_mark_and_compare(self):
        with self.serving():
            self.server.post("/api/v1/rules", {"name": "busy", "times": 1, "then": {"reject": "TooManyRequests"}})
            for text in ("1-0", "2-0"):
                self.provider.alert(text, id=ID)
            self.shown(2, 1, path="pushes?at=1")
            self.page.element(".detail h2", "Push 1")
            self.page.type("m")
            self.page.element(".detail [role=status]", "Marked")
            self.page.type("k")
            self.page.until_text(".detail h2", "1 | 2 · +")
            self.page.element(".compared td", "TooManyRequests")

    def test_a_fault_from_a_push(self):
        with self.serving():
            self.pushed()
            self.open("pushes/8")
            self.page.click("button", "Fault…")
            self.page.element("dialog", "Make pushes fail")
            self.page.click("dialog button", "Begin")
            self.page.element(".fault-chip", "1 fault")
            self.assertEqual([self.provider.alert("next", to=to) for to in (device(2), ALICE, ALICE, ALICE, ALICE)], [200, 429, 429, 429, 200])

    def test_a_devices_screen(self):
        with self.serving():
            self.pushed()
            self.open("devices/alice")
            self.page.element(".phone .notification", "Push 8")
            self.page.click("button", "Go offline")
            self.page.element("button", "Go online")
            self.provider.alert("kept", expiration=4000000000)
            self.page.element(".device", "1 stored")
            self.page.click("button", "Go online")
            self.page.element(".phone .notification", "kept")

    def test_by_keyboard_alone(self):
        with self.serving():
            self.pushed()
            self.shown(*range(8, 0, -1))
            self.page.type("jj")
            self.page.until("document.activeElement.dataset.sequence === '7'")
            self.page.type(Keys.ENTER)
            self.page.until("location.pathname.endsWith('/pushes/7')")
            self.page.element(".explanation", "apns-priority is")
            self.page.type(Keys.ESCAPE)
            self.page.until("location.search === '?at=7'")
            self.page.type("gd")
            self.page.until("location.pathname.endsWith('/devices') && document.activeElement.matches('main')")
            self.page.element(".card", "Push 8")
            self.page.type("j")
            self.page.until("document.activeElement.textContent === 'alice'")
            self.page.type(Keys.ENTER)
            self.page.element(".phone .notification", "Push 8")
            self.page.type("?")
            self.page.element("dialog", "Single-key shortcuts")
            self.page.type(Keys.ESCAPE)
            self.page.until("!document.querySelector('dialog')")

    def test_a_link_survives_a_reload(self):
        with self.serving():
            self.pushed()
            self.open("pushes?q=%22Push+6%22&at=6&tab=payload")
            for again in (False, True):
                if again:
                    self.page.reload()
                self.shown(6, path=None)
                self.page.element(".detail .tree", "Push 6")

    def test_send_one_by_hand(self):
        with self.serving():
            self.server.post("/api/v1/devices", {"name": "alice", "token": ALICE})
            self.open("send?device=alice")
            self.page.until("document.querySelector('textarea').value.includes('aps')")
            self.page.click("main .primary")
            self.page.element("main .notification", "Game Request")

    def test_the_scenario_is_checked_while_typing(self):
        with self.serving():
            self.open("scenario")
            self.page.until("document.querySelector('textarea').checkVisibility()")
            self.page.run("document.querySelector('textarea').select()")
            self.page.type('{"rulez": []}')
            self.page.until_text("#mistakes", 'did you mean "rules"?')

    def test_views_say_nothing_foreign_and_are_not_too_wide(self):
        """Hostile texts stay texts, and no view is wider than its window."""
        with self.serving():
            self.server.post("/api/v1/devices", {"name": "alice", "token": ALICE})
            self.provider.push({"aps": {"alert": {"title": TEXT, "body": TEXT}, "category": TEXT}, TEXT: [TEXT]}, collapse_id="a")
            self.provider.push({"aps": {"alert": TEXT}}, priority=7)
            for width in (320, 1280, 1920):
                self.page.resize(width, 900)
                for view in VIEWS:
                    with self.subTest(view, width=width):
                        self.open(view)
                        self.page.until_text(".state", "live")
                        self.assertIsNone(self.page.run(WIDE))
                        self.assertNotIn("owned", self.page.run("return document.title"))
            self.page.resize(1280, 900)


if __name__ == "__main__":
    unittest.main()
