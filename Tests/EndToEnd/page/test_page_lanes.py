"""Attempts of one push stand in a lane, with the gaps between; a strip shows the last minutes of all pushes."""

import datetime
import json
import pathlib
import re
import tempfile
import time
import unittest

from selenium.webdriver.common.action_chains import ActionChains

from browser import ALICE, PageTest
from server import device, until

ID = "123e4567-e89b-12d3-a456-42665544000"
RETRIED = {"devices": [{"name": "alice", "token": ALICE}], "rules": [{"name": "busy", "times": 2, "then": {"reject": "TooManyRequests"}}]}
# What the API is to answer, until it does.
STUB = """
const real = window.fetch, counted = window.asked = [];
window.fetch = (url, options) => {
  if (!String(url).includes('/timeline')) return real(url, options);
  counted.push(String(url));
  return Promise.resolve(new Response(JSON.stringify(ANSWER), {status: STATUS, headers: {'Content-Type': 'application/json'}}));
};"""


def moment(seconds_ago):
    return (datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=seconds_ago)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class StubbedTest(PageTest):
    changes_tabs = True

    def playing(self, scenario):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps(scenario))
        return self.serving("--scenario", str(file))

    def stub(self, answer, status=200):
        source = STUB.replace("ANSWER", json.dumps(answer)).replace("STATUS", str(status))
        self.page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})


class Lanes(StubbedTest):
    def retry(self):
        for _ in range(3):
            self.provider.alert("2-1", id=f"{ID}1")
        for number in range(2):
            self.provider.alert(f"{number}-0", collapse_id="score")
        self.provider.alert("alone", id=f"{ID}2")

    def test_a_device_has_a_lane_for_each_push_that_was_tried_again(self):
        with self.playing(RETRIED):
            self.retry()
            rows = [self.server.get(f"/api/v1/requests/{number}?fields=row") for number in (1, 2, 3)]
            first, last = rows[0]["time"], rows[-1]["time"]
            self.stub({"buckets": [], "marks": [{"from": first, "to": last, "kind": "rule", "name": "busy"}, {"from": moment(999), "to": moment(998), "kind": "outage"}]})
            self.open("devices/alice")
            self.page.until("document.querySelectorAll('.lanes > li').length === 2")
            said = self.page.run("return Array.from(document.querySelectorAll('.lanes > li'), (each) => each.textContent)")
            self.assertRegex(said[0], r"^collapse id score · 2 pushes.*Push 4: 200\+\d+ msPush 5: 200$")
            self.assertRegex(said[1], rf"(?i)^apns-id {ID}1 · 3 pushesPush 1: 429\+\d+ msrule busyPush 2: 429\+\d+ msrule busyPush 3: 200$")
            # The rule was in force in both gaps; the outage long before.
            self.assertEqual(self.page.run("return document.querySelectorAll('.lanes .band').length"), 2)
            self.page.click(".lanes a", "Push 2")
            self.page.element("h1", "Push 2")

    def test_a_group_of_the_log_has_its_attempts_in_its_head(self):
        with self.playing(RETRIED):
            self.retry()
            self.open("pushes?group=apnsID")
            self.page.until("document.querySelectorAll('tr.group').length === 4")
            head = self.page.run("return Array.from(document.querySelectorAll('tr.group'), (each) => each.textContent).find((each) => each.includes('3 pushes'))")
            self.assertRegex(head, r"Push 1: 429\+\d+ msPush 2: 429\+\d+ msPush 3: 200$")
            self.assertEqual(self.page.run("return document.querySelectorAll('tr.group .lane').length"), 1)
            self.open("pushes?group=collapseID")
            self.page.until("document.querySelectorAll('tr.group .lane').length === 1")
            # One that comes joins the lane.
            self.provider.alert("2-0", collapse_id="score")
            self.page.until("document.querySelectorAll('tr.group .lane a').length === 3")
            # Pushes to one device are no attempts of one push.
            self.open("pushes?group=token")
            self.page.until("document.querySelectorAll('tr.group').length === 1")
            self.assertEqual(self.page.run("return document.querySelectorAll('.lane').length"), 0)

    def test_the_head_of_a_group_has_the_room_that_is_there(self):
        """Beside a push that is open, too; what has no room ends in an ellipsis."""
        with self.serving():
            for _ in range(3):
                self.provider.alert("2-1", id=f"{ID}1", collapse_id="W" * 64)
            for group in ("apnsID", "collapseID"):
                with self.subTest(group):
                    self.open(f"pushes?at=1&group={group}")
                    self.page.element(".detail h2", "Push 1")
                    self.page.element("tr.group .lane")
                    isWhole, style, *places = self.page.run("""
                        const button = document.querySelector('tr.group button'), text = document.createRange();
                        text.selectNodeContents(button);
                        const [own, words, lane, cell] = [button, text, document.querySelector('tr.group .lane'), button.closest('td')].map((each) => each.getBoundingClientRect());
                        return [button.scrollWidth <= button.clientWidth, getComputedStyle(button).textOverflow, words.left - own.left, lane.left - own.right, cell.right - own.right];""")
                    self.assertEqual((isWhole, style), (group == "apnsID", "ellipsis"))
                    self.assertTrue(all(place >= 0 for place in places), places)

    def test_long_lanes_are_shortened(self):
        with self.playing({}):
            for number in range(40):
                self.provider.alert(str(number), collapse_id="score")
            self.open("pushes?group=collapseID")
            self.page.until("document.querySelectorAll('.group .lane a').length === 12")
            self.page.element(".group .between", "28 pushes")


