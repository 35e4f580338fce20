"""What the page says of things as they are now: a moved clock, an app that is gone, a view without a server, a wrong token,
what cannot be judged."""

import json
import pathlib
import tempfile
import time
import unittest

from browser import ALICE, Keys, PageTest, Provider
from server import TOPIC, Server, device, until

MANUAL = {"clock": {"manual": "2026-11-21T10:00:00Z"}, "devices": [{"name": "alice", "token": ALICE}]}
WRITE = "const a = document.querySelector(arguments[0]); a.value = arguments[1]; a.dispatchEvent(new Event('input', {bubbles: true}))"


class StateTest(PageTest):
    def playing(self, scenario, *options):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps(scenario))
        return self.serving("--scenario", str(file), *options)

    def send(self, payload, **more):
        return self.server.post("/api/v1/pushes", {"device": "alice", "payload": payload, **more})


LOCALIZED = {
    "devices": [{"name": "alice", "token": ALICE}],
    "apps": [{"topic": TOPIC, "strings": {"en": {"MOVE": "%@ has moved"}}}],
}
TEXTS = "Array.from(document.querySelectorAll('td.c6'), (cell) => cell.textContent).join()"


class Texts(StateTest):
    def test_localised_alerts_are_logged_as_people_read_them(self):
        with self.playing(LOCALIZED):
            self.open()
            self.provider.push({"aps": {"alert": {"loc-key": "MOVE", "loc-args": ["Bob"]}}})
            self.provider.push({"aps": {"alert": {"title-loc-key": "WON", "loc-key": "MOVE"}}})
            self.provider.push({"aps": {"alert": {"subtitle": "Only this"}}})
            read = "Only this,WON,Bob has moved"
            self.page.until(f"{TEXTS} === given[0]", read)
            # As they came, as they are read again, and as they are found.
            for address in ("", "pushes?q=device:alice"):
                self.open(address)
                self.page.until(f"{TEXTS} === given[0]", read)
            self.open("pushes?at=1")
            self.page.until_text(".detail .title", "Bob has moved")
            self.open("devices/alice")
            self.page.until("Array.from(document.querySelectorAll('.history .foreign'), (each) => each.textContent).join() === given[0]", read)


class Devices(StateTest):
    def test_times_pass_on_a_screen_where_nothing_happens(self):
        scenario = {"devices": [{"name": "alice", "token": ALICE}, {"name": "bob", "token": device(2), "online": False}]}
        with self.playing(scenario):
            self.provider.alert("Hello")
            for view, place in (("devices/alice", ".phone .when"), ("devices", ".card .when")):
                self.open(view)
                before = self.page.text(place)
                self.page.until("document.querySelector(given[0]).innerText !== given[1]", place, before)
            self.provider.alert("Later", to=device(2), expiration=int(time.time()) + 9)
            self.open("devices/bob")
            before = self.page.text(".stored li")
            self.assertRegex(before, r"expires .*, in \d+ s$")
            self.page.until("document.querySelector('.stored li').innerText !== given[0]", before)
            self.page.until("!document.querySelector('.stored li')")
            self.page.element(".history", "Discarded")

    def test_refused_pushes_are_never_shown_as_replaced(self):
        rules = [{"name": "busy", "times": 1, "then": {"reject": "TooManyRequests"}}]
        with self.playing({"devices": [{"name": "alice", "token": ALICE}], "rules": rules}):
            for number in (1, 2, 3):
                self.provider.alert(f"Move {number}", collapse_id="game")
            self.open("devices/alice")
            self.page.element(".history li", "Push 3 has")
            self.assertEqual(
                self.page.run("return Array.from(document.querySelectorAll('.history li'), (each) => each.lastChild.textContent)"),
                ["The device shows a notification.",
                 "The device shows a notification. Push 3 has the same collapse id, and took its place.", ""])

    def test_screens_follow_a_clock_that_is_moved(self):
        with self.playing(MANUAL):
            self.provider.alert("Hello")
            self.open("devices/alice")
            self.page.until_text(".phone .time", "10:00")
            self.page.until_text(".phone .when", "now")
            self.server.post("/api/v1/clock/advance", {"by": "65m"})
            self.page.until_text(".phone .time", "11:05")
            self.page.until_text(".phone .when", "1 h ago")
            self.open("devices")
            self.page.until_text(".card .when", "1 h ago")
            self.server.post("/api/v1/clock/advance", {"by": "2h"})
            self.page.until_text(".card .when", "3 h ago")

    def test_what_was_replaced_on_the_screen_says_so(self):
        with self.playing(MANUAL):
            for text in ("0-1", "1-1", "2-1"):
                self.provider.alert(text, collapse_id="score")
            self.provider.alert("other", collapse_id="weather")
            self.open("devices/alice")
            self.page.until("document.querySelectorAll('.history li').length === 4")
            marks = self.page.run("return Array.from(document.querySelectorAll('.history li'), (each) => each.lastChild.textContent)")
            shown = "The device shows a notification."
            replaced = [f"{shown} Push {number} has the same collapse id, and took its place." for number in (3, 2)]
            self.assertEqual(marks, [shown, shown, *replaced])
            for sequence, says in ((1, "Push 2 has the same collapse id"), (3, "")):
                self.open(f"pushes/{sequence}?tab=screen")
                self.page.element(".panel .notification", "1")
                self.assertEqual("took its place" in self.page.text(".panel"), bool(says))
                self.assertIn(says, self.page.text(".panel"))

    def test_with_the_app_its_notifications_are_gone(self):
        with self.playing(MANUAL):
            self.provider.alert("Hello")
            self.open("devices/alice")
            self.page.element(".phone .notification", "Hello")
            self.page.click("button", "Uninstall")
            self.page.until_text(".phone", "Nothing on the screen")
            self.page.element(".toolbar", "uninstalled (410)")
            self.page.element(".history", "Hello")
            self.open("devices")
            self.page.element(".card", "Nothing on the screen")
            self.page.click(".card a", "alice")
            self.page.click("button", "Register again")
            self.page.until("!document.querySelector('.toolbar').textContent.includes('uninstalled')")


