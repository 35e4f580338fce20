"""Python, with aioapns. Run it with: mock-apns suite -- python3 driver_aioapns.py"""

import asyncio
import json
import logging
import os
import ssl
import sys
import time
import uuid

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsDevelopmentClientProtocol

ENV = {name: os.environ[f"MOCK_APNS_{name}"] for name in ("HOST", "PORT", "KEY", "KEY_ID", "TEAM_ID", "TOPIC")}
# It knows only Apple's addresses.
APNsDevelopmentClientProtocol.APNS_SERVER, APNsDevelopmentClientProtocol.APNS_PORT = ENV["HOST"], int(ENV["PORT"])
logging.getLogger("aioapns").setLevel(logging.CRITICAL)
dropped, now = set(), {}


def connect():
    now["client"] = APNs(key=open(ENV["KEY"]).read(), key_id=ENV["KEY_ID"], team_id=ENV["TEAM_ID"], topic=ENV["TOPIC"],
                         use_sandbox=True, max_connections=1, ssl_context=ssl.create_default_context())


# The driver.


async def deliver(push):
    # It adds the current time to a time to live, to 0 as well.
    kind, life = push.get("pushType"), push.get("expiration")
    request = NotificationRequest(
        push["token"], push["payload"], str(uuid.uuid4()), life and life - int(time.time()), push.get("priority"),
        push.get("collapseID"), kind and PushType(kind), apns_topic=push.get("topic"))
    result = {"error": "the device token was dropped"}
    for number in range(0 if push["token"] in dropped else 6):
        client = now["client"]
        try:
            answer = await asyncio.wait_for(client.send_notification(request), 4)
            result = {"status": int(answer.status), "reason": answer.description}
        except Exception as error:  # It raises whatever happens to its connection.
            result = {"error": repr(error)}
        status, reason = result.get("status"), result.get("reason")
        if status == 410 or reason == "BadDeviceToken":
            dropped.add(push["token"])
        expired = reason == "ExpiredProviderToken" and number < 2
        if (expired or status in (None, 500) or reason == "TooManyProviderTokenUpdates") and client is now["client"]:
            connect()  # It signs a token for each connection.
        if not expired and status not in (None, 429, 500, 503) and (reason != "InvalidProviderToken" or number >= 2):
            break
        await asyncio.sleep(0.025 * 2**number)
    print(json.dumps({"id": push["id"], **result}), flush=True)


async def main():
    connect()
    async with asyncio.TaskGroup() as pushes:
        while line := await asyncio.to_thread(sys.stdin.readline):
            pushes.create_task(deliver(json.loads(line)))


asyncio.run(main())
