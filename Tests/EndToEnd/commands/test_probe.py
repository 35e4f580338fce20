"""`mock-apns probe`: what it prints and writes, other people's servers, and how careful it is with them."""

import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
import xml.etree.ElementTree

import endless
from server import EXECUTABLE, PATIENCE, TOPIC, Server, device, free_port, until

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
IDENTITY = ["--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ", "--topic", TOPIC]


def probe(*words, code=0, prefix=()):
    """The standard output and error of a run, which has to end with that code."""
    done = subprocess.run([*prefix, EXECUTABLE, "probe", *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, timeout=10 * PATIENCE)
    assert done.returncode == code, f"exit code {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def outcomes(report):
    """The names of the probes with each outcome, from a file of --json."""
    found = {"agrees": set(), "differs": set(), "note": set(), "skipped": set()}
    for each in json.loads(report.read_text())["probes"]:
        found[each["outcome"]].add(f"{each['group']}/{each['name']}")
    return found


class Listener:
    """A server that is no APNs: each connection is given to a function."""

    def __init__(self, serve):
        self.serve, self.connections = serve, 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.accept)

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            with connection, contextlib.suppress(OSError):
                if self.isEnded:
                    return
                self.connections += 1
                self.serve(connection)

    def __enter__(self):
        self.isEnded = False
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.isEnded = True
        socket.create_connection(("127.0.0.1", self.port)).close()
        self.thread.join()
        self.socket.close()


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-probe-")))


