"""What the page can do with pushes: explain, group, save, make rules and expectations of them, send GOAWAY."""

import json
import os
import pathlib
import struct
import tempfile
import unittest
import unittest.mock
import urllib.request
import xml.etree.ElementTree

import httpx

import screenshots
from browser import ALICE, PageTest
from server import PATIENCE, TOPIC, until

ROWS = "JSON.stringify(Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence)))"


class Screenshots(unittest.TestCase):
    def test_without_pngquant_pictures_stay_as_they_are(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, PATH=folder):
            picture = pathlib.Path(folder) / "page@2x.png"
            picture.write_bytes(b"as it is")
            screenshots.shrink(picture)
            self.assertEqual(picture.read_bytes(), b"as it is")


class Asked(PageTest):
    """What the page asks the server for: nothing is worked out where the API says it."""

    logs_requests = True

    def paths(self):
        """The paths below the API that were asked for."""
        root = f"{self.server.admin}/api/v1"
        return [url.removeprefix(root) for url in self.page.requested() if url.startswith(root)]

    def test_the_api_supplies_rows_checks_and_current_scenario(self):
        with self.serving():
            self.provider.alert("one", priority=7)
            self.page.requested()
            self.open("pushes/1?tab=why")
            self.page.element(".checks .failed", "priorityIsKnown")
            self.page.until_text(".state", "live")
            self.server.post("/api/v1/rules", {"name": "busy", "then": {"reject": "TooManyRequests"}})
            self.page.click("nav a", "Scenario")
            self.page.click("button", "Reload current")
            self.page.until("document.querySelector('textarea').value.includes('busy')")
            paths = self.paths()
        self.assertIn("/events?fields=row&rate=50", paths)
        self.assertIn("/requests/1/checks", paths)
        self.assertIn("/scenario?current=true", paths)
        self.assertEqual([path for path in paths if path.startswith("/openapi")], [])
        self.assertEqual(paths.count("/events?fields=row&rate=50"), 1)


class Why(PageTest):
    def test_each_check_state_is_shown_in_words(self):
        with self.serving():
            self.provider.alert("bad", priority=7)
            self.server.post("/api/v1/rules", {"name": "busy", "times": 1, "then": {"reject": "TooManyRequests"}})
            self.provider.alert("scripted")
            self.open("pushes/1?tab=why")
            self.page.element(".checks .failed", "failed: ")
            failed = self.page.text(".checks .failed")
            for text in ("priorityIsKnown", "7", "Apple documents it", "developer.apple.com"):
                self.assertIn(text, failed)
            self.page.element(".checks .passed", "passed: ")
            self.page.element(".checks .notReached", "not reached: ")
            self.open("pushes/2?tab=why")
            self.page.until_text(".panel", "Decided by the rule busy")
            # None of the checks was asked, so none is listed.
            self.page.until_text(".panel", "before any check")
            self.assertEqual(self.page.run("return document.querySelectorAll('.checks li').length"), 0)

    def test_a_rule_that_lets_the_checks_decide_hides_none(self):
        with self.serving():
            self.server.post("/api/v1/rules", {"name": "slow", "then": {"pass": True, "delay": "10ms"}})
            self.provider.alert("x")
            self.open("pushes/1?tab=why")
            self.page.element(".checks .passed", "passed: ")
            self.assertNotIn("before any check", self.page.text(".panel"))

    def test_a_reason_leads_to_the_table(self):
        with self.serving() as server:
            self.provider.alert("bad", priority=7)
            self.open("pushes/1?tab=why")
            self.page.click(".panel a", "BadPriority")
            self.page.element("main mark", "BadPriority")
            self.page.until("document.querySelector('main mark').closest('tr').querySelector('a')?.textContent === '1'")
            table = dict(self.page.run("return Array.from(document.querySelectorAll('main tbody tr'), (row) => [row.cells[0].textContent, Number(row.cells[1].textContent)])"))
            # Every reason, with the status that it comes with.
            reasons = server.get("/api/v1/openapi.json")["components"]["schemas"]["Reason"]["enum"]
            statuses = {}
            for reason in reasons:
                server.post("/api/v1/rules", {"times": 1, "then": {"reject": reason}})
                statuses[reason] = self.provider.alert("x")
            self.assertEqual(table, statuses)


