"""Nothing is cut, and nothing lies over something else: in a narrow window, with text of twice the size, zoomed, in forced colors."""

import unittest

from browser import PageTest
from screenshots import differ, fill
from server import Server

VIEWS = (
    "pushes", "pushes?at=4", "pushes?q=status:429+is:refused", "pushes?group=token", "pushes?at=8&with=7", "pushes/4", "pushes/4?tab=why", "pushes/1?tab=screen",
    "pushes/1?tab=payload", "pushes/1?tab=headers", "pushes/2?tab=lint", "pushes/1?tab=copy", "devices", "devices?q=alice", "devices/alice", "devices/bob",
    "providers", "faults", "expect", "lint", "channels", "channels/final", "send", "scenario", "differences", "reasons?reason=BadPriority", "nowhere",
)
CHECK = """
const faults = [], inner = document.scrollingElement.clientWidth;
const called = (each) => `${each.tagName.toLowerCase()}.${each.className.baseVal ?? each.className} “${(each.ariaLabel || each.textContent).trim().slice(0, 40)}”`;
// What is seen of an element: its box without what its panes cut off.
const seen = (element) => {
  let {left, top, right, bottom} = element.getBoundingClientRect();
  for (let each = element.parentElement; each; each = each.parentElement) {
    const {overflowX, overflowY, position} = getComputedStyle(each), box = each.getBoundingClientRect();
    if (overflowX !== 'visible') [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
    if (overflowY !== 'visible') [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    if (position === 'fixed') break;
  }
  return {left, top, right, bottom};
};
if (document.documentElement.scrollWidth > inner + 1) faults.push(`the document is ${document.documentElement.scrollWidth} px wide`);
const visible = (each) => each.checkVisibility({opacityProperty: true, visibilityProperty: true}) && !each.closest('.sr, .skip');
for (const each of document.querySelectorAll('body *')) {
  if (!visible(each) || each.closest('svg, option, textarea, input, select')) continue;
  const style = getComputedStyle(each);
  const hasText = Array.from(each.childNodes).some((node) => node.nodeType === 3 && node.data.trim());
  // Text that goes on where it cannot be scrolled to, without three dots.
  if (hasText && /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis' && each.scrollWidth > each.clientWidth + 1) faults.push(`cut: ${called(each)}`);
  if (hasText && /hidden|clip/.test(style.overflowY) && each.scrollHeight > each.clientHeight + 2 && !each.matches('.body, .title, .numbers')) faults.push(`cut below: ${called(each)}`);
  // Text beside its pane: out of sight, and no way to scroll to it.
  if (hasText && !each.closest('.distance')) {
    const box = each.getBoundingClientRect();
    let pane = each.parentElement;
    while (pane && getComputedStyle(pane).overflowX === 'visible') pane = pane.parentElement;
    if (pane && getComputedStyle(pane).overflowX === 'hidden' && box.width && box.right > pane.getBoundingClientRect().right + 2
      && (getComputedStyle(pane).textOverflow !== 'ellipsis' || getComputedStyle(pane).display === 'flex') && style.textOverflow !== 'ellipsis') faults.push(`beyond its pane: ${called(each)}`);
  }
}
const panel = document.querySelector('.detail:not([hidden])');
if (panel && panel.offsetWidth < Math.min(280, inner)) faults.push(`a push is ${panel.offsetWidth} px wide`);
const controls = Array.from(document.querySelectorAll(['button, a[href], input, select, textarea, summary, .status', '.log td'].join())).filter(visible).map((each) => [each, seen(each)])
  .filter(([, {left, top, right, bottom}]) => right - left > 2 && bottom - top > 2);
for (let one = 0; one < controls.length; one += 1) for (let other = one + 1; other < controls.length; other += 1) {
  const [[first, a], [second, b]] = [controls[one], controls[other]];
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left), height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width < 2 || height < 2 || first.contains(second) || second.contains(first)) continue;
  // What stays in sight when the rest is scrolled lies over it, and a part of the search over its field.
  const isAbove = (each) => each.closest('thead, .page > .toolbar, .completion, .not');
  if (!isAbove(first) && !isAbove(second)) faults.push(`over each other by ${Math.round(width)} × ${Math.round(height)}: ${called(first)} and ${called(second)}`);
}
return [...new Set(faults)];
"""
# Shapes and words.
STATUS = "return Array.from(document.querySelectorAll('.status')).filter((each) => each.checkVisibility() && !(each.textContent.trim() && each.querySelector('svg'))).length"


class SizeTest(PageTest):
    def emulate(self, width, height=900, **features):
        self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]})

    def look(self, views=VIEWS):
        for view in views:
            with self.subTest(view):
                self.open(view)
                self.page.until_text(".state", "live")
                self.page.until("!location.search.includes('at=') && !/pushes\\/\\d/.test(location.pathname) || document.querySelector('.detail .panel')")
                self.page.run("return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
                self.assertEqual(self.page.run(CHECK), [])
                self.assertEqual(self.page.run(STATUS), 0)


class Windows(SizeTest):
    changes_tabs = True

    def test_in_a_narrow_window(self):
        with self.serving() as server:
            fill(server, self.provider)
            self.emulate(320, 640)
            self.look()
            # What is beside a push's name goes to the next line together.
            self.open("pushes?at=11")
            self.page.until("Math.abs(document.querySelector('#close').getBoundingClientRect().top"
                            " - document.querySelector('.detail header a').getBoundingClientRect().top) < 8")

    def test_zoomed_to_200_percent(self):
        """Which makes a window of 1280 px one of 640."""
        with self.serving() as server:
            fill(server, self.provider)
            self.emulate(640, 450)
            self.look()

    def test_in_forced_colors(self):
        with self.serving() as server:
            fill(server, self.provider)
            for width in (320, 1280):
                self.emulate(width, forced_colors="active")
                self.look()


    def test_a_relay(self):
        with Server() as upstream, self.serving(upstream=upstream):
            differ(upstream, self.provider)
            for width in (320, 640, 1280):
                self.emulate(width)
                self.look(["differences", "pushes/3", "pushes?at=7"])


class LargeText(SizeTest):
    """For readers who have set their browser's text to 200 %."""

    options = ("--blink-settings=defaultFontSize=32",)

    def test_text_of_twice_the_size(self):
        with self.serving() as server:
            fill(server, self.provider)
            self.open()
            self.assertEqual(self.page.run("return getComputedStyle(document.documentElement).fontSize"), "26px")
            self.emulate(1280)
            self.look()
            self.emulate(640)
            self.look(["pushes", "pushes?at=4", "devices", "faults", "channels"])
            # What is written in the search can be read.
            self.open()
            self.page.until("document.querySelector('input[type=search]').offsetWidth > 200")


if __name__ == "__main__":
    unittest.main()