class OwnServer(Folder):
    def test_everything_agrees_and_is_reported(self):
        files = {name: self.folder / name for name in ("answers.json", "report.md", "junit.xml")}
        told, said = probe("--json", files["answers.json"], "--report", files["report.md"], "--junit", files["junit.xml"])
        self.assertEqual(said, "")
        report = json.loads(files["answers.json"].read_text())
        count = len(report["probes"])
        self.assertGreaterEqual(count, 120)
        self.assertEqual((report["agrees"], report["differs"], report["note"], report["skipped"]), (count, 0, 0, 0))
        self.assertIn(f"{count} agree, 0 differ, of {count} probes", told)
        self.assertNotIn("What differs", told)
        self.assertIn(
            "headers/priority-11: agrees\n  apns-priority 11 is BadPriority.\n"
            "  sent:     POST /3/device/{device}, apns-priority: 11\n"
            "  expected: status 400, reason BadPriority (documented: https://developer.apple.com/", told)
        for each in report["probes"]:
            self.assertIn(each["mark"], ("documented", "observed", "guessed"))
            self.assertTrue(each["source"] or each["mark"] == "guessed", each["name"])
        (suite,) = xml.etree.ElementTree.parse(files["junit.xml"]).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), (str(count), "0"))
        self.assertIn("mock-apns probe", files["report.md"].read_text())
        # Provider tokens begin with this.
        self.assertNotIn("eyJ", told + "".join(file.read_text() for file in files.values()))

    def test_against_an_earlier_run(self):
        before, after = self.folder / "march.json", self.folder / "may.json"
        probe("--only", "headers", "--json", before)
        told, _ = probe("--only", "headers", "--against", before, "--json", after)
        self.assertEqual(outcomes(after)["agrees"], outcomes(before)["agrees"])
        # In March the server had another reason, and one probe was not there.
        report = json.loads(before.read_text())
        (changed,) = (each for each in report["probes"] if each["name"] == "priority-11")
        changed["answers"][0]["reason"] = "BadTopic"
        report["probes"] = [each for each in report["probes"] if each["name"] != "priority-5"]
        before.write_text(json.dumps(report))
        told, _ = probe("--only", "headers", "--against", before, "--json", after, code=1)
        self.assertEqual(outcomes(after)["differs"], {"headers/priority-11"})
        self.assertEqual(outcomes(after)["skipped"], {"headers/priority-5"})
        self.assertIn("reason BadTopic", told)
        self.assertRegex(told, rf"\nWhat differs from {before}:\n  headers/priority-11: expected .*reason BadTopic.*; answered ")

    def test_the_list(self):
        told, _ = probe("--list")
        count = len([line for line in told.splitlines() if not line.startswith(" ")])
        self.assertGreaterEqual(count, 120)
        self.assertIn(f"claims to be APNs {count} questions", (REPOSITORY / "CHANGELOG.md").read_text())
        self.assertIn("headers/priority-11\n  apns-priority 11 is BadPriority.\n", told)
        told, _ = probe("--list", "--only", "shutdown/http1")
        self.assertEqual(len(told.splitlines()), 4)

    def test_wrong_usage(self):
        for words, message in [
            (["--only", "headrs"], "did you mean headers?"),
            (["--url", "http://127.0.0.1"], "it must be https://HOST:PORT"),
            (["--url", "https://127.0.0.1:1", "--key-id", "ABC123DEFG"], "go together"),
            (["--device-token", "00"], "--device-token is for a server named with --url"),
            (["--url", "https://127.0.0.1:1", "--device-token", "nonsense"], "hexadecimal digits"),
        ]:
            with self.subTest(words=words):
                self.assertIn(message, probe(*words, code=64)[1])
        broken = self.folder / "broken.json"
        broken.write_text('{"probes": [{}]}')
        self.assertIn("broken.json:1:13: expected an object with", probe("--against", broken, code=65)[1])

    def test_no_server_answers(self):
        port = free_port()
        _, said = probe("--url", f"https://127.0.0.1:{port}", code=69)
        self.assertIn(f"No server answers at 127.0.0.1:{port}", said)
        _, said = probe("--url", "https://no-such-host.invalid", code=69)
        self.assertEqual(
            said, "mock-apns: There is no host no-such-host.invalid, or its address cannot be looked up.\n")

    def test_nothing_is_asked(self):
        with Server() as server:
            told, said = probe("--url", server.url, "--ca", server.authority, "--only", "broadcast/create", code=1)
        self.assertIn("0 agree, 0 differ, 1 skipped, of 1 probe", told)
        self.assertEqual(said, "mock-apns: Nothing was asked, because every probe was skipped.\n")

    def test_files_that_cannot_be_used(self):
        port = free_port()
        there = ["--url", f"https://127.0.0.1:{port}"]
        subprocess.run([EXECUTABLE, "certs", "--certs", self.folder], check=True, capture_output=True, timeout=PATIENCE)
        text = self.folder / "text.pem"
        text.write_text("no certificate")
        client, key = self.folder / "client.pem", self.folder / "client.key"
        for words, code, message in [
            (["--ca", text], 65, f"The authorities {text} cannot be read"),
            (["--ca", self.folder / "nowhere.pem"], 69, f"There is no file {self.folder}/nowhere.pem"),
            (["--certificate", text, "--certificate-key", key, "--topic", TOPIC], 65, f"The certificate {text} cannot be used"),
            (["--certificate", client, "--certificate-key", self.folder / "server.key", "--topic", TOPIC], 65,
             "Both must be PEM, and belong together."),
            (["--key", text, *IDENTITY], 65, f"The signing key {text} cannot be read"),
        ]:
            with self.subTest(words=words):
                self.assertIn(message, probe(*there, *words, code=code)[1])

    def test_servers_that_do_not_speak_http2(self):
        subprocess.run([EXECUTABLE, "certs", "--certs", self.folder], check=True, capture_output=True, timeout=PATIENCE)
        trust = ["--ca", self.folder / "ca.pem", "--timeout", "1s"]

        def http1(protocols, answer):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.folder / "server.pem", self.folder / "server.key")
            if protocols:
                context.set_alpn_protocols(protocols)

            def serve(connection):
                with context.wrap_socket(connection, server_side=True) as tls:
                    tls.recv(1)
                    tls.sendall(answer)
                    while tls.recv(65536):
                        pass
            return serve

        def silent(connection):
            while connection.recv(65536):
                pass

        def plain(connection):
            connection.recv(1)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        for serve, message in [
            (silent, "accepts connections, but stays silent: TLS has no answer after 1 s."),
            (plain, "TLS with "),
            (http1(["http/1.1"], b""), "it chooses no protocol by ALPN, and sends no SETTINGS within 1 s.|refuses TLS"),
            (http1([], b"HTTP/1.1 400 Bad Request\r\n\r\n"), "speaks TLS, but not HTTP/2: it answers with HTTP/1."),
            (http1(["h2"], b""), "speaks TLS, but not HTTP/2: it sends no SETTINGS within 1 s."),
        ]:
            with self.subTest(message=message), Listener(serve) as listener:
                told, said = probe("--url", f"https://127.0.0.1:{listener.port}", *trust, code=69)
                self.assertEqual(told, "")
                self.assertRegex(said, f"^mock-apns: .*(?:{message})")
                self.assertEqual(said.count("\n"), 1)
                self.assertEqual(listener.connections, 1)

    def test_a_server_named_by_its_address(self):
        report = self.folder / "answers.json"
        with Server("--manage-port", "0") as server:
            certs = server.certs
            words = ["--url", server.url, "--manage-url", server.ready["manage"][0], "--ca", server.authority,
                     "--key", server.ready["signingKey"], *IDENTITY, "--certificate", certs / "client.pem",
                     "--certificate-key", certs / "client.key", "--json", report]
            # Without a scenario any device token is a device's, and any topic the team's.
            told, _ = probe(*words, code=1)
            # With a client certificate alone, what needs a key is left out, and nothing else differs.
            alone = [word for word in words if word not in ("--key", server.ready["signingKey"], "--key-id", "ABC123DEFG",
                                                            "--team-id", "DEF123GHIJ")]
            alone[-1] = self.folder / "certificate.json"
            probe(*alone, code=1)
            self.assertEqual(outcomes(alone[-1])["differs"], {"checks/device-unknown"})
            _, found, after = told.partition("\nWhat differs:\n")
            self.assertTrue(found, told[-2000:])
            *listed, remark, _, _ = after.splitlines()
            self.assertEqual(len(listed), 4, after)
            self.assertRegex(listed[0], r"^  checks/device-unknown: expected status 400, reason .*; answered status 200")
            self.assertIn("mock-apns serve takes any device token for a device", remark)
            self.assertIn("so these differ there: checks/device-unknown, checks/topic-of-others, broadcast/", remark)
            # Few probes are still in sight.
            told_alone, _ = probe("--url", server.url, "--ca", server.authority, "--key", server.ready["signingKey"], *IDENTITY,
                                  "--only", "checks/device-unknown", code=1)
            self.assertNotIn("What differs", told_alone)
            self.assertIn("so this differs there: checks/device-unknown.\n\n0 agree", told_alone)
        found = outcomes(report)
        self.assertEqual(found["differs"], {
            "checks/device-unknown", "checks/topic-of-others", "broadcast/topic-of-others",
            "broadcast/topic-of-others-published",
        }, told)
        self.assertEqual(found["note"], set(), told)
        self.assertIn("tokens/revoked-key", found["skipped"])
        self.assertIn("broadcast/create", found["agrees"])
        self.assertIn("tokens/certificate", found["agrees"])

    def test_a_server_that_knows_its_devices_and_topics(self):
        scenario = self.folder / "scenario.json"
        scenario.write_text(json.dumps({
            "unknownDevices": "reject", "devices": [{"name": "alice", "token": device(1), "topic": TOPIC}],
            "authentication": {"teams": [
                {"teamID": "DEF123GHIJ", "topics": [TOPIC], "keys": [{"keyID": "ABC123DEFG"}]}]}}))
        with Server("--scenario", scenario) as server:
            probe("--url", server.url, "--ca", server.authority, "--key", server.ready["signingKey"], *IDENTITY,
                  "--device-token", device(1))

    def test_a_server_that_is_not_trusted(self):
        with Server() as server:
            self.assertIn("name its authority with --ca", probe("--url", server.url, code=69)[1])


