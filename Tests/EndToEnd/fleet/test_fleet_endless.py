"""Engines whose replies never end: members of a fleet take little memory, say what is wrong, and end when they are told to."""

import shutil
import unittest

import endless
from fleets import Collector, Engine, FleetCase
from server import EXECUTABLE, until

COMMANDS = {"collect": ["collect", "--admin-port", "0"], "serve": ["serve", "--port", "0", "--admin-port", "0"]}
# Those whose replies never become whole, and are waited for.
WAITING = ["drip", "silent"]
# What is told of each of the others.
TOLD = {
    "bulk": "too long: a text of 536870912 bytes was announced",
    "array": "too long: a list of 1000000000 values was announced",
    "texts": "too long: a list of 1000000000 values was announced",
    "wide": "too long: a list of 1000000 values was announced",
    "announced": "too long: a list of 2147483647 values was announced",
    "line": "too long: a line of more than 64 KB was received",
    "error": "too long: a line of more than 64 KB was received",
    "number": "too long: a line of more than 64 KB was received",
    "length": "too long: a line of more than 64 KB was received",
    # Lists in lists are refused by their depth.
    "nested": "the engine's answer is",
    "unasked": "the engine's answer is not understood",
}


class Joining(unittest.TestCase):
    """A fleet that cannot be joined."""

    def command(self, name, engine):
        words = COMMANDS[name] + ["--fleet", engine.url]
        return [EXECUTABLE, *words] + (["--certs", self.certs] if name == "serve" else [])

    @classmethod
    def setUpClass(cls):
        # They are made once.
        cls.certs = endless.Server("silent").certs

    def test_endless_replies_are_reported_in_one_sentence(self):
        self.assertEqual(sorted([*TOLD, *WAITING]), sorted(endless.ENGINE_KINDS))
        for name in COMMANDS:
            for kind, told in TOLD.items():
                with self.subTest(kind, command=name), endless.Engine(kind) as engine:
                    code, output = endless.watch(self.command(name, engine))
                    self.assertEqual((code, output.count("\n")), (69, 1), output)
                    self.assertIn(told, output)

    def test_the_first_signal_ends_one_that_waits(self):
        for name in COMMANDS:
            for kind in WAITING:
                with self.subTest(kind, command=name), endless.Engine(kind) as engine:
                    code, output = endless.watch(self.command(name, engine), interrupt=lambda _: engine.connections > 0)
                    # A silent one may have been given up just before.
                    self.assertIn(code, (0, 69) if kind == "silent" else (0,), output)
                    if code == 0:
                        self.assertIn("mock-apns was stopped before it was ready.", output)


@unittest.skipUnless(shutil.which("redis-server"), "redis-server is not installed")
class Turning(FleetCase):
    """An engine that stops being one while members use it."""

    def check(self, kind, is_noticed=True):
        with Engine() as engine, endless.Engine(kind, behind=engine) as hostile:
            # Their ends check that SIGTERM ends them, with exit code 0.
            with Collector(hostile) as collector, self.replica(hostile, "a") as server:
                self.assertEqual(self.push(server, 10), 10)
                until(lambda: collector.count() == 10, lambda: collector.stderr())
                hostile.turn()
                if is_noticed:
                    server.until_said("The replica a is not ready, and /readyz is 503")
                    until(lambda: "cannot be used now, and /readyz is 503" in collector.stderr(), lambda: collector.stderr())
                # Pushes are answered as ever.
                self.assertEqual(self.push(server, 10), 10)
                for member in server, collector:
                    self.assertLess(endless.peak(member.process), endless.MEMORY)

    def test_texts(self):
        self.check("texts")

    def test_line(self):
        self.check("line")

    def test_unasked(self):
        self.check("unasked")

    def test_drip(self):
        # A reply has a minute to become whole.
        self.check("drip", is_noticed=False)

    def test_silent(self):
        self.check("silent")


if __name__ == "__main__":
    unittest.main()
