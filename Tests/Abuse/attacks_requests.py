"""Requests whose header fields and provider tokens are strange."""

import base64
import json
import ssl

import wire
from server import device
from victim import BODY, PATH, Failure, attack, demand
from wire import END_HEADERS, END_STREAM, GOAWAY, HEADERS, RST_STREAM

KNOWN = ["apns-id", "apns-priority", "apns-expiration", "apns-collapse-id", "apns-push-type", "apns-topic",
         "authorization", ":path", ":method", ":authority", ":scheme", "content-length", "te", "cookie"]
VALUES = [b"", b"0", b"-1", b"10", b"9" * 30, b"alert", b"\xff\xfe", b"a" * 4000, b"\xc3\xa9" * 40, b" x", b"x\t",
          b"com.example.app", b"liveactivity", b"2147483648", b"00000000-0000-0000-0000-000000000000", b"{}", b"/3/device/"]


def answered(connection, streams, timeout=10):
    """What became of streams: their statuses, or None for those that were reset. Ends with the connection."""
    found = {}
    while len(found) < len(streams):
        got = connection.receive(timeout)
        if got.type == GOAWAY:
            break
        if got.stream in streams and got.type == RST_STREAM:
            found.setdefault(got.stream, None)
        elif got.stream in streams and got.type == HEADERS and got.stream not in found:
            found[got.stream] = int(dict(connection.fields(got))[":status"])
    return found


def strange_fields(victim, random):
    fields = wire.push(victim.token_text, PATH)
    for _ in range(random.randrange(1, 4)):
        name = random.choice(KNOWN) if random.random() < 0.8 else "x-" + "".join(random.choices("abcdef-", k=8))
        value = random.choice(VALUES) if random.random() < 0.6 else random.randbytes(random.randrange(60))
        if random.random() < 0.7:
            fields = [field for field in fields if field[0] != name]
        place = 0 if name.startswith(":") else len(fields)
        # In the wrong order, which ends the connection.
        if random.random() < 0.01:
            place = len(fields) - place
        fields.insert(place, (name, value))
    return fields


@attack("header-fuzz", "--log", "LOG", "--log-limit", "5000", memory=24, seconds=90)
def header_fuzz(victim, random, scale):
    """Each request gets an answer, a reset or a GOAWAY; each record can be read."""
    requests = int(30_000 * scale)
    sent = 0
    statuses = {}
    while sent < requests:
        with wire.Connection(victim) as connection:
            connection.answer(connection.request(wire.push(victim.token_text, PATH), BODY))
            try:
                while sent < requests:
                    streams = set()
                    for _ in range(40):
                        stream = connection.next_stream()
                        connection.send(wire.frame(
                            HEADERS, END_HEADERS | END_STREAM, stream, wire.block(strange_fields(victim, random))))
                        streams.add(stream)
                    sent += len(streams)
                    found = answered(connection, streams)
                    for status in found.values():
                        statuses[status] = statuses.get(status, 0) + 1
                    if len(found) < len(streams):
                        break
            except (wire.Closed, ssl.SSLError, ConnectionError):
                pass
            except TimeoutError as error:
                raise Failure("a request was neither answered nor refused") from error
    lines = [json.loads(line) for line in victim.log.read_bytes().splitlines()]
    page = json.loads(victim.call("GET", "/api/v1/requests?order=desc&limit=1000")[1])
    demand(page["requests"], "the API has no records")
    told = ", ".join(f"{count} {status or 'reset'}" for status, count in sorted(statuses.items(), key=lambda x: -x[1]))
    return f"{sent} requests: {told}; {len(lines)} lines"


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode() if not isinstance(value, bytes) else value).rstrip(b"=")


def decoded(part):
    """What a part stands for in either alphabet, with or without padding; None for nothing."""
    try:
        text = part.replace(b"-", b"+").replace(b"_", b"/").rstrip(b"=")
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except ValueError:
        return None


def strange_token(good, random):
    header, claims, signature = good.split(b".")
    kind = random.randrange(9)
    if kind < 4:
        token = bytearray(good)
        for _ in range(random.randrange(1, 4)):
            token[random.randrange(len(token))] ^= 1 << random.randrange(7)
        return bytes(token)
    if kind == 4:
        header = encoded({"alg": random.choice(["none", "HS256", "ES256", None, 1]), "kid": random.choice(["ABC123DEFG", "", "x" * 300, 7])})
    elif kind == 5:
        claims = encoded({"iss": random.choice(["DEF123GHIJ", "", [], "\u0000"]), "iat": random.choice([0, -1, 1e300, "1", None, 10**30, {}])})
    elif kind == 6:
        claims = encoded(b"[" * random.choice([10, 600, 3000]))
    elif kind == 7:
        signature = encoded(random.choice([b"", b"\x30\x06\x02\x01\x01\x02\x01\x01", b"\0" * 64, b"\xff" * 64, random.randbytes(72)]))
    else:
        return b".".join([header, claims, signature][: random.randrange(1, 4)]) + b"." * random.randrange(3)
    return b".".join([header, claims, signature])


@attack("token-fuzz", seconds=90)
def token_fuzz(victim, random, scale):
    """No token but the good one is taken."""
    good = victim.token_text.encode()
    meaning = [decoded(part) for part in good.split(b".")]
    count, taken, statuses = int(12_000 * scale), 0, {}
    # Without limits of how often a token may be another one.
    victim.call("PUT", "/api/v1/scenario", {"authentication": {"providerTokenUpdates": False}})
    for start in range(0, count, 100):
        with wire.Connection(victim) as connection:
            connection.answer(connection.request(wire.push(victim.token_text, PATH), BODY))
            tokens = {}
            for _ in range(100):
                token = strange_token(good, random)
                if b"\n" in token or b"\r" in token or b"\0" in token:
                    continue
                fields = [field for field in wire.push(None, PATH) if field[0] != "authorization"]
                stream = connection.request(fields + [("authorization", b"bearer " + token)], BODY)
                tokens[stream] = token
            for stream, status in answered(connection, set(tokens)).items():
                statuses[status] = statuses.get(status, 0) + 1
                if status == 200:
                    taken += 1
                    same = [decoded(part) for part in tokens[stream].strip().split(b".")] == meaning
                    demand(same, f"a token was taken that was not signed: {tokens[stream]!r}")
    return f"{sum(statuses.values())} tokens: {statuses}, {taken} of them the good one in another spelling"


@attack("secrets", "--log", "LOG", seconds=30)
def secrets(victim, random, scale):
    """A signature is recorded nowhere, whatever the field is called that has it."""
    signature = victim.token_text.split(".")[2]
    names = ["authorization", "proxy-authorization", "cookie", "x-authorization", "x-token", "apns-topic",
             "apns-collapse-id", "apns-id", "x-api-key"]
    with wire.Connection(victim) as connection:
        for name in names:
            for value in (f"bearer {victim.token_text}", victim.token_text, f"session={victim.token_text}; a=b",
                          f"BEARER  {victim.token_text} "):
                fields = [f for f in wire.push(victim.token_text, "/3/device/" + device(31)) if f[0] != name]
                connection.answer(connection.request(fields + [(name, value)], BODY))
    lines = [json.loads(line) for line in victim.log.read_text().splitlines() if signature in line]
    told = {header[0] for line in lines for header in line.get("headers", []) if signature in header[1]}
    demand(not lines, f"{len(lines)} lines of the log have the signature, in {', '.join(sorted(told)) or 'other members'}")
    demand(signature not in json.dumps(victim.records()), "the signature is told by the API")
    return f"{len(names) * 4} requests with a signature, none of it recorded"
