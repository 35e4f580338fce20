"""Broadcast channels on the page: what there is, one with its calls, creating and deleting."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest
import urllib.request

from selenium.webdriver.common.action_chains import ActionChains

from browser import ALICE, Keys, PageTest
from server import EXECUTABLE, PATIENCE, TOPIC

# With what standard base64 has and addresses have not.
ID = "+/+/cup+/w=="
KEY = "-_-_cup-_w"
SCENARIO = {
    "channels": [{"name": "final", "topic": TOPIC, "storage": "mostRecent"}],
    "devices": [{"name": "alice", "token": ALICE, "activities": [{"name": "match", "channel": "final"}]}],
}
GRID = "Array.from(document.querySelectorAll('[aria-label=Channels] tbody tr'), (row) => Array.from(row.cells, (cell) => cell.textContent))"

CALLS = "Array.from(document.querySelectorAll('[aria-label=Calls] tbody tr'), (row) => Array.from(row.cells, (cell) => cell.textContent))"


class Channels(PageTest):
    @contextlib.contextmanager
    def playing(self):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps(SCENARIO))
        with self.serving("--scenario", str(file)):
            self.server.post("/api/v1/channels", {"topic": TOPIC, "channelID": ID, "storage": "none"})
            yield

    def call(self, method, path, **more):
        fields = {"authorization": f"bearer {self.provider.token}"} | more.pop("headers", {})
        return self.provider.client.request(method, f"{self.provider.url}{path}", headers=fields, **more)

    def publish(self, channel, state, status=200, **aps):
        fields = {"apns-push-type": "liveactivity", "apns-expiration": "0", "apns-priority": "10", "apns-channel-id": channel}
        aps = {"timestamp": int(time.time()), "event": "update", "content-state": state, "alert": {"title": "Goal", "body": "2-1"}} | aps
        answer = self.call("POST", f"/4/broadcasts/apps/{TOPIC}", headers=fields, json={"aps": aps})
        self.assertEqual(answer.status_code, status, answer.text)

    def ids(self):
        return {each["name"]: each["channelID"] for each in self.server.get("/api/v1/channels")["channels"]}

    def rows(self, number):
        # In one step, since the page may draw it again at any time.
        return self.page.until(f"{GRID}.length === given[0] && {GRID}", number)

    def test_the_list_follows_what_happens(self):
        with self.playing():
            self.open("channels")
            final, cup = self.rows(2)
            self.assertEqual(final, ["final", TOPIC, "sandbox", "most recent message", "1", "0", "Delete"])
            self.assertEqual(cup, [ID, TOPIC, "sandbox", "no message", "0", "0", "Delete"])
            self.publish(self.ids()["final"], {"home": 2})
            self.page.until(f"{GRID}[0][5] === '1'")
            # A provider's own calls are seen as well.
            created = self.call("POST", f"/1/apps/{TOPIC}/channels", json={"message-storage-policy": 0, "push-type": "LiveActivity"})
            self.assertEqual(created.status_code, 201)
            self.assertEqual(self.rows(3)[2][0], created.headers["apns-channel-id"])
            # They are no pushes to a device, so the log has none of them, now or after it is read again.
            self.provider.alert("a push")
            for _ in range(2):
                self.open("pushes")
                self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")

    def test_the_log_takes_no_calls(self):
        with self.playing():
            self.open("pushes")
            self.page.until_text(".state", "live")
            self.publish(self.ids()["final"], {"home": 1})
            self.provider.alert("a push")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length > 0")
            self.assertEqual(self.page.rows(), [2])

    def test_the_log_takes_nothing_that_fits_no_call(self):
        with self.playing():
            self.open("pushes")
            self.page.until_text(".state", "live")
            self.assertEqual(self.call("PUT", f"/1/apps/{TOPIC}/channels").status_code, 405)
            self.provider.alert("a push")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length > 0")
            self.assertEqual(self.page.rows(), [2])

    def test_a_call_leads_back_to_the_channels(self):
        with self.playing():
            self.publish(self.ids()["final"], {"home": 2})
            self.provider.alert("a push")
            self.open("pushes/1")
            self.page.click("main a", "← Channels")
            self.page.until("location.pathname === '/ui/channels'")
            self.open("pushes/1")
            self.page.element("main a", "← Channels")
            self.page.type(Keys.ESCAPE)
            self.page.until("location.pathname === '/ui/channels'")
            self.open("pushes/2")
            self.page.element("h1", "Push 2")
            self.page.click("main a", "← Pushes")
            self.page.until("location.pathname + location.search === '/ui/pushes?at=2'")

    def test_one_channel_and_its_calls(self):
        with self.playing():
            final = self.ids()["final"]
            self.publish(final, {"home": 2})
            self.publish(ID, {"home": 3})
            self.open("channels")
            self.page.click("[aria-label=Channels] a", "final")
            self.page.element(".facts", final)
            self.page.element("[aria-label=Calls] tbody", "publish")
            self.assertEqual(self.page.run("return document.querySelectorAll('[aria-label=Calls] tbody tr').length"), 1)
            self.page.element("[aria-label=Calls] tbody", "200 OK")
            self.page.element("[aria-label=Calls] tbody", "Goal")
            self.publish(final, {"home": 4})
            self.page.until("document.querySelectorAll('[aria-label=Calls] tbody tr').length === 2")
            # A link opens the same again; an id has slashes, and none in the address.
            address = self.page.run("return location.pathname")
            self.assertEqual(address, "/ui/channels/final")
            self.open("channels/final")
            self.page.element(".facts", final)
            self.page.click(".toolbar a", "All channels")
            self.page.click("[aria-label=Channels] a", ID)
            self.page.until("location.pathname === given[0]", f"/ui/channels/{KEY}")
            self.page.element("[aria-label=Calls] tbody", "publish")
            self.page.click("[aria-label=Calls] tbody a")
            self.page.element(".detail", "Call 2")
            self.page.element(".detail .facts", ID)

    def test_published_from_the_page(self):
        with self.playing():
            self.open("channels/final")
            self.page.click(".toolbar button", "Publish…")
            self.page.element("dialog h2", "Publish to final")
            payload = json.dumps({"aps": {"timestamp": int(time.time()), "event": "update", "content-state": {"home": 5}}})
            self.page.run("document.querySelector('dialog textarea').value = arguments[0]", payload)
            # The text has focus, from which keys publish it.
            ActionChains(self.page.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
            self.page.element(".toast", "1: 200 OK")
            self.page.element("[aria-label='Content state'] tbody", "5")
            self.page.element("[aria-label=Calls] tbody", "publish")
            # The dialog begins with what was published before.
            self.page.click(".toolbar button", "Publish…")
            self.page.until("JSON.parse(document.querySelector('dialog textarea').value).aps['content-state'].home === 5")
            self.page.run("document.querySelector('dialog textarea').value = ''")
            self.page.click("dialog .primary", "Publish")
            self.page.element(".toast", "2: 400")
            self.assertEqual(self.server.get("/api/v1/channels")["channels"][0]["published"], 1)

    def test_content_state_over_time_and_subscribers_by_name(self):
        with self.playing():
            final = self.ids()["final"]
            for home, away in ((0, 0), (1, 0), (1, 1)):
                self.publish(final, {"home": home, "away": away})
            self.publish(final, {"home": 9, "away": 9}, event="start")
            self.open("channels/final")
            states = "Array.from(document.querySelectorAll('[aria-label=\"Content state\"] tr'), (row) => Array.from(row.cells, (cell) => (cell.querySelector('mark') ? '*' : '') + cell.textContent).filter((_, index) => index === 0 || index > 2))"
            self.page.until(f"{states}.length === 5")
            # What changed is marked; what devices ignore changes nothing.
            self.assertEqual(self.page.run(f"return {states}"), [
                ["#", "Event", "home", "away", ""], ["4", "start", "9", "9", ""], ["3", "update", "1", "*1", ""], ["2", "update", "*1", "0", ""], ["1", "update", "0", "0", ""]])
            self.page.element("section", "1 subscriber")
            self.page.element("section li", "alice · match · shows Push 3")
            self.publish(final, {"home": 2, "away": 1, "scorer": "Müller"})
            self.page.until(f"{states}[1].join() === '5,update,*2,1,*Müller,'")
            self.page.click("section li a", "alice")
            self.page.element(".phone .activity", "Müller")

    def test_what_is_copied_publishes(self):
        with self.playing():
            self.publish(self.ids()["final"], {"home": 2})
            self.open("channels/final")
            line = self.page.text(".snippet pre")
            with tempfile.TemporaryDirectory() as folder:
                path = f"{pathlib.Path(EXECUTABLE).parent}:{os.environ['PATH']}"
                subprocess.run(["sh", "-euc", line], cwd=folder, check=True, capture_output=True, timeout=PATIENCE, env={**os.environ, "PATH": path, "TMPDIR": folder})
            self.page.until("document.querySelectorAll('[aria-label=\"Content state\"] tbody tr').length === 2")
            record = self.server.get("/api/v1/requests/2")
            self.assertEqual((record["call"], record["status"], record["payload"]["aps"]["content-state"]), ("publish", 200, {"home": 2}))

    def calls(self, number):
        self.page.until(f"{CALLS}.length === given[0]", number)
        return self.page.run(f"return {CALLS}")

    def test_refused_calls_are_found(self):
        """Also those about channels that are in no list: the latest calls of all channels stand below it."""
        with self.playing():
            self.open("channels")
            self.rows(2)
            self.page.element("section", "None in the log.")
            self.publish(self.ids()["final"], {"home": 1})
            self.publish("AAAAAAAAAAAAAAAAAAAAAA==", {"home": 1}, 400)
            management = f"/1/apps/{TOPIC}/channels"
            self.assertEqual(self.call("DELETE", management, headers={"apns-channel-id": ID}).status_code, 204)
            self.publish(ID, {"home": 1}, 400)
            found = [[row[0], *row[2:5]] for row in self.calls(4)]
            self.assertEqual(found, [
                ["4", "publish", ID, "400 ChannelNotRegistered"], ["3", "delete", ID, "204 OK"],
                ["2", "publish", "AAAAAAAAAAAAAAAAAAAAAA==", "400 BadChannelId"], ["1", "publish", "final", "200 OK"]])
            self.page.click("[aria-label=Calls] a", "2")
            self.page.element("h1", "Call 2")
            self.page.element(".explanation", "channel")

    def test_an_ignored_publish_is_told_apart(self):
        with self.playing():
            final = self.ids()["final"]
            self.publish(final, {"home": 1}, event="start")
            self.publish(final, {"home": 2})
            for view in ("channels", "channels/final"):
                with self.subTest(view):
                    self.open(view)
                    self.assertEqual([row[4] for row in self.calls(2)], ["200 OK", "200 ignored"])
                    self.assertEqual(self.page.run("return document.querySelectorAll('[aria-label=Calls] .status.ok').length"), 1)
                    self.assertIn("cannot start", self.page.run("return document.querySelector('[aria-label=Calls] .status.none').title"))
            self.open("pushes/1")
            self.page.element(".detail .facts", "A broadcast cannot start a Live Activity")
            self.page.element(".detail header .status.none", "200 ignored")
            self.open("pushes/1?tab=why")
            self.page.element(".explanation.none", "A broadcast cannot start a Live Activity")

    def test_one_call_is_no_push_to_a_device(self):
        with self.playing():
            self.publish(self.ids()["final"], {"home": 2})
            self.open("pushes/1")
            self.page.element("h1", "Call 1")
            facts = dict(self.page.run("return Array.from(document.querySelectorAll('.facts dt'), (dt) => [dt.textContent, dt.nextSibling.textContent])"))
            for term, value in {"Call": "publish", "Channel": "final", "Subscribers": "1", "Delivered": "1", "Stored": "no"}.items():
                self.assertEqual(facts.get(term), value, facts)
            self.assertEqual(self.page.run("return Array.from(document.querySelectorAll('[role=tab]'), (tab) => tab.textContent)"),
                             ["Summary", "Payload", "Headers", "Why", "Lint", "Use as"])
            self.assertEqual(self.page.run("return Array.from(document.querySelectorAll('.actions > *'), (each) => each.textContent)"), ["Copy curl"])
            # The keys do nothing either.
            self.page.type("r", "f")
            self.assertFalse(self.page.run("return document.querySelector('dialog') !== null"))
            self.assertEqual(self.server.get("/api/v1/summary")["requestsByAdmin"], 0)
            for tab, text in {"screen": "Subscribers", "payload": " of 5120", "why": "All checks passed.", "lint": "Lint finds"}.items():
                with self.subTest(tab):
                    self.open(f"pushes/1?tab={tab}")
                    self.page.element(".panel", text)
            # The arrow keys know the tabs that are there.
            self.open("pushes/1")
            self.page.element("[role=tab]")
            self.page.run("document.querySelector('[role=tab]').focus()")
            self.page.type(Keys.RIGHT)
            self.page.until("document.activeElement.textContent === 'Payload'")

    def test_snippets_made_from_a_call_match_such_calls(self):
        with self.playing():
            self.publish(self.ids()["final"], {"home": 2})
            self.open("pushes/1?tab=copy")
            self.page.click(".panel button", "Swift")
            self.page.until_text(".panel pre", '.call(.publish).channel("final").status(200)')
            self.page.click(".panel button", "Rule")
            self.page.until_text(".panel pre", '"on": "broadcast"')
            self.page.click(".panel button", "Add this rule")
            self.page.element(".toast", "decides from now on")
            self.assertEqual(self.provider.alert("a push"), 200)
            self.publish(ID, {"home": 2})
            self.publish(self.ids()["final"], {"home": 3}, 429)
            self.page.click(".panel button", "Expectation")
            self.page.click(".panel button", "Try it")
            self.page.element(".results .passed", "publish is answered 200")
            tried = json.loads(self.page.run("return document.querySelector('textarea').value"))
            self.assertEqual(tried["requests"], {"call": "publish", "channel": "final", "status": 200})

    def test_copied_as_curl_it_is_the_same_call(self):
        with self.playing():
            apps = f"/1/apps/{TOPIC}"
            self.publish(ID, {"home": 2})
            self.call("POST", f"{apps}/channels", json={"message-storage-policy": 0, "push-type": "LiveActivity"})
            self.call("GET", f"{apps}/all-channels")
            self.call("GET", f"{apps}/channels", headers={"apns-channel-id": ID})
            self.call("GET", f"/4/broadcasts/apps/{TOPIC}")
            self.call("DELETE", f"{apps}/channels", headers={"apns-channel-id": self.ids()["final"]})
            for number in range(1, 7):
                self.open(f"pushes/{number}?tab=copy")
                self.page.element("h1", f"Call {number}")
                line = self.page.text(".panel pre")
                with self.subTest(line), tempfile.TemporaryDirectory() as folder:
                    path = f"{pathlib.Path(EXECUTABLE).parent}:{os.environ['PATH']}"
                    subprocess.run(["sh", "-euc", line], cwd=folder, check=True, capture_output=True, timeout=PATIENCE,
                                   env={**os.environ, "PATH": path, "TMPDIR": folder})
                    one, other = (self.server.get(f"/api/v1/requests/{each}") for each in (number, number + 6))
                    for member in ("method", "path", "call", "payload", "pushType", "expiration", "priority"):
                        self.assertEqual(one[member], other[member])
                    # What is created has an id of its own, and what is deleted is gone.
                    if one["call"] != "create":
                        self.assertEqual(one["channel"], other["channel"])
                    self.assertEqual(other["status"], 404 if one["call"] == "delete" else one["status"])

    def test_devices_name_their_activity_and_channel(self):
        with self.playing():
            self.open("devices/alice")
            self.page.element(".activity h3", "match")
            self.page.element(".activity", "channel final")
            self.publish(self.ids()["final"], {"home": 7})
            self.page.element(".activity .tree", "7")
            self.page.click(".activity a", "final")
            self.page.until("location.pathname === '/ui/channels/final'")
            self.open("devices")
            self.page.element(".card", "match")

    def test_it_is_created_and_deleted(self):
        with self.playing():
            self.open("channels")
            self.rows(2)
            self.page.until("Array.from(document.querySelectorAll('form input'))[1].value === given[0]", TOPIC)
            self.page.run("""
                const [name] = document.querySelectorAll('form input');
                name.value = 'cup'; document.querySelector('form select').value = 'mostRecent';""")
            self.page.click("button", "Create")
            self.page.element(".toast", "Created: cup")
            self.assertEqual(self.rows(3)[2][:4], ["cup", TOPIC, "sandbox", "most recent message"])
            self.assertEqual(self.server.get("/api/v1/channels/cup")["storage"], "mostRecent")
            # What is deleted is never asked for again: the browser would complain of a 404.
            self.open("channels/cup")
            self.page.element(".facts", "most recent message")
            self.page.click("button", "Delete")
            self.page.element("dialog", "Delete the channel cup for good?")
            self.page.click("dialog button.danger", "Delete")
            self.page.until("location.pathname === '/ui/channels'")
            self.page.element(".toast", "Deleted: cup")
            self.assertNotIn("cup", [row[0] for row in self.rows(2)])
            self.page.click("[aria-label='Delete final']")
            self.page.click("dialog button.danger", "Delete")
            self.assertEqual(self.rows(1)[0][0], ID)

    def test_an_open_channel_deleted_elsewhere_is_reported(self):
        with self.playing():
            self.open("channels/final")
            self.page.element(".facts", "most recent message")
            urllib.request.urlopen(urllib.request.Request(f"{self.server.admin}/api/v1/channels/final", method="DELETE"), timeout=PATIENCE).close()
            self.page.element("h1", "No such channel")
            self.publish(ID, {"home": 1})
            self.page.click(".empty a", "All channels")
            self.assertEqual(self.rows(1)[0][5], "1")

    def test_by_keyboard_alone(self):
        with self.playing():
            self.open("pushes")
            self.page.type("g", "c")
            self.page.element("[aria-current=page]", "Channels")
            self.rows(2)
            for _ in range(40):
                self.page.type(Keys.TAB)
                if self.page.run("return document.activeElement.textContent") == "final":
                    break
            else:
                self.fail("Tab does not reach the channel")
            self.page.type("j")
            self.page.until("document.activeElement.textContent === given[0]", ID)
            self.page.type("jk")
            self.page.until("document.activeElement.textContent === 'final'")
            self.page.type(Keys.ENTER)
            self.page.element("h1", "final")
            self.page.type(Keys.ESCAPE)
            self.page.until("location.pathname === '/ui/channels'")
            self.open("channels/final")
            self.page.element(".facts", "most recent message")
            self.page.type("x")
            self.page.element("dialog", "Delete the channel final")
            self.page.type(Keys.TAB, Keys.ENTER)
            self.assertEqual(self.rows(1)[0][0], ID)

    def test_an_answer_that_others_overtook_is_not_shown(self):
        with self.playing():
            self.open("channels/final")
            self.page.element(".facts", "most recent message")
            # The list that is asked for first is of the time before the channel is deleted, and is handed out when the next one
            # is drawn. The calls are asked for after it.
            self.page.run("""
                const ask = window.fetch;
                let isFirst = true, isAnswered;
                const answered = new Promise((resolve) => { isAnswered = resolve; });
                window.fetch = async (address, options) => {
                    if (options?.method === 'DELETE') await answered;
                    const answer = await ask(address, options);
                    if (window.isHandedOut && address.includes('/requests/find')) window.isOver = true;
                    if (!isFirst || !address.includes('/channels?limit=')) return answer;
                    isFirst = false;
                    isAnswered();
                    await new Promise((resolve) => { window.handOut = resolve; });
                    window.isHandedOut = true;
                    return answer;
                };""")
            self.page.type("x")
            self.page.element("dialog", "Delete the channel final")
            self.page.type(Keys.TAB, Keys.ENTER)
            self.assertEqual(self.rows(1)[0][0], ID)
            self.page.run("handOut()")
            self.page.until("window.isOver")
            self.page.run("return new Promise((resolve) => { requestAnimationFrame(() => { setTimeout(resolve); }); })")
            self.assertEqual([row[0] for row in self.page.run(f"return {GRID}")], [ID])

    def test_without_channels_it_says_where_they_come_from(self):
        with self.serving():
            self.open("channels")
            self.page.element(".empty", "No channels yet")


if __name__ == "__main__":
    unittest.main()
