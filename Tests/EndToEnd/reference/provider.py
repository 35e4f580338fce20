"""The reference driver's provider: what a good provider does with each answer of APNs.

It keeps one connection and one provider token for each team; connects again when a connection ends, goes away, is silent
or of no use; tries again, after longer and longer pauses, what may be tried again; and drops the tokens of devices that
are gone. BUGS has what can be switched on to see that a story notices.
"""

import asyncio
import base64
import http.client
import json
import os
import pathlib
import ssl
import time
import uuid
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

from connection import Connection, Lost, Refused, Unprocessed

BUGS = {
    "gives-up": "never tries again",
    "renews-too-often": "signs another provider token whenever APNs answers 403 or 429",
    "no-retry-after": "takes no notice of retry-after",
    "loses-collapse-id": "leaves out the collapse id when it tries again",
    "loses-expiration": "never sends apns-expiration",
    "keeps-dead-tokens": "goes on pushing to tokens that are refused as dead",
    "drops-busy-tokens": "takes a 429 for the end of a device token",
    "too-many-streams": "takes no notice of the limit of streams",
    "trusts-anybody": "does not verify the server's certificate",
    "one-team": "signs everything as the first team, on one connection",
    "sends-again": "pushes again what was accepted at once",
}
# How long it waits for an answer, an acknowledgement or a connection, in seconds; for tests, hours would do as well.
PATIENCE = 2
IDLE = 0.8
TRIES = 12
DEAD = {"Unregistered", "ExpiredToken", "BadDeviceToken"}


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


class Team:
    """Who signs, with which key and provider token."""

    def __init__(self, identifier, keys):
        self.identifier = identifier
        self.keys = keys
        self.token = None
        self.connection = None
        self.opening = None
        # Since the last success: how often the key was refused, and tokens that were made because one had expired.
        self.refusals = self.renewals = 0

    def sign(self):
        identifier, file = self.keys[0]
        key = serialization.load_pem_private_key(pathlib.Path(file).read_bytes(), None)
        header, claims = {"alg": "ES256", "kid": identifier}, {"iss": self.identifier, "iat": int(time.time())}
        signed = b".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        r, s = utils.decode_dss_signature(key.sign(signed, ec.ECDSA(hashes.SHA256())))
        return "bearer " + (signed + b"." + base64url(r.to_bytes(32) + s.to_bytes(32))).decode()


def first_team():
    """The team of pushes that name none, as an operator would configure it: the scenario says with which keys."""
    default = Team(os.environ["MOCK_APNS_TEAM_ID"], [(os.environ["MOCK_APNS_KEY_ID"], os.environ["MOCK_APNS_KEY"])])
    admin = urlsplit(os.environ["MOCK_APNS_ADMIN_URL"])
    client = http.client.HTTPConnection(admin.hostname, admin.port, timeout=30)
    client.request("GET", "/api/v1/scenario")
    scenario = json.loads(client.getresponse().read())
    client.close()
    for declared in scenario.get("authentication", {}).get("teams", []):
        folder = pathlib.Path(os.environ["MOCK_APNS_CERTS"])
        keys = [(key["keyID"], folder / f"AuthKey_{key['keyID']}.p8") for key in declared["keys"]]
        return Team(declared["teamID"], keys)
    return default