class Groups(PageTest):
    def test_the_log_is_grouped_on_demand(self):
        with self.serving():
            self.provider.alert("0-1", collapse_id="score")
            self.provider.alert("hello", to="ab" * 32)
            self.provider.alert("1-1", collapse_id="score")
            self.open()
            self.page.until(f"{ROWS} === '[3,2,1]'")
            self.page.run("const s = document.querySelector('select[aria-label=Group]'); s.value = 'collapseID'; s.dispatchEvent(new Event('change'))")
            self.page.until(f"{ROWS} === '[3,1,2]'")
            self.assertEqual(self.page.run("return Array.from(document.querySelectorAll('tr.group button'), (each) => each.textContent.slice(2))"),
                             ["collapse id score · 2 pushes", "no collapse id · 1 push"])
            # It is in the address, a group can be folded, and what comes joins its group.
            self.page.driver.refresh()
            self.page.until(f"{ROWS} === '[3,1,2]'")
            self.page.click("tr.group button", "score")
            self.page.until(f"{ROWS} === '[2]'")
            self.page.click("tr.group button", "score")
            self.provider.alert("2-1", collapse_id="score")
            self.page.until(f"{ROWS} === '[4,3,1,2]'")
            self.open("pushes?group=token")
            self.page.until(f"{ROWS} === '[4,3,1,2]'")
            self.open("pushes?group=apnsID&q=-hello")
            self.page.until("document.querySelectorAll('tr.group').length === 3")