class Strip(StubbedTest):
    def bucket(self, ago, **numbers):
        return {"at": re.sub(r"\.\d+Z", ".000Z", moment(ago)), "2xx": 0, "4xx": 0, "5xx": 0, "none": 0, "p50": 2000, "p99": 40_000} | numbers

    def test_the_last_minutes_are_drawn_by_class_with_marks(self):
        with self.playing({}):
            self.provider.alert("x")
            self.stub({"buckets": [self.bucket(50, **{"2xx": 20, "4xx": 5}), self.bucket(20, **{"5xx": 1, "p99": 90_000})],
                       "marks": [{"from": moment(40), "to": moment(30), "kind": "outage", "name": "503"}, {"from": moment(10), "kind": "goAway", "name": "Shutdown"}]})
            self.open()
            self.page.element(".strip svg")
            self.page.until("document.querySelector('.strip svg').getAttribute('aria-label')?.startsWith('26 requests in ')")
            self.assertIn("at most 25/s, p99 at most 90.0 ms", self.page.run("return document.querySelector('.strip svg').getAttribute('aria-label')"))
            for kind in ("s2", "s4", "s5"):
                self.assertTrue(self.page.run("return document.querySelector(`.chart .${arguments[0]}`).getAttribute('d')", kind), kind)
            self.assertEqual(self.page.run("return Array.from(document.querySelectorAll('.chart title'), (each) => each.textContent)"), ["outage 503", "GOAWAY Shutdown"])
            self.assertEqual(self.page.run("return document.querySelector('.strip').offsetHeight"), 64)

    def test_its_place_is_kept_and_slow_answers_are_seen(self):
        with self.playing({"devices": RETRIED["devices"], "rules": [{"name": "slow", "when": {"device": "alice"}, "then": {"pass": True, "delay": "300ms"}}]}):
            self.open()
            self.page.until("document.querySelector('.strip').offsetHeight === 64")
            self.page.until_text(".state", "live")
            self.provider.alert("quick", to=device(2))
            self.page.until("document.querySelector('tr[data-sequence]')")
            before = self.page.run("return document.querySelector('tr[data-sequence]').getBoundingClientRect().top")
            words = "document.querySelector('.strip svg').getAttribute('aria-label')"
            self.page.until(f"{words}?.startsWith('1 request in ')")
            self.assertEqual(self.page.run("return document.querySelector('tr[data-sequence]').getBoundingClientRect().top"), before)
            self.provider.alert("slow", to=ALICE)
            self.page.until(rf"/^2 requests .* p99 at most \d{{3,}}\.\d ms/.test({words})")
            self.open("pushes?q=slower:300ms")
            self.page.until("Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => row.dataset.sequence).join() === '2'")
            self.page.element(".chip", "slower 300ms")

    def test_the_time_since_the_first_push_fills_the_strip(self):
        shown = "Array.from(document.querySelectorAll('.chart [class^=s]'), (each) => each.getAttribute('d')).join('')"
        words = "document.querySelector('.strip svg').getAttribute('aria-label')"
        with self.playing({}):
            self.provider.alert("x")
            # The bars take the strip's larger part, however short or long ago their time is.
            for ago, minutes in ((35, 1), (100, 2), (280, 5), (500, 10)):
                with self.subTest(ago=ago):
                    # A stub stays with its tab.
                    self.page.driver.switch_to.new_window("tab")
                    before = time.monotonic()
                    self.stub({"buckets": [self.bucket(ago, **{"2xx": 3}), self.bucket(2, **{"4xx": 1})], "marks": [{"from": moment(599), "to": moment(599), "kind": "scenario", "name": "old"}]})
                    self.open()
                    self.page.until(f"{words}?.startsWith(given[0])", f"4 requests in {minutes} min, ")
                    start = self.page.run(f"return {words}").split(" from ")[1].split(" ")[0]
                    self.assertRegex(start, r"^\d\d:\d\d:\d\d$")
                    self.page.until("document.querySelector('.chart text').textContent >= given[0]", start)
                    left, right = self.page.run(f"return {shown}.match(/M[\\d.]+/g).map((each) => each.slice(1) / document.querySelector('.chart').clientWidth)")
                    self.assertLess(left, 0.55)
                    # The strip goes on while a busy machine draws it.
                    self.assertGreater(right, 0.9 - (time.monotonic() - before) / 60 / minutes)

    def test_a_part_is_chosen_by_dragging_and_by_fields(self):
        with self.playing({}):
            self.provider.alert("x")
            self.stub({"buckets": [self.bucket(50, **{"2xx": 20})], "marks": []})
            self.open("pushes?q=type:alert")
            self.page.until("document.querySelector('.strip svg').getAttribute('aria-label')")
            x, y, width = self.page.run("const r = document.querySelector('.chart').getBoundingClientRect(); return [r.x, r.y + 30, r.width]")
            actions = ActionChains(self.page.driver, duration=0)
            pointer = actions.w3c_actions.pointer_action
            pointer.move_to_location(int(x + width / 4), int(y)).pointer_down().move_to_location(int(x + width / 2), int(y)).pointer_up()
            actions.perform()
            self.page.until(r"/^type:alert after:\S+ before:\S+$/.test(new URLSearchParams(location.search).get('q'))")
            after, before = self.page.run(r"return new URLSearchParams(location.search).get('q').match(/(?:after|before):(\S+)/g)")
            self.assertLess(after.split(":", 1)[1], before.split(":", 1)[1])
            self.page.element(".chip", "after")
            self.assertEqual(self.page.run("return Array.from(document.querySelectorAll('.range input'), (each) => each.value)"), [each.split(":", 1)[1] for each in (after, before)])
            # By fields, without a pointer.
            self.page.run("const [a, b] = document.querySelectorAll('.range input'); b.value = ''; a.value = '00:00:00'; a.dispatchEvent(new Event('change'))")
            self.page.until("new URLSearchParams(location.search).get('q') === 'type:alert after:00:00:00'")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")
            self.page.driver.back()
            self.page.driver.refresh()

    def test_a_server_without_a_timeline_has_no_strip(self):
        with self.playing({}):
            self.stub({"error": {"code": "notFound", "message": "no"}}, status=404)
            self.open()
            self.page.until_text(".state", "live")
            self.provider.alert("x")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1 && window.asked.length")
            self.provider.alert("y")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 2")
            self.assertTrue(self.page.run("return document.querySelector('.strip').hidden"))
            until(lambda: self.page.run("return window.asked.length") == 1, lambda: "asked again")


if __name__ == "__main__":
    unittest.main()
