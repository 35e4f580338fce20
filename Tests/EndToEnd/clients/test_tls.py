"""Which handshakes work: every curve, both kinds of keys, TLS 1.2 and 1.3, tried with OpenSSL's client."""

import concurrent.futures
import json
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE, Server

CURVES = ["X25519", "P-256", "P-384", "P-521"]
ECDSA, RSA = "ECDSA", "RSA"
RSA_SUITE = ["-cipher", "ECDHE-RSA-AES128-GCM-SHA256"]
ECDSA_SUITE = ["-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"]
ONLY_RSA_12, ONLY_RSA_13 = ["-sigalgs", "RSA+SHA256"], ["-sigalgs", "rsa_pss_rsae_sha256"]
ONLY_ECDSA = ["-sigalgs", "ECDSA+SHA256"]

# Options of the client, and the key that the server proves to have. With TLS 1.2 a certificate on P-256 needs a client
# that takes the curve P-256, so the others get RSA.
HANDSHAKES = (
    [(["-tls1_2", "-groups", curve], ECDSA if curve == "P-256" else RSA) for curve in CURVES]
    + [(["-tls1_2", "-groups", curve, *RSA_SUITE], RSA) for curve in CURVES]
    + [(["-tls1_2", "-groups", curve, *ONLY_RSA_12], RSA) for curve in CURVES]
    + [(["-tls1_2", "-groups", f"{curve}:P-256", *ECDSA_SUITE], ECDSA) for curve in CURVES if curve != "P-256"]
    + [(["-tls1_2", "-sigalgs", "RSA+SHA384:ECDSA+SHA384"], ECDSA)]
    + [(["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES256-GCM-SHA384"], RSA)]
    + [(["-tls1_3", "-groups", curve], ECDSA) for curve in CURVES]
    + [(["-tls1_3", "-groups", curve, *ONLY_ECDSA], ECDSA) for curve in CURVES]
    + [(["-tls1_3", "-groups", curve, *ONLY_RSA_13], RSA) for curve in CURVES]
    + [(["-tls1_3", "-sigalgs", "ecdsa_secp384r1_sha384:rsa_pss_rsae_sha256"], RSA)]
    + [([], ECDSA), (["-tls1_2"], ECDSA)]
)


def handshake(server, *options, port=None, name="localhost"):
    """What OpenSSL's client says about a handshake."""
    command = ["openssl", "s_client", "-connect", f"127.0.0.1:{port or server.port}", "-CAfile", server.authority]
    command += ["-verify_return_error", "-servername", name, "-verify_hostname", name, "-alpn", "h2", "-showcerts"]
    # At the end of its input the client says goodbye.
    done = subprocess.run([*command, *options], input=b"Q\n", capture_output=True, timeout=PATIENCE)
    # Among it is what the server sends over HTTP/2.
    return (done.stdout + done.stderr).decode(errors="replace")


def key(said):
    """The kind of key that the server has proved to have."""
    found = re.search("Peer signature type: (.*)", said)
    return RSA if found and found[1].startswith("RSA") else found[1] if found else said


def leaf(said):
    """The server's own certificate."""
    return re.search("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", said, re.DOTALL)[0]


def only_rsa(server, version="-tls1_3"):
    """A handshake of a client that takes only RSA."""
    return handshake(server, version, *(ONLY_RSA_13 if version == "-tls1_3" else ONLY_RSA_12))


