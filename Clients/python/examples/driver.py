"""Python, with httpx and PyJWT. Run it with: mock-apns suite -- python3 driver.py"""

import asyncio
import json
import os
import ssl
import sys
import time
import uuid

import httpx
import jwt

NAMES = {"topic": "apns-topic", "pushType": "apns-push-type", "priority": "apns-priority",
         "expiration": "apns-expiration", "collapseID": "apns-collapse-id"}
URL, KEY, KEY_ID, TEAM_ID = (os.environ[f"MOCK_APNS_{name}"] for name in ("URL", "KEY", "KEY_ID", "TEAM_ID"))
TRUST, dropped, now = ssl.create_default_context(), set(), {}


def sign():
    claims = {"iss": TEAM_ID, "iat": int(time.time())}
    now["token"] = "bearer " + jwt.encode(claims, open(KEY).read(), "ES256", headers={"kid": KEY_ID})


def connect():
    now["client"] = httpx.AsyncClient(http2=True, verify=TRUST, timeout=2, base_url=URL)


# The driver.


async def deliver(push):
    fields = {NAMES[member]: str(push[member]) for member in NAMES if member in push} | {"apns-id": str(uuid.uuid4())}
    body = json.dumps(push["payload"], separators=(",", ":"), ensure_ascii=False).encode()
    result = {"error": "the device token was dropped"}
    for number in range(0 if push["token"] in dropped else 6):
        token, client, wait = now["token"], now["client"], 0
        try:
            headers = {**fields, "authorization": token}
            answer = await asyncio.wait_for(client.post(f"/3/device/{push['token']}", content=body, headers=headers), 4)
            reason = answer.json().get("reason") if "{" in answer.text else None
            result, wait = {"status": answer.status_code, "reason": reason}, int(answer.headers.get("retry-after", 0))
        except (httpx.HTTPError, TimeoutError) as error:
            result, reason = {"error": repr(error)}, None
        status = result.get("status")
        if status == 410 or reason == "BadDeviceToken":
            dropped.add(push["token"])
        expired = reason == "ExpiredProviderToken" and number < 2
        if expired and token == now["token"]:
            sign()
        if (expired or status in (None, 500) or reason == "TooManyProviderTokenUpdates") and client is now["client"]:
            connect()
        if not expired and status not in (None, 429, 500, 503) and (reason != "InvalidProviderToken" or number >= 2):
            break
        await asyncio.sleep(wait + 0.025 * 2**number)
    print(json.dumps({"id": push["id"], **result}), flush=True)


async def main():
    sign(), connect()
    async with asyncio.TaskGroup() as pushes:
        while line := await asyncio.to_thread(sys.stdin.readline):
            pushes.create_task(deliver(json.loads(line)))


asyncio.run(main())
