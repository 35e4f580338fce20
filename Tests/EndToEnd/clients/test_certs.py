"""The folder of certificates: what is made, by many processes at once, by some that are killed, and how it is used."""

import json
import os
import pathlib
import shutil
import ssl
import stat
import subprocess
import tempfile
import unittest

import httpx
from server import EXECUTABLE, PATIENCE, Server, until

CRYPTO = pathlib.Path("/usr/share/gocode/src/golang.org/x/crypto")
DECODE = """
package main

import (
	"fmt"
	"golang.org/x/crypto/pkcs12"
	"os"
)

func main() {
	store, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	key, certificate, err := pkcs12.Decode(store, "mock-apns")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%T %s\\n", key, certificate.Subject.CommonName)
}
"""


class Certs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-"))) / "made" / "certs"

    def start(self, *arguments):
        command = [EXECUTABLE, *arguments]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ends(self, processes):
        """Waits for all; what each wrote on standard output, when all ended well."""
        told = []
        for process in processes:
            out, err = process.communicate(timeout=PATIENCE)
            told.append((process.returncode, out, err))
        self.assertEqual([(code, err) for code, _, err in told if code != 0], [])
        return [out for _, out, _ in told]

    def certs(self, *arguments, code=0):
        """What `mock-apns certs` says."""
        done = subprocess.run(
            [EXECUTABLE, "certs", "--certs", self.folder, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else done.stdout

    def contents(self):
        """All files of the folder."""
        return {file.name: file.read_bytes() for file in self.folder.iterdir()}

    def facts(self, name):
        """Subject and extensions of a certificate in the folder."""
        command = ["openssl", "x509", "-in", self.folder / name, "-noout", "-text", "-nameopt", "sep_comma_plus"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def push(self, server, name, number, *headers):
        """Pushes with a client certificate of the folder; the answer's body and status."""
        command = ["curl", "-sS", "--http2", "--cacert", server.authority, "--cert", self.folder / f"{name}.pem"]
        command += ["--key", self.folder / f"{name}.key", "-w", "%{http_code}", "-d", "{}"]
        for header in headers:
            command += ["-H", header]
        command.append(f"https://localhost:{server.port}/3/device/{number:064x}")
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout or done.stderr

    def test_single_topic_certificates_supply_missing_topics(self):
        kinds = {
            "voip": ("com.example.app.voip", "VoIP Services: com.example.app", "voip"),
            "watchkit": ("com.example.app.complication", "WatchKit Services: com.example.app", "complication"),
            "pass": ("pass.com.example.app", "Pass Type ID: pass.com.example.app", "alert"),
            "website": ("web.com.example.app", "Website Push ID: web.com.example.app", "alert"),
            "mdm": ("com.apple.mgmt.External.5f1d3c52-9a1e-4a0e-8d0b-6c3f2b7a9e10",
                    "APSP:5f1d3c52-9a1e-4a0e-8d0b-6c3f2b7a9e10", "mdm"),
        }
        for kind in kinds:
            self.certs("--kind", kind)
        self.assertEqual(
            set(self.contents()),
            {".gitignore", "ca.pem", "ca.key"} | {f"client-{kind}.{ending}" for kind in kinds for ending in ("pem", "key", "p12")})
        for environment in ("sandbox", "production"):
            with Server("--environment", environment, certs=self.folder) as server:
                for number, (kind, (topic, name, push_type)) in enumerate(kinds.items()):
                    facts = self.facts(f"client-{kind}.pem")
                    self.assertIn(f"UID={topic},CN={name},OU=DEF123GHIJ", facts)
                    self.assertEqual("1.2.840.113635.100.6.3.4" in facts, kind == "voip")
                    self.assertEqual(self.push(server, f"client-{kind}", number, f"apns-push-type: {push_type}"), "200")
                    self.assertEqual(server.records()[-1]["topic"], topic)
                self.assertIn("MissingTopic", self.push(server, "client", 99))

    def test_an_mdm_push_as_mdm_servers_send_it(self):
        """By certificate, without a topic, with nothing but the PushMagic; asked over one connection for each device."""
        topic = "com.apple.mgmt.External.5f1d3c52-9a1e-4a0e-8d0b-6c3f2b7a9e10"
        self.certs("--kind", "mdm", "--topic", topic)
        with Server("--environment", "production", certs=self.folder) as server:
            context = server.tls()
            context.load_cert_chain(self.folder / "client-mdm.pem", self.folder / "client-mdm.key")
            with httpx.Client(http1=False, http2=True, verify=context, timeout=PATIENCE) as client:
                for number in range(2):
                    for _ in range(2):
                        # Both ask the device to poll: the payload is the same by nature.
                        answer = client.post(
                            f"{server.url}/3/device/{number:064x}", content=b'{"mdm":"7E3F2C1A-6D29-4C0B-9C1E-0F6C2B9D1A11"}',
                            headers={"apns-push-type": "mdm", "apns-priority": "10", "apns-expiration": "0"})
                        self.assertEqual((answer.status_code, answer.http_version), (200, "HTTP/2"), answer.text)
            records = server.records()
            self.assertEqual({record["topic"] for record in records}, {topic})
            self.assertEqual({record["authentication"]["method"] for record in records}, {"certificate"})
            self.assertEqual({record["payload"]["mdm"][:8] for record in records}, {"7E3F2C1A"})
            findings = [each for each in server.get("/api/v1/lint")["findings"] if each["severity"] != "note"]
            self.assertEqual(findings, [])

    def test_a_topic_may_be_long(self):
        for length in (43, 44, 64, 255):
            topic = ("com.example." + "long-name." * 30)[: length - 1] + "x"
            self.certs("--topic", topic)
            self.assertIn(f"UID={topic},CN={('Apple Push Services: ' + topic)[:64]}", self.facts("client.pem"))
            with Server(certs=self.folder) as server:
                self.assertEqual(server.ready["topic"], topic)
                self.assertEqual(self.push(server, "client", length, f"apns-topic: {topic}"), "200")
        mdm = "com.apple.mgmt.Internal." + "x" * 231
        self.certs("--kind", "mdm", "--topic", mdm)
        with Server(certs=self.folder) as server:
            self.assertEqual(self.push(server, "client-mdm", 1, "apns-push-type: mdm"), "200")
        before = self.contents()
        self.assertIn("at most 255 bytes", self.certs("--topic", topic + "x", code=64))
        self.assertIn("com.apple.mgmt.", self.certs("--kind", "mdm", "--topic", "com.example.app", code=64))
        self.assertIn("give one", self.certs("--kind", "pass", "--topic", "a.b", "--topic", "c.d", code=64))
        self.assertEqual(self.contents(), before)

    def test_a_kind_touches_nothing_else(self):
        self.certs("--topic", "com.example.mine", "--server-name", "push.internal")
        before = self.contents()
        for kind in ("voip", "revoked"):
            self.certs("--kind", kind)
            after = self.contents()
            self.assertEqual({name: bytes for name, bytes in after.items() if f"client-{kind}" not in name}, before)
            before = after
        # One that is accepted is kept, as client.pem is, until its topic differs.
        self.assertEqual(self.certs("--kind", "voip"), "")
        self.certs("--kind", "voip", "--topic", "com.example.mine")
        self.assertIn("UID=com.example.mine.voip,", self.facts("client-voip.pem"))

    def test_a_running_server_has_to_read_them_again(self):
        """`certs` says so of what a server knows only after SIGHUP, and of nothing else."""
        for arguments, isSaid in [
            ((), False), ((), False), (("--kind", "voip"), False), (("--kind", "expired"), False),
            (("--kind", "revoked"), True), (("--server-name", "push.internal"), True), (("--topic", "com.example.b"), False),
        ]:
            with self.subTest(arguments):
                done = subprocess.run([EXECUTABLE, "certs", "--certs", self.folder, *arguments], capture_output=True,
                                      text=True, timeout=PATIENCE)
                self.assertEqual((done.returncode, "SIGHUP (kill -HUP PID)" in done.stderr), (0, isSaid), done.stderr)

    def test_what_was_given_once_need_not_be_repeated(self):
        self.certs("--topic", "com.example.mine", "--server-name", "push.internal")
        for arguments in ([], ["--renew"]):
            self.certs(*arguments)
            self.assertIn("UID=com.example.mine,", self.facts("client.pem"))
            for name in ("server.pem", "server-rsa.pem"):
                self.assertIn("DNS:push.internal", self.facts(name))

    def test_serve_takes_topics(self):
        with Server("--topic", "com.example.one", "--topic", "com.example.two", certs=self.folder) as server:
            self.assertEqual(server.ready["topic"], "com.example.one")
            for number, topic in enumerate(["com.example.one", "com.example.two", "com.example.two.voip-ptt"]):
                push_type = "pushtotalk" if topic.endswith("ptt") else "alert"
                self.assertEqual(
                    self.push(server, "client", number, f"apns-topic: {topic}", f"apns-push-type: {push_type}"), "200")
            self.assertIn("TopicDisallowed", self.push(server, "client", 9, "apns-topic: com.example.app"))
        with Server(certs=self.folder) as server:
            self.assertEqual(server.ready["topic"], "com.example.one")

    def test_exec_gives_a_certificate_for_the_scenarios_topics(self):
        teams = {"authentication": {"teams": [{"teamID": "TEAM123456", "topics": ["com.example.theirs"],
                                               "keys": [{"keyID": "KEY1234567"}]}]}}
        device = {"token": "ab" * 32, "topic": "com.example.device"}
        push = (
            'for topic in "$@"; do curl -sS --http2 --cacert "$MOCK_APNS_CA" --cert "$MOCK_APNS_CLIENT_CERT"'
            ' --key "$MOCK_APNS_CLIENT_KEY" -H "apns-topic: $topic" -d "{}" -w "%{http_code}\\n"'
            ' "$MOCK_APNS_URL/3/device/$(printf %064d "$(echo "$topic" | cksum | cut -d " " -f 1)")"; done;'
            ' ls "$(dirname "$MOCK_APNS_CLIENT_CERT")" | grep client.p12; echo "$MOCK_APNS_TOPIC"')
        self.certs()
        before = self.contents()
        for scenario, options, topics, first in [
            (teams, [], ["com.example.theirs"], "com.example.theirs"),
            ({"devices": [device]}, [], ["com.example.app", "com.example.device"], "com.example.app"),
            ({**teams, "devices": [device]}, ["--auth", "none"], ["com.example.theirs", "com.example.device"],
             "com.example.theirs"),
        ]:
            file = self.folder.parent / "scenario.json"
            scenario = {**scenario, "unknownDevices": "register"}
            file.write_text(json.dumps(scenario))
            command = [EXECUTABLE, "exec", "--quiet", "--certs", self.folder, "--scenario", file, *options]
            done = subprocess.run(
                [*command, "--", "sh", "-c", push, "sh", *topics], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.stdout, "200\n" * len(topics) + f"client.p12\n{first}\n", done.stderr)
        after = {name: bytes for name, bytes in self.contents().items() if name != "AuthKey_KEY1234567.p8"}
        self.assertEqual(after, before)

    def test_a_refused_certificate_says_why(self):
        scenario = self.folder.parent / "scenario.json"
        scenario.parent.mkdir(parents=True)
        scenario.write_text('{"expect": [{"requests": {"status": 200}, "count": 1}]}')
        reasons = {
            "wrong-environment": "is for production only, and the connection is for sandbox, so it was refused with"
            " BadCertificateEnvironment; use a certificate for sandbox, or start the server with --environment production",
            "not-push": "is not for pushes: it lacks Apple's extensions, or a topic, so it was refused with BadCertificate",
            "expired": "the client's certificate was rejected: certificate has expired. Renew it",
            "unknown-authority": "Trusted are ca.pem and what the scenario lists in",
            "revoked": "certificate revoked. The scenario lists it in clientCertificates.revoked, or it is client-revoked.pem",
        }
        for kind, reason in reasons.items():
            with self.subTest(kind):
                self.certs("--kind", kind)
                with Server("--scenario", str(scenario), "--log", "LOG", certs=self.folder) as server:
                    self.push(server, f"client-{kind}", 1)
                    server.until_said(reason)
                    (connection,) = server.get("/api/v1/connections")["connections"]
                    self.assertIn(reason, connection["explanation"])
                    until(lambda: "closed" in server.log.read_text(), server.stderr)
                    (closed,) = [line for line in server.log_lines("connection") if line["state"] == "closed"]
                    self.assertIn(reason, closed["explanation"])
                command = [EXECUTABLE, "exec", "--certs", self.folder, "--scenario", scenario, "--report", "report.md"]
                push = f'curl -sS --http2 --cacert "$MOCK_APNS_CA" --cert "$MOCK_APNS_CERTS/client-{kind}.pem" --key' \
                    f' "$MOCK_APNS_CERTS/client-{kind}.key" -d "{{}}" "$MOCK_APNS_URL/3/device/00"; true'
                done = subprocess.run(
                    [*command, "--", "sh", "-c", push], cwd=scenario.parent, capture_output=True, text=True,
                    timeout=PATIENCE)
                self.assertEqual(done.returncode, 1)
                self.assertIn(reason, done.stderr)
                self.assertNotIn("errno:", done.stderr)
                self.assertIn(reason, (scenario.parent / "report.md").read_text())
                # Also when other connections are fine, and all that was expected has come.
                good = push.replace(f"client-{kind}", "client").replace("device/00", f"device/{7:064x}").replace(
                    "-d", '-H "apns-topic: com.example.app" -d')
                done = subprocess.run(
                    [*command, "--junit", "report.xml", "--", "sh", "-c", f"{push}; {good}"], cwd=scenario.parent,
                    capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, done.stderr)
                for report in ("report.md", "report.xml"):
                    self.assertIn(reason, (scenario.parent / report).read_text())

    def kill_at_rename(self, number, *arguments):
        """Runs `mock-apns certs` until it renames its n-th file; whether it got that far."""
        fault = f"inject=rename,renameat,renameat2:signal=KILL:when={number}"
        command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=rename,renameat,renameat2", "-e", fault]
        done = subprocess.run(
            [*command, EXECUTABLE, "certs", "--certs", self.folder, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode == 1 and "ptrace" in done.stderr:
            self.skipTest("tracing is not allowed here")
        return done.returncode != 0

    @unittest.skipUnless(shutil.which("strace"), "strace is missing")
    def test_a_killed_process_leaves_nothing_half_made(self):
        whole = {"server-rsa.pem", "server-rsa.key"}
        for number in range(1, 40):
            shutil.rmtree(self.folder, ignore_errors=True)
            if not self.kill_at_rename(number):
                break
            self.certs()
            self.assert_complete(self.folder, whole)
        self.assertGreater(number, 5)
        for number in range(1, 40):
            before = self.contents()
            if not self.kill_at_rename(number, "--renew"):
                break
            # The next process, which renews nothing, finishes what was begun.
            self.assertEqual(self.certs(), "")
            self.assert_complete(self.folder, whole)
            after = self.contents()
            changed = {name for name in after if after[name] != before[name]}
            self.assertIn(changed, [set(), whole | {"server.pem", "server.key", "client.pem", "client.key", "client.p12"}])
        self.assertGreater(number, 5)

    def test_an_error_leaves_nothing_half_made(self):
        self.certs()
        (self.folder / "client.p12").unlink()
        (self.folder / "client.p12").mkdir()
        files = {file.name: file.read_bytes() for file in self.folder.iterdir() if file.is_file()}
        self.assertIn("client.p12 cannot be written", self.certs("--renew", code=69))
        self.assertEqual({file.name: file.read_bytes() for file in self.folder.iterdir() if file.is_file()}, files)

    def own_authority(self, *algorithm):
        """Puts an authority made by OpenSSL into the folder, as two read-only files."""
        self.folder.mkdir(parents=True)
        subprocess.run(
            ["openssl", "req", "-x509", "-nodes", "-newkey", *algorithm, "-keyout", self.folder / "ca.key", "-out",
             self.folder / "ca.pem", "-subj", "/CN=Ours", "-days", "30"], check=True, capture_output=True)
        for name in ("ca.pem", "ca.key"):
            (self.folder / name).chmod(0o400)
        return self.contents()

    def test_own_authorities_may_use_any_kind_of_key(self):
        for algorithm in (["rsa:2048"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"], ["ed25519"]):
            with self.subTest(algorithm[0]):
                own = self.own_authority(*algorithm)
                with Server(certs=self.folder) as server:
                    self.assertEqual(self.push(server, "client", 1, "apns-topic: com.example.app"), "200")
                    only_rsa = ["openssl", "s_client", "-connect", f"localhost:{server.port}", "-CAfile", server.authority,
                                "-verify_return_error", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256", "-tls1_2"]
                    done = subprocess.run(only_rsa, input=b"Q\n", capture_output=True, timeout=PATIENCE)
                    self.assertIn(b"Verification: OK", done.stdout, done.stderr)
                self.assertEqual({name: self.contents()[name] for name in own}, own)
                shutil.rmtree(self.folder)

    @unittest.skipUnless(shutil.which("unshare") and os.geteuid() == 0, "needs to mount something")
    def test_incomplete_read_only_folders_are_refused_with_advice(self):
        self.own_authority("rsa:2048")
        mounted = 'mount --bind -o ro "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'
        command = ["unshare", "-m", "sh", "-c", mounted, "sh", self.folder, EXECUTABLE]
        serve = ["serve", "--port", "0", "--admin-port", "0", "--certs", self.folder]
        done = subprocess.run([*command, *serve], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 69, done.stderr)
        self.assertIn("cannot be written (Read-only file system); make the folder writable", done.stderr)
        self.assertIn("Only ca.pem and ca.key may be read-only, as single files", done.stderr)
        self.assertEqual(set(self.contents()), {"ca.pem", "ca.key"})
        # All that `certs` makes is enough.
        self.certs()
        done = subprocess.run([*command, "exec", "--certs", self.folder, "--", "true"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_first_starts_at_once_agree_on_one_authority(self):
        for round in range(3):
            folder = self.folder / str(round)
            client = 'curl -sS -o /dev/null --http2 --cacert "$MOCK_APNS_CA" "$MOCK_APNS_URL/" && cat "$MOCK_APNS_CA"'
            authorities = self.ends(
                [self.start("exec", "--certs", str(folder), "--", "sh", "-c", client) for _ in range(8)]
            )
            self.assertEqual(set(authorities), {(folder / "ca.pem").read_text()})
            self.assert_complete(folder)

    def test_different_commands_at_once_make_one_folder(self):
        commands = [
            ["certs"], ["certs", "--renew"], ["certs", "--kind", "revoked"], ["certs", "--server-name", "push.internal"],
        ]
        self.ends([self.start(*command, "--certs", str(self.folder)) for command in commands])
        further = {"client-revoked.pem", "client-revoked.key", "client-revoked.p12", "server-rsa.pem", "server-rsa.key"}
        self.assert_complete(self.folder, further)
        with Server(certs=self.folder) as server:
            self.assertEqual(server.get("/api/v1/summary")["requests"], 0)

    def test_key_stores_hold_certificate_and_key_like_apples(self):
        self.certs()
        self.certs("--kind", "revoked")
        for name in ("client", "client-revoked"):
            store = ["openssl", "pkcs12", "-in", self.folder / f"{name}.p12", "-passin", "pass:mock-apns", "-nodes"]
            told = subprocess.run(store, check=True, capture_output=True, text=True).stdout
            self.assertEqual((told.count("BEGIN CERTIFICATE"), told.count("BEGIN PRIVATE KEY")), (1, 1), told)
            key = ["openssl", "pkey", "-in", self.folder / f"{name}.key", "-noout", "-text"]
            self.assertIn("2048 bit", subprocess.run(key, check=True, capture_output=True, text=True).stdout)
        for name in ("ca.key", "server.key", "AuthKey_ABC123DEFG.p8"):
            key = ["openssl", "pkey", "-in", self.folder / name, "-noout", "-text"]
            self.assertIn("P-256", subprocess.run(key, check=True, capture_output=True, text=True).stdout)

    @unittest.skipUnless(CRYPTO.exists(), "golang.org/x/crypto is missing")
    def test_go_reads_the_key_store(self):
        """`pkcs12.Decode`, by which sideshow/apns2 and buford load a certificate, wants exactly two bags."""
        subprocess.run([EXECUTABLE, "certs", "--certs", self.folder], check=True, capture_output=True)
        program = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-"))) / "main.go"
        program.write_text(DECODE)
        environment = {**os.environ, "GO111MODULE": "off", "GOPATH": str(CRYPTO.parents[3]), "GOFLAGS": "",
                       "GOCACHE": str(program.parent / "cache")}
        done = subprocess.run(
            ["go", "run", program, self.folder / "client.p12"], env=environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "*rsa.PrivateKey Apple Push Services: com.example.app\n", done.stderr)

    def assert_complete(self, folder, further=frozenset()):
        wanted = {
            ".gitignore", "AuthKey_ABC123DEFG.p8", "ca.key", "ca.pem", "client.key", "client.p12", "client.pem",
            "server.key", "server.pem",
        }
        self.assertEqual({file.name for file in folder.iterdir()}, wanted | further)
        for file in folder.iterdir():
            if file.suffix in {".key", ".p8", ".p12"}:
                self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file.name)
        for name in ("server", "client"):
            # Fails when the key is another one's.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")


if __name__ == "__main__":
    unittest.main()