class Expectations(StateTest):
    def test_pushes_from_the_page_are_expected_from_it(self):
        with self.playing(MANUAL):
            self.send({"aps": {"alert": "from here"}})
            self.open("expect")
            # The example is made of what was pushed.
            self.page.element(".empty", "from here")
            self.open("pushes/1?tab=copy")
            self.page.click(".panel button", "Expectation")
            self.page.click(".panel button", "Try it")
            self.page.element(".results .passed", "is answered 200")
            self.assertIn('"sentBy": "admin"', self.page.run("return document.querySelector('textarea').value"))
            # What is tried stays while another view is open.
            self.page.click("nav a", "Faults")
            self.page.element("h1", "Faults")
            self.page.click("nav a", "Expectations")
            self.page.element(".results .passed", "is answered 200")

    def test_unjudgeable_expectations_are_not_shown_as_failed(self):
        with self.playing(MANUAL | {"expect": [{"name": "one refused", "requests": {"status": 410}, "count": 1}]}, "--log-limit", "1000"):
            self.open("expect")
            self.page.element(".results .failed", "one refused")
            # Those of a scenario are counted as pushes come; what is tried afterwards needs the log.
            for _ in range(4):
                self.send({"aps": {"badge": 1}}, repeat=1000)
            until(lambda: self.server.get("/api/v1/summary")["log"]["dropped"] > 0, lambda: "nothing was dropped")
            self.page.run(WRITE, "textarea", '{"requests": {"status": 410, "sentBy": "admin"}, "count": 1}')
            self.page.element(".results li:not(.failed):not(.passed)", "cannot be judged: ")


class Sending(StateTest):
    def test_all_of_several_are_listed(self):
        with self.playing(MANUAL):
            self.open("send")
            self.page.until("document.querySelector('input[list]').value === 'alice' && document.querySelector('textarea').value.includes('Game')")
            self.page.run("""
                const [times, every] = Array.from(document.querySelectorAll('.send input')).slice(-2);
                times.value = 4; every.value = '300ms';""")
            self.page.click("button.primary", "Send")
            self.page.until("document.querySelectorAll('.history li').length === 4")
            self.assertEqual(self.page.run("return Array.from(document.querySelectorAll('.history a'), (each) => each.textContent)"), ["4", "3", "2", "1"])

    def test_every_template_is_taken(self):
        for scenario in ({}, {"devices": [{"name": "alice", "token": ALICE, "topics": [TOPIC]}]}):
            with self.subTest(scenario), self.playing(scenario):
                self.open("send")
                self.page.until("document.querySelector('textarea').value.includes('Game')")
                names = self.page.run("return Array.from(document.querySelectorAll('[aria-label=Templates] button'), (each) => each.textContent)")
                for number, name in enumerate(names, 1):
                    self.page.click("[aria-label=Templates] button", name)
                    self.page.click("button.primary", "Send")
                    self.page.until("document.querySelectorAll('.history li').length === given[0]", number)
                    self.assertIn("200 OK", self.page.text(".history li"), name)