class Provider:
    def __init__(self, bug=None):
        self.bug = bug
        self.default = first_team()
        self.teams = {}
        self.context = ssl.create_default_context(cafile=os.environ["MOCK_APNS_CA"])
        self.context.set_alpn_protocols(["h2"])
        if bug == "trusts-anybody":
            self.context.check_hostname = False
            self.context.verify_mode = ssl.CERT_NONE
        self.dropped = set()
        self.connections = []

    async def push(self, push):
        """Pushes until it is clear what comes of it: status and reason, or an error."""
        team = self.default
        if "teamID" in push and self.bug != "one-team":
            team = self.teams.setdefault(push["teamID"], Team(push["teamID"], [(push["keyID"], push["key"])]))
        identifier, pause, last = str(uuid.uuid4()), 0.025, {"error": "given up"}
        for number in range(TRIES):
            if push["token"] in self.dropped:
                return last if number else {"error": "the device token was dropped"}
            wait, connection = 0, None
            try:
                connection = await self.connected(team)
                if not team.token:
                    team.token = team.sign()
                token = team.token
                answer = await connection.push(self.fields(push, token, identifier, number), self.body(push))
                last, again = self.judge(answer, push, team, token, connection)
                if self.bug == "sends-again" and last["status"] == 200 and number == 0:
                    continue
                if not again or self.bug == "gives-up":
                    return last
                if self.bug == "renews-too-often" and last["status"] in (403, 429):
                    team.token = None
                if self.bug != "no-retry-after":
                    wait = float(answer.fields.get("retry-after", 0))
            except Refused as error:
                last = {"error": str(error)}
                connection.failures += 1
                if connection.failures >= 3:
                    self.leave(team, connection)
            except (Lost, Unprocessed) as error:
                last = {"error": str(error)}
                if connection:
                    self.leave(team, connection)
            except ConnectionError as error:
                return {"error": str(error)}
            if self.bug == "gives-up":
                return last
            await asyncio.sleep(max(wait, pause))
            pause = min(pause * 2, 0.5)
        return last

    def fields(self, push, token, identifier, number):
        fields = {
            ":method": "POST", ":scheme": "https", ":authority": os.environ["MOCK_APNS_HOST"],
            ":path": f"/3/device/{push['token']}", "authorization": token, "apns-id": identifier,
            "apns-topic": push.get("topic"), "apns-push-type": push.get("pushType"),
            "apns-priority": push.get("priority"), "apns-expiration": push.get("expiration"),
            "apns-collapse-id": push.get("collapseID"),
        }
        if self.bug == "loses-expiration":
            fields["apns-expiration"] = None
        if self.bug == "loses-collapse-id" and number:
            fields["apns-collapse-id"] = None
        return [(name, str(value)) for name, value in fields.items() if value is not None]

    @staticmethod
    def body(push):
        return json.dumps(push["payload"], separators=(",", ":"), ensure_ascii=False).encode() if "payload" in push else b""

    def judge(self, answer, push, team, token, connection):
        """What an answer says, and whether to try again."""
        status = int(answer.fields[":status"])
        try:
            reason = json.loads(answer.body).get("reason")
        except (ValueError, AttributeError):
            reason = answer.body.decode(errors="replace") or None
        said = {"status": status} | ({"reason": reason} if reason and status != 200 else {})
        if status == 200:
            connection.failures = team.refusals = team.renewals = 0
            return said, False
        if reason in DEAD or status == 410:
            if self.bug != "keeps-dead-tokens":
                self.dropped.add(push["token"])
            return said, False
        if status == 429 and self.bug == "drops-busy-tokens":
            self.dropped.add(push["token"])
            return said, False
        if reason == "ExpiredProviderToken":
            # Another push may have renewed it.
            if token == team.token:
                if team.renewals:
                    return said, False
                team.renewals += 1
                team.token = None
                self.leave(team, connection)
            return said, True
        if reason == "InvalidProviderToken":
            team.refusals += 1
            if team.refusals >= 2 and token == team.token and len(team.keys) > 1:
                team.keys, team.token, team.refusals = team.keys[1:], None, 0
            return said, team.refusals < 3
        if reason == "TooManyProviderTokenUpdates":
            self.leave(team, connection)
            return said, True
        if status == 500:
            connection.failures += 1
            if connection.failures >= 2:
                self.leave(team, connection)
        return said, status in (429, 500, 503)

    # Connections

    async def connected(self, team):
        """The team's connection; whoever comes while it is being opened waits for the same one."""
        if team.connection and team.connection.is_retired:
            team.connection = None
        if not team.connection:
            if not team.opening:
                team.opening = asyncio.create_task(self.connect(team))
            opening = team.opening
            try:
                await asyncio.shield(opening)
            finally:
                if team.opening is opening:
                    team.opening = None
        if not team.connection:
            raise Unprocessed("the connection ended at once")
        return team.connection

    async def connect(self, team):
        pause = 0.05
        for number in range(TRIES):
            connection = Connection(PATIENCE, ignores_limit=self.bug == "too-many-streams")
            try:
                await connection.open(os.environ["MOCK_APNS_HOST"], int(os.environ["MOCK_APNS_PORT"]), self.context)
                break
            except Lost as error:
                if number == TRIES - 1:
                    raise ConnectionError(str(error)) from error
                await asyncio.sleep(pause)
                pause = min(pause * 2, 1)
        team.connection = connection
        self.connections.append((connection, asyncio.create_task(self.keep_alive(team, connection))))

    def leave(self, team, connection):
        connection.retire()
        if team.connection is connection:
            team.connection = None

    async def keep_alive(self, team, connection):
        """Sends PING while there is nothing else to show that the connection lives."""
        while not connection.is_retired:
            await asyncio.sleep(IDLE)
            if not connection.answers and not connection.is_retired and not await connection.is_alive():
                self.leave(team, connection)

    async def close(self):
        for connection, keeping in self.connections:
            keeping.cancel()
            connection.end()
            # A server that has gone silent does not take part in the end of TLS.
            connection.writer.transport.abort()
        await asyncio.gather(*(connection.listening for connection, _ in self.connections), return_exceptions=True)
