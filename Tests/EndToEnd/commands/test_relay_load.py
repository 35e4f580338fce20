"""Many pushes through a relay whose upstream refuses, stalls, goes away and dies: none is lost, doubled or mixed up.

By hand, with more: MOCK_APNS_PUSHES=100000 pytest test_relay_load.py
"""

import collections
import json
import os
import pathlib
import signal
import socket
import tempfile
import threading
import unittest

import h2.config
import h2.connection
import h2.events

from server import PATIENCE, TOPIC, Server, device
from test_relay import Relay

PUSHES = int(os.environ.get("MOCK_APNS_PUSHES", 6000))
# What the upstream does with pushes that ask for it, and how seldom one does.
WISHES = {"gone": 7, "slow": 50, "refused": 101, "stalled": 601, "away": 997, "cut": 1999}
SCENARIO = {
    "rules": [
        {"name": name, "when": {"payload": {"/wish": name}}, "then": then} for name, then in {
            "gone": {"reject": "Unregistered"}, "slow": {"delay": "20ms", "pass": True}, "refused": {"resetStream": "REFUSED_STREAM"},
            "stalled": {"stall": True}, "away": {"goAway": {"reason": "Shutdown", "then": "close"}}, "cut": {"close": "reset"},
        }.items()],
}


def wish(number):
    return next((name for name, every in reversed(WISHES.items()) if number % every == 0), None)


class Provider:
    """Sends each push once, over one connection after the other. `ends` says how each has ended: with a status, or a word."""

    STREAMS = 50

    def __init__(self, server):
        self.server, self.ends, self.open = server, {}, {}
        self.fields = [("apns-topic", TOPIC), ("authorization", f"bearer {server.token()}")]

    def push_all(self, numbers):
        waiting = collections.deque(numbers)
        while waiting:
            with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as plain:
                with self.server.tls().wrap_socket(plain, server_hostname="localhost") as channel:
                    try:
                        self.push_some(channel, waiting)
                    except OSError:
                        pass
            # What was on its way when the connection ended.
            self.ends.update({number: "lost" for number in self.open.values()})
            self.open = {}

    def push_some(self, channel, waiting):
        connection = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        connection.initiate_connection()
        statuses = {}
        while waiting or self.open:
            while waiting and len(self.open) < min(self.STREAMS, connection.remote_settings.max_concurrent_streams):
                number = waiting.popleft()
                stream = connection.get_next_available_stream_id()
                self.open[stream] = number
                body = json.dumps({"aps": {"alert": "x"}, "number": number, "wish": wish(number)}).encode()
                pseudo = [(":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", f"/3/device/{device(number)}")]
                connection.send_headers(stream, pseudo + self.fields)
                connection.send_data(stream, body, end_stream=True)
            # Stalled ones have no answer: they are given up once nothing else is open.
            if self.open and all(wish(number) == "stalled" for number in self.open.values()):
                for stream, number in self.open.items():
                    connection.reset_stream(stream, 8)
                    self.ends[number] = "given up"
                self.open = {}
                continue
            channel.sendall(connection.data_to_send())
            received = channel.recv(65536)
            if not received:
                return
            for event in connection.receive_data(received):
                if isinstance(event, h2.events.ResponseReceived):
                    statuses[event.stream_id] = int(dict(event.headers)[":status"])
                elif isinstance(event, h2.events.DataReceived):
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    self.ends[self.open.pop(event.stream_id)] = statuses.pop(event.stream_id)
                elif isinstance(event, h2.events.StreamReset) and event.stream_id in self.open:
                    self.ends[self.open.pop(event.stream_id)] = "reset"
                elif isinstance(event, h2.events.ConnectionTerminated):
                    return
        channel.sendall(connection.data_to_send())


class Load(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.scenario = self.folder / "upstream.json"
        self.scenario.write_text(json.dumps(SCENARIO))

    def push(self, relay, connections=3):
        """Pushes everything over several connections; returns how each push has ended, by its number."""
        providers = [Provider(relay) for _ in range(connections)]
        threads = [threading.Thread(target=provider.push_all, args=(range(1 + first, PUSHES + 1, connections),))
                   for first, provider in enumerate(providers)]
        for thread in threads:
            thread.start()
        return providers, threads

    def judge(self, providers, relay, upstream):
        """Compares what the provider, the relay and the upstream know of each push."""
        ends = {number: end for provider in providers for number, end in provider.ends.items()}
        self.assertEqual(sorted(ends), list(range(1, PUSHES + 1)), "each push has ended")

        def records(log):
            found = {}
            for line in log.read_text().splitlines():
                record = json.loads(line)
                if record["event"] == "request" and record["payload"]:
                    number = record["payload"]["number"]
                    self.assertNotIn(number, found, "nothing is doubled")
                    self.assertEqual(record["token"], device(number), "nothing is mixed up")
                    found[number] = record
            return found

        ours, theirs = records(relay), records(upstream)
        for number, end in ends.items():
            own, other = ours.get(number), theirs.get(number)
            if isinstance(end, int):
                self.assertEqual(own["status"], end)
                if end == 503:
                    self.assertNotIn("relayed", own)
                else:
                    self.assertEqual((own["relayed"]["status"], other["status"]), (end, end))
                    self.assertEqual(end, 410 if wish(number) == "gone" else 200)
            elif end == "reset":
                self.assertEqual(own["outcome"], "reset")
            elif own and own["status"] and "relayed" in own:
                # It was on its way back when the connection ended.
                self.assertEqual(own["relayed"]["status"], other["status"])
        return collections.Counter(end if isinstance(end, int) else str(end) for end in ends.values())

    def test_an_upstream_that_does_what_it_likes(self):
        logs = [self.folder / name for name in ("relay.jsonl", "upstream.jsonl")]
        with Server("--scenario", str(self.scenario), "--log", str(logs[1])) as upstream, Relay(upstream, "--log", str(logs[0])) as relay:
            providers, threads = self.push(relay)
            for thread in threads:
                thread.join(PATIENCE)
                self.assertFalse(thread.is_alive())
        ends = self.judge(providers, *logs)
        self.assertGreater(ends[200], PUSHES // 2, ends)
        self.assertGreater(ends[410], PUSHES // 10, ends)
        self.assertGreater(ends["reset"], PUSHES // 200, ends)
        print(ends)

    def test_an_upstream_that_dies(self):
        logs = [self.folder / name for name in ("relay.jsonl", "upstream.jsonl")]
        upstream = Server("--log", str(logs[1])).__enter__()
        with Relay(upstream, "--log", str(logs[0])) as relay:
            providers, threads = self.push(relay)
            upstream.post("/api/v1/requests/wait", {"requests": {}, "count": PUSHES // 3, "timeout": "120s"})
            upstream.process.send_signal(signal.SIGKILL)
            upstream.wait(PATIENCE)
            for thread in threads:
                thread.join(PATIENCE)
                self.assertFalse(thread.is_alive())
        with self.assertRaises(AssertionError):
            upstream.__exit__(None, None, None)
        ours = [json.loads(line) for line in logs[0].read_text().splitlines()]
        numbers = [record["payload"]["number"] for record in ours if record["event"] == "request"]
        self.assertEqual(len(numbers), len(set(numbers)), "nothing is doubled")
        ends = {number: end for provider in providers for number, end in provider.ends.items()}
        self.assertEqual(sorted(ends), list(range(1, PUSHES + 1)), "each push has ended")
        counted = collections.Counter(ends.values())
        self.assertGreater(counted[200], PUSHES // 4, counted)
        self.assertGreater(counted[503], PUSHES // 4, counted)


if __name__ == "__main__":
    unittest.main()