class EndlessServers(Folder):
    """Servers whose answers never end: a probe takes little memory and keeps its time limit."""

    TWO = ["--only", "headers/priority-11", "--only", "connection/ping"]

    def watch(self, kind, *words):
        with endless.Server(kind) as server:
            return endless.watch([EXECUTABLE, "probe", *server.words, *words])

    def test_endless_answers_are_reported_in_one_sentence(self):
        """However long an answer may take, that ends it."""
        for kind in endless.FAST:
            with self.subTest(kind):
                code, told = self.watch(kind, *self.TWO, "--timeout", f"{2 * PATIENCE}s")
                if kind in endless.WITHOUT_HTTP2:
                    self.assertEqual((code, told.count("\n")), (69, 1), told)
                    continue
                self.assertEqual(code, 1, told)
                # Which bound is reached first depends on how much comes at once.
                what = "(header fields of )?" if kind in ("informational", "hpack-bomb", "push-promise") else ""
                sentence = f"answered: noAnswer the server sent {what}more than 1 MB in answer to one probe"
                # RST_STREAM after RST_STREAM is an answer, of which the first hundred are shown.
                number = 1 if kind == "reset" and "REFUSED_STREAM" in told else 2
                self.assertEqual(len(re.findall(sentence, told)), number, told[-2000:])
                self.assertLess(len(told), 10_000)

    def test_the_time_limit_holds_for_nearly_silent_servers(self):
        for kind in endless.SLOW:
            with self.subTest(kind):
                code, told = self.watch(kind, *self.TWO, "--timeout", "1s")
                self.assertEqual(code, 69 if kind in endless.WITHOUT_HTTP2 else 1, told)
                self.assertIn("TLS has no answer after 1 s." if code == 69 else "noAnswer within the time limit", told)

    def test_whole_runs_need_the_memory_of_one_probe(self):
        report = self.folder / "answers.json"
        code, told = self.watch("goaway", "--only", "headers", "--only", "checks", "--json", report)
        self.assertEqual(code, 1, told[-2000:])
        self.assertIn("0 agree", told[-200:])
        self.assertLess(report.stat().st_size, 10 << 20)

    def test_the_first_signal_ends_it(self):
        for kind in ("drip", "silent", "silent-handshake"):
            with self.subTest(kind), endless.Server(kind) as server:
                code, told = endless.watch(
                    [EXECUTABLE, "probe", *server.words, "--timeout", f"{2 * PATIENCE}s"],
                    interrupt=lambda _: server.connections > 0)
                self.assertEqual(code, 130, told)
                self.assertIn("Stopping; a second signal stops it at once.", told)
                self.assertIn("0 agree, 0 differ, of 0 probes", told)


