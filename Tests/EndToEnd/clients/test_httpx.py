"""httpx[http2]: a thousand pushes with every reason that a request by itself can earn."""

import asyncio
import json
import time
import unittest

import httpx
import jwt

import mixture
from server import PATIENCE, TOPIC, Server, device


class HTTPX(unittest.TestCase):
    def test_a_thousand_pushes(self):
        with Server("--log", "LOG") as server:
            asyncio.run(asyncio.wait_for(self.push_mixture(server), 120))

    async def push_mixture(self, server):
        answers = {}
        turns = asyncio.Semaphore(50)
        async with httpx.AsyncClient(http2=True, verify=server.tls(), base_url=server.url, timeout=PATIENCE) as client:

            async def send(push):
                async with turns:
                    answer = await client.request(
                        push.method, push.path, headers=push.headers, content=push.body.encode()
                    )
                self.assertEqual(answer.http_version, "HTTP/2")
                reason = json.loads(answer.content)["reason"] if answer.content else None
                self.assertEqual((answer.status_code, reason), (push.status, push.reason), push)
                self.assertEqual(answer.headers["apns-id"], push.headers["apns-id"])
                answers[answer.headers["apns-id"]] = (answer.status_code, reason)

            await asyncio.gather(*(send(push) for push in mixture.make("bearer " + server.token())))
        self.assertEqual(len(answers), mixture.COUNT)
        mixture.compare(self, server, answers)

    def post(self, client, token, path="/3/device/" + device(1), body=b"{}", **headers):
        fields = {"authorization": f"bearer {token}", "apns-topic": TOPIC}
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        answer = client.post(path, headers=fields, content=body)
        return answer.status_code, answer.json()["reason"] if answer.content else None

    def client(self, server):
        return httpx.Client(http2=True, verify=server.tls(), base_url=server.url, timeout=PATIENCE)

    def sign(self, server, **changes):
        claims = {"iss": server.ready["teamID"], "iat": int(time.time())}
        claims.update(changes)
        return jwt.encode(claims, server.key, algorithm="ES256", headers={"kid": server.ready["keyID"]})

    def test_provider_tokens(self):
        now = int(time.time())
        cases = [
            ({}, (200, None)),
            ({"iat": str(now)}, (200, None)),
            ({"iat": now + 0.25}, (200, None)),
            ({"aud": "extra"}, (200, None)),
            ({"iat": now - 3000}, (200, None)),
            ({"iat": now - 7200}, (403, "ExpiredProviderToken")),
            ({"iat": now + 7200}, (403, "ExpiredProviderToken")),
            ({"iat": None}, (403, "InvalidProviderToken")),
            ({"iss": "XXXXXXXXXX"}, (403, "InvalidProviderToken")),
        ]
        with Server() as server:
            for changes, expected in cases:
                with self.subTest(changes), self.client(server) as client:
                    claims = {name: value for name, value in changes.items()}
                    self.assertEqual(self.post(client, self.sign(server, **claims)), expected)

    def test_a_third_token_within_twenty_minutes_is_refused(self):
        now = int(time.time())
        with Server() as server:
            tokens = [self.sign(server, iat=now - age) for age in (0, 10, 20)]
            with self.client(server) as client:
                self.assertEqual(self.post(client, tokens[0]), (200, None))
                self.assertEqual(self.post(client, tokens[1]), (200, None))
                self.assertEqual(self.post(client, tokens[2]), (429, "TooManyProviderTokenUpdates"))
            with self.client(server) as client:
                self.assertEqual(self.post(client, tokens[2]), (200, None), "a new connection counts anew")

    def test_bad_message_ids_are_answered_with_fresh_ones(self):
        with Server() as server, self.client(server) as client:
            headers = {"authorization": "bearer " + server.token(), "apns-topic": TOPIC, "apns-id": "one"}
            answer = client.post("/3/device/" + device(1), headers=headers, content=b"{}")
            self.assertEqual((answer.status_code, answer.json()), (400, {"reason": "BadMessageId"}))
            self.assertRegex(answer.headers["apns-id"], r"^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$")

    def test_repeated_headers(self):
        with Server() as server, self.client(server) as client:
            fields = [("authorization", "bearer " + server.token()), ("apns-topic", TOPIC), ("apns-topic", TOPIC)]
            answer = client.post("/3/device/" + device(1), headers=fields, content=b"{}")
            self.assertEqual((answer.status_code, answer.json()), (400, {"reason": "DuplicateHeaders"}))

    def test_a_devices_first_push_decides_its_topic(self):
        with Server() as server, self.client(server) as client:
            token = server.token()
            self.assertEqual(self.post(client, token), (200, None))
            other = self.post(client, token, apns_topic="com.example.other")
            self.assertEqual(other, (400, "DeviceTokenNotForTopic"))

    def test_the_filters_of_the_log(self):
        with Server() as server, self.client(server) as client:
            token = server.token()
            for number in range(4):
                self.post(client, token, apns_priority="5" if number % 2 else "7")
            bad = server.get("/api/v1/requests?reason=BadPriority")
            self.assertEqual((bad["total"], bad["dropped"]), (2, 0))
            self.assertEqual([record["sequence"] for record in bad["requests"]], [1, 3])
            self.assertIn("7", bad["requests"][0]["explanation"])
            newest = server.get("/api/v1/requests?status=200&order=desc&limit=1")["requests"]
            self.assertEqual([record["sequence"] for record in newest], [4])
            self.assertEqual(server.get("/api/v1/requests/2")["status"], 200)
            self.assertNotIn(token.rsplit(".", 1)[1], json.dumps(server.records()), "a signature was recorded")


if __name__ == "__main__":
    unittest.main()
