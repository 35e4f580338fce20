"""A reader of the stream of events, by the letter of the standard for server-sent events."""

import collections
import http.client
import json
import urllib.parse

from server import PATIENCE

Event = collections.namedtuple("Event", "id name data")


class Stream:
    """One `GET /api/v1/events`; a context manager and an iterator of events."""

    def __init__(self, server, after=None, timeout=PATIENCE, query=""):
        self.path = "/api/v1/events" + query
        self.headers = {"Last-Event-ID": after} if after else {}
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.admin).netloc, timeout=timeout)
        self.last = after

    def __enter__(self):
        self.connection.request("GET", self.path, headers=self.headers)
        # It is open when this has come: whatever happens from now on is told.
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, (self.answer.status, self.answer.read())
        assert self.answer.headers["Content-Type"] == "text/event-stream", self.answer.headers
        return self

    def __exit__(self, *_):
        self.answer.close()
        self.connection.close()

    def __iter__(self):
        name, data = None, None
        for line in self.answer:
            line = line.decode().rstrip("\n")
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if line == "":
                if data is not None:
                    yield Event(self.last, name, json.loads(data))
                name, data = None, None
            elif field == "id":
                self.last = value
            elif field == "event":
                name = value
            elif field == "data":
                data = value if data is None else data + "\n" + value
            else:
                assert field in ("", "retry"), line

    def take(self, enough):
        """The events up to the first one for which `enough` holds."""
        found = []
        for event in self:
            found.append(event)
            if enough(event):
                return found
        raise AssertionError(f"the stream ended after {found[-3:]}")


def is_request(sequence):
    """Whether an event tells of that request, or of a later one."""

    def test(event):
        if event.name == "request":
            return event.data["sequence"] >= sequence
        return event.name == "lagged" and (event.data["to"] or 0) >= sequence

    return test
