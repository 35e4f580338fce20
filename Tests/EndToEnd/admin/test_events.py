"""The stream of events under load: nothing is lost without a word, and all comes in its order."""

import contextlib
import datetime
import json
import pathlib
import random
import subprocess
import tempfile
import threading
import time
import unittest

import pytest

from events import Stream, is_request
from server import PATIENCE, TOPIC, Server, device, shortest

SEED = 20261121
A_SECOND = 1000


def seconds_since_1970(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Events(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.body = self.folder / "body.json"
        self.body.write_text('{"aps":{"alert":"Hello"}}')

    def load(self, server, count, *options):
        """Sends so many pushes as fast as it goes, or as the options say."""
        done = subprocess.run(
            ["h2load", "-n", str(count), "-c", "4", "-m", "50", "-d", str(self.body), *options,
             "-H", f"authorization: bearer {server.token()}", "-H", f"apns-topic: {TOPIC}",
             f"{server.url}/3/device/{device(1)}"],
            capture_output=True, text=True, timeout=PATIENCE,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{count} succeeded", done.stdout)

    def check(self, events, count):
        """That each request was told, or left out with a word; that each id is later than the one before; and that what
        happened to a request comes after it."""
        latest, position = 0, (0, 0)
        for event in events:
            sequence, number = map(int, event.id.split("-"))
            self.assertLess(position, (sequence, number), event)
            self.assertLessEqual(position[1], number)
            position = (sequence, number)
            if event.name == "request":
                self.assertEqual(event.data["sequence"], latest + 1)
                latest += 1
            elif event.name == "lagged" and event.data["to"]:
                self.assertLessEqual(event.data["from"], latest + 1)
                latest = max(latest, event.data["to"])
            elif event.name == "update":
                self.assertLessEqual(event.data["sequence"], latest)
            self.assertEqual(sequence, latest)
        self.assertEqual(latest, count)

    @pytest.mark.alone
    def test_events_beyond_a_thousand_per_second_are_summarised(self):
        count = 12_000
        with Server("--initial-streams", "1000") as server, Stream(server) as stream:
            # When each came, and before which time it cannot have been sent.
            times, made, latest = [], [], 0
            loader = threading.Thread(target=self.load, args=(server, count, "--rps", "600"))
            loader.start()
            events = []
            for event in stream:
                events.append(event)
                if event.name == "request":
                    latest = seconds_since_1970(event.data["time"])
                times.append(time.time())
                made.append(latest or times[0])
                if is_request(count)(event):
                    break
            loader.join()
            self.check(events, count)
            lagged = [event.data for event in events if event.name == "lagged"]
            self.assertTrue(lagged, "all were told")
            # What was left out can be read by GET.
            page = server.get(f"/api/v1/requests?after={lagged[0]['from'] - 1}&limit=1")["requests"]
            self.assertEqual(page[0]["sequence"], lagged[0]["from"])
            # A second is the server's; what it has sent may come to us later, all at once.
            for start in range(0, len(times) - 2 * A_SECOND):
                self.assertGreater(times[start + 2 * A_SECOND] - made[start], 0.9)
            seconds = times[-1] - made[0]
            self.assertLessEqual(len(events), A_SECOND * (seconds + 2))
            self.assertLessEqual(len(lagged), 2 * seconds + 2)

    def test_changes_come_after_their_requests(self):
        count = 2000
        scenario = self.folder / "late.json"
        scenario.write_text(json.dumps({"rules": [{"then": {"pass": True, "delay": {"uniform": ["1ms", "200ms"]}}}]}))
        with Server("--initial-streams", "1000", "--scenario", str(scenario)) as server, Stream(server) as stream:
            loader = threading.Thread(target=self.load, args=(server, count, "--rps", "80"))
            loader.start()
            closed, events = 0, []
            for event in stream:
                events.append(event)
                closed += event.name == "connection" and event.data["state"] == "closed"
                if closed == 4:
                    break
            loader.join()
            self.check(events, count)
            updated = [event.data["sequence"] for event in events if event.name == "update"]
            self.assertEqual(sorted(updated), list(range(1, count + 1)), "each was answered late, and told of once")

    def test_a_client_that_comes_again_misses_nothing(self):
        chance = random.Random(SEED)
        count = 3000
        with Server("--initial-streams", "1000") as server, Stream(server, after="0-0") as whole:
            loader = threading.Thread(target=self.load, args=(server, count, "--rps", "150"))
            loader.start()
            pieces, last = [], "0-0"
            while not (pieces and is_request(count)(pieces[-1])):
                with Stream(server, after=last) as stream:
                    limit = len(pieces) + chance.randrange(1, 200)
                    for event in stream:
                        pieces.append(event)
                        if len(pieces) == limit or is_request(count)(event):
                            break
                last = pieces[-1].id
            loader.join()
            self.check(pieces, count)
            told = whole.take(is_request(count))
            self.check(told, count)
            if not any(event.name == "lagged" for event in told + pieces):
                self.assertEqual(told, pieces)

    def test_unread_streams_do_not_hold_up_the_end(self):
        self.assertLess(shortest(10, (self.end_unread() for _ in range(3))), 10)

    def end_unread(self):
        """How long the end takes of a server whose streams of events are not read."""
        with Server("--initial-streams", "1000") as server:
            with contextlib.ExitStack() as stack:
                for _ in range(5):
                    stack.enter_context(Stream(server, after="0-0"))
                for _ in range(6):
                    self.load(server, 2500)
                    time.sleep(0.5)
                self.assertEqual(server.get("/api/v1/summary")["requests"], 15_000)
                # And the server ends while they are open, with connections that it need not wait for.
                began = time.monotonic()
                server.process.terminate()
                self.assertEqual(server.wait(PATIENCE), 0)
                return time.monotonic() - began


if __name__ == "__main__":
    unittest.main()
