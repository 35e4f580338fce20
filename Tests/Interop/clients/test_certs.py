"""The folder of certificates: many processes at once on one that is not there yet."""

import os
import pathlib
import shutil
import ssl
import stat
import subprocess
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE, Server

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
        self.assert_complete(self.folder, {"client-revoked.pem", "client-revoked.key", "client-revoked.p12"})
        with Server(certs=self.folder) as server:
            self.assertEqual(server.get("/api/v1/summary")["requests"], 0)

    def test_a_key_store_holds_the_certificate_and_its_key_like_apples(self):
        subprocess.run([EXECUTABLE, "certs", "--certs", self.folder, "--kind", "revoked"], check=True, capture_output=True)
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