class Saved(PageTest):
    """Files that the browser is handed."""

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.folder)})

    def file(self, name):
        # The browser makes the file empty, and puts the whole one in its place.
        until(lambda: (self.folder / name).is_file() and (self.folder / name).stat().st_size,
              lambda: f"no file {name}, but {list(self.folder.iterdir())}")
        return (self.folder / name).read_bytes()

    def test_a_device_as_svg_and_png(self):
        with self.serving() as server:
            server.post("/api/v1/devices", {"name": "alice", "token": ALICE})
            self.provider.push({"aps": {"alert": {"title": "2-1 <b>&", "body": "Reds lead " * 60}, "badge": 3}})
            self.open("devices/alice")
            self.page.element(".phone .notification", "2-1")
            self.page.click("button", "SVG")
            picture = xml.etree.ElementTree.fromstring(self.file("alice.svg"))
            texts = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
            self.assertIn("2-1 <b>&", texts)
            self.assertIn("alice", texts)
            self.assertTrue(any("badge 3" in text for text in texts), texts)
            self.assertTrue(texts[-1].endswith("…"), texts)
            self.page.click("button", "PNG")
            image = self.file("alice.png")
            self.assertEqual(image[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(struct.unpack(">II", image[16:24]), tuple(2 * int(picture.get(side)) for side in ("width", "height")))

    def test_found_pushes_and_the_report_can_be_saved(self):
        with self.serving() as server:
            for number in range(3):
                self.provider.alert(f"Push {number}", **({"priority": 7} if number == 1 else {}))
            self.open("pushes?status=4xx")
            self.page.until(f"{ROWS} === '[2]'")
            self.page.click("button", "Export")
            lines = [json.loads(line) for line in self.file("pushes.jsonl").splitlines()]
            self.assertEqual(lines, [server.get("/api/v1/requests/2")])
            self.open("expect")
            self.page.click("button", "JUnit")
            self.assertEqual(xml.etree.ElementTree.fromstring(self.file("mock-apns.junit.xml")).tag, "testsuites")


class Made(PageTest):
    """What is made of a push."""

    def test_a_rule_and_an_expectation(self):
        with self.serving() as server:
            self.provider.alert("again")
            self.open("pushes/1?tab=copy")
            self.page.click(".panel button", "Rule")
            self.page.until_text(".panel pre", '"name": "like 1"')
            self.page.click(".panel button", "Add this rule")
            self.page.element(".toast", "decides from now on")
            self.assertEqual(self.provider.alert("other"), 200)
            self.assertEqual(self.provider.alert("again"), 429)
            self.page.click(".panel button", "Expectation")
            self.page.click(".panel button", "Try it")
            self.page.element(".results .passed", "is answered 200")
            self.assertIn("/alert", self.page.run("return document.querySelector('textarea').value"))
            self.assertEqual(server.get("/api/v1/rules")["rules"][0]["name"], "like 1")

    def test_trying_it_finds_the_box(self):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps({"expect": [{"name": f"expectation {number}", "requests": {"collapseID": str(number)}, "count": 0} for number in range(60)]}))
        with self.serving("--scenario", str(file)):
            self.provider.alert("again")
            self.open("pushes/1?tab=copy")
            self.page.click(".panel button", "Expectation")
            self.page.click(".panel button", "Try it")
            self.page.until("document.activeElement.tagName === 'TEXTAREA' && document.activeElement.value.includes('again')")
            self.page.until("document.querySelectorAll('.results > li').length > 60")
            self.assertTrue(self.page.run("const box = document.querySelector('textarea').getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight"))

    def test_what_cannot_be_kept_of_a_sender_is_told(self):
        with self.serving() as server:
            self.provider.alert("by the same key")
            # The server has no other key to sign with.
            with httpx.Client(http2=True, verify=server.tls(), timeout=PATIENCE) as client:
                client.post(f"{server.url}/3/device/{ALICE}", headers={"apns-topic": TOPIC, "apns-push-type": "alert"}, json={"aps": {"alert": "without a provider token"}})
            self.open("pushes/1")
            self.page.click("main button", "Send again")
            self.page.element(".toast", "Sent again as 3: 200 OK.")
            self.assertNotIn("Sent by", self.page.text(".toast"))
            self.open("pushes/2")
            self.page.click("main button", "Send again")
            self.page.element(".toast", "Sent again as 4: 200 OK. Sent by key ABC123DEFG of team DEF123GHIJ; the original was sent by a client without a provider token.")

    def test_what_the_page_sent_is_told_apart(self):
        with self.serving() as server:
            self.provider.alert("from a provider")
            server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"alert": "from here"}}})
            self.open("pushes")
            self.page.until(f"{ROWS} === '[2,1]'")
            self.page.element("tr[data-sequence='2'] .mark", "sent here")
            self.assertNotIn("sent here", self.page.text("tr[data-sequence='1']"))
            self.open("pushes?q=is:sent")
            self.page.until(f"{ROWS} === '[2]'")
            self.open("pushes/2")
            self.page.until_text(".facts", "the admin API")


