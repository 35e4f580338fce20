"""Who may ask the admin port, seen from outside, and that no connection to it stays open forever.

Requests are written by hand, since no client sends most of them.
"""

import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import time
import unittest

from server import EXECUTABLE, PATIENCE, Server, until

MISSING = object()
FIELDS = {
    "x-content-type-options": "nosniff", "cache-control": "no-store", "cross-origin-resource-policy": "same-origin"}
LARGE = 3_000_000


class Answer:
    def __init__(self, head, body):
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split()[1])
        self.fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        self.body = body

    @property
    def code(self):
        return json.loads(self.body)["error"]["code"]

    @property
    def message(self):
        return json.loads(self.body)["error"]["message"]


class Client:
    """A connection on which anything can be sent."""

    def __init__(self, server, timeout=PATIENCE):
        self.socket = socket.create_connection(("127.0.0.1", int(server.admin.rpartition(":")[2])), timeout)
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def answer(self):
        """The next answer; None when the server has closed its side."""
        while b"\r\n\r\n" not in self.rest:
            data = self.socket.recv(65536)
            if not data:
                assert not self.rest, self.rest
                return None
            self.rest += data
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        length = int(re.search(rb"\r\ncontent-length: (\d+)", head, re.IGNORECASE).group(1))
        while len(self.rest) < length:
            self.rest += self.socket.recv(65536)
        body, self.rest = self.rest[:length], self.rest[length:]
        return Answer(head, body)

    def is_ended(self):
        return self.answer() is None


def request(method="GET", path="/api/v1/summary", host="localhost", version="1.1", body=b"", **fields):
    lines = [f"{method} {path} HTTP/{version}"]
    lines += [] if host is MISSING else [f"Host: {value}" for value in ([host] if isinstance(host, str) else host)]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


