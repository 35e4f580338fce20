"""Good pushes to a server that others harm, and how soon each is answered."""

import statistics
import threading
import time

import wire
from server import PATIENCE, device

# So many times as long as a server at rest may the one that is harmed take, beyond what is allowed anyway.
SLOWER = 10
PATH = "/3/device/" + device(9)
BODY = b'{"aps":{"alert":"Hello"}}'


class Pushes:
    """A well-behaved provider that pushes for a while, and how long each answer took."""

    def __init__(self, server):
        self.server = server
        self.seconds, self.failure, self.stop = [], None, threading.Event()
        self.changed = threading.Condition()
        self.token = server.token()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        try:
            with wire.Connection(self.server) as connection:
                while not self.stop.is_set():
                    began = time.monotonic()
                    stream = connection.request(wire.push(self.token, PATH), BODY)
                    headers, body, _ = connection.answer(stream)
                    assert dict(headers)[":status"] == "200", body
                    with self.changed:
                        self.seconds.append(time.monotonic() - began)
                        self.changed.notify()
                    self.stop.wait(0.02)
        except BaseException as error:
            with self.changed:
                self.failure = error
                self.changed.notify()

    def until_answered(self, count):
        """Waits until so many pushes have been answered, or one has failed."""
        with self.changed:
            self.changed.wait_for(lambda: self.failure or len(self.seconds) >= count, PATIENCE)

    def __enter__(self):
        self.thread.start()
        self.until_answered(1)
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            # What has happened may show in the next answers.
            self.until_answered(len(self.seconds) + 4)
        self.stop.set()
        self.thread.join(PATIENCE)
        if kind is None:
            assert not self.thread.is_alive(), "the witness was not answered"
            assert self.failure is None, f"the witness failed: {self.failure!r}"
            assert self.seconds, "the witness was never answered"


class Witness:
    """Wants soon what well-behaved providers get meanwhile.

    How soon that can be on a busy machine is told by another one, with a server that is not attacked.
    """

    calm = None

    def __init__(self, server, longest=2.0, median=0.25):
        self.pushes, self.control = Pushes(server), Pushes(Witness.calm)
        self.longest, self.median = longest, median

    def __enter__(self):
        self.control.__enter__()
        self.pushes.__enter__()
        return self

    def __exit__(self, kind, *_):
        self.pushes.__exit__(kind)
        self.control.__exit__(kind)
        if kind is None:
            for name, judge, limit in ("slowest", max, self.longest), ("median", statistics.median, self.median):
                seconds, calm = judge(self.pushes.seconds), judge(self.control.seconds)
                told = f"{name} answer took {seconds:.3f} s, that of a server at rest {calm:.3f} s"
                assert seconds < limit + SLOWER * calm, told
