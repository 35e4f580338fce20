"""Lint on the page: marks in the log, the findings of one push, those of the log by rule, and those of what is written."""

import json
import unittest
import urllib.parse
import urllib.request

import httpx

from browser import ALICE, PageTest
from server import PATIENCE, TOPIC

GOOD = {"aps": {"alert": {"title": "2-1", "body": "Reds lead"}}}
BADGE = {"aps": {"badge": "1"}}
CASE = {"aps": {"badge": 1, "sound": "Default"}}
WRITE = "const a = document.querySelector('textarea'); a.value = arguments[0]; a.dispatchEvent(new Event('input', {bubbles: true}))"
SEQUENCES = "Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence))"
MARKS = "Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => row.querySelector('.c7').textContent.trim())"


class Lint(PageTest):
    logs_requests = True

    def until_marks(self, marks):
        self.page.until(f"JSON.stringify({MARKS}) === JSON.stringify(given[0])", marks)

    def play(self, scenario):
        request = urllib.request.Request(f"{self.server.admin}/api/v1/scenario", json.dumps(scenario).encode(), method="PUT")
        urllib.request.urlopen(request, timeout=PATIENCE).close()

    def test_rows_have_marks_of_what_lint_finds(self):
        with self.serving():
            self.provider.push(GOOD)
            self.provider.push(BADGE)
            self.open("pushes")
            self.until_marks(["lint", ""])
            self.provider.push(CASE)
            self.until_marks(["lint", "lint", ""])
            self.assertEqual(self.page.run("return document.querySelector('tr[data-sequence=\"2\"] .mark').title"), "lint finds badge-type (error)")
            # Of what was found by a search, too; and of what was sent from here.
            self.server.post("/api/v1/pushes", {"token": ALICE, "payload": BADGE})
            self.open("pushes?q=payload:/aps/badge")
            self.until_marks(["lint sent here", "lint", "lint"])
            # The rules of another scenario are other ones.
            self.play({"lint": {"rules": {"badge-type": "off"}}})
            self.until_marks(["sent here", "lint", ""])

    def test_rows_are_judged_together_and_not_again(self):
        with self.serving():
            self.open("pushes")
            self.page.element(".empty")
            self.page.requested()
            for _ in range(30):
                self.provider.push(BADGE)
            # The newest row stands first; when it has come and all have marks, nothing is left to ask.
            self.page.until(f"document.querySelector('tr[data-sequence=\"30\"]') && {MARKS}.every((each) => each === 'lint')")
            asked = [url for url in self.page.requested() if "/lint/pushes" in url]
            self.assertLess(len(asked), 10)
            self.page.run("document.querySelector('.scroll').scrollTop = 1")
            self.page.run("document.querySelector('.scroll').scrollTop = 0")
            self.page.run("return new Promise((resolve) => setTimeout(resolve, 2500))")
            self.assertEqual([url for url in self.page.requested() if "/lint/pushes" in url], [])

    def test_rows_are_judged_after_a_lost_answer(self):
        with self.serving():
            self.open("pushes")
            self.page.element(".empty")
            self.page.run("""
                const ask = window.fetch;
                window.lost = 0;
                window.fetch = (url, ...more) => (url.includes('/lint/pushes') && !window.lost++
                  ? Promise.reject(new TypeError('lost')) : ask(url, ...more));
            """)
            self.provider.push(BADGE)
            self.until_marks(["lint"])
            self.assertEqual(self.page.run("return window.lost"), 2)

    def test_one_push(self):
        with self.serving():
            self.provider.push(GOOD)
            self.provider.push(BADGE)
            self.open("pushes/2")
            self.page.click("[role=tab]", "Lint")
            self.page.element(".panel .results", "badge-type")
            text = self.page.text(".panel .results")
            for part in ("error", "/aps/badge", 'is the string "1"', "Generating a remote notification"):
                self.assertIn(part, text)
            self.open("pushes/1?tab=lint")
            self.page.element(".panel .explanation", "Lint finds nothing")
            self.open("pushes/2?tab=lint")
            self.page.click(".panel .results a", "badge-type")
            self.page.until("location.pathname.endsWith('/lint') && location.search === '?rule=badge-type'")
            self.page.element(".results", "badge-type")
            self.page.click("main a", "All rules")
            self.page.until("location.pathname.endsWith('/lint') && !location.search && !document.querySelector('main p > a')")

    def test_the_log_by_rule(self):
        with self.serving():
            self.open("lint")
            self.page.element(".empty", "Lint finds nothing")
            for payload in (BADGE, GOOD, CASE, BADGE | {"game": 4}):
                self.provider.push(payload)
            self.page.element(".verdict", "1 error · 1 warning")
            self.page.element(".results li", "badge-type")
            self.page.click(".results summary", "2 pushes")
            self.page.until("Array.from(document.querySelectorAll('.results li:first-child details a[href*=tab]'), (a) => a.textContent).join() === '4,1'")
            # Two places, in different pushes.
            self.provider.push({"aps": {"alert": {"titel": "A"}, "bagde": 1}})
            self.page.click(".results li:nth-child(2) summary", "Pushes")
            self.page.until("document.querySelector('.results li:nth-child(2) details a').textContent === '5'")
            # What is unfolded stays so when there is more.
            self.provider.push(BADGE | {"game": 6})
            self.page.until("Array.from(document.querySelectorAll('.results li:first-child details a[href*=tab]'), (a) => a.textContent).join() === '6,4,1'")
            self.page.run("const s = document.querySelector('main select'); s.value = 'error'; s.dispatchEvent(new Event('change'))")
            self.page.until("location.search === '?severity=error' && document.querySelectorAll('.results > li').length === 2")
            self.page.click(".results details a", "4")
            self.page.until_text("h1", "Push 4")
            self.page.element(".panel", "badge-type")

    def test_pushes_that_lint_finds_can_be_searched_for(self):
        with self.serving():
            for payload in (GOOD, BADGE, GOOD, CASE, GOOD):
                self.provider.push(payload)
            for search, sequences in (("is:linted", [4, 2]), ("is:linted payload:/aps/sound", [4]), ("lint:badge-type", [2]), ("lint:duplicate-push", [5, 3])):
                with self.subTest(search):
                    self.open("pushes?" + urllib.parse.urlencode({"q": search}))
                    self.page.until(f"JSON.stringify({SEQUENCES}) === JSON.stringify(given[0])", sequences)
                    self.page.element(".chips .chip")
            self.open("pushes?q=-is:linted")
            self.page.element(".chip.wrong", "works without “-”")
            self.open("pushes?q=lint:connection-churn")
            self.page.element(".chip.wrong", "a rule that is about single pushes")
            # There are pushes, only not by that.
            self.page.until("document.querySelector('.note').textContent === ''")
            self.page.complaints()  # the 400 of that search
            # New ones are found, too, and what was found can be deleted.
            self.open("pushes?q=is:linted")
            self.page.until(f"JSON.stringify({SEQUENCES}) === '[4,2]'")
            self.provider.push(BADGE)
            self.page.until(f"JSON.stringify({SEQUENCES}) === '[6,4,2]'")
            self.page.click(".chips button", "As MATCH")
            self.page.element("dialog pre", '"severity": "warning"')
            self.page.click("dialog .head button")
            self.page.click(".toolbar button", "Delete")
            self.page.click("dialog button", "Delete")
            self.page.element(".toast", "3 records deleted")
            self.open("pushes")
            self.page.until(f"JSON.stringify({SEQUENCES}) === '[5,3,1]'")

    def test_findings_about_the_provider_lead_to_their_pushes(self):
        with self.serving():
            for _ in range(2):
                self.provider.push(GOOD)
            for number in range(10):
                self.provider.alert(f"Goal {number}")
            self.open("lint")
            self.page.element(".results li", "duplicate-push")
            listed = "Array.from(document.querySelectorAll('.results > li')).find((each) => each.querySelector('h2').textContent.includes(given[0]))"
            for rule, text in (("duplicate-push", "2 In the log"), ("apns-id-missing", "Push 1 to Push 12")):
                self.page.until(f"{listed}.querySelector('summary').click() ?? true", rule)
                self.page.until(f"{listed}.querySelector('.line').textContent.includes(given[1])", rule, text)
            self.page.complaints()  # the 400 of the rule that lists none
            self.page.click(".results details a", "In the log")
            self.page.until(f"JSON.stringify({SEQUENCES}) === '[2]'")

    def test_findings_about_calls_and_connections_open_what_they_count(self):
        with self.serving():
            channel = self.server.post("/api/v1/channels", {"topic": TOPIC, "name": "final", "storage": "none"})["channelID"]
            fields = {"authorization": f"bearer {self.provider.token}", "apns-push-type": "liveactivity", "apns-priority": "10", "apns-expiration": "0", "apns-channel-id": channel}
            for _ in range(2):
                answer = self.provider.client.post(f"{self.provider.url}/4/broadcasts/apps/{TOPIC}", headers=fields, json={"aps": {"timestamp": 1, "event": "update", "content-state": {}}})
                self.assertEqual(answer.status_code, 200)
            for _ in range(5):
                self.provider.client.post(f"{self.provider.url}/1/apps/{TOPIC}/channels", headers={"authorization": f"bearer {self.provider.token}"},
                                          json={"message-storage-policy": 0, "push-type": "LiveActivity"})
            for number in range(5):
                self.provider.client.close()
                self.provider.client = httpx.Client(http2=True, verify=self.server.tls(), timeout=PATIENCE)
                self.provider.alert(f"Goal {number}")
            listed = "Array.from(document.querySelectorAll('.results > li')).find((each) => each.querySelector('h2').textContent.includes(given[0]))"
            # (rule, what its links say, which is followed, and what is there)
            for rule, text, followed, there in (
                ("date-not-seconds", "Calls about channelsCall 1", "Call 1", "document.querySelector('h1').textContent === 'Call 1'"),
                ("channels-left", "ChannelsCall 3 to Call 7", "Channels", "document.querySelectorAll('[aria-label=Channels] tbody tr').length === 6"),
                ("connection-per-push", "ConnectionsPush 8 to Push 12", "Connections", "document.querySelectorAll('[aria-label=Connections] tbody tr').length === 6"),
            ):
                with self.subTest(rule):
                    self.open("lint")
                    self.page.element(".results h2", rule)
                    self.page.until(f"{listed}.querySelector('summary').click() ?? true", rule)
                    self.page.until(f"{listed}.querySelector('.line').textContent.startsWith(given[1])", rule, text)
                    self.page.complaints()  # the 400 of the rule that lists none
                    self.page.click(".results details a", followed)
                    self.page.until(there)

    def test_what_is_written_is_judged(self):
        with self.serving():
            self.open("send")
            self.page.until("document.querySelector('textarea').value.includes('Game')")
            self.page.run(WRITE, '{"aps": {"alert": {"title": "A"}, "badge": "1"}}')
            self.page.element(".send .results", "badge-type")
            self.page.run(WRITE, '{"aps": {"alert": {"title": "A"}, "interruption-level": "time-sensitive"}}')
            self.page.until("!document.querySelector('.send .results li')")
            self.page.run("const [, s] = document.querySelectorAll('main select'); s.value = '5'; s.dispatchEvent(new Event('change', {bubbles: true}))")
            self.page.element(".send .results", "interruption-level-priority")
            self.page.run("const e = document.querySelector('main input[placeholder=none]'); e.value = '1700000000000'; e.dispatchEvent(new Event('input', {bubbles: true}))")
            self.page.element(".send .results", "expiration-unit")
            # Layout is not sent, and does not count.
            self.page.run(WRITE, '{"aps": {"alert": {"title": "A"}, "badge": "1"}}' + " " * 5000)
            self.page.element(".send .results", "badge-type")
            self.page.until("!document.querySelector('.send .results').textContent.includes('payload-too-large')")
            self.page.run(WRITE, '{"aps": {"badge": 1,}}')
            self.page.element(".send .results", "payload-not-json")
            # Nothing was pushed.
            self.assertEqual(self.server.get("/api/v1/summary")["requestsByAdmin"], 0)


if __name__ == "__main__":
    unittest.main()