class Handshakes(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-"))
        self.certs = pathlib.Path(folder) / "certs"

    def test_every_curve_and_both_kinds_of_keys(self):
        with Server(certs=self.certs) as server:
            for options, wanted in HANDSHAKES:
                with self.subTest(" ".join(options)):
                    said = handshake(server, *options)
                    self.assertIn("Verification: OK", said)
                    self.assertIn("ALPN protocol: h2", said)
                    self.assertEqual(key(said), wanted)
                    if "-groups" in options and ":" not in options[2]:
                        curve = {"P-256": "prime256v1", "P-384": "secp384r1", "P-521": "secp521r1"}.get(options[2], options[2])
                        self.assertRegex(said, f"Server Temp Key: .*{curve}|Negotiated TLS1.3 group: .*{curve}")
            self.assertEqual(server.get("/api/v1/summary")["requests"], 0)

    def test_rsa_certificates_are_made_on_demand_and_kept(self):
        with Server(certs=self.certs) as server:
            self.assertEqual(key(handshake(server)), ECDSA)
            self.assertFalse((self.certs / "server-rsa.pem").exists())
            # At once: one is made for all.
            with concurrent.futures.ThreadPoolExecutor(8) as clients:
                leaves = {leaf(said) for said in clients.map(only_rsa, [server] * 8)}
            self.assertEqual(len(leaves), 1)
            text = subprocess.run(
                ["openssl", "x509", "-in", self.certs / "server-rsa.pem", "-noout", "-text"],
                check=True, capture_output=True, text=True,
            ).stdout
            self.assertIn("Public-Key: (2048 bit)", text)
            self.assertIn("DNS:api.push.apple.com", text)
        kept = (self.certs / "server-rsa.pem").read_text()
        self.assertTrue(kept.startswith(leaves.pop()))
        with Server("--server-name", "push.internal", certs=self.certs) as server:
            said = handshake(server, "-tls1_2", *ONLY_RSA_12, name="push.internal")
            self.assertIn("Verification: OK", said)
            # The new name is a reason to make another; a reload is none.
            self.assertNotEqual(leaf(said), kept)
            server.process.send_signal(signal.SIGHUP)
            server.until_said("were reloaded")
            self.assertEqual(leaf(only_rsa(server)), leaf(said))

    def test_renewed_certificates_are_presented_after_a_reload(self):
        with Server(certs=self.certs) as server:
            first = leaf(only_rsa(server))
            done = subprocess.run(
                [EXECUTABLE, "certs", "--renew", "--certs", self.certs], check=True, capture_output=True, text=True)
            self.assertIn(f"{self.certs}/server-rsa.pem\n", done.stdout)
            server.process.send_signal(signal.SIGHUP)
            server.until_said("were reloaded")
            renewed = leaf(only_rsa(server))
            self.assertNotEqual(renewed, first)
            self.assertTrue((self.certs / "server-rsa.pem").read_text().startswith(renewed))

    def test_untrustworthy_certificates_come_with_rsa_keys_too(self):
        complaints = {"expired": "certificate has expired", "otherName": "hostname mismatch",
                      "untrusted": "unable to get local issuer certificate"}
        for fault, complaint in complaints.items():
            scenario = self.certs.parent / f"{fault}.json"
            scenario.write_text(json.dumps({"rules": [{"when": {"on": "connect"}, "then": {"serverCertificate": fault}}]}))
            with Server("--scenario", str(scenario), certs=self.certs) as server:
                for options in (["-tls1_2", *ONLY_RSA_12], ["-tls1_3", *ONLY_RSA_13], ["-tls1_3", *ONLY_ECDSA]):
                    with self.subTest(f"{fault} {options}"):
                        self.assertRegex(handshake(server, *options).lower(), f"verify error.*{complaint}")

    def test_a_session_presents_it_too(self):
        with Server(certs=self.certs) as server:
            session = server.post("/api/v1/sessions", {"name": "mine"})
            port = int(session["apns"].rsplit(":", 1)[1])
            self.assertEqual(key(handshake(server, "-tls1_2", *ONLY_RSA_12, port=port)), RSA)
            self.assertEqual(leaf(only_rsa(server)), leaf(handshake(server, "-tls1_3", *ONLY_RSA_13, port=port)))

    def test_without_the_authoritys_key_the_reason_is_told(self):
        subprocess.run([EXECUTABLE, "certs", "--certs", self.certs], check=True, capture_output=True)
        (self.certs / "ca.key").unlink()
        with Server(certs=self.certs) as server:
            self.assertEqual(key(only_rsa(server)), RSA)
        for file in self.certs.glob("server-rsa.*"):
            file.unlink()
        with Server(certs=self.certs) as server:
            self.assertIn("handshake failure", only_rsa(server))
            self.assertEqual(key(handshake(server)), ECDSA)
            (refused,) = [each for each in server.get("/api/v1/connections")["connections"] if each["explanation"]]
            self.assertIn("the client takes only RSA certificates", refused["explanation"])
            self.assertIn("ca.key is missing", refused["explanation"])
            server.until_said("ca.key is missing")

    def test_a_push_comes_through(self):
        with Server(certs=self.certs) as server:
            for options in (["--tls-max", "1.2", "--ciphers", "ECDHE-RSA-AES128-GCM-SHA256"], ["--curves", "P-521"]):
                command = ["curl", "-sS", "--http2", "--cacert", server.authority, *options, "-w", "%{http_code}"]
                command += ["-H", f"authorization: bearer {server.token()}", "-H", "apns-topic: com.example.app"]
                command += ["-d", '{"aps":{"alert":"Hello"}}', f"https://localhost:{server.port}/3/device/{'a' * 64}"]
                done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.stdout, "200", done.stderr)

    def test_clients_leaving_during_rsa_key_generation_are_harmless(self):
        with Server(certs=self.certs) as server:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.load_verify_locations(server.authority)
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers("ECDHE-RSA-AES128-GCM-SHA256")
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            client = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
            self.assertRaises(ssl.SSLWantReadError, client.do_handshake)
            hello = outgoing.read()
            for _ in range(20):
                with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as leaver:
                    leaver.sendall(hello)
            self.assertEqual(key(only_rsa(server)), RSA)


if __name__ == "__main__":
    unittest.main()
