"""Broadcast channels on the page: what there is, one with its calls, creating and deleting."""

import contextlib
import json
import pathlib
import tempfile
import unittest
import urllib.request

from browser import ALICE, Keys, PageTest
from server import PATIENCE, TOPIC

# With what standard base64 has and addresses have not.
ID = "+/+/cup+/w=="
KEY = "-_-_cup-_w"
SCENARIO = {
    "channels": [{"name": "final", "topic": TOPIC, "storage": "mostRecent"}],
    "devices": [{"name": "alice", "token": ALICE, "activities": [{"name": "match", "channel": "final"}]}],
}
GRID = "Array.from(document.querySelectorAll('[aria-label=Channels] tbody tr'), (row) => Array.from(row.cells, (cell) => cell.textContent))"


class Channels(PageTest):
    @contextlib.contextmanager
    def playing(self):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps(SCENARIO))
        with self.serving("--scenario", str(file)):
            self.server.post("/api/v1/channels", {"topic": TOPIC, "channelID": ID, "storage": "none"})
            yield

    def publish(self, channel, state, status=200):
        fields = {
            "authorization": f"bearer {self.provider.token}", "apns-push-type": "liveactivity", "apns-expiration": "0", "apns-priority": "10",
            "apns-channel-id": channel,
        }
        payload = {"aps": {"timestamp": 4102444800, "event": "update", "content-state": state, "alert": {"title": "Goal", "body": "2-1"}}}
        answer = self.provider.client.post(f"{self.provider.url}/4/broadcasts/apps/{TOPIC}", headers=fields, json=payload)
        self.assertEqual(answer.status_code, status, answer.text)

    def ids(self):
        return {each["name"]: each["channelID"] for each in self.server.get("/api/v1/channels")["channels"]}

    def rows(self, number):
        self.page.until(f"{GRID}.length === given[0]", number)
        return self.page.run(f"return {GRID}")

    def test_the_list_follows_what_happens(self):
        with self.playing():
            self.open("channels")
            final, cup = self.rows(2)
            self.assertEqual(final, ["final", TOPIC, "sandbox", "most recent message", "1", "0", "Delete"])
            self.assertEqual(cup, [ID, TOPIC, "sandbox", "no message", "0", "0", "Delete"])
            self.publish(self.ids()["final"], {"home": 2})
            self.page.until(f"{GRID}[0][5] === '1'")
            # A provider's own calls are seen as well.
            created = self.provider.client.post(
                f"{self.provider.url}/1/apps/{TOPIC}/channels", headers={"authorization": f"bearer {self.provider.token}"},
                json={"message-storage-policy": 0, "push-type": "LiveActivity"})
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
            self.page.element(".detail", "Push 2")
            self.page.element(".detail .facts", ID)

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

    def test_who_looks_at_one_that_somebody_else_deletes_is_told(self):
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

    def test_without_channels_it_says_where_they_come_from(self):
        with self.serving():
            self.open("channels")
            self.page.element(".empty", "No channels yet")


if __name__ == "__main__":
    unittest.main()
