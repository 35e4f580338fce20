"""A headless Firefox, driven by what it speaks itself: WebDriver BiDi over a WebSocket. Debian has no geckodriver, and Selenium
would download one. What can be asked of it is what can be asked of the `Browser`, as far as tests need that.
"""

import contextlib
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import websocket

from browser import UNTIL, Browser
from server import PATIENCE, until

FIREFOX = os.environ.get("FIREFOX") or shutil.which("firefox-esr")
# Nothing from elsewhere: no updates, no experiments, no lists.
PREFERENCES = {
    "app.normandy.enabled": False, "app.update.disabledForTesting": True, "browser.safebrowsing.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "services.settings.server": "data:,#remote-settings-dummy/v1", "toolkit.telemetry.server": "",
}
# Tells of what the page's policy forbids.
GUARD = "(tell) => addEventListener('securitypolicyviolation', ({violatedDirective, blockedURI}) => tell(`${violatedDirective}: ${blockedURI}`))"
# Of calls that were under way when a page was left; Chromium says nothing of them.
LEFT = ("NetworkError when attempting to fetch resource", "AbortError: ")
# Values go both ways as JSON, which needs no types of the protocol.
CALL = "async (given) => JSON.stringify(await (function () { SCRIPT }).apply(null, JSON.parse(given))) ?? 'null'"
PROMISE = "const given = Array.from(arguments); return new Promise((done) => (function () { SCRIPT })(...given, done));"


class Firefox(Browser):
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mock-apns-firefox-", ignore_cleanup_errors=True)
        profile = pathlib.Path(self.folder.name) / "profile"
        profile.mkdir()
        (profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()))
        self.process = subprocess.Popen(
            [FIREFOX, "--headless", "--remote-debugging-port", "0", "--profile", str(profile), "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"HOME": self.folder.name})
        self.numbers = itertools.count(1)
        self.said = []
        try:
            self.socket = websocket.create_connection(f"{self.address(profile / 'WebDriverBiDiServer.json')}/session", suppress_origin=True, timeout=PATIENCE)
            self.send("session.new", capabilities={})
            self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
            self.send("session.subscribe", events=["log.entryAdded", "script.message"])
            self.send("script.addPreloadScript", functionDeclaration=GUARD, arguments=[{"type": "channel", "value": {"channel": "policy"}}])
        except BaseException:
            self.__exit__()
            raise

    def address(self, file):
        """Where it listens, which it writes into its profile."""
        def told():
            assert self.process.poll() is None, f"Firefox ended with {self.process.returncode}"
            with contextlib.suppress(OSError, ValueError):
                return json.loads(file.read_text())

        until(told, lambda: "Firefox does not say where it listens")
        return "ws://{ws_host}:{ws_port}".format(**told())

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.send("browser.close")
            self.process.wait(PATIENCE)
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def send(self, method, **parameters):
        """The result of a command; what is told before it is kept."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message["type"] == "event":
                self.said.append(message)
            elif message["id"] == number:
                assert message["type"] == "success", f"{method}: {message}"
                return message["result"]

    def open(self, url):
        self.send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def reload(self):
        self.send("browsingContext.reload", context=self.context, wait="complete")

    def resize(self, width, height):
        self.send("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def run(self, script, *arguments):
        answer = self.send(
            "script.callFunction", functionDeclaration=CALL.replace("SCRIPT", script), target={"context": self.context}, awaitPromise=True,
            arguments=[{"type": "string", "value": json.dumps(arguments)}], userActivation=True)
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return json.loads(answer["result"]["value"])

    def until(self, condition, *given):
        try:
            return self.run(PROMISE.replace("SCRIPT", UNTIL.replace("CONDITION", condition)), *given)
        except websocket.WebSocketTimeoutException:
            shown = self.run("return `${location}\\n${document.body.innerText}`")
            raise AssertionError("\n".join([f"Not so: {condition}, {given}", shown, *self.complaints()])) from None

    def act(self, kind, actions, **more):
        self.send("input.performActions", context=self.context, actions=[{"type": kind, "id": kind, "actions": actions, **more}])

    def type(self, *what):
        self.act("key", [{"type": kind, "value": letter} for letter in "".join(what) for kind in ("keyDown", "keyUp")])

    def point(self, css):
        """Clicks with the mouse in the middle of an element."""
        x, y = self.until("(() => { const {x, y, width, height} = document.querySelector(given[0]).getBoundingClientRect();"
                          " return [x + width / 2, y + height / 2].map(Math.round); })()", css)
        self.act("pointer", [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}],
                 parameters={"pointerType": "mouse"})

    def complaints(self):
        # What was told before the answer to any command is here with that.
        self.run("")
        said, self.said = self.said, []
        texts = [each["params"].get("text") or str(each["params"].get("data")) for each in said
                 if each["method"] == "script.message" or each["params"]["level"] in ("error", "warn")]
        return [text for text in texts if not any(left in text for left in LEFT)]


__all__ = ["FIREFOX", "Firefox"]