class OtherServers(Folder):
    """Servers from Debian's packages that know nothing of APNs, and take every push: what HTTP/2 demands agrees, and what
    APNs decides differs."""

    def setUp(self):
        super().setUp()
        self.certs = self.folder / "certs"
        subprocess.run([EXECUTABLE, "certs", "--certs", self.certs], check=True, capture_output=True, timeout=PATIENCE)
        self.port = free_port()

    def serve(self, *command):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def end():
            process.kill()
            process.wait()

        self.addCleanup(end)

        def answers():
            assert process.poll() is None, f"{command[0]} has ended"
            with contextlib.closing(socket.socket()) as found:
                return found.connect_ex(("127.0.0.1", self.port)) == 0

        until(answers, lambda: f"{command[0]} does not answer")

    def judge(self):
        report = self.folder / "answers.json"
        probe("--url", f"https://127.0.0.1:{self.port}", "--ca", self.certs / "ca.pem",
              "--key", self.certs / "AuthKey_ABC123DEFG.p8", *IDENTITY, "--timeout", "20s", "--json", report, code=1)
        found = outcomes(report)
        self.assertEqual(self.HTTP2 - found["agrees"], set())
        self.assertEqual(self.APNS - found["differs"], set())
        # No answer of such a server has a reason, nor a status that only APNs would choose.
        for each in json.loads(report.read_text())["probes"]:
            if each["outcome"] == "agrees":
                self.assertTrue("reason " not in each["expected"] or "status 200" in each["expected"], each)
        self.assertGreater(len(found["differs"]), 90)

    # What any server of HTTP/2 does.
    HTTP2 = {
        "connection/settings-acknowledged", "connection/ping", "connection/tls-1.2", "connection/tls-1.3", "connection/alpn",
        "connection/unknown-frame", "connection/unknown-setting", "connection/priority-frame", "connection/window-update",
        "connection/unused-connection", "connection/padded-headers", "connection/continuation",
        "connection/compressed-fields", "connection/cancelled-stream", "payload/in-many-frames", "payload/empty-last-frame",
        "headers/priority-10", "tokens/der", "shutdown/client-goaway", "shutdown/ping-too-short", "shutdown/settings-on-a-stream",
        "shutdown/window-update-of-zero", "shutdown/even-stream", "shutdown/bad-compression", "shutdown/push-by-a-client",
        "shutdown/not-a-preface",
    }
    # What no other server does.
    APNS = {
        "checks/error-body", "checks/device-missing", "checks/topic-missing", "tokens/absent", "tokens/wrong-signature",
        "headers/priority-11", "headers/id-lower-case", "payload/4097-bytes", "payload/empty", "limits/one-stream-at-first",
        "shutdown/http1", "connection/certificate-request", "broadcast/create",
        "connection/settings-max-header-list-size",
    }

    def test_nghttpd(self):
        # The device token that the probe makes up for a server on this machine.
        pushed = self.folder / "3/device" / ("6d6f636b" * 8)
        pushed.parent.mkdir(parents=True)
        pushed.touch()
        self.serve("nghttpd", "-a", "127.0.0.1", "-d", str(self.folder), str(self.port), str(self.certs / "server.key"),
                   str(self.certs / "server.pem"))
        self.judge()

    def test_haproxy(self):
        together = self.folder / "server.pem"
        together.write_bytes((self.certs / "server.pem").read_bytes() + (self.certs / "server.key").read_bytes())
        settings = self.folder / "haproxy.cfg"
        settings.write_text(
            "defaults\n  mode http\n  timeout client 10s\n"
            f"frontend it\n  bind 127.0.0.1:{self.port} ssl crt {together} alpn h2,http/1.1\n"
            "  http-request return status 200\n")
        self.serve("haproxy", "-db", "-f", str(settings))
        self.judge()


