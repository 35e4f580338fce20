"""The folder of certificates: many processes at once on one that is not there yet."""

import pathlib
import ssl
import stat
import subprocess
import tempfile
import unittest

from server import EXECUTABLE, Server


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
            out, err = process.communicate(timeout=60)
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
            ["certs"], ["token"], ["certs", "--renew"], ["certs", "--kind", "revoked"], ["token"],
            ["certs", "--server-name", "push.internal"],
        ]
        self.ends([self.start(*command, "--certs", str(self.folder)) for command in commands])
        self.assert_complete(self.folder, {"client-revoked.pem", "client-revoked.key", "client-revoked.p12"})
        with Server(certs=self.folder) as server:
            self.assertEqual(server.get("/api/v1/summary")["requests"], 0)

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