class Connections(PageTest):
    logs_requests = True

    def test_goaway_with_its_settings_to_one_connection(self):
        with self.serving() as server:
            self.provider.alert("x")
            self.open("providers")
            self.page.click("td button", "GOAWAY")
            self.page.element("dialog", "GOAWAY to connection")
            self.page.run("""
                const [reason, code, last, then] = document.querySelectorAll('dialog select');
                reason.value = 'IdleTimeout'; code.value = 'ENHANCE_YOUR_CALM'; last.value = 'all'; then.value = 'stayOpen';""")
            self.page.requested()
            self.page.click("dialog button", "Send GOAWAY")
            self.page.element(".toast", "GOAWAY sent: 1 connection")
            self.assertIn(f"{server.admin}/api/v1/connections/1/goaway", self.page.requested())
            (connection,) = server.get("/api/v1/connections")["connections"]
            self.assertEqual((connection["goAwaysSent"], connection["closedAt"]), (1, None))
            self.page.click("td button", "Close…")
            self.page.click("dialog button", "TCP RST")
            self.page.element(".toolbar", "0 open connections")

    def test_an_outage_is_told_with_what_is_left(self):
        with self.serving():
            self.open("faults")
            self.page.click("button", "503 ServiceUnavailable for 30 s")
            self.page.element(".rules b", "503 ServiceUnavailable for 30s · to every push · 1 of 1 left")
            self.assertEqual([self.provider.alert("x") for _ in range(2)], [503, 503])
            self.page.element("main li b", "503 ServiceUnavailable · to every push · ")
            first = self.page.text("main li b")
            self.assertRegex(first, r"· \d+ s left$")
            self.page.until("document.querySelector('main li b').innerText !== given[0]", first)
            # In every view, and what has focus beside it keeps that.
            for name in ("one", "two"):
                self.server.post("/api/v1/rules", {"name": name, "times": 1, "then": {"pass": True}})
            self.open("scenario")
            self.page.click(".fault-chip .chip", "3 faults")
            self.page.element(".in-force li", "answered by the checks · to every push · 1 of 1 left")
            self.page.until("document.querySelector('.in-force [aria-label=\"End two\"]').focus() ?? true")
            for _ in range(2):
                told = self.page.text(".in-force li")
                self.assertRegex(told, r"^503 ServiceUnavailable · to every push · \d+ s left\s*✕$")
                self.page.until("document.querySelector('.in-force li').innerText !== given[0]", told)
                self.assertEqual(self.page.run("return document.activeElement.ariaLabel"), "End two")
            self.assertEqual(self.provider.alert("x"), 503)
            self.page.click(".in-force [aria-label='End the outage']")
            self.page.element(".fault-chip", "2 faults")
            self.assertEqual(self.provider.alert("x"), 200)

    def test_an_outage_on_a_manual_clock_is_ended(self):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps({"clock": {"manual": "2026-11-21T10:00:00Z"}}))
        with self.serving("--scenario", str(file)):
            self.open("faults")
            self.page.click("button", "503 ServiceUnavailable for 30 s, from the next push")
            self.page.element(".fault-chip", "1 fault")
            self.assertEqual(self.provider.alert("x"), 503)
            # It does not pass by itself.
            self.page.element("main li b", "30 s left on the manual clock")
            self.page.click(".fault-chip .chip")
            self.page.element(".in-force li", "30 s left on the manual clock")
            self.page.click("main li button", "End")
            self.page.until("document.querySelector('.fault-chip').hidden && !document.querySelector('main').innerText.includes('Outages')")
            self.assertEqual(self.provider.alert("x"), 200)


class Broken(PageTest):
    """What is said when something is missing."""

    def test_the_limit_of_the_log(self):
        with self.serving("--log-limit", "2000"):
            self.server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"alert": "x"}}, "repeat": 1000})
            for _ in range(6):
                self.server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"alert": "x"}}, "repeat": 1000})
            until(lambda: self.server.get("/api/v1/summary")["log"]["dropped"] > 0, lambda: "nothing was dropped")
            self.open("pushes")
            self.page.element(".note", "dropped (--log-limit)")

    def test_missing_records_are_found_by_apns_id(self):
        with self.serving() as server:
            server.post("/api/v1/devices", {"token": ALICE, "online": False})
            self.provider.alert("Hello", expiration=4000000000)
            record = server.get("/api/v1/requests/1")
            self.open("pushes/99")
            self.page.until_text(".state", "live")
            self.page.element(".detail", "not in the log")
            self.page.complaints()
            self.page.run("document.querySelector('.detail input').value = arguments[0]", record["apnsID"])
            # What is typed stays when something happens to another push.
            asked = "performance.getEntriesByType('resource').filter(({name}) => name.includes('/requests/99')).length"
            before = self.page.run(f"return {asked}")
            server.patch(f"/api/v1/devices/{ALICE}", {"online": True})
            self.page.until(f"{asked} >= given[0] + 2", before)
            self.page.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            self.page.complaints()
            self.page.click(".detail form button")
            self.page.until_text("h1", "Push 1")

    def test_no_devices_and_no_javascript(self):
        with self.serving() as server:
            self.open("devices")
            self.page.element(".empty", "first push to its token")
            self.open("devices/nobody")
            self.page.element(".empty", "No such device")
            # It may ask again, and is left before what it complained of is forgotten.
            self.page.open("about:blank")
            self.page.complaints()
            with urllib.request.urlopen(server.admin + "/ui/") as answer:
                self.assertIn("<noscript>", answer.read().decode())


if __name__ == "__main__":
    unittest.main()