# A network of its own: the probe at 10.77.0.1, the server at 10.77.0.2 in a second network, and a cable between them.
NETWORK = """
set -e
ip link set lo up
unshare --net sleep infinity &
echo $! >"$1"
while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
ip link add probe type veth peer name server netns $!
ip address add 10.77.0.1/24 dev probe
ip link set probe up
nsenter --net=/proc/$!/ns/net sh -ec 'ip link set lo up; ip address add 10.77.0.2/24 dev server; ip link set server up'
echo ready
wait
"""


def networks():
    return bool(shutil.which("nsenter")) and subprocess.run(
        ["unshare", "--net", "ip", "link", "add", "near", "type", "veth", "peer", "name", "far"], capture_output=True
    ).returncode == 0


@unittest.skipUnless(networks(), "networks cannot be made here")
class Strangers(Folder):
    """A host that is not on the loopback interface, in a network that the test makes, counted on the server's side."""

    def setUp(self):
        super().setUp()
        holder = self.folder / "holder"
        self.network = subprocess.Popen(["unshare", "--net", "sh", "-c", NETWORK, "sh", str(holder)], text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.addCleanup(self.take_down, holder)
        self.assertEqual(self.network.stdout.readline(), "ready\n")
        inner = int(holder.read_text())
        self.here = ["nsenter", f"--net=/proc/{self.network.pid}/ns/net"]
        there = ["nsenter", f"--net=/proc/{inner}/ns/net"]
        certs, self.log = self.folder / "certs", self.folder / "log.jsonl"
        self.server = subprocess.Popen(
            [*there, EXECUTABLE, "serve", "--host", "10.77.0.2", "--server-name", "10.77.0.2", "--port", "0",
             "--admin-port", "0", "--admin-host", "127.0.0.1", "--certs", str(certs), "--log", str(self.log), "--quiet"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(self.stop)
        ready = json.loads(self.server.stdout.readline())
        self.words = ["--url", ready["apns"], "--ca", ready["certificateAuthority"], "--key", ready["signingKey"], *IDENTITY]

    def take_down(self, holder):
        if holder.exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(holder.read_text()), signal.SIGKILL)
        self.network.kill()
        self.network.wait()
        self.network.stdout.close()

    def stop(self):
        self.server.terminate()
        self.server.wait()
        self.server.stdout.close()

    def events(self, kind):
        return [event for event in map(json.loads, self.log.read_text().splitlines()) if event["event"] == kind]

    def test_nothing_is_sent_unasked(self):
        told, said = probe(*self.words, "--device-token", device(1), code=64, prefix=self.here)
        self.assertEqual(told, "")
        self.assertIn("is not on this machine.", said)
        self.assertRegex(said, r"(?m)^  Groups: checks, headers, payload, connection, shutdown\.$")
        self.assertRegex(said, r"(?m)^  Left out, unless named with --only: tokens, limits, broadcast\.$")
        short = f"{device(1)[:4]}…{device(1)[-4:]}"
        self.assertRegex(said, rf"(?m)^  To the device {short}: \d+ alert, .*\d+ voip.*\. Not all are delivered")
        self.assertNotIn(device(1), said)
        self.assertIn("--yes", said)
        self.assertEqual(self.events("connection") + self.events("request"), [])

    def test_pushes_and_connections_to_strangers_are_rate_limited(self):
        words = [word for name in ("headers/priority-10", "headers/priority-5", "headers/priority-1", "headers/priority-0",
                                   "headers/priority-2", "headers/priority-6", "headers/priority-11", "connection/ping",
                                   "connection/alpn", "connection/compressed-fields") for word in ("--only", name)]
        told, said = probe(*self.words, "--device-token", device(1), *words, "--yes", prefix=self.here)
        self.assertIn("10 agree", told)
        self.assertIn("9 requests on 4 connections", said)
        times = [stamp(event["time"]) for event in self.events("request")]
        self.assertEqual(len(times), 9)
        for first, third in zip(times, times[2:]):
            self.assertGreater(third - first, 1)
        opened = [stamp(event["time"]) for event in self.events("connection") if event["state"] == "opened"]
        self.assertEqual(len(opened), 4)
        for first, third in zip(opened, opened[2:]):
            self.assertGreater(third - first, 60)

    def test_channels_are_deleted_when_it_is_ended_early(self):
        command = [*self.here, EXECUTABLE, "probe", *self.words, "--only", "broadcast", "--yes"]
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = []
        for line in running.stdout:
            lines.append(line)
            if line.startswith("broadcast/read: "):
                running.send_signal(signal.SIGINT)
                break
        told, said = running.communicate(timeout=10 * PATIENCE)
        self.assertEqual(running.returncode, 130, said)
        self.assertIn("Stopping; a second signal", said)
        self.assertIn("channels of com.example.app will be made", said)
        calls = self.events("request")
        made = [event for event in calls if event["call"] == "create" and event["status"] == 201]
        deleted = [event for event in calls if event["call"] == "delete" and event["status"] == 204]
        self.assertGreater(len(made), 2)
        self.assertEqual(sorted(event["channel"] for event in made), sorted(event["channel"] for event in deleted))


def stamp(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


if __name__ == "__main__":
    unittest.main()
