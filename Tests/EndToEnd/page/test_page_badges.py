"""What needs a look in another view is told beside its name; failures come first, and lead to their pushes."""

import json
import pathlib
import tempfile
import unittest

from browser import ALICE, PageTest, Provider
from server import Server, device

EXPECT = [{"name": "all good", "requests": {"status": 200}, "count": {"atLeast": 0}}, {"name": "two refused", "requests": {"status": 400}, "count": 2},
          {"name": "one only", "requests": {"device": "alice"}, "count": 1}]
SCENARIO = {"devices": [{"name": "alice", "token": ALICE}, {"name": "bob", "token": device(2), "online": False}], "expect": EXPECT}
# Seven pushes that came near, and each differs in two fields: more than today's server names.
SEVEN = """
const ask = window.fetch;
window.fetch = async (url, ...more) => {
  const answer = await ask(url, ...more);
  if (!String(url).endsWith('/verify')) return answer;
  const found = await answer.json();
  for (const each of found.results) {
    each.nearMisses = each.passed ? [] : [1, 2, 3, 4, 5, 6, 7].map((sequence) => ({sequence, differences: [
      {field: 'status', expected: '400', found: 200}, {field: 'topic', expected: 'another', found: null}]}));
  }
  return Response.json(found);
};"""
# Each question about lint takes a minute, as far as the page can tell.
SLOW = """
const [ask, now] = [window.fetch, performance.now.bind(performance)];
let skew = 0;
performance.now = () => now() + skew;
window.fetch = async (url, ...more) => {
  const answer = await ask(url, ...more);
  if (String(url).includes('/lint?')) skew += 60_000;
  return answer;
};"""
NEAREST = """Array.from(document.querySelectorAll('.results > li:first-child [aria-label="Nearest pushes"]:not(.results details:not([open]) *) th a'), (each) => each.textContent).join()"""


class Badges(PageTest):
    def playing(self):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps(SCENARIO))
        return self.serving("--scenario", str(file))

    def badge(self, view, text):
        self.page.until("(document.querySelector(`nav a[data-view=${given[0]}] .alarm`)?.textContent ?? '') === given[1]", view, text)

    def test_names_under_the_pointer_stay_in_place(self):
        with self.playing():
            self.open("faults")
            self.badge("expect", "2 ✕")
            # A hand that moves over them all the time.
            self.page.run("""
                const nav = document.querySelector('nav');
                window.hand = setInterval(() => nav.dispatchEvent(new PointerEvent('pointermove', {screenX: performance.now()})), 50);""")
            self.provider.push({"aps": {"badge": "7"}})
            badge = "document.querySelector('nav a[data-view=expect] .alarm').textContent"
            self.assertEqual(self.page.until(f"document.title === '(1 ✕) Faults · mock-apns' && {badge}"), "2 ✕")
            self.page.run("clearInterval(hand); document.querySelector('nav').dispatchEvent(new PointerEvent('pointerleave'))")
            self.badge("expect", "1 ✕")

    def test_what_fails_is_told_in_every_view_and_in_the_title(self):
        with self.playing():
            self.open("faults")
            self.badge("expect", "2 ✕")
            self.badge("devices", "1 offline")
            self.badge("lint", "")
            self.page.until("document.title === '(2 ✕) Faults · mock-apns'")
            self.provider.push({"aps": {"badge": "7"}})
            self.badge("lint", "1")
            self.badge("expect", "1 ✕")
            self.page.click("nav a", "Lint")
            self.page.until("document.title === '(1 ✕) Lint · mock-apns'")
            self.assertEqual(self.page.run("return document.querySelector('nav a[data-view=expect] .alarm').title"), "1 expectation fails")
            self.server.post("/api/v1/scenario/check", {})
            self.provider.alert("refused", priority=7, to=device(3))
            self.provider.alert("refused", priority=7, to=device(3))
            self.badge("expect", "")
            self.page.until("document.title === 'Lint · mock-apns'")

    def test_the_badge_of_lint_follows_a_reset(self):
        """However long lint took before."""
        script = self.page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SLOW})
        self.addCleanup(self.page.driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", script)
        for reset in ("Play and reset", "Reset"):
            with self.subTest(reset), self.playing():
                self.provider.push({"aps": {"badge": "7"}})
                self.open("scenario")
                self.badge("lint", "1")
                self.page.element(".verdict.ok", "No mistakes")
                self.page.click(".toolbar button", reset)
                self.page.click("dialog .danger")
                self.badge("lint", "")

    def test_failures_come_first_and_their_pushes_are_links(self):
        with self.playing():
            for number in range(3):
                self.provider.alert(f"Push {number}")
            self.open("expect")
            self.page.until("document.querySelectorAll('.results li').length === 3")
            self.assertEqual(self.page.run("return Array.from(document.querySelectorAll('.results li'), (each) => each.className.trim())"), ["failed", "failed", "passed"])
            self.assertEqual(self.page.run("return document.querySelectorAll('.results li')[1].innerText.match(/numbers .*/)[0]"), "numbers 1, 2 and 3")
            self.page.click(".results li:nth-child(2) a", "2")
            self.page.element("h1", "Push 2")

    def test_at_most_five_near_misses_and_more(self):
        with self.playing():
            for number in range(8):
                self.provider.alert(f"Push {number}")
            self.open("expect")
            # The server names the three nearest.
            self.page.until(f"{NEAREST} === 'Push 8,Push 7,Push 6'")
            script = self.page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SEVEN})
            self.addCleanup(self.page.driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", script)
            self.open("expect")
            self.page.until(f"{NEAREST} === 'Push 1,Push 2,Push 3,Push 4,Push 5'")
            self.page.click(".results > li:first-child summary", "2 more")
            self.page.until(f"{NEAREST} === 'Push 1,Push 2,Push 3,Push 4,Push 5,Push 6,Push 7'")
            self.page.click(".results details[open] a", "Push 7")
            self.page.element("h1", "Push 7")

    def test_findings_of_lint_lead_to_their_first_push(self):
        with self.playing():
            self.provider.alert("fine")
            self.provider.push({"aps": {"badge": "7"}})
            self.open("lint")
            self.page.click(".results a", "push 2")
            self.page.element("h1", "Push 2")

    def test_a_restarted_server_says_so(self):
        with Server() as server:
            port, admin = server.port, server.admin
            self.page.open(f"{admin}/ui/")
            self.page.until_text(".state", "live")
            self.assertFalse(self.page.run("return Array.from(document.querySelectorAll('.banner:not([hidden])')).length"))
        self.page.element(".banner", "Server unreachable")
        with Server("--admin-port", admin.rpartition(":")[2], "--port", str(port)) as server, Provider(server) as provider:
            self.page.try_now()
            self.page.element(".banner", "The server was restarted")
            provider.alert("Hello again")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")
            self.page.click(".banner:not([hidden]) button")
            self.page.until("!document.querySelector('.banner:not([hidden])')")
            self.page.complaints()


if __name__ == "__main__":
    unittest.main()
