"""A push's Screen can be the whole phone as it was right after that push, and keys walk through time with it."""

import unittest

import httpx

from browser import PageTest

PRESSED = "document.querySelector('[aria-pressed=true]:is(#this-push, #whole-phone)')?.textContent"
BODIES = "Array.from(document.querySelectorAll('.phone .body'), (each) => each.textContent).join()"
# Whether there is a phone at every moment.
WATCH = """
window.gaps = 0;
new MutationObserver(() => { if (!document.querySelector('.phone')) window.gaps += 1; }).observe(document.querySelector('main'), {childList: true, subtree: true});
const ask = window.fetch;
window.asked = [];
window.fetch = (url, given) => { window.asked.push([url, given.signal]); return ask(url, given); };"""
PRESS = "for (const key of arguments[0]) document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));"


class Then(PageTest):
    changes_tabs = True

    def pushed(self):
        self.provider.alert("one", collapse_id="score")
        self.provider.alert("two")
        self.provider.alert("three", collapse_id="score")
        self.provider.alert("refused", priority=7)

    def test_the_whole_phone_is_as_it_was(self):
        with self.serving():
            self.pushed()
            self.open("pushes/2?tab=screen")
            self.page.until(f"{PRESSED} === 'This push'")
            self.assertEqual(self.page.run("return document.querySelectorAll('.phone').length"), 0)
            self.page.run("document.querySelector('#whole-phone').focus()")
            self.page.click("#whole-phone")
            self.page.until("location.search === '?tab=screen&screen=phone'")
            self.page.until(f"{BODIES} === 'two,one' && {PRESSED} === 'Whole phone' && document.activeElement.id === 'whole-phone'")
            # A link shows the same.
            self.page.driver.refresh()
            self.page.until(f"{BODIES} === 'two,one'")
            self.page.type("k")
            self.page.until(f"location.pathname.endsWith('/pushes/3') && {BODIES} === 'two,three' && document.title.startsWith('Push 3')")
            self.page.type("k")
            # A push that was refused changes nothing; one of the same collapse id has replaced the other in its place.
            self.page.until(f"location.pathname.endsWith('/pushes/4') && {BODIES} === 'two,three'")
            self.page.type("jjj")
            self.page.until(f"location.pathname.endsWith('/pushes/1') && {BODIES} === 'one'")
            # Times are those of then.
            self.assertEqual(self.page.text(".phone .when"), "now")
            self.page.driver.back()
            self.page.until(f"location.pathname.endsWith('/pushes/2') && {BODIES} === 'two,one'")
            self.page.click("#this-push")
            self.page.until("location.search === '?tab=screen' && !document.querySelector('.phone')")

    def test_keys_walk_through_time_beside_the_list(self):
        for width in (1280, 1600):
            with self.subTest(width=width), self.serving():
                self.pushed()
                self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
                self.open("pushes?at=1&tab=screen&screen=phone")
                self.page.until(f"{BODIES} === 'one' && document.querySelectorAll('tr[data-sequence]').length === 4")
                self.page.until_text(".state", "live")
                self.page.run(WATCH)
                # What is overtaken is abandoned, and nothing is empty meanwhile.
                self.page.run(PRESS, ["k", "k"])
                self.page.until(f"new URLSearchParams(location.search).get('at') === '3' && {BODIES} === 'two,three'")
                self.page.type("j")
                self.page.until(f"new URLSearchParams(location.search).get('at') === '2' && {BODIES} === 'two,one'")
                self.assertEqual(self.page.run("return window.gaps"), 0)
                of = "window.asked.filter(([url]) => /requests\\/NUMBER/.test(url)).map(([, signal]) => Boolean(signal?.aborted))"
                self.assertEqual(set(self.page.run(f"return {of.replace('NUMBER', '2(?!.*checks|.*lint)')}.slice(0, 2)")), {True})

    def test_what_is_no_longer_known_is_said(self):
        with self.serving() as server:
            self.pushed()
            httpx.put(f"{server.admin}/api/v1/scenario", json={}).raise_for_status()
            self.open("pushes/2?tab=screen&screen=phone")
            self.page.element("[role=tabpanel] .explanation:not(.ok)", "Request 2 is older than the scenario that is played now.")
            # The other way is still open.
            self.page.click("#this-push")
            self.page.element("[role=tabpanel] .notification")
            self.page.complaints()  # 404 of the device


if __name__ == "__main__":
    unittest.main()