class AdminAccess(unittest.TestCase):
    def ask(self, *args, **fields):
        with Client(self.server) as client:
            client.send(request(*args, **fields))
            answer = client.answer()
        for name, value in FIELDS.items():
            self.assertEqual(answer.fields.get(name), value, answer.fields)
        self.assertFalse([name for name in answer.fields if name.startswith("access-control-")])
        return answer

    def refused(self, status, code, *args, **fields):
        with self.subTest(code, request=args, fields=fields):
            answer = self.ask(*args, **fields)
            self.assertEqual((answer.status, answer.code), (status, code), answer.body)
            return answer

    def test_names_and_origins(self):
        with Server("--server-name", "push.example.org", "--admin-name", "mock.example.com") as self.server:
            port = self.server.admin.rpartition(":")[2]
            for host in ("localhost", f"127.0.0.1:{port}", "[::1]:1", "mock-apns:2198", "x.local", "mock.example.com:80",
                         "PUSH.example.org."):
                with self.subTest(host):
                    self.assertEqual(self.ask(host=host).status, 200)
            for host in ("attacker.com", f"attacker.com:{port}", "localhost.attacker.com", "user@localhost", "", MISSING):
                answer = self.refused(421, "unknownHost", host=host)
                self.assertIn("--admin-name", answer.message)
            for host in (["localhost", "localhost"], ["localhost", "attacker.com"]):
                answer = self.refused(421, "unknownHost", host=host)
                self.assertEqual(answer.message, "The request has 2 Host fields; the admin port takes requests with "
                                                 "exactly one.")
            # Also where nothing is, for every method, and whatever the target says of a host.
            self.refused(421, "unknownHost", "GET", "/nothing", host="attacker.com")
            self.refused(421, "unknownHost", "GET", "/", host="attacker.com")
            self.refused(421, "unknownHost", "POST", "/api/v1/reset", host="attacker.com")
            self.refused(421, "unknownHost", "GET", "http://localhost/api/v1/summary", host="attacker.com")
            self.refused(421, "unknownHost", "GET", version="1.0", host=MISSING)
            for path in ("/livez", "/readyz"):
                for host in ("attacker.com", MISSING, ["a", "b"]):
                    self.assertEqual(self.ask("GET", path, host=host).status, 200)

            self.assertEqual(self.ask(host="localhost:1", Origin="http://localhost:1").status, 200)
            self.assertEqual(self.ask(Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="cors").status, 200)
            for fields in ({"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}, {"Origin": "null"},
                           {"Origin": "http://attacker.com"}, {"Origin": "https://localhost:1"},
                           {"Origin": "http://localhost:1"}):
                for method, path in (("GET", "/api/v1/identity"), ("POST", "/api/v1/reset"), ("PUT", "/api/v1/scenario"),
                                     ("DELETE", "/api/v1/requests"), ("OPTIONS", "/api/v1/rules"), ("GET", "/nothing"),
                                     ("GET", "/metrics"), ("GET", "/livez")):
                    self.refused(403, "foreignOrigin", method, path, **fields)
            visit = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
            self.refused(403, "foreignOrigin", "GET", "/api/v1/summary", **visit)
            self.assertEqual(self.ask("GET", "/", **visit).status, 302)
            self.assertEqual(self.ask("GET", "/ui/", **visit).status, 200)

    def test_every_answer_has_the_fields(self):
        with Server() as self.server:
            for path, status in (("/livez", 200), ("/metrics", 200), ("/api/v1/openapi.json", 200), ("/nothing", 404),
                                 ("/api/v1/requests?x=1", 400), ("/api/v1/reset", 405)):
                self.assertEqual(self.ask("GET", path).status, status)

    def test_the_token(self):
        with Server("--admin-token", "s3cret") as self.server:
            for path in ("/api/v1/summary", "/metrics", "/nothing", "/api/v1/openapi.json"):
                for fields in ({}, {"Authorization": "Bearer other"}, {"Authorization": "s3cret"}):
                    answer = self.refused(401, "unauthorized", "GET", path, **fields)
                    self.assertEqual(answer.fields["www-authenticate"], "Bearer")
                    self.assertIn("MOCK_APNS_ADMIN_TOKEN", answer.message)
            self.assertEqual(self.ask(Authorization="Bearer s3cret").status, 200)
            self.assertEqual(self.ask("GET", "/nothing", Authorization="Bearer s3cret").status, 404)
            for path in ("/livez", "/readyz"):
                self.assertEqual(self.ask("GET", path).status, 200)
            self.refused(421, "unknownHost", host="attacker.com", Authorization="Bearer s3cret")
            ready = subprocess.run([EXECUTABLE, "ready", "--admin", self.server.admin], capture_output=True, timeout=PATIENCE)
            self.assertEqual(ready.returncode, 0, ready.stderr)
            self.server.until_said("requires the token")
            self.assertNotIn("s3cret", self.server.stderr())


def run(*arguments, **variables):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MOCK_APNS_")}
    return subprocess.run([EXECUTABLE, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                          stdin=subprocess.DEVNULL, env={**inherited, **variables})


class Tokens(unittest.TestCase):
    SHOW = ["sh", "-c", 'echo "${MOCK_APNS_ADMIN_TOKEN-none}"; '
            'curl -s -o /dev/null -w "%{http_code} " "$MOCK_APNS_ADMIN_URL/api/v1/summary"; '
            'curl -s -o /dev/null -w "%{http_code}" -H "Authorization: Bearer $MOCK_APNS_ADMIN_TOKEN" '
            '"$MOCK_APNS_ADMIN_URL/api/v1/summary"']

    def exec(self, *options, **variables):
        done = run("exec", "--quiet", "--certs", str(Server._certs()), *options, "--", *self.SHOW, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_exec_hands_it_to_the_command(self):
        self.assertEqual(self.exec("--admin-token", "s3cret"), "s3cret\n401 200")
        self.assertEqual(self.exec(MOCK_APNS_ADMIN_TOKEN="variable"), "variable\n401 200")
        self.assertEqual(self.exec("--admin-token", "option", MOCK_APNS_ADMIN_TOKEN="variable"), "option\n401 200")
        self.assertEqual(self.exec(MOCK_APNS_OPTIONS="--admin-token options"), "options\n401 200")
        self.assertEqual(self.exec(), "none\n200 200")
        self.assertEqual(self.exec(MOCK_APNS_ADMIN_TOKEN=""), "none\n200 200")

    def test_wrong_names_and_tokens(self):
        for options, variables, word in (
            (["--admin-token", ""], {}, "--admin-token"), (["--admin-token", "a b"], {}, "--admin-token"),
            ([], {"MOCK_APNS_ADMIN_TOKEN": "a b"}, "MOCK_APNS_ADMIN_TOKEN"),
            (["--admin-name", "a b"], {}, "--admin-name"), (["--admin-name", "a:80"], {}, "--admin-name"),
        ):
            for command in (["serve"], ["collect", "--fleet", "redis://127.0.0.1"]):
                with self.subTest(command[0], options=options, **variables):
                    done = run(*command, *options, **variables)
                    self.assertEqual(done.returncode, 64, done.stderr)
                    self.assertIn(word, done.stderr)

    def test_an_open_port_is_told_of(self):
        for options, is_told in (
            (["--host", "0.0.0.0"], True), (["--admin-host", "0.0.0.0"], True), ([], False),
            (["--host", "0.0.0.0", "--admin-host", "127.0.0.1"], False),
            (["--host", "0.0.0.0", "--admin-token", "s3cret"], False),
        ):
            with self.subTest(options), Server(*options) as server:
                warning = "warning: Anyone who can reach the admin port"
                if is_told:
                    server.until_said(warning)
                else:
                    self.assertNotIn(warning, server.until_said("/3/device/"))

    def test_the_shell_recipe_gets_the_token_or_fails(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-"))
        recipe = ('curl -fsS -H "Authorization: Bearer $TOKEN" "$ADMIN/api/v1/identity?format=shell" -o mock-apns.env '
                  '&& . ./mock-apns.env && echo "$MOCK_APNS_ADMIN_TOKEN $MOCK_APNS_URL"')
        environment = {"PATH": os.environ["PATH"], "TMPDIR": folder, "TOKEN": "s3cret"}

        def shell():
            return subprocess.run(["sh", "-c", recipe], cwd=folder, env=environment, capture_output=True, text=True,
                                  timeout=PATIENCE)
        with Server("--admin-token", "s3cret") as server:
            environment["ADMIN"] = server.admin
            self.assertEqual(shell().stdout, f"s3cret {server.ready['apns']}\n")
            environment["TOKEN"] = "other"
            self.assertNotEqual(shell().returncode, 0)
        self.assertNotEqual(shell().returncode, 0)


def descriptors(server):
    """How many sockets are open; a timer that the system makes when first needed is no leak."""
    folder, found = pathlib.Path(f"/proc/{server.process.pid}/fd"), 0
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            found += os.readlink(folder / name).startswith("socket:")
    return found


@unittest.skipUnless(pathlib.Path("/proc/self/fd").exists(), "counts descriptors by /proc")
class Endings(unittest.TestCase):
    """No connection whose client has gone, or that has had its last answer, stays open."""

    def setUp(self):
        # 64 descriptors, of which 60 such connections would leave none.
        self.server = self.enterContext(Server())
        self.enough = descriptors(self.server)

    def until_closed(self):
        until(lambda: descriptors(self.server) <= self.enough,
              lambda: f"{descriptors(self.server) - self.enough} descriptors stay open")

    def exchange(self, data):
        with Client(self.server) as client:
            client.send(data)
            answers = []
            while (answer := client.answer()) is not None:
                answers.append(answer)
            return answers

    def test_a_body_that_is_not_read(self):
        for path in ("/nothing", "/api/v1/requests/count"):
            for _ in range(5):
                answers = self.exchange(request("POST", path, body=b"x" * LARGE, Connection="close"))
                self.assertEqual([answer.status for answer in answers], [404 if path == "/nothing" else 413])
                self.assertEqual(answers[0].fields["connection"], "close")
        self.until_closed()

    def test_what_follows_a_parse_error(self):
        garbage = b"y" * 900_000
        chunks = request("POST", "/api/v1/requests/count", Transfer_Encoding="chunked")
        for data, statuses in (
            (b"GARBAGE\r\n\r\n", [400]), (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", [400]),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]), (request("GET", "/livez", A="b\x01c"), [400]),
            (request("GET", "/livez", A="h" * 100_000), [400]), (chunks + b"zz\r\n", [400]),
            (request("GET", "/livez") + b"GARBAGE\r\n\r\n", [200, 400]),
            (request("GET", "/livez", Connection="close"), [200]),
        ):
            with self.subTest(data[:40]):
                answers = self.exchange(data + garbage)
                self.assertEqual([answer.status for answer in answers], statuses)
                if statuses[-1] == 400:
                    self.assertEqual(answers[-1].code, "badHTTP")
                    self.assertIn("HTTP/1.1", answers[-1].message)
                    self.assertEqual(answers[-1].fields["content-type"], "application/json")
                    for name, value in FIELDS.items():
                        self.assertEqual(answers[-1].fields.get(name), value)
        self.until_closed()

    def test_clients_that_do_not_close(self):
        clients = [self.enterContext(Client(self.server)) for _ in range(3)]
        for client, data in zip(clients, (request("GET", "/livez", Connection="close"), b"GARBAGE\r\n\r\n",
                                          request("POST", "/nothing", body=b"x" * LARGE, Connection="close"))):
            client.send(data)
            self.assertIsNotNone(client.answer())
            self.assertTrue(client.is_ended())
        self.until_closed()

    def test_nothing_is_kept_of_what_is_thrown_away(self):
        before = self.server.resident()
        with Client(self.server) as client:
            client.send(request("CONNECT", "localhost:80"))
            client.answer()
            try:
                for _ in range(100):
                    client.send(b"z" * 1_000_000)
            except OSError:
                pass
        self.until_closed()
        self.assertLess(self.server.resident() - before, 30_000_000)

    def test_http_1_0(self):
        """Its client knows by the end of the connection that the answer is whole."""
        body = b'{"requests": {"status": 200}}'
        for data, status in (
            (b"GET /livez HTTP/1.0\r\n\r\n", 200), (b"GET /nothing HTTP/1.0\r\nHost: localhost\r\n\r\n", 404),
            (b"GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200),
            (b"POST /api/v1/requests/count HTTP/1.0\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body, 200),
        ):
            with self.subTest(data), Client(self.server) as client:
                client.send(data)
                answer = client.answer()
                self.assertEqual((answer.status, answer.fields["connection"]), (status, "close"))
                self.assertTrue(client.is_ended())
        self.until_closed()

    def test_requests_to_switch_protocols_close_the_connection(self):
        for data in (request("CONNECT", "localhost:80"),
                     request("GET", "/livez", Connection="Upgrade, HTTP2-Settings", Upgrade="h2c", HTTP2_Settings="AAMA")):
            with self.subTest(data), Client(self.server) as client:
                client.send(data)
                self.assertEqual(client.answer().fields["connection"], "close")
                self.assertTrue(client.is_ended())
        # curl opens another connection for the second.
        done = subprocess.run(["curl", "-s", "--max-time", str(PATIENCE), "--http2"] + [self.server.admin + "/livez"] * 2,
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (0, "alive\n" * 2))
        self.until_closed()

    def test_a_large_answer_is_not_cut(self):
        """The last answer on a connection leaves whole, however slowly it is read."""
        scenario = json.dumps({"description": "x" * 20_000_000}).encode()
        with Client(self.server, timeout=PATIENCE) as client:
            client.send(request("PUT", "/api/v1/scenario", body=scenario))
            self.assertEqual(client.answer().status, 200)
        with Client(self.server, timeout=PATIENCE) as client:
            client.send(request("GET", "/api/v1/scenario", Connection="close"))
            time.sleep(2.5)
            answer = client.answer()
            self.assertEqual(answer.body, scenario)
            self.assertTrue(client.is_ended())
        self.until_closed()

    def test_half_closed_client_gets_whole_answer(self):
        scenario = json.dumps({"description": "x" * 20_000_000}).encode()
        with Client(self.server, timeout=PATIENCE) as client:
            client.send(request("PUT", "/api/v1/scenario", body=scenario))
            self.assertEqual(client.answer().status, 200)
        with Client(self.server, timeout=PATIENCE) as client:
            # Pipelined: every request is answered, and all of each answer arrives.
            client.send(request("GET", "/livez") + request("GET", "/api/v1/scenario") * 2)
            client.socket.shutdown(socket.SHUT_WR)
            self.assertEqual(client.answer().body, b"alive\n")
            time.sleep(0.5)
            for _ in range(2):
                self.assertEqual(client.answer().body, scenario)
            self.assertTrue(client.is_ended())
        self.until_closed()

    def test_unread_answers_do_not_pile_up(self):
        before = self.server.resident()
        with Client(self.server) as client:
            client.socket.settimeout(2)
            try:
                for _ in range(200):
                    client.send(request("GET", "/api/v1/openapi.json") * 1000)
            except OSError:
                pass
            self.assertLess(self.server.resident() - before, 30_000_000)

    def test_spaces_around_values_are_no_part_of_them(self):
        with Client(self.server) as client:
            client.send(b"POST /api/v1/requests/count HTTP/1.1\r\nHost: localhost \r\nContent-Length: 2 \r\n\r\n{}")
            self.assertEqual(client.answer().status, 200)

    def test_many_fields(self):
        """As many as a proxy may add, and no more bytes than fit in memory a thousand times."""
        for count, length, status in ((900, 10, 200), (1001, 1, 400), (10, 10_000, 400)):
            fields = "".join(f"x-{number}: {'y' * length}\r\n" for number in range(count))
            with self.subTest(count=count, length=length), Client(self.server) as client:
                client.send(f"GET /livez HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode())
                self.assertEqual(client.answer().status, status)

    def test_session_bodies_have_their_calls_limits(self):
        for path, status in (("/api/v1/sessions/nosuch/requests/wait", 404),
                             ("/api/v1/sessions/default/requests/wait", 413),
                             ("/api/v1/sessions/default/nothing", 404)):
            with self.subTest(path), Client(self.server) as client:
                client.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30000000\r\n"
                            "Expect: 100-continue\r\n\r\n".encode())
                self.assertEqual(client.answer().status, status)

    def test_a_connection_goes_on(self):
        with Client(self.server) as client:
            for _ in range(3):
                client.send(request("POST", "/nothing", body=b"x" * LARGE))
                self.assertEqual(client.answer().status, 404)
                client.send(request("GET", "/livez"))
                self.assertEqual(client.answer().body, b"alive\n")
                time.sleep(0.6)
        self.until_closed()

    def test_a_server_with_64_descriptors_goes_on(self):
        subprocess.run(["prlimit", f"--pid={self.server.process.pid}", "--nofile=64:64"], check=True, timeout=PATIENCE)
        for _ in range(60):
            self.exchange(request("POST", "/nothing", body=b"x" * LARGE, Connection="close"))
            self.exchange(b"GARBAGE\r\n\r\n" + b"y" * 900_000)
        self.assertEqual(self.exchange(request("GET", "/livez", Connection="close"))[0].status, 200)
        self.until_closed()


if __name__ == "__main__":
    unittest.main()
