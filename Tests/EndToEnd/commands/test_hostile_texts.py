"""One hostile text in every place that others write: none of its control characters reaches a terminal or a report.

Each command is driven with the text as a file name, an argument, a name in a scenario, a payload, a field, what a driver
says, and what a server, an admin API or an engine answers. All bytes that it writes are looked at.
"""

import contextlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unicodedata
import unittest
import urllib.error
import xml.etree.ElementTree as XML

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from fleets import Engine
from server import EXECUTABLE, PATIENCE, TOPIC, Server, device, until

ALICE = device(1)
# How the text shows that it has arrived.
MARK = "evil"
# ESC, BEL, backspace, CR, DEL, CSI and NEL as single characters, bidirectional marks and isolates, line and paragraph
# separators, a byte order mark; then lines that look like results of this program, and like commands to GitHub Actions.
CONTROLS = ("\x1b[2J\x1b]0;title\x07\b\r\x7f\x9b31m\x85" + "".join(map(chr, range(0x202A, 0x202F)))
            + "".join(map(chr, range(0x2066, 0x206A))) + "\u200e\u200f\u061c\u2028\u2029\ufeff")
FORGED = "\npassed   forged\nFAILED  forged\nmock-apns: forged\n::error::forged\n2 passed, 0 failed"
SHORT = MARK + "\x1b\x07\x9b\u202e\r\npassed   forged"
HOSTILE = MARK + CONTROLS + FORGED
# What else Markdown and XML take for their own, and what JSON can say that an argument cannot.
MARKUP = HOSTILE + "|`*_[x](y)<b>&]]>\"'\x00\ufffe"
# A field of HTTP/2 has no line feed.
FIELD = MARK + "\x9b31m\u202e\u2066\u200f\u061c\u2028\x7f"
# A file name has no slash.
NAME = HOSTILE.replace("/", "")
# What a command asks for before it looks at its options.
REQUIRED = {"exec": ["--", "true"], "suite": ["--", "true"], "collect": ["--fleet", "redis://127.0.0.1:1"],
            "verify": ["--log", "none", "none"], "check": ["none"], "lint": ["none"]}


def unwanted(character):
    kind = unicodedata.category(character)
    if character in "\n\u200c\u200d":
        return False
    return kind in ("Cc", "Cf", "Zl", "Zp", "Cn")


