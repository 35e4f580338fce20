"""The page for everybody: by keyboard alone, names, contrast, sizes; and in small windows, several tabs, without a server."""

import pathlib
import re
import unittest

from selenium.webdriver.common.action_chains import ActionChains

from browser import ALICE, Keys, PageTest, Provider
from server import TOPIC, Server, device, until

VIEWS = ("pushes", "pushes?at=2", "pushes/2?tab=why", "pushes/1?tab=payload", "pushes/1?tab=copy", "pushes?q=nothing+like+this",
         "pushes?group=token", "devices", f"devices/{device(1)}", "providers", "faults", "expect", "lint",
         "pushes/2?tab=lint", "pushes/1?tab=screen", "expect?try=%7B%22name%22%3A%22x%22,%22requests%22%3A%7B%7D,%22count%22%3A1%7D", "send", "channels", "channels/none", "scenario", "differences", "reasons?reason=BadPriority")

# What checkers of accessibility look for, as far as it can be seen from the document.
CHECK = """
const faults = [];
const say = (fault, element) => faults.push(fault + ': ' + element.outerHTML.slice(0, 120));
const visible = (element) => element.checkVisibility({opacityProperty: true, visibilityProperty: true}) && element.getClientRects().length;
const name = (element) => {
  const by = element.getAttribute('aria-labelledby');
  if (by) return by.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim();
  return (element.getAttribute('aria-label') ?? (element.labels?.length ? Array.from(element.labels, (label) => label.textContent).join(' ') : '')).trim()
    || element.textContent.trim() || (element.getAttribute('title') ?? '').trim();
};
const ids = new Map();
for (const element of document.querySelectorAll('[id]')) {
  if (ids.has(element.id)) say('an id twice', element);
  ids.set(element.id, element);
}
for (const element of document.querySelectorAll('[aria-labelledby], [aria-describedby], [aria-controls]')) {
  for (const attribute of ['aria-labelledby', 'aria-describedby', 'aria-controls']) {
    for (const id of (element.getAttribute(attribute) ?? '').split(' ').filter(Boolean)) if (!ids.has(id)) say(attribute + ' of nothing', element);
  }
}
for (const element of document.querySelectorAll('button, a[href], input, select, textarea, summary, [role=tab], [tabindex="0"]')) {
  if (!visible(element)) continue;
  if (!name(element) && !['SUMMARY'].includes(element.tagName) && !element.closest('[role=row]')) say('no name', element);
  const box = element.getBoundingClientRect();
  const isInText = element.matches('p a, dd a, li a, td a, th a, summary, h2 a, label input, .toolbar a, .links a');
  if (!isInText && !element.disabled && element.matches('button, a, select, input') && (box.width < 23.5 || box.height < 23.5)) say('smaller than 24 px', element);
  if (element.tabIndex > 0) say('a tabindex of its own', element);
}
const headings = Array.from(document.querySelectorAll('h1')).filter(visible);
if (headings.length !== 1) faults.push(headings.length + ' h1');
let level = 0;
for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
  if (!heading.checkVisibility()) continue;
  if (heading.tagName[1] - level > 1) say('a level skipped', heading);
  level = Number(heading.tagName[1]);
}
for (const landmark of ['main', 'header', 'nav']) if (!document.querySelector(landmark)) faults.push('no ' + landmark);
if (document.documentElement.lang !== 'en') faults.push('no lang');
if (!document.title) faults.push('no title');
for (const table of document.querySelectorAll('table')) if (!table.querySelector('th')) say('no header cells', table);

const parse = (text) => text.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const ground = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const color = parse(getComputedStyle(each).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
const contrast = (one, other) => {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};
const seen = new Set();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || seen.has(element) || !visible(element) || element.closest(':disabled, .sr, .skip, noscript, option, datalist')) continue;
  seen.add(element);
  const style = getComputedStyle(element);
  if (style.colorScheme === '' && !style.color) continue;
  const ratio = contrast(parse(style.color), ground(element));
  const isLarge = parseFloat(style.fontSize) >= 24;
  if (ratio < (isLarge ? 3 : 4.5)) say('contrast ' + ratio.toFixed(2), element);
}
for (const element of document.querySelectorAll('button, input, select, textarea')) {
  const style = getComputedStyle(element);
  if (!visible(element) || element.disabled || style.borderTopWidth === '0px' || style.borderTopColor.endsWith(', 0)')) continue;
  if (contrast(parse(style.borderTopColor), ground(element.parentElement)) < 3 && contrast(ground(element), ground(element.parentElement)) < 3) say('edge', element);
}
return faults;
"""


