"""aioapns: no ALPN, `host` instead of `:authority`, and an apns-id that has to come back unchanged."""

import asyncio
import logging
import pathlib
import socket
import types
import unittest
from unittest import mock

import aioapns
import aioapns.connection
from aioapns.common import PushType

import mixture
from server import PATIENCE, TOPIC, Server, device
from texts import ARTICLES

RESOLVE = socket.getaddrinfo


class AIOAPNs(unittest.TestCase):
    def setUp(self):
        # aioapns reports each rejection as an error on its logger; here they are expected.
        logging.getLogger("aioapns").setLevel(logging.CRITICAL)

    def requests(self):
        """Pairs of a request and its expected result."""
        alert = {"aps": {"alert": "Hello"}}
        plain = {"device_token": device(0), "message": alert, "push_type": PushType.ALERT}
        kinds = [
            ({}, None),
            ({"priority": 10, "time_to_live": 0}, None),
            ({"device_token": "abcdef"}, ("400", "BadDeviceToken")),
            ({"device_token": ""}, ("400", "MissingDeviceToken")),
            ({"message": {"aps": {"alert": "x" * 4096}}}, ("413", "PayloadTooLarge")),
            ({}, None),
            ({"priority": 7}, ("400", "BadPriority")),
            ({"push_type": PushType.BACKGROUND, "priority": 10}, ("400", "BadPriority")),
            ({"push_type": PushType.BACKGROUND, "priority": 5}, None),
            ({"collapse_key": "é" * 33}, ("400", "BadCollapseId")),
            ({"time_to_live": 2**63}, ("400", "BadExpirationDate")),
            ({"push_type": PushType.VOIP}, ("400", "DeviceTokenNotForTopic")),
            ({"apns_topic": TOPIC + ".voip"}, ("400", "InvalidPushType")),
            ({"push_type": None}, None),
        ]
        for number in range(mixture.COUNT):
            changes, expected = kinds[number % len(kinds)]
            values = dict(plain, **changes)
            if values["device_token"] == device(0):
                values["device_token"] = device(number % 40)
            yield aioapns.NotificationRequest(**values), expected or ("200", None)

    def test_a_thousand_pushes(self):
        with Server("--log", "LOG") as server:
            asyncio.run(asyncio.wait_for(self.push(server), 120))

    async def push(self, server):
        # The client knows Apple's names only: the resolver sends them here, everything else is as in production.
        def resolve(host, port, *arguments, **named):
            if "push.apple.com" in str(host):
                host, port = "127.0.0.1", server.port
            return RESOLVE(host, port, *arguments, **named)

        with mock.patch("socket.getaddrinfo", resolve):
            client = aioapns.APNs(
                key=server.key, key_id=server.ready["keyID"], team_id=server.ready["teamID"], topic=TOPIC,
                use_sandbox=True, max_connections=2, ssl_context=server.tls(alpn=None),
            )
            turns = asyncio.Semaphore(8)  # its bodies have to fit into the connection's window
            answers = {}

            async def send(request, expected):
                async with turns:
                    result = await client.send_notification(request)
                self.assertEqual((result.status, result.description or None), expected)
                self.assertEqual(result.notification_id, request.notification_id)
                answers[result.notification_id] = (int(result.status), result.description or None)

            await asyncio.gather(*(send(*pair) for pair in self.requests()))
            client.pool.close()
        self.assertEqual(len(answers), mixture.COUNT)
        mixture.compare(self, server, answers)

    def test_the_lines_of_the_article(self):
        """Three lines point it at another address."""
        (lines,) = ARTICLES["Providers"].blocks("aioapns")
        protocol = aioapns.connection.APNsDevelopmentClientProtocol
        with Server() as server, mock.patch.multiple(protocol, APNS_SERVER=None, APNS_PORT=None):
            apns = types.SimpleNamespace(
                host="localhost", port=server.port, ssl_context=lambda: server.tls(alpn=None), topic=TOPIC,
                key=pathlib.Path(server.ready["signingKey"]), key_id=server.ready["keyID"], team_id=server.ready["teamID"])

            async def push():
                names = {"apns": apns, "APNs": aioapns.APNs}
                exec(lines, names)
                request = aioapns.NotificationRequest(device_token=device(1), message={"aps": {"alert": "Hello"}})
                answer = await names["client"].send_notification(request)
                names["client"].pool.close()
                return answer.status

            self.assertEqual(asyncio.run(asyncio.wait_for(push(), PATIENCE)), "200")
            self.assertEqual([record["status"] for record in server.records()], [200])


if __name__ == "__main__":
    unittest.main()
