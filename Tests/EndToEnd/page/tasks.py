"""What the tasks of a page cost: a trace of Chromium, by its DevTools protocol."""

import contextlib
import itertools
import json
import urllib.request

import websocket

from server import PATIENCE

# The tasks of all threads, and the frames that tell the page's thread from others.
CATEGORIES = ["disabled-by-default-devtools.timeline", "devtools.timeline"]


class Tasks:
    """The CPU time of every task of the page's main thread while the context is open, in seconds, as `times`.

    A task's wall time says little on a machine whose other processes want the processor too: the same task takes three
    times as long while a load runs beside it. What the page is to blame for is what its thread computed, which the
    browser writes down for each task.
    """

    def __init__(self, driver):
        self.driver = driver
        self.numbers = itertools.count(1)
        self.times = []

    def __enter__(self):
        # The browser's own target: the driver's connection is the page's, and can trace nothing.
        address = self.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urllib.request.urlopen(f"http://{address}/json/version", timeout=PATIENCE) as answer:
            url = json.load(answer)["webSocketDebuggerUrl"]
        self.socket = websocket.create_connection(url, suppress_origin=True, timeout=PATIENCE)
        number = self.send("Tracing.start", transferMode="ReportEvents", traceConfig={
            "recordMode": "recordUntilFull", "includedCategories": CATEGORIES, "excludedCategories": ["*"]})
        self.until(lambda message: message.get("id") == number)
        return self

    def __exit__(self, *_):
        with contextlib.closing(self.socket):
            self.send("Tracing.end")
            events = []
            end = self.until(lambda message: message.get("method") == "Tracing.tracingComplete", events)
        assert not end["params"]["dataLossOccurred"], "the trace is not whole"
        # Of several windows, the one that was drawn.
        threads = [(event["pid"], event["tid"]) for event in events if event["name"] == "FireAnimationFrame"]
        page = max(set(threads), key=threads.count)
        self.times = [event["tdur"] / 1e6 for event in events
                      if event["name"] == "RunTask" and (event["pid"], event["tid"]) == page and "tdur" in event]

    def send(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        return number

    def until(self, wanted, events=[]):
        """Reads messages until one is wanted; adds the events of the trace before it."""
        while True:
            message = json.loads(self.socket.recv())
            assert "error" not in message, message
            if message.get("method") == "Tracing.dataCollected":
                events += message["params"]["value"]
            if wanted(message):
                return message
