"""Devices on the page: many of them, found and sorted, and what can be done with one from where it is seen."""

import json
import pathlib
import tempfile
import time
import unittest

from selenium.webdriver.common.action_chains import ActionChains

from browser import Keys, PageTest
from server import TOPIC, device
from tasks import Tasks

CLOCK = {"clock": {"manual": "2026-11-21T10:00:00Z"}}
NAMES = "JSON.stringify(Array.from(document.querySelectorAll('.devices h2'), (each) => each.textContent))"
WRITE = "const f = document.querySelector('main input[type=search]'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))"
CHOOSE = "const s = document.querySelector(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change', {bubbles: true}))"


class Devices(PageTest):
    changes_tabs = True

    def playing(self, devices, **more):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps({"devices": devices, **more}))
        return self.serving("--scenario", str(file))

    def few(self):
        return self.playing([
            {"name": "alice", "token": device(1)}, {"name": "bob", "token": device(2), "online": False},
            {"name": "carol", "token": "c" * 64, "registered": False}, {"name": "dave", "token": device(4), "topics": ["com.example.chess"]}])

    def until_names(self, *names):
        self.page.until(f"{NAMES} === JSON.stringify(given[0])", list(names))

    def test_a_device_says_all_that_keeps_a_push_from_its_user(self):
        alice = {"name": "alice", "token": device(1), "notifications": {"authorization": "provisional", "badge": False},
                 "app": {"state": "notRunning", "backgroundRefresh": False},
                 "apps": {"com.example.chess": {"state": "foreground", "presentsInForeground": True}}}
        with self.playing([alice, {"name": "bob", "token": device(2), "notifications": False}]):
            self.open("devices/alice")
            self.page.element("main", "notRunning · no background refresh, com.example.chess foreground · no background refresh · presents in the foreground")
            self.page.element("main", "provisional · no badge")
            self.open("devices/bob")
            self.page.element("main", "Notificationsdenied")

    def test_the_history_has_pushes_to_all_tokens_of_a_device_without_a_name(self):
        topic, token, activity = f"{TOPIC}.push-type.liveactivity", device(7), device(8)
        declared = {"token": token, "topics": [TOPIC], "activities": [{"token": activity, "topic": TOPIC}]}
        with self.playing([declared], liveActivities={"tokens": "own"}):
            self.provider.alert("by its token", to=token)
            start = self.server.get(f"/api/v1/devices/{token}")["pushToStartToken"]
            # The second one ends the activity, and so its token is that of none.
            for to, event, more in ((activity, "update", {}), (activity, "end", {"dismissal-date": 1}),
                                    (start, "start", {"attributes-type": "Game", "attributes": {}, "alert": {"title": "Go"}})):
                aps = {"timestamp": int(time.time()), "event": event, "content-state": {}, **more}
                self.assertEqual(self.provider.push({"aps": aps}, to=to, kind="liveactivity", topic=topic), 200)
            self.open(f"devices/{token}")
            self.page.until("Array.from(document.querySelectorAll('.history li a'), (each) => each.textContent).join() === '4,3,2,1'")
            self.page.click("a", "All in the log")
            self.page.until("Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => row.dataset.sequence).join() === '4,1'")

    def test_the_field_filters_by_any_part(self):
        with self.few():
            self.open("devices")
            self.page.until("document.querySelectorAll('.card').length === 4")
            for text, names in (("LIC", ["alice"]), ("cccc", ["carol"]), ("chess", ["dave"]), ("a0000002", ["bob"]), ("nobody", [])):
                with self.subTest(text):
                    self.page.run(WRITE, text)
                    self.until_names(*names)
            self.page.element(".empty", "No device matches")
            self.page.click("button", "Show all")
            self.page.until("document.querySelectorAll('.card').length === 4 && location.search === ''")
            # It is in the address, and Enter opens what was found first.
            self.open("devices?q=dav")
            self.until_names("dave")
            self.page.type("/", Keys.ENTER)
            self.page.until_text("h1", "dave")

    def test_offline_gone_and_stored_are_shown_alone(self):
        with self.few():
            self.provider.alert("kept", to=device(2))
            self.open("devices")
            for kind, names in (("offline", ["bob"]), ("gone", ["carol"]), ("stored", ["bob"])):
                with self.subTest(kind):
                    self.page.run(CHOOSE, "[aria-label=Show]", kind)
                    self.until_names(*names)
                    self.assertEqual(self.page.run("return location.search"), f"?show={kind}")

    def test_they_are_sorted(self):
        with self.few():
            for to in (1, 4, 2):
                self.provider.alert("x", to=device(to), topic="com.example.chess")
            self.provider.alert("kept", to=device(2))
            # A refused push is one as well.
            self.provider.alert("gone", to="c" * 64)
            self.open("devices")
            self.until_names("carol", "bob", "dave", "alice")
            self.page.run(CHOOSE, "[aria-label=Order]", "name")
            self.until_names("alice", "bob", "carol", "dave")
            self.page.run(CHOOSE, "[aria-label=Order]", "stored")
            self.until_names("bob", "carol", "dave", "alice")
            self.assertEqual(self.page.run("return location.search"), "?sort=stored")

    def test_many_are_rows_and_some_sixty_are_elements(self):
        with self.playing([{"name": f"phone {number}", "token": device(number)} for number in range(1, 201)]):
            self.provider.push({"aps": {"alert": {"title": "Goal"}}}, to=device(150))
            self.open("devices")
            self.page.until("document.querySelectorAll('.many > li').length === 60")
            first = self.page.text(".many > li")
            for text in ("phone 150", "1 received", "200 OK", "Goal"):
                self.assertIn(text, first)
            self.page.element(".toolbar", "200 devices")
            self.page.click("main button", "140 more")
            self.page.until("document.querySelectorAll('.many > li').length === 180")
            self.page.run(WRITE, "phone 15")
            self.page.until("document.querySelectorAll('.card').length === 11 && !document.querySelector('.many')")
            self.page.element(".toolbar", "11 of 200 devices")

    def test_a_thousand_full_screens_take_no_long_task(self):
        with self.playing([{"name": f"phone {number}", "token": device(number)} for number in range(1, 1101)]):
            for number in range(1, 1001):
                self.server.post("/api/v1/pushes", {"device": f"phone {number}", "payload": {"aps": {"alert": {"title": "Goal", "body": "Reds lead " * 20}}}, "repeat": 10})
            with Tasks(self.page.driver) as tasks:
                self.open("devices")
                self.page.until("document.querySelectorAll('.many > li').length === 60")
                self.page.element(".toolbar", "1,000 devices")
                for number in range(3):
                    self.provider.alert("one more", to=device(900 + number))
                    self.page.until("document.querySelector('.many > li').textContent.includes(given[0])", f"phone {900 + number}")
                # A frame tells the page's thread from others.
                self.page.driver.execute_async_script("requestAnimationFrame(arguments[0])")
            print(f"\nnone of {len(tasks.times)} tasks took more than {max(tasks.times) * 1000:.0f} ms of CPU time")
            # Twice as long as may be on a machine with nothing else to do.
            self.assertLess(max(tasks.times), 0.1)
            # The last hundred are found by their whole names only.
            self.page.element(".muted", "Among the first 1,000; a whole name or token finds any.")
            self.page.run(WRITE, "phone 1100")
            self.until_names("phone 1100")

    def test_what_is_pointed_at_stays_where_it_is(self):
        with self.playing([{"name": f"phone {number}", "token": device(number)} for number in range(1, 41)]):
            self.open("devices")
            self.page.until(f"JSON.parse({NAMES})[0] === 'phone 1'")
            self.page.until("document.querySelector('.many h2 a').focus() ?? true")
            self.provider.alert("x", to=device(30))
            self.page.until("document.querySelectorAll('.many > li')[29].textContent.includes('200 OK')")
            self.assertEqual(self.page.run("return document.activeElement.textContent"), "phone 1")
            self.page.run("document.activeElement.blur()")
            self.page.until(f"JSON.parse({NAMES})[0] === 'phone 30'")

    def test_sending_is_addressed_to_the_device(self):
        with self.few():
            self.open("devices")
            self.page.click(".card a[aria-label='Send: dave']")
            # Its topic fits, too.
            addressed = "document.querySelector('input[list]')?.value === given[0] && document.querySelectorAll('main input')[1].value === given[1]"
            self.page.until(addressed, "dave", "com.example.chess")
            self.open("devices/dave")
            self.page.element(".phone")
            self.page.type("s")
            self.page.until(addressed, "dave", "com.example.chess")
            self.page.click("button.primary", "Send")
            self.page.element(".history li", "200 OK")
            self.assertEqual(self.server.get("/api/v1/requests/1")["device"], "dave")
            # Its screen is beside it.
            self.page.element(".sending .phone .notification", "Game Request")
            self.open("devices?q=alice")
            self.page.until("document.querySelector('.card h2 a')?.focus() ?? document.activeElement.textContent === 'alice'")
            self.page.type("s")
            self.page.until(addressed, "alice", TOPIC)

    def test_control_and_enter_send_after_the_key_s(self):
        """Nothing has focus but the view."""
        with self.few() as server:
            self.provider.alert("Hello")
            for number, address in enumerate(("pushes?at=1", "devices/alice"), 1):
                with self.subTest(address):
                    self.open(address)
                    self.page.element("main h1, main h2")
                    self.page.type("s")
                    self.page.until("location.pathname.endsWith('/send') && document.querySelector('.send textarea').value && document.activeElement.matches('body, main')")
                    ActionChains(self.page.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
                    self.page.until("document.querySelectorAll('.history li').length === given[0]", number)
            self.assertEqual(server.get("/api/v1/requests?sentBy=admin")["total"], 2)

    def test_actions_stay_in_sight(self):
        with self.playing([{"name": "alice", "token": device(1)}]):
            for number in range(30):
                self.provider.push({"aps": {"alert": f"Push {number}", "thread-id": str(number)}}, to=device(1))
            self.open("devices/alice")
            self.page.until("document.querySelectorAll('.phone .notification').length === 30")
            self.page.run("document.querySelector('main').scrollTop = 1e6")
            self.page.until("document.querySelector('main').scrollTop > 500")
            seen = self.page.run("const b = Array.from(document.querySelectorAll('button')).find((each) => each.textContent === 'Go offline').getBoundingClientRect();"
                                 "return document.elementFromPoint(b.x + 5, b.y + 5).textContent")
            self.assertEqual(seen, "Go offline")

    def test_what_is_stored_while_power_is_saved_waits_for_normal_power(self):
        with self.playing([{"name": "carol", "token": device(3), "power": "saving"}]):
            self.provider.alert("kept", to=device(3), priority=5)
            self.open("devices/carol")
            self.page.element("section", "Delivered at normal power, unless expired.")
            self.page.click("button", "Go offline")
            self.page.element("section", "Delivered when online; of priority 5 or 1, at normal power, unless expired.")
            self.page.click("button", "Go online")
            self.page.click("button", "Normal power")
            self.page.element(".phone .notification", "kept")

    def test_what_was_delivered_late_from_storage_is_found(self):
        with self.serving():
            self.server.post("/api/v1/devices", {"name": "bob", "token": device(2), "online": False})
            self.provider.alert("kept", to=device(2), expiration=4000000000)
            self.provider.alert("at once")
            self.open("devices/bob")
            self.page.click("button", "Go online")
            self.page.element(".phone .notification", "kept")
            self.open("pushes")
            self.page.click("button.facet", "(From Storage)1")
            self.page.element(".chips", "From Storage")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")
            self.assertEqual(self.page.rows(), [1])


if __name__ == "__main__":
    unittest.main()