class Searching(StateTest):
    def test_the_count_is_of_what_is_shown(self):
        with self.playing({"devices": [{"name": "alice", "token": ALICE, "online": False}]}):
            for number in range(5):
                self.provider.alert(str(number), expiration=4102444800)
            self.open("pushes?q=is:replaced")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 4")
            self.page.until_text(".note", "4 pushes found.")

    def test_paused_is_a_state(self):
        with self.serving():
            self.provider.alert("first")
            self.open()
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")
            self.page.until_text(".state", "live")
            self.page.type("p")
            self.page.until_text(".state", "paused")
            self.page.until("document.querySelector('.toolbar [aria-pressed=true]').textContent === 'Go on'")
            self.provider.alert("second")
            self.page.element(".news", "1 new")
            self.page.type("p")
            self.page.until_text(".state", "live")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 2")
            # It is the log that is paused, so it is over with it.
            self.page.click("button", "Pause")
            self.page.until_text(".state", "paused")
            self.page.click("nav a", "Devices")
            self.page.until_text(".state", "live")
            self.page.click("nav a", "Pushes")
            self.page.until("document.querySelector('.toolbar [aria-pressed=false]').textContent === 'Pause'")

    def test_times_of_the_day(self):
        with self.serving():
            self.provider.alert("x")
            for time, is_one in (("25:99", False), ("12:60", False), ("soon", False), ("00:00", True), ("00:00:00", True), ("2026-01-31", True),
                                 ("2026-01-31T10:00:00Z", True)):
                with self.subTest(time):
                    self.open(f"pushes?q=after:{time}")
                    self.page.element(".chip" if is_one else ".chip.wrong", time)
                    self.assertEqual(self.page.run("return document.querySelectorAll('.chip.wrong').length"), 0 if is_one else 1)


class Why(StateTest):
    def test_every_check_shows_findings_and_basis(self):
        with self.serving():
            self.provider.alert("bad", priority=7)
            self.open("pushes/1?tab=why")
            self.page.element(".checks .failed", "priorityIsKnown")
            checks = self.server.get("/api/v1/requests/1/checks")["checks"]
            self.assertGreater(len([each for each in checks if each["state"] == "passed"]), 5)
            for each in checks:
                row = self.page.run("return Array.from(document.querySelectorAll('.checks li')).find((each) => each.textContent.includes(arguments[0]))?.textContent", each["check"])
                for member in ("expected", "found", "source"):
                    self.assertIn(each[member] or "", row)
            self.page.click(".checks .passed summary")
            self.page.element(".checks .passed .facts", "Basis")


class Doors(StateTest):
    def test_a_wrong_token_is_told(self):
        with self.serving("--admin-token", "s3cret"):
            self.page.open(self.server.admin)
            self.page.element("dialog", "requires a token")
            self.page.type("wrong", Keys.ENTER)
            self.page.element("dialog", "That token is wrong.")
            self.page.type("s3cret", Keys.ENTER)
            self.page.until_text(".state", "live")
            self.page.complaints()  # the 401s

    def test_views_opened_offline_load_when_the_server_returns(self):
        with Server() as server:
            port, admin = server.port, server.admin
            self.page.open(f"{admin}/ui/")
            self.page.until_text(".state", "live")
        self.page.element(".banner", "Server unreachable")
        self.page.click("nav a", "Send")
        self.page.element("main > p", "Opened without the server")
        with Server("--admin-port", admin.rpartition(":")[2], "--port", str(port)) as server, Provider(server):
            self.page.try_now()
            self.page.until("!document.querySelector('main > p')")
            self.page.until("document.querySelector('textarea').value.includes('Game')")
            # What was told as failed is over.
            self.assertEqual(self.page.run("return document.querySelectorAll('.toast.error').length"), 0)
            self.page.complaints()

    def test_error_messages_leave_with_their_view(self):
        with self.serving():
            self.open("channels")
            self.page.run("document.querySelectorAll('form input')[1].value = 'no topic'")
            self.page.click("button", "Create")
            self.page.element(".toast.error", "topic")
            self.page.click("nav a", "Faults")
            self.page.until("!document.querySelector('.toast.error')")
            self.page.complaints()  # the 400


if __name__ == "__main__":
    unittest.main()
