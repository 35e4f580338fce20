"""The OpenAPI document of the admin API, kept true: every operation in it is called until each status that it names has
come, and each answer is validated. That every route is in it is tested beside the routes."""

import contextlib
import http.client
import json
import pathlib
import selectors
import socket
import tempfile
import unittest
import urllib.parse

import httpx
import jsonschema

from events import Stream
from server import PATIENCE, ROOT, TOPIC, Server, device, until

SCENARIO = {
    "clock": {"manual": "2026-01-01T00:00:00Z"},
    "devices": [
        {"name": "alice", "token": device(1)},
        {"name": "bob", "token": device(2), "online": False},
        {"name": "gone", "token": device(3), "registered": {"unregisteredAt": "2026-01-01T00:00:00Z"}},
    ],
    "channels": [{"name": "cup", "topic": TOPIC, "channelID": "+/+/cup+/w=="}],
    "rules": [
        {"name": "late", "when": {"topic": "com.example.late"}, "then": {"pass": True, "delay": "20ms"}},
        {"name": "cut", "when": {"topic": "com.example.cut"}, "then": {"resetStream": "INTERNAL_ERROR"}},
    ],
    "timeline": [{"at": "30d", "do": {"device": "alice", "online": False}}],
    "expect": [{"requests": {"device": "alice"}, "count": 1}],
}
# What stands for the variable parts of paths.
PLACES = {
    "/api/v1/requests/{id}": "/api/v1/requests/1",
    "/api/v1/requests/{id}/screen": "/api/v1/requests/1/screen",
    "/api/v1/requests/{id}/checks": "/api/v1/requests/1/checks",
    "/api/v1/requests/{id}/differences": "/api/v1/requests/2/differences?from=1",
    "/api/v1/connections/{id}/goaway": "/api/v1/connections/all/goaway",
    "/api/v1/connections/{id}/close": "/api/v1/connections/all/close",
    "/api/v1/channels/{channel}": "/api/v1/channels/-_-_cup-_w",
    "/api/v1/devices/{device}": "/api/v1/devices/alice",
    "/api/v1/devices/{device}/token": "/api/v1/devices/erin/token",
    "/api/v1/devices/{device}/activities/wait": "/api/v1/devices/alice/activities/wait",
    "/api/v1/devices/{device}/displayed/{sequence}": "/api/v1/devices/alice/displayed/1",
    "/api/v1/devices/{device}/displayed/{sequence}/open": "/api/v1/devices/alice/displayed/1/open",
    "/api/v1/devices/{device}/displayed/{sequence}/dismiss": "/api/v1/devices/alice/displayed/1/dismiss",
    "/api/v1/rules/{name}": "/api/v1/rules/late",
    "/api/v1/scenarios/{name}": "/api/v1/scenarios/tour",
    "/api/v1/sessions/{name}": "/api/v1/sessions/one",
}
UNKNOWN = {
    "/api/v1/requests/{id}": "/api/v1/requests/1000000",
    "/api/v1/requests/{id}/screen": "/api/v1/requests/1000000/screen",
    "/api/v1/requests/{id}/checks": "/api/v1/requests/1000000/checks",
    "/api/v1/requests/{id}/differences": "/api/v1/requests/1/differences?from=1000000",
    "/api/v1/connections/{id}/goaway": "/api/v1/connections/1000000/goaway",
    "/api/v1/connections/{id}/close": "/api/v1/connections/1000000/close",
    "/api/v1/channels/{channel}": "/api/v1/channels/none",
    "/api/v1/devices/{device}": "/api/v1/devices/nobody",
    "/api/v1/devices/{device}/token": "/api/v1/devices/nobody/token",
    "/api/v1/devices/{device}/activities/wait": "/api/v1/devices/nobody/activities/wait",
    "/api/v1/devices/{device}/displayed/{sequence}": "/api/v1/devices/alice/displayed/1000000",
    "/api/v1/devices/{device}/displayed/{sequence}/open": "/api/v1/devices/alice/displayed/1000000/open",
    "/api/v1/devices/{device}/displayed/{sequence}/dismiss": "/api/v1/devices/alice/displayed/1000000/dismiss",
    "/api/v1/rules/{name}": "/api/v1/rules/none",
    "/api/v1/scenarios/{name}": "/api/v1/scenarios/none",
    "/api/v1/sessions/{name}": "/api/v1/sessions/none",
}
# Bodies that name what there is not.
UNKNOWN_BODIES = {"/api/v1/pushes": {"device": "nobody"}}
# What is wrong with a request that has no body, by its path.
WRONG = {
    "/api/v1/identity": "/api/v1/identity?format=xml",
    "/api/v1/identity/certificate": "/api/v1/identity/certificate?kind=other",
    "/api/v1/scenario": "/api/v1/scenario?current=now",
    "/api/v1/lint": "/api/v1/lint?severity=bad",
    "/api/v1/lint/pushes": "/api/v1/lint/pushes?limit=1001",
    "/api/v1/scenarios/{name}": "/api/v1/scenarios/%ZZ",
    "/api/v1/requests": "/api/v1/requests?statsu=200",
    "/api/v1/deliveries.csv": "/api/v1/deliveries.csv?day=today",
    "/api/v1/requests/{id}": "/api/v1/requests/1?fields=all",
    "/api/v1/requests/{id}/differences": "/api/v1/requests/1/differences",
    "/api/v1/timeline": "/api/v1/timeline?last=10",
    "/api/v1/devices": "/api/v1/devices?power=full",
    "/api/v1/channels": "/api/v1/channels?limit=many",
    "/api/v1/channels/{channel}": "/api/v1/channels/%ZZ",
    "/api/v1/devices/{device}": "/api/v1/devices/%ZZ",
    "/api/v1/devices/{device}/displayed/{sequence}": "/api/v1/devices/%ZZ/displayed/1",
    "/api/v1/rules": "/api/v1/rules?added=maybe",
    "/api/v1/rules/{name}": "/api/v1/rules/%ZZ",
    "/api/v1/sessions/{name}": "/api/v1/sessions/%ZZ",
}
WRONG_BODIES = {
    "/api/v1/lint": [{}, {"payload": {}, "body": "{}"}, {"body": 7}, {"payload": {}, "headers": {"apns-priority": None}}],
    "/api/v1/verify": [
        {"expect": [expectation], "within": {}}
        for expectation in ({"connections": 1}, {"pings": 1}, {"spacing": {"connections": True, "atLeast": "1s"}})
    ],
}
MOST_STREAMS = 100
MOST_PATTERNS = 100
# What only members of a fleet answer; FleetDispatchTests.swift and test_fleet.py have it.
FLEET = {"#/components/responses/OtherMember", "#/components/responses/NotAllReplicas"}
# Only while the server ends, without a private key, and in a fleet; AdminTests.swift, AdminPushesTests.swift and
# test_fleet.py have them. And a hundred revoked certificates, whose RSA keys take too long.
# And more waits than take a moment to begin; ActivityTokenTests.swift has them.
NOT_CALLED = {("post", "/api/v1/devices/{device}/activities/wait", "503"), ("get", "/readyz", "503"), ("get", "/api/v1/identity/certificate", "409"), ("post", "/api/v1/pushes", "409"), ("post", "/api/v1/verify", "409")}


