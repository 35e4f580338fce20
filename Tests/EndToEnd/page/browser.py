"""A headless Chromium that looks at the page, and a provider that pushes.

Debian's browser and driver are named explicitly, since Selenium would download its own. Waits are for changes of the
document, never for time to pass.
"""

import atexit
import contextlib
import functools
import json
import os
import shutil
import tempfile
import unittest

import httpx
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from server import PATIENCE, TOPIC, Relay, Server, device

# Debian's headless shell has the same engine, and takes two thirds of the processor time. Not the script in the path: a
# driver that ends it leaves the shell alive.
SHELL = shutil.which("chromium-headless-shell", path="/usr/lib/chromium")
CHROMIUM = os.environ.get("CHROMIUM") or SHELL or shutil.which("chromium")
DRIVER = os.environ.get("CHROMEDRIVER") or shutil.which("chromedriver")
ALICE = device(1)

# Resolves when a condition holds: looks at it after every change of the document. The condition is a part of the script,
# since the page's policy forbids to make code of text.
UNTIL = """
const done = arguments[arguments.length - 1], given = Array.from(arguments).slice(0, -1);
const holds = () => (CONDITION);
let observer, frame;
const look = () => {
  let value;
  try { value = holds(); } catch { value = false; }
  if (!value) return false;
  observer?.disconnect();
  clearInterval(frame);
  done(value);
  return true;
};
if (!look()) {
  observer = new MutationObserver(look);
  observer.observe(document, {childList: true, subtree: true, attributes: true, characterData: true});
  // What is no change of the document: the address, what has focus, how far something is scrolled.
  frame = setInterval(look, 20);
}
"""


def options(*arguments, logs_requests=False):
    found = Options()
    found.binary_location = CHROMIUM
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900",
        "--disable-background-networking", "--disable-component-update", "--no-first-run", *arguments,
    ):
        found.add_argument(argument)
    logs = {"browser": "ALL", "performance": "ALL"} if logs_requests else {"browser": "ALL"}
    found.set_capability("goog:loggingPrefs", logs)
    return found


class Browser:
    """One browser with a profile of its own; a context manager. Only one that logs requests can say what was `requested`."""

    def __init__(self, *arguments, logs_requests=False):
        # The driver makes the profile, since the shell does not start with one of ours, but does not always remove it.
        self.folder = tempfile.TemporaryDirectory(prefix="mock-apns-browser-", ignore_cleanup_errors=True)
        self.driver = webdriver.Chrome(
            options=options(*arguments, logs_requests=logs_requests),
            service=Service(DRIVER, env=os.environ | {"TMPDIR": self.folder.name}))
        # Selenium's default is two minutes.
        self.driver.command_executor.client_config.timeout = 2 * PATIENCE
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
        self.folder.cleanup()

    def open(self, url):
        self.driver.get(url)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, condition, *given):
        """Waits for a condition in JavaScript, which sees what is given as `given`; returns its value."""
        try:
            return self.driver.execute_async_script(UNTIL.replace("CONDITION", condition), *given)
        except TimeoutException:
            shown = self.run("return `${location}\\n${document.body.innerText}`")
            raise AssertionError("\n".join([f"Not so: {condition}, {given}", shown, *self.complaints()])) from None

    def element(self, css, text=None):
        """Waits for a visible element; with a text, for one that has it."""
        self.until(
            "Array.from(document.querySelectorAll(given[0])).some((each) => each.checkVisibility()"
            " && (given[1] === null || each.textContent.trim().includes(given[1])))", css, text)

    def text(self, css):
        """What can be read in the first visible element, once there is one."""
        # In one step, since the page may draw it again at any time.
        return self.until("Array.from(document.querySelectorAll(given[0])).find((each) => each.checkVisibility())?.innerText", css)

    def until_text(self, css, text):
        self.until("document.querySelector(given[0])?.textContent.includes(given[1])", css, text)

    def click(self, css, text=None):
        # The page may draw an element again between finding and clicking it.
        self.until(
            "(() => { const found = Array.from(document.querySelectorAll(given[0])).find((each) => each.checkVisibility()"
            " && !each.disabled && (given[1] === null || each.textContent.trim().includes(given[1])));"
            " found?.click(); return Boolean(found); })()", css, text)

    def try_now(self):
        """Lets the page call a server that is there again; it may have done so by itself, and have hidden the button."""
        self.run("document.querySelector('.banner:not([hidden]) button')?.click()")
        self.until("document.querySelector('.banner').hidden")

    def type(self, *what):
        ActionChains(self.driver).send_keys(*what).perform()

    def rows(self):
        """The sequence numbers of the rows that are shown, from the top."""
        return self.run("return Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence))")

    def complaints(self):
        """What the browser complained of since it was asked last: errors, and breaches of the page's policy."""
        entries = [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return [entry["message"] for entry in entries]

    def requested(self):
        """The addresses that were asked for since it was asked last."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


class Provider:
    """Pushes over one connection; a context manager."""

    def __init__(self, server):
        self.url = server.url
        self.client = httpx.Client(http2=True, verify=server.tls(), timeout=PATIENCE)
        self.token = server.token()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()

    def push(self, payload, to=ALICE, kind="alert", topic=TOPIC, **headers):
        """The status of the answer. A payload is a dictionary, or the bytes of a body."""
        fields = {"authorization": f"bearer {self.token}", "apns-topic": topic, "apns-push-type": kind}
        fields |= {f"apns-{name.replace('_', '-')}": str(value) for name, value in headers.items()}
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return self.client.post(f"{self.url}/3/device/{to}", headers=fields, content=body).status_code

    def alert(self, text, **more):
        return self.push({"aps": {"alert": text}}, **more)


@functools.cache
def shared(logs_requests):
    """One browser of each kind for the whole process, since a start costs more than a test. Logging requests slows tests."""
    browser = Browser(logs_requests=logs_requests)
    atexit.register(browser.__exit__)
    return browser


@unittest.skipUnless(CHROMIUM and DRIVER, "Chromium and its driver are not installed")
class PageTest(unittest.TestCase):
    """A server and a provider for each test. A class with options has a browser of its own; one whose tests change their
    tab, such as its size, has a new tab for each test."""

    options = ()
    logs_requests = False
    changes_tabs = False

    @classmethod
    def setUpClass(cls):
        if cls.options:
            cls.page = cls.enterClassContext(Browser(*cls.options, logs_requests=cls.logs_requests))
        else:
            cls.page = shared(cls.logs_requests)

    def setUp(self):
        if self.changes_tabs:
            self.page.driver.switch_to.new_window("tab")

    def tearDown(self):
        first, *others = self.page.driver.window_handles
        for handle in others:
            self.page.driver.switch_to.window(handle)
            self.page.driver.close()
        if others:
            self.page.driver.switch_to.window(first)
        # The server may have ended: the page would go on asking it.
        self.page.open("about:blank")

    @contextlib.contextmanager
    def serving(self, *options, upstream=None):
        """A server, or a relay to an upstream, and a provider; at the end the browser must have had nothing to complain of."""
        self.page.complaints()
        with Relay(upstream, *options) if upstream else Server(*options) as server, Provider(server) as provider:
            self.server, self.provider = server, provider
            yield server
            self.assertEqual(self.page.complaints(), [])
            # What the page was shown of this server is of no use for the next one.
            self.page.open("about:blank")

    def open(self, path=""):
        self.page.open(f"{self.server.admin}/ui/{path}")
        self.page.until("document.querySelector('main h1, main h2')")


__all__ = ["ALICE", "Browser", "Keys", "PageTest", "Provider"]