class HostileTexts(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-hostile-")))

    # What is looked at

    def clean(self, where, data, arrives=True):
        """Checks everything written in one place. `arrives` says that the text is in it."""
        text = data.decode()  # strictly: it has to be UTF-8
        found = sorted({f"U+{ord(each):04X}" for each in text if unwanted(each)})
        self.assertEqual(found, [], f"{where}:\n{text!r}")
        for line in text.split("\n"):
            self.assertNotRegex(line, r"^\W*(passed|FAILED|mock-apns:|::error::|2 passed,?)\W+(forged|0 failed)", f"{where}:\n{text}")
        if arrives:
            self.assertIn(MARK, text, where)
        return text

    def run_command(self, *words, code=0, arrives=None, prefix=(), **more):
        """Runs a command; looks at what it writes. `arrives` names the outputs that have the text."""
        done = subprocess.run([*prefix, EXECUTABLE, *words], stdin=more.pop("stdin", subprocess.DEVNULL), capture_output=True,
                              timeout=PATIENCE, cwd=self.folder, **more)
        said = f"{words!r}\nstandard output: {done.stdout!r}\nstandard error: {done.stderr!r}"
        self.assertEqual(done.returncode, code, said)
        arrives = ("stderr",) if arrives is None else arrives
        return (self.clean(f"{words!r}, standard output", done.stdout, "stdout" in arrives),
                self.clean(f"{words!r}, standard error", done.stderr, "stderr" in arrives))

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return str(path)

    def junit(self, path, arrives=True):
        self.clean("JUnit", pathlib.Path(path).read_bytes(), arrives)
        root = XML.parse(path).getroot()
        # A reference such as &#27; would bring it back.
        for element in root.iter():
            for text in (element.text or "", *element.attrib.values()):
                self.clean("JUnit, as read", text.encode(), arrives=False)
            for name in ("name", "classname", "message"):
                self.assertNotIn("\n", element.attrib.get(name, ""))
        return root

    def markdown(self, path):
        text = self.clean("Markdown", pathlib.Path(path).read_bytes())
        outside = "".join(text.split("```")[::2])
        for line in outside.split("\n"):
            # No cell has a bar of its own, and no text is HTML, a link or code.
            bare = line.replace("\\\\", "").replace("\\|", "").replace("\\`", "").replace("\\[", "")
            if line.startswith("|"):
                self.assertIn(bare.count("|"), (4, 5, 6), line)
            self.assertNotIn("<b>", bare)
            self.assertNotIn("`", bare)
            self.assertNotIn("[x", bare)
        return text

    def json_lines(self, path):
        """Each line of a log is JSON; but for payloads, which stay as they came, none has a control character."""
        data = pathlib.Path(path).read_bytes()
        lines = [json.loads(line) for line in data.decode().split("\n")[:-1]]
        for line, text in zip(lines, data.decode().split("\n")):
            if line.get("payload") is None:
                self.clean("log", text.encode(), arrives=False)
        return lines

    # check, lint

    def test_check(self):
        bad = self.file(NAME + ".json", {MARKUP: 1, "rules": [{"name": MARKUP, "then": {"rejct": MARKUP}}],
                                         "devices": [{"name": MARKUP, "token": MARKUP, "topic": MARKUP}],
                                         "expect": [{"requests": {"topic": {"matches": "(" + MARKUP}}, "count": 1}]})
        _, error = self.run_command("check", bad, code=65)
        self.assertIn("\\u{1B}", error)
        output, _ = self.run_command("check", "--json", bad, code=65, arrives=("stdout",))
        self.assertEqual({json.loads(line)["file"] for line in output.splitlines()}, {bad})
        good = self.file(NAME + "-good.json", {"rules": [{"name": MARKUP[:180], "every": 2, "then": {"reject": "Shutdown"}}]})
        output, _ = self.run_command("check", good, arrives=("stdout",))
        self.assertEqual(len(output.splitlines()), 2, output)
        self.file(NAME + "-no.json", b"{" + HOSTILE.encode())
        self.run_command("check", NAME + "-no.json", code=65)
        self.run_command("check", NAME + "-none.json", code=69)

    def test_lint(self):
        payload = {"aps": {"alert": {"title": MARKUP, MARKUP: 1, "loc-key": MARKUP}, "sound": {MARKUP: MARKUP}, MARKUP: MARKUP,
                           "badge": MARKUP, "interruption-level": MARKUP, "content-available": MARKUP}, MARKUP: {"x": MARKUP}}
        file = self.file(NAME + ".json", payload)
        words = ["lint", "--topic", HOSTILE, "--header", f"{FIELD}: {FIELD}", file, self.file(NAME + "2.json", b'"' + HOSTILE.encode())]
        self.run_command(*words, code=1, arrives=("stdout",))
        output, _ = self.run_command(*words, "--format", "json", code=1, arrives=("stdout",))
        self.assertIn(file, {each["file"] for each in json.loads(output)["findings"]})
        output, _ = self.run_command(*words, "--format", "sarif", code=1, arrives=("stdout",))
        results = json.loads(output)["runs"][0]["results"]
        self.assertGreater(len(results), 5)
        # Viewers show what it says once it is read.
        for result in results:
            self.clean("SARIF, as read", json.dumps(result, ensure_ascii=False).encode())
        self.run_command("lint", self.file(NAME + "3.json", {"aps": {"alert": "Hello"}}), NAME + "-none.json", code=69)

    # exec, verify --log

    def scenario(self):
        return {
            "name": MARKUP[:190], "description": MARKUP,
            "devices": [{"name": MARKUP[:190], "token": ALICE, "topic": TOPIC}],
            "rules": [{"name": MARKUP[:190], "when": {"header": {"x-odd": FIELD}}, "then": {"reject": "Shutdown"}},
                      {"name": "respond", "when": {"priority": 1}, "then": {"respond": {"status": 400, "body": {"reason": MARKUP}}}}],
            "expect": [
                {"name": MARKUP[:190], "requests": {"topic": MARKUP, "payload": {"/aps/alert": MARKUP}, "header": {"x-odd": MARKUP}}, "count": 1},
                {"device": MARKUP[:190], "received": 7},
                {"name": "shown" + MARKUP[:180], "device": MARKUP[:190], "displayed": [{"title": MARKUP}]},
                {"name": "calm" + MARKUP[:180], "requests": {"payload": {"/aps/alert": {"matches": "^" + MARK + "[^x]*"}}}, "count": 0},
            ],
        }

    def pushes(self):
        """A script that pushes the text in all the places that a provider has."""
        fields = {"apns-topic": [TOPIC, FIELD], "apns-collapse-id": [FIELD, FIELD * 9], "x-odd": [FIELD], "apns-push-type": [FIELD],
                  "apns-priority": [FIELD, "1"], "apns-id": [FIELD], "authorization": ["bearer " + FIELD, FIELD]}
        bodies = [json.dumps({"aps": {"alert": MARKUP}}), json.dumps({"aps": {"alert": FIELD}}, ensure_ascii=False), HOSTILE, "{"]
        lines = ['set +e', f'TOKEN=$("{EXECUTABLE}" token --certs "$MOCK_APNS_CERTS")',
                 'push() { curl -s --http2 -o /dev/null "$@"; }']
        base = {"authorization": "bearer $TOKEN", "apns-topic": TOPIC}
        for number, (name, value) in enumerate((name, value) for name, values in fields.items() for value in values):
            given = {**base, name: value}
            path = self.file(f"fields-{number}", "".join(f"{key}: {text}\n" for key, text in given.items() if text != base["authorization"]).encode())
            token = "" if name == "authorization" else '-H "authorization: bearer $TOKEN" '
            lines.append(f'push {token}-H "@{path}" -d "{{}}" "$MOCK_APNS_URL/3/device/{ALICE}"')
        for number, body in enumerate(bodies):
            path = self.file(f"body-{number}", body.encode())
            lines.append(f'push -H "authorization: bearer $TOKEN" -H "apns-topic: {TOPIC}" --data-binary "@{path}" "$MOCK_APNS_URL/3/device/{ALICE}"')
        lines.append(f'push -H "authorization: bearer $TOKEN" -H "apns-topic: {TOPIC}" -d "{{}}" "$MOCK_APNS_URL/3/device/%1b%07$(printf "\\302\\233")"')
        return "\n".join([*lines, "true"])

    def test_exec_and_verify_of_its_log(self):
        scenario = self.file(NAME + ".json", self.scenario())
        log, junit, report = (str(self.folder / (NAME + end)) for end in (".jsonl", ".xml", ".md"))
        certs = str(self.folder / (NAME + "-certs"))
        self.run_command("certs", "--certs", certs, arrives=("stdout",))
        _, error = self.run_command(
            "exec", "--verbose", "--lint", "--certs", certs, "--scenario", scenario, "--log", log, "--junit", junit,
            "--report", report, "--", "sh", "-c", self.pushes(), code=1)
        self.assertIn("4 of 4 expectations failed.", error)
        self.assertIn("nearest", error)
        self.assertGreater(len(self.junit(junit).findall(".//testcase")), 4)
        self.assertIn("expectations failed", self.markdown(report))
        records = [line for line in self.json_lines(log) if line["event"] == "request"]
        self.assertGreater(len(records), 12)
        # The data is as it was sent.
        self.assertIn(["x-odd", FIELD], [field for record in records for field in record["headers"]])
        self.assertIn(MARKUP, [record["payload"]["aps"]["alert"] for record in records if record["payload"] and "aps" in record["payload"]])
        other = str(self.folder / (NAME + "2.jsonl"))
        shutil.copy(log, other)
        for logs in ([log], [log, other]):
            self.run_command("verify", *(word for each in logs for word in ("--log", each)), "--lint", "--junit", junit, "--report", report,
                             scenario, code=1)
            self.junit(junit)
            self.markdown(report)
        self.run_command("lint", "--log", log, "--scenario", scenario, code=1, arrives=("stdout",))
        output, _ = self.run_command("lint", "--log", log, "--format", "sarif", code=1, arrives=("stdout",))
        for result in json.loads(output)["runs"][0]["results"]:
            self.clean("SARIF, as read", json.dumps(result, ensure_ascii=False).encode(), arrives=False)

    def test_logs_that_are_none(self):
        scenario = self.file("fine.json", {"expect": [{"requests": {}, "count": 0}]})
        for content in (HOSTILE.encode(), json.dumps({"event": HOSTILE}).encode() + b"\n", b'{"event":"request",' + HOSTILE.encode()):
            path = self.file(NAME + ".log", content)
            junit, report = str(self.folder / "none.xml"), str(self.folder / "none.md")
            self.run_command("verify", "--log", path, "--junit", junit, "--report", report, scenario, code=65)
            self.junit(junit)
            self.markdown(report)
            self.run_command("lint", "--log", path, code=65)
        self.run_command("verify", "--log", NAME + "-none", scenario, code=69)

    def test_what_cannot_start(self):
        bad = self.file(NAME + ".json", {MARKUP: 1, "name": 1, "devices": [{"name": 7}]})
        junit, report = str(self.folder / "bad.xml"), str(self.folder / "bad.md")
        _, error = self.run_command("exec", "--scenario", bad, "--junit", junit, "--report", report, "--", "true", code=65)
        # Each line of several mistakes says whose it is.
        self.assertGreater(len(error.splitlines()), 2)
        for line in error.splitlines():
            self.assertTrue(line.startswith("mock-apns: "), error)
        self.junit(junit)
        self.markdown(report)
        self.run_command("exec", "--certs", str(Server._certs()), "--junit", junit, "--", NAME, code=127)
        self.junit(junit)
        self.run_command("exec", "--report", NAME + "/none", "--", "true", code=69)
        self.run_command("exec", "--log", NAME + "/none", "--", "true", code=69)
        self.run_command("exec", "--host", HOSTILE, "--", "true", code=69)
        self.run_command("serve", "--scenario", bad, code=65)
        (self.folder / (NAME + "-file")).write_text("no folder")
        self.run_command("serve", "--certs", NAME + "-file", code=69)

    # certs, token, ready

    def test_certs_and_token(self):
        certs = str(self.folder / (NAME + "-certs"))
        output, _ = self.run_command("certs", "--certs", certs, "--kind", "expired", arrives=("stdout",))
        for line in output.splitlines():
            self.assertIn(MARK, line)
        self.run_command("certs", "--certs", certs, arrives=("stdout",))
        _, error = self.run_command("certs", "--certs", certs)
        self.assertTrue(error.startswith("Nothing was missing in "), error)
        pathlib.Path(certs, "ca.key").unlink()
        self.run_command("certs", "--certs", certs, "--renew", code=69)
        pathlib.Path(certs, "ca.pem").write_text(HOSTILE)
        self.run_command("certs", "--certs", certs, code=65)
        self.run_command("token", "--certs", NAME + "-none", code=69)
        pathlib.Path(self.folder, NAME + "-new").mkdir()
        self.run_command("token", "--certs", NAME + "-new")
        key = self.file(NAME + ".p8", HOSTILE.encode())
        _, error = self.run_command("token", "--key", key, "--key-id", HOSTILE, "--team-id", HOSTILE, code=65, arrives=())
        output, _ = self.run_command("token", "--certs", NAME + "-new", "--team-id", HOSTILE, arrives=())
        self.assertEqual(output.count("."), 2)

    def test_names_in_certificates(self):
        for words in (["--server-name", HOSTILE], ["--topic", HOSTILE]):
            done = subprocess.run([EXECUTABLE, "certs", "--certs", str(self.folder / "made"), *words], capture_output=True, timeout=PATIENCE)
            self.clean(f"certs {words!r}", done.stdout + done.stderr, arrives=False)

    def test_ready_and_verify_by_what_a_server_answers(self):
        scenario = self.file("fine.json", {"expect": [{"requests": {}, "count": 0}]})
        results = [{"name": MARKUP, "passed": False, "expected": MARKUP, "seen": MARKUP, "nearMisses": [
            {"sequence": 1, "log": MARKUP, "explanation": MARKUP, "differences": [{"field": MARKUP, "expected": MARKUP, "found": MARKUP}]}]}]
        finding = {"rule": "aps-missing", "severity": "error", "pointer": MARKUP, "message": MARKUP, "count": 2, "sequence": 1}
        answers = {
            "/readyz": (503, {}), "/api/v1/scenario": (200, {"name": MARKUP[:190], "description": MARKUP}),
            "/api/v1/verify": (200, {"passed": False, "results": results, "remarks": [MARKUP], "report": MARKUP}),
            "/api/v1/summary": (200, {
                "requests": 1, "connections": {"opened": 1, "open": 1}, "requestsPerSecond": {"peak": 1},
                **{name: {MARKUP: 1, "other": 1} for name in ("byStatus", "byReason", "byTopic", "byOutcome")}}),
            "/api/v1/lint": (200, {"findings": [finding], "pushes": 1}), "/api/v1/sessions": (200, {"sessions": [{"name": MARKUP}]}),
        }
        junit, report = str(self.folder / "admin.xml"), str(self.folder / "admin.md")
        words = ["verify", "--lint", "--junit", junit, "--report", report, "--admin"]
        with Answering(answers) as server:
            self.run_command("ready", "--admin", server.url, code=1, arrives=())
            _, error = self.run_command(*words, server.url, code=1)
            self.assertIn("1 of 1 expectation failed.", error)
            self.assertIn("nearest", error)
            self.junit(junit)
            self.markdown(report)
            for code, status in ((400, 65), (401, 69), (500, 69), (200, 69)):
                answers["/api/v1/verify"] = (code, {"error": {"code": MARKUP, "message": MARKUP, "pointer": MARKUP}})
                self.run_command(*words, server.url, scenario, code=status, arrives=("stderr",) if code != 200 else ())
                self.junit(junit, arrives=code != 200)

    # suite

    def test_suite(self):
        story = {**self.scenario(), "workload": [{"push": {"token": ALICE, "topic": TOPIC, "payload": {"aps": {"alert": MARKUP}}}}]}
        stories = [self.file(f"{NAME}-{number}.json", story) for number in range(4)]
        junit, report, result = (str(self.folder / (NAME + end)) for end in (".xml", ".md", ".result"))
        said = [f'print(json.dumps({{"id": "1", "error": {MARKUP!r}}}), flush=True)', f"print({HOSTILE!r}, flush=True)",
                f'print(json.dumps({{"id": {MARKUP!r}, "status": 200}}), flush=True)', "sys.exit(3)"]
        for number, line in enumerate(said):
            driver = self.file(f"driver-{number}.py", f"""
import json, sys
sys.stderr.buffer.write({(HOSTILE + chr(10) + "a line" + chr(9) + SHORT).encode()!r} + b"\\xff\\xfe\\n")
sys.stdin.readline()
{line}
sys.stdin.read()
""".encode())
            output, _ = self.run_command(
                "suite", "--timeout", f"{PATIENCE}s", "--junit", junit, "--report", report, "--json", result, *stories[:2 if number else 4],
                "--", sys.executable, driver, code=1, arrives=("stdout", "stderr"))
            self.assertEqual(len(output.splitlines()), 3 if number else 5, output)
            self.junit(junit)
            self.markdown(report)
            self.clean("JSON", pathlib.Path(result).read_bytes())
            self.assertEqual(json.loads(pathlib.Path(result).read_text())["stories"][0]["name"], pathlib.Path(stories[0]).stem)
        output, _ = self.run_command("suite", "--list", *stories, arrives=("stdout",))
        self.run_command("suite", stories[0], "--", NAME, code=1, arrives=("stdout",))
        self.run_command("suite", self.file(NAME + "-bad.json", {MARKUP: 1}), "--", "true", code=65)

    # probe

    def test_probe(self):
        certs = pathlib.Path(Server._certs())
        with Server():
            pass  # makes the certificates
        junit, report, result = (str(self.folder / (NAME + end)) for end in (".xml", ".md", ".json"))
        with Hostile(certs) as server:
            words = ["probe", "--url", server.url, "--ca", str(certs / "ca.pem"), "--key", str(certs / "AuthKey_ABC123DEFG.p8"), "--key-id", "ABC123DEFG",
                     "--team-id", "DEF123GHIJ", "--topic", TOPIC, "--timeout", f"{PATIENCE}s", "--junit", junit, "--report", report]
            only = [word for group in ("headers", "payload") for word in ("--only", group)]
            output, _ = self.run_command(*words, *only, "--json", result, code=1, arrives=("stdout",))
            self.assertIn("answered", output)
            self.junit(junit)
            self.markdown(report)
            self.clean("JSON", pathlib.Path(result).read_bytes())
            earlier = json.loads(pathlib.Path(result).read_text())
            earlier["probes"][0]["answers"] = [{"status": 1, MARKUP: MARKUP}]
            self.run_command(*words, *only, "--against", self.file(NAME + "-earlier", earlier), code=1, arrives=("stdout",))
            self.junit(junit)
            self.markdown(report)
        self.run_command(*words, *only[:2], code=69, arrives=())
        self.run_command("probe", "--against", self.file(NAME + "-bad", HOSTILE.encode()), code=65)
        self.run_command("probe", "--list", "--only", HOSTILE, code=64)
        with Answering({}, b"HTTP/1.1 400 " + SHORT.encode() + b"\r\n\r\n") as server:
            self.run_command(*words[:2], server.url.replace("http:", "https:"), *words[3:], *only[:2], code=69, arrives=())

    # serve

    def test_serve(self):
        certs = self.folder / (NAME + "-certs")
        scenario = pathlib.Path(self.file(NAME + ".json", self.scenario()))
        with Server("--verbose", "--scenario", str(scenario), "--log", "LOG", certs=certs) as server:
            told = server.until_said("A first push:")
            self.clean("banner", told.encode())
            environment = {**os.environ, "MOCK_APNS_URL": server.url, "MOCK_APNS_CERTS": str(certs), "CURL_CA_BUNDLE": server.authority}
            subprocess.run(["sh", "-c", self.pushes()], check=True, env=environment, timeout=PATIENCE)
            self.clean("verbose", server.until_said("BadDeviceToken").encode())
            scenario.write_text(json.dumps({MARKUP: 1, "name": 1}))
            server.process.send_signal(signal.SIGHUP)
            server.until_said("were not reloaded: " + str(self.folder))
            for path in ("/api/v1/" + "evil%1b%07", "/api/v1/requests?evil%1b=%07"):
                with contextlib.suppress(urllib.error.HTTPError):
                    server.get(path)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(PATIENCE), 0)
            self.clean("standard error", server.stderr().encode())
            self.json_lines(server.log)
            self.assertEqual(server.ready["certificateAuthority"], str(certs / "ca.pem"))

    def test_the_ready_line(self):
        certs = str(self.folder / (NAME + "-certs"))
        process = subprocess.Popen([EXECUTABLE, "serve", "--quiet", "--port", "0", "--admin-port", "0", "--certs", certs],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with process:
            line = process.stdout.readline()
            process.terminate()
            output, error = process.communicate(timeout=PATIENCE)
        self.assertEqual(output + error, b"")
        self.clean("ready line", line)
        self.assertEqual(json.loads(line)["certificateAuthority"], certs + "/ca.pem")

    # Fleets

    def test_a_fleet_whose_engine_answers_anything(self):
        scenario = self.file("fine.json", {"expect": [{"requests": {}, "count": 0}]})
        text = SHORT.replace("\r\n", "").encode() + b"\x1b]0;t\x07"
        for reply in (b"-ERR " + text + b"\r\n", b"+" + text + b"\r\n", b"$%d\r\n%s\r\n" % (len(HOSTILE.encode()), HOSTILE.encode()),
                      b"*1\r\n$%d\r\n%s\r\n" % (len(HOSTILE.encode()), HOSTILE.encode()), HOSTILE.encode()):
            with FakeEngine(reply) as engine:
                for words in (["collect", "--admin-port", "0"], ["serve", "--port", "0", "--admin-port", "0", "--certs", str(Server._certs())],
                              ["verify", scenario]):
                    self.run_command(*words[:1], "--fleet", engine.url, *words[1:], code=69,
                                     arrives=("stderr",) if reply.startswith(b"-") else ())
        self.run_command("collect", "--fleet", "unix:" + str(self.folder / "none") + NAME, code=69)

    @unittest.skipUnless(shutil.which("redis-server"), "redis-server is not installed")
    def test_the_ready_line_of_a_collector(self):
        # A socket's path is short.
        path = self.folder / (SHORT.replace("/", "") + '"')
        with Engine() as engine, UnixRelay(path, engine.port):
            scenario = self.file(NAME + ".json", self.scenario())
            process = subprocess.Popen([EXECUTABLE, "collect", "--fleet", f"unix:{path}", "--admin-port", "0", "--scenario", scenario],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            with process:
                line = process.stdout.readline()
                process.terminate()
                output, error = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, output), (0, b""), error)
            self.clean("ready line", line)
            self.clean("standard error", error)
            self.assertEqual(json.loads(line)["engine"], f"unix:{path}")

    # Usage

    def test_usage(self):
        # Something else is missing first, or the answer is the help.
        silent = [["help", HOSTILE], ["serve", "--fleet", HOSTILE]]
        commands = ["serve", "exec", "suite", "probe", "collect", "verify", "check", "lint", "certs", "token", "ready"]
        cases = [[HOSTILE], ["--" + HOSTILE], ["-" + HOSTILE], ["help", HOSTILE], ["--generate-completion-script", HOSTILE],
                 *([command, "--" + HOSTILE, *REQUIRED.get(command, [])] for command in commands),
                 *([command, "--" + MARK + "=" + HOSTILE, *REQUIRED.get(command, [])] for command in commands),
                 ["serve", "--port", HOSTILE], ["serve", "--fleet", HOSTILE], ["serve", "--fleet", "redis://x", "--replica", HOSTILE],
                 ["serve", "--admin-name", HOSTILE], ["exec", "--auth", HOSTILE, "--", "true"], ["suite", "--jobs", HOSTILE, "--", "true"],
                 ["suite", "--skip", HOSTILE, "--", "true"], ["suite", "--only", HOSTILE, "--", "true"], ["suite", HOSTILE, "--", "true"],
                 ["suite", "--timeout", HOSTILE, "--", "true"], ["probe", "--url", HOSTILE], ["probe", "--timeout", HOSTILE],
                 ["collect", "--fleet", "redis://x", "--fleet-name", HOSTILE], ["collect", "--fleet", "redis://x", "--admin-name", HOSTILE],
                 ["verify", "--session", HOSTILE], ["verify", "--admin", HOSTILE], ["lint", "--push-type", HOSTILE, "x"],
                 ["lint", "--header", SHORT, "x"], ["lint", "--fail-on", HOSTILE, "x"], ["lint", "--format", HOSTILE, "x"],
                 ["certs", "--kind", HOSTILE], ["token", "--issued-at", HOSTILE], ["ready", "--admin", HOSTILE],
                 ["ready", "--admin", "http://127.0.0.1:1/" + HOSTILE]]
        for words in cases:
            with self.subTest(words=words):
                done = subprocess.run([EXECUTABLE, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, cwd=self.folder)
                self.clean("standard output", done.stdout, arrives=False)
                self.clean("standard error", done.stderr, arrives=words not in silent)
        for options in (f"--port {SHORT.split()[0]}", f"'{HOSTILE}", HOSTILE, f"-- {HOSTILE}"):
            with self.subTest(options=options):
                self.run_command("serve", code=64, env={**os.environ, "MOCK_APNS_OPTIONS": options})
        self.run_command("ready", code=64, env={**os.environ, "MOCK_APNS_ADMIN_URL": HOSTILE})


class Hostile:
    """A server of HTTP/2 whose every answer is hostile: a status, fields and a body, or GOAWAY with a text."""

    def __init__(self, certs):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certs / "server.pem", certs / "server.key")
        self.context.set_alpn_protocols(["h2"])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self.listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        configuration = h2.config.H2Configuration(
            client_side=False, validate_outbound_headers=False, validate_inbound_headers=False, header_encoding=False)
        http = h2.connection.H2Connection(configuration)
        with contextlib.suppress(OSError, h2.exceptions.ProtocolError), self.context.wrap_socket(client, server_side=True) as stream:
            http.initiate_connection()
            while True:
                stream.sendall(http.data_to_send())
                data = stream.recv(65536)
                if not data:
                    return
                for event in http.receive_data(data):
                    if isinstance(event, h2.events.StreamEnded):
                        if event.stream_id % 10 == 9:
                            http.close_connection(7, HOSTILE.encode(), event.stream_id - 2)
                            stream.sendall(http.data_to_send())
                            return
                        self.answer(http, event.stream_id)

    def answer(self, http, stream):
        http.send_headers(stream, [
            (b":status", b"400" if stream % 4 == 1 else b"599"), (b"apns-id", FIELD.encode()), (b"apns-unique-id", FIELD.encode()),
            (b"x-odd", FIELD.encode()), (b"content-type", FIELD.encode())])
        body = json.dumps({"reason": MARKUP, "timestamp": MARKUP, MARKUP: MARKUP}) if stream % 3 else HOSTILE
        http.send_data(stream, body.encode(), end_stream=True)

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Answering:
    """An HTTP server that answers each path with a status and an object, and a status line that is hostile."""

    def __init__(self, answers, plain=None):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                length = int(self.headers.get("content-length") or 0)
                self.rfile.read(length)
                status, value = answers.get(self.path.partition("?")[0], (404, {}))
                body = json.dumps(value).encode()
                self.wfile.write(b"HTTP/1.1 %d %s\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s" % (
                    status, FIELD.encode(), len(body), body))

            do_POST = do_GET

            def log_message(self, *_):
                pass

        class Plain(Handler):
            def handle(self):
                with contextlib.suppress(OSError):
                    self.request.recv(65536)
                    self.request.sendall(plain)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Plain if plain else Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class FakeEngine:
    """What answers each command with the same bytes."""

    def __init__(self, reply):
        self.reply = reply
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self.listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, contextlib.suppress(OSError):
            while client.recv(65536):
                client.sendall(self.reply)

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class UnixRelay:
    """A socket of that path that leads to a port."""

    def __init__(self, path, port):
        self.port = port
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.port))
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=(one, other), daemon=True).start()

    @staticmethod
    def pump(one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
