"""Texts that would be markup, in every field that others can fill in: nothing becomes more than text, nothing is
asked of anybody but the server, and the browser reports no breach of the page's policy."""

import json
import pathlib
import tempfile
import unittest

from browser import ALICE, PageTest
from server import TOPIC, device

# An address that would be a script, the ends of an attribute and of a script, and markup that runs by itself.
TEXT = ("javascript:document.title='owned'//\"'></script><script>document.title='owned'</script>"
        "<img src=https://attacker.example/x onerror=document.title='owned'><svg/onload=document.title='owned'>")
# Collects what the page's policy keeps from happening, from the first script on.
REPORT = "window.breaches = []; addEventListener('securitypolicyviolation', (event) => breaches.push(event.violatedDirective + ' ' + event.blockedURI))"


def scenario(text):
    return {
        "name": text, "description": text,
        "apps": [{"topic": TOPIC, "name": text, "strings": {"en": {text: text}},
                  "categories": [{"id": text, "actions": [{"title": text}, {"title": text, "destructive": True}]}]}],
        "devices": [{"name": text, "token": ALICE}, {"name": text + "2", "token": device(2), "online": False}],
        "rules": [{"name": text, "when": {"collapseID": "respond"}, "then": {"respond": {"status": 400, "headers": {"x-text": text}, "body": text}}},
                  {"name": text + "2", "when": {"header": {"x-never": text}}, "then": {"goAway": {"text": text}}}],
        "expect": [{"name": text, "requests": {"device": text, "payload": {"/aps/alert/title": text}}, "count": 99},
                   {"name": text + "2", "device": text, "displayed": [{"title": text + "?"}]}],
    }


def payload(text):
    return {"aps": {"alert": {"title": text, "subtitle": text, "body": text, "loc-args": [text]}, "category": text, "thread-id": text,
                    "sound": text, "interruption-level": text, "target-content-id": text},
            text: {text: [text, {text: None}]}, "attachment-url": "https://attacker.example/x.png"}


class Hostile(PageTest):
    """Where no name is found, so that nothing can leave the machine either way."""

    logs_requests = True
    options = ("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",)

    def fill(self, text):
        ascii_text = text[:60]
        self.provider.push(payload(text), collapse_id=ascii_text)
        self.provider.push({"aps": {"alert": {"loc-key": text, "title-loc-key": text + "2", "title-loc-args": [text]}}})
        self.provider.push(payload(text), to=device(2), collapse_id=ascii_text)
        self.provider.push(payload(text), collapse_id="respond")
        self.provider.push(text.encode(), topic=text)
        self.provider.push(payload(text), kind=text, priority=text, expiration=text, id=text)
        self.provider.push(
            {"aps": {"timestamp": 1, "event": "start", "attributes-type": text, "attributes": {text: text}, "content-state": {text: text},
                     "alert": text}}, kind="liveactivity", topic=TOPIC + ".push-type.liveactivity")
        self.server.post("/api/v1/pushes", {"token": ALICE, "payload": payload(text), "headers": {"x-text": ascii_text}})
        self.server.post("/api/v1/rules", {"name": "added: " + text, "when": {"topic": text}, "times": 3, "then": {"reject": "Shutdown"}})

    def addresses(self, count):
        yield from ("pushes", "pushes?at=1", "devices", "faults", "expect", "lint", "scenario", "send", "send?like=1", "nothing/here")
        yield from (f"devices/{each}" for each in (ALICE, device(2)))
        for sequence in range(1, count + 1):
            yield from (f"pushes/{sequence}?tab={tab}" for tab in ("summary", "screen", "payload", "headers", "why", "lint", "copy"))

    def test_nothing_becomes_more_than_text(self):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
        file.write_text(json.dumps(scenario(TEXT)))
        self.page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": REPORT})
        with self.serving("--scenario", str(file)):
            self.page.requested()
            self.fill(TEXT)
            for path in self.addresses(8):
                with self.subTest(path):
                    self.open(path)
                    self.page.until("document.querySelector('main')?.innerText.trim() !== '' && !document.querySelector('main').innerText.includes('Asking…')")
                    found = self.page.run("""
                        const made = document.querySelectorAll('img, main script, iframe, object, embed, base, main style, main form[action], '
                          + '[onerror], [onload], [onclick]');
                        const elsewhere = Array.from(document.links).filter((each) => each.origin !== location.origin);
                        return {breaches, title: document.title, made: [...made, ...elsewhere].map((each) => each.outerHTML.slice(0, 200)),
                                scripts: document.scripts.length};""")
                    self.assertEqual(found["breaches"], [])
                    self.assertEqual(found["made"], [])
                    self.assertEqual(found["scripts"], 1)
                    self.assertNotEqual(found["title"], "owned")
            self.open(f"devices/{ALICE}")
            self.page.element(".phone .notification", TEXT)
            # Its search, its filters and its dialogs come from an address that others may have made.
            for query in ("q", "status", "device", "topic", "reason", "pushType", "delivery", "at", "tab"):
                self.page.open(f"{self.server.admin}/ui/pushes?{query}={urlquoted(TEXT)}")
                self.page.until("document.querySelector('main h1') && document.querySelector('.list')")
                self.assertEqual(self.page.run("return [breaches, document.querySelectorAll('img, iframe').length, document.title === 'owned']"), [[], 0, False])
            self.page.complaints()  # 400 and 404: what is asked for with such an address is a mistake, or not there
            asked = [url for url in self.page.requested() if not url.startswith(("data:", "about:", "chrome"))]
            self.assertTrue(asked)
            self.assertEqual([url for url in asked if not url.startswith(self.server.admin + "/")], [])


def urlquoted(text):
    return "".join(f"%{byte:02x}" for byte in text.encode())


if __name__ == "__main__":
    unittest.main()
