"""Makes the pictures of the page in the README and in the documentation, from a real run.

Usage: screenshots.py FOLDER. Pictures are NAME@2x.png and NAME~dark@2x.png, as DocC wants them.
"""

import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import httpx

from browser import ALICE, Browser, Provider
from server import TOPIC, Server, device

BOB = device(2)
CAROL = device(3)
SCENARIO = {
    "name": "chess",
    "apps": [{"topic": TOPIC, "name": "Chess", "categories": [
        {"id": "INVITE", "actions": [{"title": "Accept"}, {"title": "Decline", "destructive": True}]}]}],
    "devices": [{"name": "alice", "token": ALICE, "topics": [TOPIC, f"{TOPIC}.push-type.liveactivity"]},
                {"name": "bob", "token": BOB, "online": False},
                {"name": "carol", "token": CAROL, "activities": [{"name": "final", "channel": "final"}]}],
    "channels": [{"name": "semifinal", "topic": TOPIC, "storage": "none"}, {"name": "final", "topic": TOPIC, "storage": "mostRecent"}],
    "rules": [{"name": "busy", "when": {"collapseID": "result"}, "times": 2, "then": {"reject": "TooManyRequests"}}],
}
# A picture's name, the address, the size, and what has to be there.
PICTURES = [
    ("page-log", "pushes?at=4", (1280, 640), ".detail .explanation"),
    ("page-device", "devices/alice", (1060, 1100), ".phone .notification"),
    ("page-faults", "faults", (1060, 560), ".rules li"),
    ("page-channels", "channels", (1060, 420), "[aria-label=Calls] tbody"),
]


def push_all(provider):
    provider.push({"aps": {"alert": {"title": "Your move", "subtitle": "Bob – Alice", "body": "Bob has moved his queen to h5."}, "badge": 1,
                           "sound": "default", "interruption-level": "time-sensitive", "thread-id": "game-7"}})
    provider.alert("Are you still there?", to=BOB, expiration=4000000000)
    provider.push({"aps": {"content-available": 1}}, kind="background", priority=5)
    provider.push({"aps": {"content-available": 1}}, kind="background", priority=10)
    provider.push({"aps": {"alert": {"title": "A new game?", "body": "Carol invites you to a rapid game."}, "category": "INVITE", "badge": 2}})
    for _ in range(3):
        provider.push({"aps": {"alert": {"title": "Alice won", "body": "1-0 after 31 moves"}, "thread-id": "results"}}, collapse_id="result")
    provider.push({"aps": {"timestamp": 1, "event": "update", "content-state": {"white": "4:12", "black": "3:58"}}}, kind="liveactivity",
                  topic=f"{TOPIC}.push-type.liveactivity")
    provider.alert("x" * 4200)
    provider.alert("Wrong app", topic="com.example.other")


def publish(server, provider, channel):
    """To everyone who listens to a channel."""
    [found] = [each for each in server.get("/api/v1/channels")["channels"] if each["name"] == channel]
    fields = {"authorization": f"bearer {provider.token}", "apns-push-type": "liveactivity", "apns-priority": "10", "apns-expiration": "4000000000",
              "apns-channel-id": found["channelID"]}
    payload = {"aps": {"timestamp": int(time.time()), "event": "update", "content-state": {"white": "4:12", "black": "3:58"}}}
    provider.client.post(f"{provider.url}/4/broadcasts/apps/{TOPIC}", headers=fields, json=payload).raise_for_status()


EXPECT = [{"name": "all arrive", "requests": {"device": "alice"}, "count": 40}, {"name": "bob is left alone", "requests": {"device": "bob"}, "count": 0}]


def fill(server, provider):
    """Something in every view: many devices, expectations that fail, pushes of all kinds, a fault, a stored push."""
    many = [{"name": f"phone {number}", "token": device(100 + number)} for number in range(30)]
    scenario = {**SCENARIO, "devices": SCENARIO["devices"] + many, "expect": EXPECT}
    httpx.put(f"{server.admin}/api/v1/scenario", json=scenario).raise_for_status()
    push_all(provider)
    publish(server, provider, "final")
    server.post("/api/v1/rules", {"name": "next 3: 429 TooManyRequests", "times": 3, "then": {"reject": "TooManyRequests"}})
    provider.alert("stored", to=BOB, expiration=4000000000)


def differ(upstream, provider):
    """Pushes by a relay: two that its upstream answers as the relay would, and six that it does not."""
    provider.alert("good")
    provider.alert("refused", priority=7)
    busy = {"reject": "TooManyRequests"}
    for then in (busy, busy, {"reject": "TooManyProviderTokenUpdates"}, {"respond": {"status": 418, "body": "tea"}},
                 {"respond": {"status": 400, "body": {"reason": f"nobody has {ALICE}"}}}, {"resetStream": "INTERNAL_ERROR"}):
        upstream.post("/api/v1/rules", {"name": f"next: {then}", "times": 1, "then": then})
        with contextlib.suppress(httpx.RemoteProtocolError):
            provider.alert("differs")
        upstream.post("/api/v1/reset", {})


def shrink(file):
    """A few colors are enough for what is drawn: a fifth of the bytes. Without the two tools the picture stays as it is."""
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--skip-if-larger", "--nofs", "--speed", "1", "--output", file, "24", file], check=False)
    if shutil.which("zopflipng"):
        subprocess.run(["zopflipng", "-y", file, file], check=False, stdout=subprocess.DEVNULL)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        scenario = pathlib.Path(temporary) / "chess.json"
        scenario.write_text(json.dumps(SCENARIO))
        with Server("--scenario", str(scenario)) as server, Provider(server) as provider, Browser("--hide-scrollbars") as page:
            push_all(provider)
            for _ in range(3):
                publish(server, provider, "final")
            server.post("/api/v1/rules", {"name": "next 3: 429 TooManyRequests", "times": 3, "then": {"reject": "TooManyRequests"}})
            for name, address, (width, height), there in PICTURES:
                for theme in ("light", "dark"):
                    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1.5, "mobile": False})
                    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
                    page.open(f"{server.admin}/ui/{address}")
                    page.element(there)
                    page.until_text(".state", "live")
                    page.until("document.querySelector('.totals a')")
                    file = folder / f"{name}{'~dark' if theme == 'dark' else ''}@2x.png"
                    page.driver.save_screenshot(str(file))
                    shrink(file)
                    print(file, file.stat().st_size)


if __name__ == "__main__":
    main()
