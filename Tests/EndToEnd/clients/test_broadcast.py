"""Broadcast channels, from create to delete, by the documentation alone: with curl and with httpx."""

import json
import subprocess
import time
import unittest
import urllib.error
import urllib.request

import httpx

from server import PATIENCE, TOPIC, Server

CHANNEL = {"message-storage-policy": 1, "push-type": "LiveActivity"}
UPDATE = {"aps": {"timestamp": 1795255200, "event": "update", "content-state": {"score": "1-0"}}}


class Broadcast(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server("--log", "LOG"))
        cls.authorization = f"bearer {cls.server.token()}"

    def client(self):
        return httpx.Client(
            http2=True, verify=self.server.tls(), base_url=self.server.url, timeout=PATIENCE,
            headers={"authorization": self.authorization},
        )

    def publish(self, client, channel, payload=UPDATE, **fields):
        headers = {"apns-channel-id": channel, "apns-push-type": "liveactivity", "apns-expiration": "0", "apns-priority": "10"}
        headers.update({name.replace("_", "-"): value for name, value in fields.items()})
        return client.post(f"/4/broadcasts/apps/{TOPIC}", headers=headers, json=payload)

    def test_from_create_to_delete(self):
        path = f"/1/apps/{TOPIC}/channels"
        with self.client() as client:
            created = client.post(path, json=CHANNEL)
            self.assertEqual((created.status_code, created.content), (201, b""))
            channel = created.headers["apns-channel-id"]
            self.assertIn("apns-request-id", created.headers)
            self.assertNotIn("apns-id", created.headers)
            read = client.get(path, headers={"apns-channel-id": channel})
            self.assertEqual((read.status_code, read.json()), (200, CHANNEL))
            self.assertIn(channel, client.get(f"/1/apps/{TOPIC}/all-channels").json()["channels"])
            identifier = "0f2ba4ff-2fb5-4b5e-a3fc-8b6c24f8d6e1"
            published = self.publish(client, channel, apns_request_id=identifier)
            self.assertEqual((published.status_code, published.content), (200, b""))
            self.assertEqual(published.headers["apns-request-id"], identifier)
            self.assertIn("apns-unique-id", published.headers)
            deleted = client.delete(path, headers={"apns-channel-id": channel})
            self.assertEqual((deleted.status_code, deleted.content), (204, b""))
            for again, reason in [
                (self.publish(client, channel), (400, "ChannelNotRegistered")),
                (client.delete(path, headers={"apns-channel-id": channel}), (404, "BadPath")),
                (self.publish(client, "AAAAAAAAAAAAAAAAAAAAAA=="), (400, "BadChannelId")),
            ]:
                self.assertEqual((again.status_code, again.json()["reason"]), reason)
        record = self.records(call="publish", requestID=identifier)[0]
        self.assertEqual((record["channel"], record["topic"], record["storagePolicy"]), (channel, TOPIC, 1))
        self.assertEqual([record["apnsID"], record["status"]], [None, 200])
        checks = json.load(urllib.request.urlopen(f"{self.server.admin}/api/v1/requests/{record['sequence']}/checks", timeout=PATIENCE))
        self.assertEqual({check["state"] for check in checks["checks"]}, {"passed"})
        listed = [each["sequence"] for each in self.records()]
        self.assertNotIn(record["sequence"], listed, "without a call, pushes to devices are meant")

    def records(self, **filters):
        query = "&".join(f"{name}={value}" for name, value in filters.items())
        with urllib.request.urlopen(f"{self.server.admin}/api/v1/requests?{query}", timeout=PATIENCE) as answer:
            return json.load(answer)["requests"]

    def curl(self, *arguments):
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--max-time", str(PATIENCE), "--http2", "--cacert", self.server.authority,
             "-H", f"authorization: {self.authorization}", "-i", *arguments],
            capture_output=True, text=True, timeout=PATIENCE,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        head, _, body = done.stdout.replace("\r", "").partition("\n\n")
        status, *lines = head.split("\n")
        return status.split()[1], dict(line.split(": ", 1) for line in lines), body

    def test_curl(self):
        url = f"{self.server.url}/1/apps/{TOPIC}/channels"
        status, fields, _ = self.curl("-X", "POST", "--data", json.dumps(CHANNEL), url)
        self.assertEqual(status, "201")
        channel = ["-H", f"apns-channel-id: {fields['apns-channel-id']}"]
        status, _, body = self.curl(*channel, url)
        self.assertEqual((status, json.loads(body)), ("200", CHANNEL))
        options = ["-H", "apns-push-type: LiveActivity", "-H", "apns-expiration: 0", "--data", json.dumps(UPDATE)]
        status, _, body = self.curl(*channel, *options, f"{self.server.url}/4/broadcasts/apps/{TOPIC}")
        self.assertEqual((status, body), ("200", ""))
        # With a body, if an empty one, the request has DATA after its HEADERS.
        status, _, _ = self.curl("-X", "DELETE", "--data", "", *channel, url)
        self.assertEqual(status, "204")
        status, _, body = self.curl("-X", "PUT", *channel, url)
        self.assertEqual((status, body), ("405", '{"reason":"MethodNotAllowed"}'))

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.server.admin + "/api/v1" + path, method=method, data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def test_devices_listen(self):
        token = "5e" * 32
        made = self.ask("POST", "/channels", {"name": "cup", "topic": TOPIC, "channelID": "+/+/cup+/w=="})
        self.assertEqual((made["subscribers"], made["storage"]), (0, "mostRecent"))
        self.ask("POST", "/devices", {"name": "eve", "token": token, "topic": TOPIC, "activities": ["cup"]})
        update = {"aps": {"timestamp": int(time.time()), "event": "update", "content-state": {"score": "1-0"}}}
        with self.client() as client:
            for online, score, expiration in [(True, "1-0", 0), (False, "2-0", int(time.time()) + 3600)]:
                self.ask("PATCH", "/devices/eve", {"online": online})
                update["aps"]["content-state"]["score"] = score
                self.assertEqual(
                    self.publish(client, made["channelID"], update, apns_expiration=str(expiration)).status_code, 200)
        self.assertEqual(self.ask("GET", "/devices/eve")["activities"][0]["state"], {"score": "1-0"})
        self.ask("PATCH", "/devices/eve", {"online": True})
        (activity,) = self.ask("GET", "/devices/eve")["activities"]
        self.assertEqual((activity["state"], activity["channel"]), ({"score": "2-0"}, made["channelID"]))
        # An id has slashes; in a path it is in the alphabet of URLs.
        cup = self.ask("GET", "/channels/-_-_cup-_w")
        self.assertEqual([cup[each] for each in ("name", "published", "delivered", "subscribers")], ["cup", 2, 2, 1])
        stored = self.records(channel="cup")[-1]
        self.assertEqual(cup["stored"], stored["sequence"])
        (app,) = [each for each in self.ask("GET", "/channels?name=cup")["apps"] if each["topic"] == TOPIC]
        self.assertEqual((app["environment"], app["uniqueSubscribers"]), ("sandbox", 1))
        self.assertEqual([stored[each] for each in ("subscribers", "delivered", "stored", "ignored")], [1, 1, True, None])
        self.ask("PATCH", "/devices/eve", {"unsubscribe": "cup"})
        self.assertEqual(self.ask("GET", "/channels/cup")["subscribers"], 0)
        self.assertEqual(self.ask("DELETE", "/channels/cup"), {"deleted": 1})
        self.assertNotIn("cup", [each["name"] for each in self.ask("GET", "/channels")["channels"]])

    def test_a_device_can_only_name_existing_channels(self):
        self.ask("POST", "/channels", {"name": "semifinal", "topic": TOPIC})
        self.ask("POST", "/devices", {"name": "frank", "token": "5f" * 32, "topic": TOPIC})
        for method, path, body, pointer in [
            ("PATCH", "/devices/frank", {"subscribe": "semifinale"}, "/subscribe"),
            ("PATCH", "/devices/frank", {"subscribe": {"name": "x", "channel": "semifinale"}}, "/subscribe/channel"),
            ("PATCH", "/devices/frank", {"unsubscribe": "semifinale"}, "/unsubscribe"),
            ("POST", "/devices", {"token": "60" * 32, "topic": TOPIC, "activities": ["semifinale"]}, "/activities/0"),
        ]:
            with self.subTest(body=body), self.assertRaises(urllib.error.HTTPError) as refused:
                self.ask(method, path, body)
            error = json.load(refused.exception)["error"]
            self.assertEqual((refused.exception.code, error["pointer"]), (400, pointer))
            self.assertIn('did you mean "semifinal"?', error["message"])
        self.ask("PATCH", "/devices/frank", {"subscribe": "semifinal"})
        self.ask("DELETE", "/channels/semifinal")
        # What was deleted can still be left.
        self.ask("PATCH", "/devices/frank", {"unsubscribe": "semifinal"})

    def test_a_list_that_takes_many_frames(self):
        path = "/1/apps/com.example.many/channels"
        with self.client() as client:
            ids = [client.post(path, json=CHANNEL).headers["apns-channel-id"] for _ in range(2500)]
            listed = client.get("/1/apps/com.example.many/all-channels")
            self.assertGreater(len(listed.content), 65_535)
            self.assertEqual(listed.json()["channels"], ids)

    def test_management_ports(self):
        with Server("--manage-port", "0:sandbox", "--manage-port", "0:production", certs=self.server.certs) as server:
            self.assertEqual(len(server.ready["manage"]), 2)
            self.assertEqual(server.ready["manageEnvironments"], ["sandbox", "production"])
            first, second = server.ready["manage"]
            server.until_said(f"  channels   {first} (sandbox), {second} (production)\n")
            sandbox, production = [
                httpx.Client(http2=True, verify=server.tls(), base_url=url, timeout=PATIENCE,
                             headers={"authorization": f"bearer {server.token()}"})
                for url in server.ready["manage"]
            ]
            with sandbox, production:
                channel = sandbox.post(f"/1/apps/{TOPIC}/channels", json=CHANNEL).headers["apns-channel-id"]
                self.assertEqual(sandbox.get(f"/1/apps/{TOPIC}/all-channels").json(), {"channels": [channel]})
                self.assertEqual(production.get(f"/1/apps/{TOPIC}/all-channels").json(), {"channels": []})
                refused = self.publish(production, channel)
                self.assertEqual(refused.json(), {"reason": "ChannelNotRegistered"})


if __name__ == "__main__":
    unittest.main()
