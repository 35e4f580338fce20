"""The engine keeps the latest 100,000 changes and ordered pushes of a fleet: who joins after others were dropped, or was
stopped meanwhile, is told so; everybody else goes on, in memory that does not grow."""

import signal
import socket
import subprocess
import unittest

from fleets import BOB, Collector, Engine, FleetCase
from server import EXECUTABLE, PATIENCE, Server, until

LIMIT = 100_000
CONTROL = "mock-apns:{default}:control"
KEPT = f"the engine keeps the latest {LIMIT} changes and ordered pushes"


def command(*words):
    """A command as clients send it."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words)


class FleetBound(FleetCase):
    def applied(self, member):
        return tuple(map(int, member.get("/api/v1/fleet")["applied"].split("-")))

    def fill(self, engine, *members):
        """Appends more than the engine keeps; the members keep up with that."""
        append = command("XADD", CONTROL, "MAXLEN", "~", str(LIMIT), "*", "k", "mark")
        with socket.create_connection(("127.0.0.1", engine.port), timeout=PATIENCE) as connection, \
                connection.makefile("rb") as replies:
            for _ in range(5):
                connection.sendall(append * (LIMIT // 4))
                for _ in range(LIMIT // 4):
                    self.assertRegex(replies.readline(), rb"\$\d+")
                    last = tuple(map(int, replies.readline().split(b"-")))
                for each in members:
                    until(lambda: self.applied(each) >= last, lambda: "it does not carry out what was appended")

    def length(self, engine):
        return int(engine.ask(f"XLEN {CONTROL}")[1:])

    def assert_ready(self, *members):
        for each in members:
            self.assertEqual(self.status(each, "/readyz")[0], 200, self.status(each, "/readyz")[1])

    def test_who_comes_too_late_is_told_so(self):
        scenario = self.scenario(40)
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a:
            self.push(a, 20)
            self.fill(engine, a, collector)
            self.assertLess(self.length(engine), LIMIT + 1000)
            done = subprocess.run(
                [EXECUTABLE, "serve", "--fleet", engine.url, "--replica", "b", "--port", "0", "--admin-port", "0",
                 "--certs", Server._certs(), "--initial-streams", "1000", "--scenario", scenario],
                capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (69, ""), done.stderr)
            self.assertIn(
                f"No replica can join the fleet default any more, since what its replicas agreed on first was dropped: {KEPT}. "
                "Start all replicas before the pushes, give a new run its own name with --fleet-name, or start this one over "
                "with POST /api/v1/reset on its collector.",
                done.stderr)
            self.push(a, 20)
            verdict = collector.post("/api/v1/verify", {})
            self.assertTrue(verdict["passed"], verdict["report"])
            self.assert_ready(a, collector)
            with Collector(engine, scenario) as late:
                verdict = late.post("/api/v1/verify", {})
                self.assertFalse(verdict["passed"])
                self.assertIn(f"not all replicas are known here, because what the fleet agreed on was dropped before it was read: {KEPT}",
                              verdict["report"])
                until(lambda: "not all replicas are known here" in self.status(late, "/readyz")[1], lambda: "it is ready")
                code, told = self.status(late, "/api/v1/clock/advance", "POST", {"by": "1s"})
                self.assertEqual(code, 503, told)
                # Whoever resets it knows all of what comes.
                self.change(late, "/reset", "POST")
                with self.replica(engine, "b", "--scenario", scenario) as b:
                    self.push_to_all([a, b], 20)
                    for each in late, collector:
                        verdict = each.post("/api/v1/verify", {})
                        self.assertTrue(verdict["passed"], verdict["report"])

    def test_replicas_stopped_too_long_are_out_until_reset(self):
        scenario = self.scenario(40)
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b:
            b.process.send_signal(signal.SIGSTOP)
            try:
                self.fill(engine, a, collector)
            finally:
                b.process.send_signal(signal.SIGCONT)
            until(lambda: "it has missed what the others agreed on" in self.status(b, "/readyz")[1], lambda: "it is ready")
            self.assertEqual(self.status(b, "/readyz")[0], 503)
            self.assert_ready(a)
            verdict = collector.post("/api/v1/verify", {})
            self.assertFalse(verdict["passed"])
            self.assertIn("b was stopped, or could not reach the engine, for so long that it has missed", verdict["report"])
            self.assertNotIn("a was stopped", verdict["report"])
            # It still has what it missed least to read, and a call waits no longer than 2 s for it.
            until(lambda: self.applied(b) >= self.applied(a), lambda: "it does not carry out what is left")
            self.change(collector, "/reset", "POST")
            until(lambda: self.status(b, "/readyz")[0] == 200, lambda: "it does not get ready after a reset")
            self.push_to_all([a, b], 20)
            verdict = collector.post("/api/v1/verify", {})
            self.assertTrue(verdict["passed"], verdict["report"])

    def test_an_entry_has_a_bound(self):
        with Engine() as engine, self.replica(engine, "a", "--scenario", self.ordered()) as a:
            self.assertEqual(self.push(a, 2000, to=BOB, connections=10), 2000)
            entries = int(engine.ask(f"XLEN {CONTROL}")[1:])
            bytes_ = int(engine.ask(f"MEMORY USAGE {CONTROL} SAMPLES 0")[1:])
            # Each push takes some 500 bytes.
            self.assertGreater(entries, 2000 * 300 // 96_000)
            self.assertLess(bytes_, entries * 99_000 + 10_000)


if __name__ == "__main__":
    unittest.main()
