"""axe-core in every view, both themes and four widths: nothing of any severity."""

import contextlib
import importlib.util
import pathlib
import unittest

from browser import PageTest
from screenshots import differ, fill
from server import Server

FOUND = importlib.util.find_spec("axe_core_python")
AXE = FOUND and pathlib.Path(FOUND.origin).with_name("axe.min.js")

WIDTHS = (320, 700, 1280, 1920)
# With the rules that see a difference; null is all.
THEMES = {"light": None, "dark": ["color-contrast", "link-in-text-block"]}
# Addresses, each with what has to be there.
EMPTY = {
    "pushes": ".empty", "pushes?q=nothing": ".empty", "pushes/1": ".empty", "devices": ".empty", "devices/nobody": ".empty", "providers": ".page",
    "faults": "h2", "expect": ".empty", "lint": ".empty", "channels": ".empty", "channels/none": ".empty", "differences": ".empty", "nowhere": ".empty",
}
PUSHES = {
    "pushes": "tr[data-sequence]", "pushes?q=status:429+is:refused": ".chips button", "pushes?group=token": ".group",
    "pushes?at=5": ".panel", "pushes?at=8&with=7": ".compared td", "pushes/1": ".facts",
}
OTHERS = {
    "devices": ".many li", "devices?q=alice": ".card", "devices/alice": ".phone .notification", "devices/bob": ".phone", "devices/alice?at=5": ".phone",
    "providers": "[aria-label=Connections] td", "faults": ".rules li", "expect": ".results .failed", "lint": "main h2",
    "channels": "[aria-label=Calls] tbody", "channels/final": "main h2", "send": "textarea", "scenario": "textarea", "reasons?reason=BadPriority": "main h1",
}
# Wider windows have no tabs.
TABS = {f"pushes/4?tab={tab}": "[role=tabpanel]" for tab in ("screen", "payload", "headers", "why", "lint", "copy")}
# Of ARIA 1.3, which is newer than this axe.
NEWER = "axe.configure({checks: [{id: 'aria-valid-attr', options: ['aria-description']}]});"
RUN = """
const [rules, done] = arguments;
axe.run(document, {resultTypes: ['violations'], preload: false, ...(rules && {runOnly: rules})}).then(({violations}) => done(violations.flatMap(
  ({id, impact, nodes}) => nodes.map(({html, failureSummary}) => `${impact} ${id}: ${html.slice(0, 160)} ${failureSummary.split('\\n')[1]}`))),
  (error) => done([String(error)]));
"""


@unittest.skipUnless(AXE, "axe-core-python is not installed")
class Axe(PageTest):
    changes_tabs = True

    def setUp(self):
        super().setUp()
        # Not as an element: the page's policy would forbid that.
        self.page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": AXE.read_text() + NEWER})

    def emulate(self, what, **parameters):
        self.page.driver.execute_cdp_cmd(f"Emulation.{what}", parameters)

    def look(self, name, there, widths=WIDTHS):
        """What is open, in all sizes and themes."""
        for width in widths:
            self.emulate("setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            # A wide window shows a push otherwise, once that is drawn.
            self.page.element(there)
            self.page.run("return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
            for theme, rules in THEMES.items():
                with self.subTest(name, width=width, theme=theme):
                    self.emulate("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
                    self.assertEqual(self.page.driver.execute_async_script(RUN, rules), [])

    def views(self, views, *widths):
        for address, there in views.items():
            # As by a link, since axe is long to read.
            self.page.run("history.pushState(null, '', `/ui/${arguments[0]}`); dispatchEvent(new PopStateEvent('popstate'))", address)
            self.look(address, there, *widths)

    @contextlib.contextmanager
    def opened(self):
        with self.serving() as server:
            self.open()
            self.page.until_text(".state", "live")
            yield server

    def test_every_empty_view(self):
        with self.opened():
            self.views(EMPTY)
            # The browser tells of each answer 404.
            self.page.complaints()

    def test_every_view_of_pushes(self):
        with self.opened() as server:
            fill(server, self.provider)
            self.views(PUSHES)

    def test_every_other_view(self):
        with self.opened() as server:
            fill(server, self.provider)
            self.views(OTHERS)

    def test_every_tab_and_dialog(self):
        with self.opened() as server:
            fill(server, self.provider)
            self.views(TABS, WIDTHS[:3])
            for key in "?f":
                self.page.type(key)
                self.look(f"key {key}", "dialog")
                self.page.click("dialog .head button")
                self.page.until("!document.querySelector('dialog')")

    def test_a_relay(self):
        with Server() as upstream, self.serving(upstream=upstream):
            differ(upstream, self.provider)
            self.open()
            self.page.until_text(".state", "live")
            self.views({"differences": "[aria-label=Differences] td", "pushes/3": ".facts mark"})


if __name__ == "__main__":
    unittest.main()