class OpenAPI(unittest.TestCase):
    def setUp(self):
        self.called = set()

    def schema(self, schema):
        return jsonschema.Draft202012Validator({**schema, "components": self.document["components"]})

    def operations(self):
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                yield method, path, operation

    def resolve(self, value):
        while "$ref" in value:
            found = self.document
            for part in value["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            value = found
        return value

    def call(self, method, path, place=None, body=None, headers={}):
        """Calls an operation, and validates what it answers."""
        operation = self.document["paths"][path][method]
        place = place or PLACES.get(path, path)
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.server.admin).netloc, timeout=PATIENCE)
        with contextlib.closing(connection):
            # Whose body is too long is answered before the body's end.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method.upper(), place, content, headers)
            answer = connection.getresponse()
            status, kind = str(answer.status), answer.headers["Content-Type"].partition(";")[0]
            text = b"" if kind == "text/event-stream" else answer.read()
        with self.subTest(f"{method.upper()} {place}", body=(content or b"")[:80]):
            self.assertIn(status, operation["responses"], text[:500])
            self.called.add((method, path, status))
            media = self.resolve(operation["responses"][status])["content"]
            self.assertIn(kind, media)
            value = json.loads(text) if kind == "application/json" else text.decode()
            self.schema(media[kind]["schema"]).validate(value)
            return status, value
        return None, None

    def push(self, client, number, topic=TOPIC, body='{"aps":{"alert":"Hello"}}', **headers):
        fields = {"authorization": f"bearer {self.token}", "apns-topic": topic}
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        return client.post(f"/3/device/{device(number)}", headers=fields, content=body)

    def client(self):
        return httpx.Client(http2=True, verify=self.server.tls(), base_url=self.server.url, timeout=PATIENCE)

    def push_all_kinds(self, client):
        self.push(client, 1, apns_push_type="alert")
        self.push(client, 2, apns_expiration="1767229200", apns_collapse_id="score")
        self.push(client, 2, apns_expiration="1767229200")
        self.push(client, 3)
        self.push(client, 4, topic="com.example.late")
        self.push(client, 4, body="no JSON", apns_priority="7")
        self.push(client, 4, body=b"\xff\xfe")
        self.push(client, 4, authorization="bearer nonsense")
        client.get("/nothing")
        with self.assertRaises(httpx.RemoteProtocolError):
            self.push(client, 5, topic="com.example.cut")

    def test_the_document_is_true(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        scenario = folder / "scenario.json"
        scenario.write_text(json.dumps(SCENARIO))
        with Server("--scenario", str(scenario), "--log", "LOG") as self.server:
            self.token = self.server.token()
            self.document = self.server.get("/api/v1/openapi.json")
            self.assertEqual(self.document, json.loads((ROOT / "Sources/MockAPNSAdmin/openapi.json").read_text()))
            with Stream(self.server) as stream:
                with self.client() as client:
                    self.push_all_kinds(client)
                    self.call_all()
                with self.client() as client:
                    self.push(client, 1)
                for line in self.server.log.read_text().splitlines():
                    event = json.loads(line)
                    event.pop("session", None)
                    self.schema({"$ref": "#/components/schemas/Event"}).validate(event)
                self.check_events(stream)
                self.check_rows()
            self.refuse_streams()
            self.refuse_waits()
            self.call_as_stranger("421", headers={"Host": "attacker.com"})
            self.call_as_stranger("403", headers={"Origin": "null"})
        with Server() as other, Server("--session-ports", f"{other.port}-{other.port}") as self.server:
            self.call("post", "/api/v1/sessions")
        with Server("--admin-token", "s3cret") as self.server:
            self.call_as_stranger("401", headers={"Authorization": "Bearer other"})
        named = {(method, path, status) for method, path, operation in self.operations()
                 for status, answer in operation["responses"].items() if answer.get("$ref") not in FLEET}
        self.assertEqual(named - self.called, NOT_CALLED)

    def call_all(self):
        self.call("post", "/api/v1/sessions", body={"name": "one"})
        self.call("post", "/api/v1/sessions", body={"name": "one"})
        self.call("delete", "/api/v1/sessions/{name}", "/api/v1/sessions/default")
        for method, path, operation in self.operations():
            if method == "get":
                self.call(method, path)
        self.call("get", "/api/v1/identity", "/api/v1/identity?format=shell")
        self.check_pages_of_rows()
        for query in ("rule=payload-not-json&sentBy=any", "severity=error&after=1&before=9&limit=1"):
            self.assertTrue(self.call("get", "/api/v1/lint/pushes", f"/api/v1/lint/pushes?{query}")[1]["pushes"])
        for sequence in range(1, 11):
            self.call("get", "/api/v1/requests/{id}/checks", f"/api/v1/requests/{sequence}/checks")
        for _ in range(3):
            self.server.post("/api/v1/pushes", {"device": "alice", "topic": TOPIC, "payload": {"aps": {"alert": "Hello"}}})
        shows = next(each for each in self.server.get("/api/v1/devices")["devices"] if len(each["displayed"]) > 2)
        for shown, (method, how) in zip(shows["displayed"], (("delete", ""), ("post", "/open"), ("post", "/dismiss"))):
            self.call(method, "/api/v1/devices/{device}/displayed/{sequence}" + how,
                      f"/api/v1/devices/{shows['token']}/displayed/{shown['sequence']}{how}")
        self.call("get", "/api/v1/devices/{device}", f"/api/v1/devices/{shows['token']}")
        self.call("patch", "/api/v1/devices/{device}", body={
            "app": {"state": "forceQuit"}, "apps": {TOPIC: {"backgroundRefresh": False}}, "platform": "iPadOS",
            "notifications": {"authorization": "provisional"}, "budgets": {"background": {"allowed": 3, "per": "1h"}}})
        self.call("patch", "/api/v1/devices/{device}", body={"startActivity": {"name": "match"}})
        self.call("post", "/api/v1/devices", body={"name": "erin", "topic": TOPIC, "pushToStartToken": device(8)})
        self.call("post", "/api/v1/devices/{device}/token")
        # Every example of the document is good, and works.
        for method, path, operation in self.operations():
            for name, example in self.body(operation).get("examples", {}).items():
                with self.subTest(f"{method.upper()} {path}", example=name):
                    self.schema(self.body(operation)["schema"]).validate(example["value"])
                    status, value = self.call(method, path, body=example["value"])
                    self.assertLess(int(status), 300, value)
        # A clock that is real since another scenario is played, names that are taken.
        self.call("post", "/api/v1/clock/advance", body={"by": "1h"})
        self.call("put", "/api/v1/scenario", body=SCENARIO)
        self.call("put", "/api/v1/scenario", "/api/v1/scenario?reset=yes", body=SCENARIO)
        for query in ("format=json", "format=text", "format=junit", "format=markdown", "finish=false", "format=xml",
                      "finish=now", "fromat=text", "allowMissing=false", "allowMissing=true"):
            self.call("post", "/api/v1/verify", f"/api/v1/verify?{query}", body={})
        self.call("post", "/api/v1/devices", body={"name": "alice", "token": device(7)})
        self.call("post", "/api/v1/rules", body={"name": "late", "then": {"pass": True}})
        self.call("post", "/api/v1/channels", body={"name": "cup", "topic": TOPIC})
        self.call("post", "/api/v1/requests/wait", body={"requests": {"status": 500}, "timeout": "10ms"})
        self.call("post", "/api/v1/requests/wait", body={"requests": {}, "count": 0, "for": "1ms", "after": 0})
        self.call("post", "/api/v1/devices/{device}/activities/wait", body={"count": 20, "timeout": "1ms"})
        self.call("post", "/api/v1/recording", body={"state": "start"})
        self.assertEqual(self.call("post", "/api/v1/recording", body={"state": "start"})[0], "409")
        self.call("get", "/api/v1/recording")
        self.call("get", "/api/v1/clock")
        self.call("post", "/api/v1/clock/advance", body={"by": "31d"})
        self.call("post", "/api/v1/recording", body={"state": "stop"})
        for method, path, operation in self.operations():
            if "404" in operation["responses"]:
                body = list(self.body(operation).get("examples", {}).values())
                example = body[0]["value"] if body else None
                self.call(method, path, UNKNOWN.get(path, path), body=UNKNOWN_BODIES.get(path, example))
            if "400" in operation["responses"]:
                self.call_wrongly(method, path, operation)
            if "413" in operation["responses"]:
                self.call(method, path, body=b" " * ((64 if path.endswith(("scenario", "check", "sessions")) else 1) * (1 << 20) + 1))
        self.call("delete", "/api/v1/channels/{channel}")
        self.call("delete", "/api/v1/devices/{device}")
        current = "/api/v1/scenario?current=true"
        self.assertEqual(self.call("get", "/api/v1/scenario", current)[0], "409")
        self.call("delete", "/api/v1/rules/{name}")
        self.call("delete", "/api/v1/outages")
        self.call("delete", "/api/v1/sessions/{name}")
        self.call("delete", "/api/v1/requests", "/api/v1/requests?status=200")
        self.call("get", "/api/v1/requests")
        # The topics of all devices have one limit.
        for number in range(65):
            topics = [f"com.example.t{number}.n{index}" for index in range(1000)]
            self.call("post", "/api/v1/devices", body={"token": device(100 + number), "topics": topics})
        topics = [f"com.example.new{index}" for index in range(1000)]
        self.call("put", "/api/v1/scenario", body={"devices": [{"token": device(7), "topics": topics}]})
        # Who is connected has no number afterwards.
        self.call("put", "/api/v1/scenario", "/api/v1/scenario?reset=true", body=SCENARIO)
        self.assertEqual(self.call("get", "/api/v1/scenario", current)[1], SCENARIO)
        self.call("get", "/api/v1/connections")
        self.call("post", "/api/v1/reset")

    def body(self, operation):
        return operation.get("requestBody", {}).get("content", {}).get("application/json", {})

    def call_wrongly(self, method, path, operation):
        if path == "/api/v1/events":
            self.call(method, path, headers={"Last-Event-ID": "latest"})
            for query in ("fields=all", "rate=0", "rate=1001", "rate=fast"):
                self.assertEqual(self.call(method, path, f"{path}?{query}")[0], "400")
        elif method in ("get", "delete"):
            self.call(method, path, WRONG[path])
        else:
            self.call(method, path, body=b"{")
            for wrong in ({"no such key": 1}, 17, *WRONG_BODIES.get(path, [])):
                self.assertEqual(self.call(method, path, body=wrong)[0], "400")
                valid = self.schema(self.body(operation)["schema"]).is_valid(wrong)
                self.assertFalse(valid and not path.endswith("/scenario"), "the schema allows it")

    def check_events(self, stream):
        kinds = set()
        validator = self.schema({"$ref": "#/components/schemas/Event"})
        for event in stream:
            validator.validate(event.data)
            self.assertEqual(event.name, event.data["event"])
            kinds.add(event.name)
            if "reset" in kinds and event.name == "request":
                break
        self.assertEqual(kinds, {"request", "update", "connection", "device", "activity", "response", "channel", "rule", "clock", "scenario", "reset"})

    def check_rows(self):
        validator = self.schema({"$ref": "#/components/schemas/RequestRow"})
        number = 0
        with Stream(self.server, after="0-0", query="?fields=row&rate=1000") as stream:
            for event in stream:
                if event.name == "request":
                    validator.validate(event.data)
                    number += 1
                if number == self.server.get("/api/v1/summary")["requests"]:
                    break

    def check_pages_of_rows(self):
        row = self.call("get", "/api/v1/requests/{id}", "/api/v1/requests/1?fields=row")[1]
        self.schema({"$ref": "#/components/schemas/RequestRow"}).validate(row)
        page = self.call("post", "/api/v1/requests/find", "/api/v1/requests/find?fields=row", body={"limit": 1})[1]
        self.schema({"$ref": "#/components/schemas/RequestRowPage"}).validate(page)
        self.assertEqual(page["requests"], [row])
        self.assertEqual(self.call("post", "/api/v1/requests/find", "/api/v1/requests/find?fields=all")[0], "400")

    def call_as_stranger(self, status, headers):
        for method, path, operation in self.operations():
            if status in operation["responses"]:
                self.assertEqual(self.call(method, path, headers=headers)[0], status)

    def refuse_streams(self):
        with contextlib.ExitStack() as stack:

            def opened():
                with contextlib.suppress(AssertionError):
                    return stack.enter_context(Stream(self.server))

            # A busy server may not have seen yet that an earlier stream was closed.
            for _ in range(MOST_STREAMS):
                until(opened, lambda: "there is no room for a stream")
            self.assertEqual(self.call("get", "/api/v1/events")[0], "503")

    def refuse_waits(self):
        def question(number):
            return {"requests": {"topic": {"matches": f"a{number}"}}, "timeout": "10m"}

        address = urllib.parse.urlsplit(self.server.admin)
        with contextlib.ExitStack() as stack:
            selector = stack.enter_context(selectors.DefaultSelector())
            # One more than can wait: as soon as one of them is refused, all others wait.
            for number in range(MOST_PATTERNS + 1):
                connection = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
                stack.enter_context(contextlib.closing(connection))
                body = json.dumps(question(number)).encode()
                head = f"POST /api/v1/requests/wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
                connection.sendall(head.encode() + body)
                selector.register(connection, selectors.EVENT_READ)
            refused = selector.select(300)
            self.assertEqual([key.fileobj.recv(12) for key, _ in refused], [b"HTTP/1.1 503"])
            self.assertEqual(self.call("post", "/api/v1/requests/wait", body=question("b"))[0], "503")

    def test_durations_are_those_that_the_server_accepts(self):
        calls = {
            "/api/v1/clock/advance": lambda text: {"by": text},
            "/api/v1/requests/wait": lambda text: {"count": 0, "for": text},
            "/api/v1/sessions": lambda text: {"expiresAfter": text},
            "/api/v1/devices": lambda text: {"token": device(1), "rate": {"allowed": 1, "per": text}},
        }
        texts = ["0s", "000ms", "999ms", "0001000ms", "0000000000001ms", "0000000001s", "000000d", "100000d", "1h", "11m", "601s", "600001ms"]
        refused = set()
        document = json.loads((ROOT / "Sources/MockAPNSAdmin/openapi.json").read_text())
        with Server() as server, httpx.Client(base_url=server.admin, timeout=PATIENCE) as client:
            for path, body in calls.items():
                operation = document["paths"][path]["post"]
                kind = operation["requestBody"]["content"]["application/json"]["schema"]
                validator = jsonschema.Draft202012Validator({**kind, "components": document["components"]})
                for text in texts:
                    client.put("/api/v1/scenario?reset=true", json={"clock": {"manual": "now"}}).raise_for_status()
                    answer = client.post(path, json=body(text))
                    with self.subTest(path, text=text):
                        self.assertEqual(validator.is_valid(body(text)), answer.is_success, answer.text)
                        refused |= set() if answer.is_success else {path}
        self.assertEqual(refused, set(calls))

    def test_rule_names_may_have_any_character(self):
        name = "busy\n\u2028\u001b"
        scenario = {"rules": [{"name": name, "then": {"reject": "TooManyRequests"}}]}
        document = json.loads((ROOT / "Sources/MockAPNSAdmin/openapi.json").read_text())
        with Server() as server, httpx.Client(base_url=server.admin, timeout=PATIENCE) as client:
            client.put("/api/v1/scenario", json=scenario).raise_for_status()
            client.post("/api/v1/pushes", json={"token": device(1), "payload": {}}).raise_for_status()
            question = {"requests": {"sentBy": "admin"}, "timeout": "1m"}
            (record,) = client.post("/api/v1/requests/wait", json=question).json()["requests"]
        self.assertEqual(record["decidedBy"], f"rule:{name}")
        whole = {"$ref": "#/components/schemas/RequestRecord", "components": document["components"]}
        jsonschema.Draft202012Validator(whole).validate(record)
        row = document["components"]["schemas"]["RequestRow"]["properties"]["decidedBy"]
        jsonschema.Draft202012Validator(row).validate(record["decidedBy"])

    def test_schemas_are_valid_and_agree_with_scenario_schemas(self):
        document = json.loads((ROOT / "Sources/MockAPNSAdmin/openapi.json").read_text())
        schemas = document["components"]["schemas"]
        for name, schema in schemas.items():
            with self.subTest(name):
                jsonschema.Draft202012Validator.check_schema(schema)
        used = set(references(document))
        used |= {f"#/components/securitySchemes/{name}" for scheme in document["security"] for name in scheme}
        defined = {f"#/components/{kind}/{name}" for kind, all in document["components"].items() for name in all}
        self.assertEqual(used ^ defined, set(), "used, but not defined, or the other way round")
        identifiers = [operation["operationId"] for item in document["paths"].values() for operation in item.values()]
        self.assertEqual(len(identifiers), len(set(identifiers)))

        scenario = json.loads((ROOT / "scenarios/scenario.schema.json").read_text())["$defs"]
        for ours, theirs in [("Match", "match"), ("Expectation", "expectation"), ("DeviceDeclaration", "device"),
                             ("DeviceChange", "deviceChange"), ("Rule", "rule"), ("GoAwayFrame", "goAwayFrame")]:
            with self.subTest(ours):
                self.assertEqual(properties(schemas[ours]), properties(scenario[theirs]))
        self.assertEqual(schemas["Reason"]["enum"], scenario["reason"]["enum"])
        words = scenario["deliveryMatcherScalar"]["enum"]
        self.assertEqual(set(schemas["Delivery"]["enum"]), set(words) - {None})
        words = scenario["outcomeMatcherScalar"]["enum"]
        self.assertEqual(set(schemas["Outcome"]["enum"]), set(words) - {None})
        self.assertEqual(schemas["Ending"]["enum"], scenario["close"]["enum"])


def references(value):
    """All that a document refers to."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for element in value:
            yield from references(element)


def properties(schema):
    """The keys that an object may have, wherever its schema names them."""
    found = set(schema.get("properties", {}))
    for key in ("if", "then", "else", "allOf", "anyOf", "oneOf"):
        parts = schema.get(key, [])
        for part in parts if isinstance(parts, list) else [parts]:
            found |= properties(part)
    return found


if __name__ == "__main__":
    unittest.main()