MARKS = "Array.from(document.querySelectorAll('td.c7'), (cell) => cell.textContent.trim()).join('|')"
CUT_CELLS = """return Array.from(document.querySelectorAll('td.c2 .status span, td.c7')).filter((each) =>
  !each.checkVisibility() || each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1).map((each) => each.textContent)"""
CUT_MARKS = """return Array.from(document.querySelectorAll('td.c7')).filter((each) =>
  each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1).map((each) => each.textContent)"""
VIEW_IS_SEEN = """(() => {
  const current = document.querySelector('nav [aria-current=page]');
  const edge = (each) => each.getBoundingClientRect();
  return !current || (edge(current).left >= edge(current.parentElement).left - 1 && edge(current).right <= edge(current.parentElement).right + 1);
})()"""
BROKEN_WORDS = """
return Array.from(document.querySelectorAll('.plain :is(th, td, a, button)')).filter((each) => {
  const words = document.createRange();
  words.selectNodeContents(each);
  return !each.children.length && each.checkVisibility() && /^\\w+$/.test(each.textContent) && new Set(Array.from(words.getClientRects(), ({top}) => Math.round(top))).size > 1;
}).map((each) => each.textContent);"""


class Access(PageTest):
    changes_tabs = True

    def filled(self):
        self.provider.push({"aps": {"alert": {"title": "2-1", "body": "Reds lead"}, "badge": 3, "sound": "x", "interruption-level": "time-sensitive"}})
        self.provider.push({"aps": {"alert": "late"}}, priority=7)
        self.server.post("/api/v1/rules", {"name": "next 2: 429 TooManyRequests", "times": 2, "then": {"reject": "TooManyRequests"}})
        self.provider.push({"aps": {"content-available": 1}}, kind="background", priority=5)

    def emulate(self, width=1280, height=900, **features):
        self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]})

    def test_names_ids_contrast_and_sizes(self):
        with self.serving():
            self.filled()
            for theme in ("light", "dark"):
                self.emulate(prefers_color_scheme=theme, prefers_reduced_motion="reduce")
                for view in VIEWS:
                    with self.subTest(view, theme=theme):
                        self.open(view)
                        self.assertEqual(self.page.run(CHECK), [])

    def test_no_button_is_empty(self):
        """Not even one that is hidden."""
        with self.serving():
            self.filled()
            self.provider.push({"aps": {"alert": {"title": " "}, "category": ""}}, topic="", collapse_id=" ")
            for view in VIEWS:
                if view.startswith("pushes"):
                    continue
                with self.subTest(view):
                    self.open(view)
                    self.page.until_text(".state", "live")
                    self.assertEqual(self.page.run("return Array.from(document.querySelectorAll('button'), (each) => each.ariaLabel || each.textContent.trim()).filter((each) => !each).length"), 0)

    def test_american_spelling(self):
        """One spelling of English, in all that is served of the page but the names that payloads and scenarios have."""
        words = re.compile(r"\w*(?:colour|behaviour|localis|recognis|favour|grey\b|centre\b)\w*", re.IGNORECASE)
        folder = pathlib.Path(__file__).resolve().parents[3] / "Sources/MockAPNSAdmin/Page"
        for file in sorted(folder.rglob("*.*")):
            self.assertEqual(words.findall(file.read_text()), [], file.name)

    def test_nothing_is_lost_in_a_narrow_window(self):
        """320 px, which is also 1280 px at 400 %."""
        with self.serving():
            self.filled()
            self.emulate(320, 640, prefers_reduced_motion="reduce")
            for view in VIEWS:
                with self.subTest(view):
                    self.open(view)
                    self.assertLessEqual(self.page.run("return document.documentElement.scrollWidth"), 320)
                    self.assertEqual(self.page.run(CHECK), [])
                    # Which view it is can be seen in the list of them, however far that has to be scrolled.
                    self.page.until("document.querySelector('.bar .session').textContent === 'sandbox'")
                    self.page.until(VIEW_IS_SEEN)
                    if view == "faults":
                        self.page.element(".rules b", "left")
                        self.assertEqual(self.page.run("const {scrollWidth, clientWidth} = document.querySelector('main'); return scrollWidth - clientWidth"), 0)
                    # A word in a table stays in one line.
                    self.assertEqual(self.page.run(BROKEN_WORDS), [])

    def test_marks_and_answers_are_seen_in_narrow_windows(self):
        """Each mark is whole, and named by its column, which has no room for its head."""
        with self.serving():
            self.server.post("/api/v1/rules", {"name": "busy", "times": 1, "then": {"reject": "TooManyRequests"}})
            self.server.post("/api/v1/devices", {"name": "bob", "token": device(2), "online": False})
            for text in ("busy", "first", "second"):
                self.provider.push({"aps": {"alert": text, "badge": "2"}}, to=device(2), collapse_id="game")
            self.server.post("/api/v1/rules", {"name": "busy again", "times": 1, "then": {"reject": "TooManyRequests"}})
            self.server.post("/api/v1/pushes", {"device": "bob", "payload": {"aps": {"alert": "by hand", "badge": "2"}}})
            # Four marks, and long reasons.
            self.server.post("/api/v1/rules", {"name": "slow", "times": 1, "then": {"pass": True, "delay": "1ms"}})
            self.server.post("/api/v1/devices", {"name": "carol", "token": device(3), "online": False})
            self.server.post("/api/v1/pushes", {"device": "carol", "payload": {"aps": {"alert": "by hand", "badge": "2"}}})
            for reason in ("DeviceTokenNotForTopic", "TooManyProviderTokenUpdates"):
                self.server.post("/api/v1/rules", {"name": reason, "times": 1, "then": {"reject": reason}})
                self.provider.push({"aps": {"alert": "long"}}, to=device(2))
            for width in (320, 360, 480, 640, 700, 720, 1000, 1280):
                # Below 700 px, a push takes the place of the list.
                for query in ("", "?at=5") if width >= 700 else ("",):
                    with self.subTest(width=width, query=query):
                        self.emulate(width, 640)
                        self.open(f"pushes{query}")
                        self.page.until(f"{MARKS} === given[0]", "rule|rule|lint rule stored sent here|lint rule sent here|lint stored|lint replaced|lint rule")
                        # Beside a push there is no room for long answers; their titles say them.
                        self.assertEqual(self.page.run(CUT_CELLS if not query else CUT_MARKS), [])
            self.emulate(320, 640)
            self.open()
            self.page.until("document.querySelector('tr[data-sequence]')")
            nodes = self.page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
            heads = [each["name"]["value"] for each in nodes if each.get("role", {}).get("value") == "columnheader"]
            self.assertEqual(heads[-1], "Marks")
            self.emulate()

    def test_each_view_has_one_first_heading(self):
        with self.serving():
            self.filled()
            for view in (*VIEWS, "pushes?at=999", "pushes/999", "devices/nobody", "channels/none", "nowhere"):
                with self.subTest(view):
                    self.open(view)
                    # What is read from the server comes later.
                    self.page.until("document.querySelector('h1') && (!location.search.includes('999') || document.querySelector('.detail h2'))")
                    self.assertEqual(self.page.run("return document.querySelectorAll('h1').length"), 1)
            # The browser tells of each answer 404.
            self.page.complaints()

    def pushed(self):
        """Alice gets eight pushes, of which the seventh is refused."""
        self.server.post("/api/v1/devices", {"name": "alice", "token": ALICE})
        for number in range(1, 9):
            self.provider.alert(f"Push {number}", **({"priority": 7} if number == 7 else {}))
        self.open()
        self.page.until("document.querySelectorAll('tr[data-sequence]').length === 8")

    def next_three_fail(self):
        self.page.element(".fault-chip", "1 fault")
        self.assertEqual([self.provider.alert(f"Push {number}") for number in range(9, 13)], [429, 429, 429, 200])

    def tab_to(self, condition):
        """Tab, until what has focus (`element` in the condition) is the one."""
        for _ in range(60):
            if self.page.run(f"const element = document.activeElement; return Boolean({condition})"):
                return
            self.page.type(Keys.TAB)
        self.fail(f"Tab does not reach {condition}")

    def test_by_keyboard_alone(self):
        """Why was push 7 refused, what is on Alice's screen, and the next three get 429."""
        with self.serving():
            self.pushed()
            self.page.type("jj")
            self.page.until("location.search === '?at=7'")
            self.page.until("document.activeElement.dataset.sequence === '7'")
            self.page.type(Keys.ENTER)
            self.page.until("location.pathname.endsWith('/pushes/7')")
            self.page.until("document.querySelector('[role=tab]')")
            self.tab_to("element.role === 'tab'")
            tabs = self.page.run("return Array.from(document.querySelectorAll('[role=tab]'), (each) => each.textContent)")
            for name in tabs[1:tabs.index("Why") + 1]:
                self.page.type(Keys.ARROW_RIGHT)
                self.page.until("document.activeElement.textContent === given[0] && document.activeElement.ariaSelected === 'true'", name)
            self.page.until_text("[role=tabpanel]", "apns-priority is")
            self.page.element(".checks .failed", "priorityIsKnown")
            self.page.type(Keys.ESCAPE)
            self.page.until("location.search === '?at=7'")
            self.page.until("document.querySelector('.detail [role=tab]')")
            self.page.type("f")
            self.page.element("dialog", "Make pushes fail")
            self.page.until("document.activeElement.tagName === 'SELECT'")
            self.tab_to("element.textContent === 'Begin'")
            self.page.type(Keys.ENTER)
            self.next_three_fail()
            self.page.type("gd")
            self.page.until("location.pathname.endsWith('/devices')")
            self.page.element(".card", "Push 12")
            self.tab_to("element.closest('.card')")
            self.page.type(Keys.ENTER)
            self.page.element(".phone .notification", "Push 12")
            self.page.type("?")
            self.page.element("dialog", "Single-key shortcuts")
            self.page.type(Keys.ESCAPE)
            self.page.until("!document.querySelector('dialog')")

    def test_keys_where_nothing_is_selected(self):
        """A fault from everywhere, a row that has focus, and focus after what had it is gone."""
        with self.serving():
            self.pushed()
            self.page.type("f")
            self.page.until("document.activeElement.ariaLabel === 'What'")
            ActionChains(self.page.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
            self.next_three_fail()
            self.page.run("document.querySelector('tr[data-sequence=\"7\"]').focus()")
            self.page.type(Keys.ENTER)
            self.page.until("location.pathname.endsWith('/pushes/7')")
            self.server.post("/api/v1/channels", {"topic": TOPIC, "storage": "none", "name": "final"})
            self.page.type("gc")
            self.page.element("button", "Delete")
            self.tab_to("element.ariaLabel === 'Delete final'")
            self.page.type(Keys.ENTER)
            self.page.until("document.activeElement.textContent === 'Cancel'")
            self.page.type(Keys.TAB, Keys.ENTER)
            self.page.element(".empty", "No channels yet")
            self.page.until("document.activeElement.id === 'main'")
            self.page.type("f")
            self.page.element("dialog", "Make pushes fail")

    def mouse(self, css, text=""):
        """Clicks where an element is, again if the page has moved it while the mouse was on its way."""
        until(lambda: self.hits(css, text), lambda: f"the mouse does not reach {css} {text}")

    def hits(self, css, text):
        box = self.page.until("""(() => {
            const found = Array.from(document.querySelectorAll(given[0])).find((each) => each.checkVisibility() && !each.disabled && each.textContent.includes(given[1]));
            found.scrollIntoView({block: 'nearest'});
            window.hit = false;
            document.addEventListener('click', (event) => {
                window.hit = Boolean(event.target.closest(given[0])?.textContent.includes(given[1]));
            }, {capture: true, once: true});
            const {left, top, width, height} = found.getBoundingClientRect();
            return [left + width / 2, top + height / 2].map(Math.round);
        })()""", css, text)
        for kind in ("mousePressed", "mouseReleased"):
            self.page.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": box[0], "y": box[1], "button": "left", "clickCount": 1})
        return self.page.run("return window.hit")

    def test_by_mouse_alone(self):
        """The same."""
        with self.serving():
            self.emulate()
            self.pushed()
            self.mouse("tr[data-sequence='7']")
            self.page.element(".detail .explanation", "apns-priority is")
            self.mouse("[role=tab]", "Why")
            self.page.element(".checks .failed", "priorityIsKnown")
            self.mouse(".detail button", "Fault…")
            self.page.element("dialog", "Make pushes fail")
            self.mouse("dialog button", "Begin")
            self.next_three_fail()
            self.mouse("nav a", "Devices")
            self.mouse(".card a", "alice")
            self.page.element(".phone .notification", "Push 12")

    def test_what_is_chosen_is_seen_without_colours(self):
        with self.serving():
            self.filled()
            self.emulate(forced_colors="active")
            self.assertTrue(self.page.run("return matchMedia('(forced-colors: active)').matches"))
            for view, chosen in (("pushes?at=2&status=4xx", 4), ("faults", 1), ("reasons?reason=BadTopic", 1)):
                with self.subTest(view):
                    self.open(view)
                    self.page.until("""(() => {
                        const chosen = Array.from(document.querySelectorAll('[aria-selected="true"], [aria-pressed="true"], [aria-current]:not([aria-current="false"])'));
                        return chosen.length >= given[0] && chosen.every((each) => getComputedStyle(each).outlineStyle === 'solid');
                    })()""", chosen)
                    # Status by word and shape; buttons and fields by their edges.
                    self.assertEqual(self.page.run("""
                        return Array.from(document.querySelectorAll('.status'), (each) => each.textContent && each.querySelector('svg')).filter((each) => !each).length
                          + Array.from(document.querySelectorAll('button, input:not([type=checkbox]), select')).filter((each) => getComputedStyle(each).borderTopStyle === 'none').length"""), 0)
            self.emulate()

    def test_wider_text_is_not_cut(self):
        """The spacing of WCAG 1.4.12, as it is and at 200 %, which is a window of half the size."""
        with self.serving():
            self.filled()
            rule = "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; } p { margin-bottom: 2em !important; }"
            for size in ((1280, 900), (640, 450)):
                self.emulate(*size)
                for view in VIEWS:
                    with self.subTest(view, size=size):
                        self.open(view)
                        self.page.element("main")
                        cut = self.page.run("""
                            const sheet = new CSSStyleSheet();
                            sheet.replaceSync(arguments[0]);
                            document.adoptedStyleSheets = [sheet];
                            const cut = Array.from(document.querySelectorAll('button, a, h1, h2, h3, p, dt, dd, label, summary, td, th'))
                              .filter((each) => each.checkVisibility() && !each.matches('.sr, .skip, .log td, .log th, .title, .body') && !each.closest('.sr, .log, .card, .facets')
                                && ['hidden', 'clip'].includes(getComputedStyle(each).overflowX) && (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1))
                              .map((each) => each.outerHTML.slice(0, 100));
                            if (document.documentElement.scrollWidth > innerWidth + 1) cut.push('wider than the window: ' + document.documentElement.scrollWidth);
                            for (const each of document.querySelectorAll('main button, main a')) {
                              const box = each.getBoundingClientRect(), pane = each.closest('.wide, .scroll, .panel, .facets, .list, main')?.getBoundingClientRect();
                              if (each.checkVisibility() && box.width && !each.closest('.wide, .log') && pane && box.left >= pane.right) cut.push('outside: ' + each.outerHTML.slice(0, 100));
                            }
                            document.adoptedStyleSheets = [];
                            return cut;""", rule)
                        self.assertEqual(cut, [])

    def test_shortcuts_do_nothing_in_fields_or_when_disabled(self):
        with self.serving():
            self.open()
            self.page.element(".empty")
            self.page.type("/")
            self.page.until("document.activeElement.type === 'search'")
            self.page.type("gd?p")
            self.assertEqual(self.page.run("return document.activeElement.value"), "gd?p")
            self.assertEqual(self.page.run("return document.querySelectorAll('dialog').length"), 0)
            self.page.type(Keys.ESCAPE)
            self.page.until("document.activeElement === document.body")
            self.page.type("?")
            self.page.click("dialog input[type=checkbox]")
            self.page.type(Keys.ESCAPE)
            self.page.until("!document.querySelector('dialog')")
            self.page.type("gd")
            self.page.run("return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
            self.assertTrue(self.page.run("return location.pathname").endswith("/pushes"))

    def test_focus_moves_into_views_and_dialogs_and_returns(self):
        with self.serving():
            self.open("pushes")
            self.page.until_text(".state", "live")
            # At first what is around the view is on the way.
            self.page.type(Keys.TAB)
            self.page.until("document.activeElement.matches('.skip')")
            self.page.run("document.activeElement.blur()")
            self.page.type("gf")
            self.page.until("document.activeElement.matches('main') && location.pathname.endsWith('/faults')")
            self.page.type(Keys.TAB)
            self.page.until("document.activeElement.textContent === 'Fault…'")
            self.page.type(Keys.TAB)
            self.page.until("document.activeElement.textContent === 'Record'")
            self.page.type(Keys.TAB)
            self.page.until("document.activeElement.textContent === 'next 3: 429 TooManyRequests'")
            self.page.type("f")
            self.page.until("document.activeElement.matches('dialog select')")
            ActionChains(self.page.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
            self.page.element(".rules b", "429 TooManyRequests · to every push · 3 of 3 left")
            # Focus is where it was.
            self.page.until("!document.querySelector('dialog') && document.activeElement.textContent === 'next 3: 429 TooManyRequests'")

    def test_focus_is_seen_and_not_hidden(self):
        with self.serving():
            self.filled()
            for view in ("pushes?at=2", "faults"):
                self.open(view)
                self.page.until("document.querySelector('.panel, .rules li')")
                for _ in range(30):
                    self.page.type(Keys.TAB)
                    fault = self.page.run("""
                        const element = document.activeElement;
                        if (element === document.body) return null;
                        const style = getComputedStyle(element), box = element.getBoundingClientRect();
                        if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) return 'no ring: ' + element.outerHTML.slice(0, 100);
                        const at = document.elementFromPoint(Math.min(innerWidth - 1, box.left + box.width / 2), Math.min(innerHeight - 1, box.top + box.height / 2));
                        return at && (element.contains(at) || at.contains(element)) || element.classList.contains('skip') ? null : 'hidden: ' + element.outerHTML.slice(0, 100);""")
                    self.assertIsNone(fault)


class Tabs(PageTest):
    def test_six_tabs_share_one_stream(self):
        with self.serving():
            tabs = []
            for _ in range(6):
                self.page.driver.switch_to.new_window("tab")
                tabs.append(self.page.driver.current_window_handle)
                self.open()
                self.page.until_text(".state", "live")
            self.provider.alert("to all tabs")
            for tab in tabs:
                self.page.driver.switch_to.window(tab)
                self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")
            # The one that reads goes; another takes its place.
            self.page.driver.switch_to.window(tabs[0])
            self.page.driver.close()
            self.provider.alert("to those that are left")
            for tab in tabs[1:]:
                self.page.driver.switch_to.window(tab)
                self.page.until("document.querySelectorAll('tr[data-sequence]').length === 2")

    def test_the_page_stays_readable_offline_and_recovers(self):
        with Server() as server:
            port, admin = server.port, server.admin
            with Provider(server) as provider:
                provider.alert("Hello")
            self.page.open(f"{admin}/ui/")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")
        self.page.element(".banner", "Server unreachable")
        self.assertEqual(self.page.run("return getComputedStyle(document.querySelector('main')).filter"), "grayscale(1)")
        self.assertEqual(self.page.rows(), [1])
        # What would ask the server cannot be pressed, and says why; what need not ask it can.
        self.page.until("Array.from(document.querySelectorAll('[data-asks]')).every((each) => each.disabled && each.title.includes('Server unreachable'))")
        self.assertGreater(self.page.run("return document.querySelectorAll('[data-asks]').length"), 1)
        self.assertEqual(self.page.run("return document.querySelectorAll('main button:disabled:not([data-asks])').length"), 0)
        with Server("--admin-port", admin.rpartition(":")[2], "--port", str(port)) as server, Provider(server) as provider:
            self.page.try_now()
            self.page.element(".empty", "No pushes yet")
            self.page.until("!document.querySelector('[data-asks]:disabled')")
            provider.alert("again")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")
            self.page.complaints()


if __name__ == "__main__":
    unittest.main()
