"""A small provider that tries again, as a developer might write it: pushes to each device token of its arguments in turn.

It finds the server by the variables that `mock-apns exec` sets. Each bug of real providers can be switched on by its name.
"""

import argparse
import os
import socket
import ssl
import time
import urllib.parse
import uuid

import h2.config
import h2.connection
import h2.events
import jwt

BUGS = ["no-back-off", "retry-on-410", "ignores-goaway", "token-per-push", "duplicate-after-lost-answer"]


class Lost(Exception):
    """The connection ended, or was silent for too long, before the answer came."""


class Connection:
    def __init__(self, ignores_goaway):
        address = urllib.parse.urlsplit(os.environ["MOCK_APNS_URL"])
        context = ssl.create_default_context()  # SSL_CERT_FILE names the authority
        context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(
            socket.create_connection((address.hostname, address.port), timeout=3), server_hostname=address.hostname)
        self.http = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.http.initiate_connection()
        self.ignores_goaway = ignores_goaway
        self.is_leaving = False
        self.partial = b""

    def request(self, fields, body):
        """The status of the answer."""
        stream = self.http.get_next_available_stream_id()
        self.http.send_headers(stream, [
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), *fields])
        self.http.send_data(stream, body, end_stream=True)
        status = None
        try:
            while True:
                self.socket.sendall(self.http.data_to_send())
                data = self.socket.recv(65536)
                if not data:
                    raise Lost("end of file")
                for event in self.events(data):
                    if isinstance(event, h2.events.ResponseReceived) and event.stream_id == stream:
                        status = int(dict(event.headers)[":status"])
                    elif isinstance(event, h2.events.StreamEnded) and event.stream_id == stream:
                        return status
        except OSError as error:
            raise Lost(str(error)) from error


    def events(self, data):
        """What came, frame by frame: for h2 GOAWAY is the end, but APNs still answers what is open."""
        self.partial += data
        while len(self.partial) >= 9 and len(self.partial) >= 9 + int.from_bytes(self.partial[:3], "big"):
            end = 9 + int.from_bytes(self.partial[:3], "big")
            frame, self.partial = self.partial[:end], self.partial[end:]
            for event in self.http.receive_data(frame):
                if isinstance(event, h2.events.ConnectionTerminated):
                    self.is_leaving = not self.ignores_goaway
                    self.http.state_machine.state = h2.connection.ConnectionState.CLIENT_OPEN
                yield event


class Provider:
    def __init__(self, bug):
        self.bug = bug
        self.connection = None
        self.token = None
        self.dropped = set()

    def sign(self):
        key = open(os.environ["MOCK_APNS_KEY"]).read()
        claims = {"iss": os.environ["MOCK_APNS_TEAM_ID"], "iat": int(time.time())}
        return jwt.encode(claims, key, "ES256", headers={"kid": os.environ["MOCK_APNS_KEY_ID"]})

    def push(self, device):
        """Pushes until the answer is final; returns the status."""
        identifier, collapse = str(uuid.uuid4()), f"note-{time.time_ns()}"
        for attempt in range(5):
            if device in self.dropped:
                return 410
            if self.connection is None or self.connection.is_leaving:
                self.connection = Connection(self.bug == "ignores-goaway")
            if self.token is None or self.bug == "token-per-push":
                self.token = self.sign()
            try:
                status = self.connection.request([
                    (":path", f"/3/device/{device}"), ("authorization", f"bearer {self.token}"),
                    ("apns-topic", os.environ["MOCK_APNS_TOPIC"]), ("apns-push-type", "alert"),
                    ("apns-id", identifier), ("apns-collapse-id", collapse),
                ], b'{"aps":{"alert":"Hello"}}')
            except Lost:
                if self.bug == "ignores-goaway":
                    continue
                self.connection = None
                if self.bug == "duplicate-after-lost-answer":
                    identifier, collapse = str(uuid.uuid4()), f"note-{time.time_ns()}"
                continue
            if status == 403:
                self.token = None
            elif status == 410:
                if self.bug != "retry-on-410":
                    self.dropped.add(device)
            elif status in (429, 500, 503):
                if self.bug != "no-back-off":
                    time.sleep(0.03 * 2**attempt)
            else:
                return status
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bug", choices=BUGS)
    parser.add_argument("devices", nargs="+")
    arguments = parser.parse_args()
    provider = Provider(arguments.bug)
    for device in arguments.devices:
        print(device[:8], provider.push(device), flush=True)


if __name__ == "__main__":
    main()
