"""What breaks in a fleet, while it is under load: nothing counts twice, and nothing is missing without being named.

FLEET_ROUNDS is the number of rounds of each test, 1 without it; `make faults` plays 20. Each round has a fleet of its own
and breaks it at another moment, the same in every run.
"""

import concurrent.futures
import contextlib
import functools
import json
import os
import random
import signal
import time
import unittest

from fleets import BOB, TOKEN, Collector, Engine, FleetCase, Load, Relay
from server import PATIENCE, until

ROUNDS = int(os.environ.get("FLEET_ROUNDS", "1"))
# The engine writes each command to a file before it answers.
DURABLE = ["--save", "", "--appendonly", "yes"]


def in_rounds(test):
    """Runs a test FLEET_ROUNDS times; `self.random` differs from round to round."""

    @functools.wraps(test)
    def run(self):
        for number in range(1, ROUNDS + 1):
            with self.subTest(round=number):
                self.random = random.Random(number)
                test(self, number)

    return run


class FleetFaults(FleetCase):
    @contextlib.contextmanager
    def fleet(self, engine, scenario):
        """A collector and two replicas."""
        with Collector(engine, scenario) as collector, self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b:
            yield collector, a, b

    def some_time(self, most=0.5):
        """Lets the load go on, and the fault strike at another moment in each round."""
        time.sleep(self.random.uniform(0, most))

    def assert_complete(self, collector, *loads):
        """The collector has each push of the loads once, and says that this is all."""
        verdict = collector.post("/api/v1/verify", {})
        self.assertTrue(verdict["passed"], verdict["report"])
        answered, sent = (sum(sum(getattr(load, name)) for load in loads) for name in ("answered", "sent"))
        self.assertEqual((collector.count(status=200), collector.count()), (answered, sent))
        records = collector.records()
        self.assertEqual([each["sequence"] for each in records], list(range(1, sent + 1)))
        self.assertEqual(len({each["apnsID"] for each in records}), sent)
        for name in {each["replica"] for each in records}:
            own = [each["replicaSequence"] for each in records if each["replica"] == name]
            self.assertEqual(own, list(range(1, len(own) + 1)), name)

    # The engine

    @in_rounds
    def test_an_engine_that_stands_still_loses_nothing(self, _):
        scenario = self.scenario({"atLeast": 1})
        with Engine() as engine, self.fleet(engine, scenario) as (collector, a, b):
            with Load(self.push, a, b) as load:
                self.some_time()
                engine.signal(signal.SIGSTOP)
                start = time.monotonic()
                load.goes_on()
                for each in (a, b, collector):
                    until(lambda: self.status(each, "/readyz")[0] == 503, lambda: "it is ready without its engine")
                time.sleep(max(0, start + 3 - time.monotonic()))
                load.goes_on()
                engine.signal(signal.SIGCONT)
                load.goes_on()
            self.assertEqual(load.answered, load.sent)
            self.assert_complete(collector, load)
            for each in (a, b, collector):
                until(lambda: self.status(each, "/readyz")[0] == 200, lambda: "it does not get ready again")

    @in_rounds
    def test_killed_engines_with_a_file_lose_nothing(self, number):
        folder = self.folder / f"engine-{number}"
        folder.mkdir()
        scenario = self.scenario({"atLeast": 1})
        # With everysec, Redis answers before it has written if the disk is busy.
        with Engine(*DURABLE, "--appendfsync", "always", "--dir", str(folder)) as engine, \
                self.fleet(engine, scenario) as (collector, a, b):
            with Load(self.push, a, b) as load:
                for _ in range(2):
                    self.some_time()
                    engine.kill()
                    self.some_time()
                    load.goes_on()
                    engine.start()
                    load.goes_on()
            self.assertEqual(load.answered, load.sent)
            self.assert_complete(collector, load)
            # Whoever has seen nothing of this has everything, too.
            with Collector(engine, scenario) as other:
                self.assert_complete(other, load)
            for each in (a, b, collector):
                until(lambda: self.status(each, "/readyz")[0] == 200, lambda: "it does not get ready again")

    @in_rounds
    def test_killed_engines_without_a_file_need_a_reset(self, _):
        scenario = self.scenario({"atLeast": 1})
        with Engine() as engine, self.fleet(engine, scenario) as (collector, a, b):
            # Once, so that all are in an epoch that a new engine does not know.
            self.change(collector, "/reset", "POST")
            with Load(self.push, a, b) as load:
                self.some_time()
                engine.kill()
                load.goes_on()
                engine.start()
                for each in (a, b, collector):
                    until(lambda: "the engine has lost what the fleet had agreed on" in self.status(each, "/readyz")[1],
                          lambda: f"it does not say why it is not ready: {self.status(each, '/readyz')}")
                    self.assertEqual(self.status(each, "/readyz")[0], 503)
                load.goes_on()
            self.assertEqual(load.answered, load.sent)
            for each in (a, b):
                self.assertRegex(self.status(each, "/metrics")[1], r"\nmock_apns_fleet_ship_errors_total [1-9]")
            # No verdict takes what is left for everything.
            self.assertIn("the engine has lost", self.verify(engine, scenario, code=1))
            # By a collector that has never seen the former engine.
            with Collector(engine, scenario) as other:
                until(lambda: len(other.get("/api/v1/fleet")["replicas"]) == 2, lambda: "it does not know the replicas")
                for each in (collector, other):
                    verdict = each.post("/api/v1/verify", {})
                    self.assertIn("the engine has lost", verdict["report"])
                    self.assertFalse(verdict["passed"])
                # What came before is known only to those that had read it.
                self.assertRegex(other.post("/api/v1/verify", {})["report"], "(is|are) missing")
                told = self.verify(engine, scenario, "--allow-missing", code=0)
                self.assertIn("The fleet is not complete: the engine has lost", told)
                self.change(self.random.choice([collector, other]), "/reset", "POST")
                for each in (a, b, collector, other):
                    until(lambda: self.status(each, "/readyz")[0] == 200, lambda: "it does not get ready after a reset")
                with Load(self.push, a, b) as load:
                    self.some_time()
                self.assertEqual(load.answered, load.sent)
                for each in (collector, other):
                    self.assert_complete(each, load)

    @in_rounds
    def test_full_engines_lose_nothing_and_are_reported_once(self, _):
        scenario = self.scenario({"atLeast": 1})
        with Engine() as engine, self.fleet(engine, scenario) as (collector, a, b):
            with Load(self.push, a, b) as load:
                self.some_time()
                engine.ask("CONFIG SET maxmemory 1")
                start = time.monotonic()
                load.goes_on()
                for each in (a, b, collector):
                    until(lambda: "OOM" in self.status(each, "/readyz")[1], lambda: "it is ready without its engine")
                self.assertIn("OOM", self.verify(engine, scenario, code=1))
                # Longer than a heartbeat is valid.
                time.sleep(max(0, start + 6 - time.monotonic()))
                for each in (a, b, collector):
                    self.assertEqual(self.status(each, "/readyz")[0], 503)
                load.goes_on()
                engine.ask("CONFIG SET maxmemory 0")
                load.goes_on()
            self.assertEqual(load.answered, load.sent)
            self.assert_complete(collector, load)
            self.assertEqual(collector.stderr().count("cannot be used now"), 1)
            self.assertNotIn("heartbeat", collector.stderr())

    @in_rounds
    def test_an_answer_that_is_lost_counts_nothing_twice(self, _):
        scenario = self.scenario({"atLeast": 1})
        with Engine() as engine, Relay(engine) as relay, Collector(engine, scenario) as collector, \
                self.replica(relay, "a", "--scenario", scenario) as a:
            with Load(self.push, a) as load:
                for _ in range(5):
                    self.some_time(0.2)
                    relay.cut.set()
                    until(lambda: not relay.cut.is_set(), lambda: "nothing was cut")
                load.goes_on()
            self.assertEqual(relay.cuts, 5)
            self.assertEqual(load.answered, load.sent)
            self.assert_complete(collector, load)

    @in_rounds
    def test_whatever_the_engine_does_the_replicas_are_equal(self, _):
        scenario = self.ordered(rules=[{"name": "busy", "every": 3, "then": {"reject": "TooManyRequests"}}])
        with Engine() as engine, Relay(engine) as relay, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(relay, "b", "--scenario", scenario) as b:
            answered = 0
            for round_ in range(6):
                self.body.write_text(json.dumps({"aps": {"alert": f"round {round_}"}}))
                with concurrent.futures.ThreadPoolExecutor() as pool:
                    pushing = pool.submit(self.push_to_all, [a, b], 200, BOB)
                    relay.cut.set()
                    if round_ % 2:
                        engine.signal(signal.SIGSTOP)
                        time.sleep(0.3 * round_)
                        engine.signal(signal.SIGCONT)
                    answered += pushing.result()
            until(lambda: self.push_to_all([a, b], 1, BOB) > 0, lambda: "the engine is back, and no replica knows")
            self.change(collector, "/devices/bob", "PATCH", {"power": "saving"})
            shown = [each.get("/api/v1/devices/bob") for each in (a, b)]
            for each in shown:
                for push in each["stored"]:
                    del push["sequence"]
            self.assertEqual(shown[0], shown[1])
            rules = [each.get("/api/v1/rules")["rules"] for each in (a, b)]
            self.assertEqual(rules[0], rules[1])
            verdict = collector.post("/api/v1/verify", {})
            refused = collector.count(status=429)
            self.assertGreaterEqual(collector.count(status=200), answered, verdict["report"])
            self.assertEqual(collector.count(), refused + collector.count(status=200) + collector.count(status=503))
            # What came too late to be answered may have been put in order, or not.
            self.assertGreaterEqual(rules[0][0]["decided"], refused)
            self.assertGreater(relay.cuts, 0)

    # The members

    @in_rounds
    def test_a_killed_replica_fails_the_verdict(self, _):
        scenario = self.scenario({"atLeast": 1})
        with Engine() as engine, self.fleet(engine, scenario) as (collector, a, b):
            load, other = self.kill_under_load(a, b)
            verdict = collector.post("/api/v1/verify", {})
            self.assertFalse(verdict["passed"])
            self.assertRegex(verdict["report"], r"b sends no heartbeat: it crashed, was killed, hangs or cannot reach the engine; what came after its request \d+ is not known")
            self.assertNotIn("a sends no heartbeat", verdict["report"])
            known = {each["name"]: each["problem"] for each in collector.get("/api/v1/fleet")["replicas"]}
            self.assertIsNone(known["a"])
            self.assertIn("b sends no heartbeat", known["b"])
            self.assertNotRegex(verdict["report"], "of a (is|are) missing")
            self.assertIn("b sends no heartbeat", self.verify(engine, scenario, code=1))
            told = self.verify(engine, scenario, "--allow-missing", code=0)
            self.assertIn("The fleet is not complete: b sends no heartbeat", told)
            # What there is counts once, and everything of the other replica is there.
            replicas = {each["name"]: each for each in collector.get("/api/v1/fleet")["replicas"]}
            self.assertEqual((replicas["a"]["received"], replicas["b"]["state"]), (sum(load.sent), "dead"))
            records = collector.records()
            self.assertEqual(len({(each["replica"], each["replicaSequence"]) for each in records}), len(records))
            self.assertEqual(len(records), sum(load.sent) + replicas["b"]["received"])
            self.assertGreaterEqual(sum(other.sent), replicas["b"]["received"])

    def kill_under_load(self, a, b):
        """Pushes to both and kills the second one meanwhile; returns what was sent to each."""
        with Load(self.push, a) as load, Load(self.push_if_alive, b) as other:
            self.some_time()
            b.process.kill()
            b.wait(PATIENCE)
            b.exit_code = 0
            load.goes_on()
        self.assertEqual(load.answered, load.sent)
        return load, other

    def push_if_alive(self, server, count):
        """Sends pushes to a replica that may be killed meanwhile."""
        with contextlib.suppress(TypeError):
            return self.push(server, count)
        return 0

    @in_rounds
    def test_the_next_collector_has_everything(self, _):
        scenario = self.scenario({"atLeast": 1})
        with Engine() as engine, self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b:
            with Load(self.push, a, b) as load:
                for _ in range(2):
                    with Collector(engine, scenario) as collector:
                        until(collector.count, lambda: "nothing arrives")
                        self.some_time()
                        collector.kill()
                        load.goes_on()
                with Collector(engine, scenario) as collector:
                    load.goes_on()
                    load.end()
                    self.assertEqual(load.answered, load.sent)
                    self.assert_complete(collector, load)
                    self.assertIn("All 2 expectations hold.", self.verify(engine, scenario, code=0))


if __name__ == "__main__":
    unittest.main()
