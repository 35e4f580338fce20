"""GOAWAY as clients on Python's h2 take it: any frame behind it, in the same read, is an error that hides its reason."""

import pathlib
import socket
import ssl
import subprocess
import tempfile
import unittest

import h2.config
import h2.connection
import h2.events
import httpx

from server import EXECUTABLE, PATIENCE, TOPIC, Server, device

ROUNDS = 10
PATH = "/3/device/" + device(1)


def scenario(folder, text):
    path = pathlib.Path(folder) / "scenario.json"
    path.write_text(text)
    return str(path)


class GoAway(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-goaway-"))

    def serve(self, step):
        text = '{"rules": [{"then": {"goAway": %s}}]}' % step
        return self.enterContext(Server("--scenario", scenario(self.folder, text)))

    def push(self, server):
        with httpx.Client(http2=True, verify=server.tls(), base_url=server.url, timeout=PATIENCE) as client:
            fields = {"authorization": "bearer " + server.token(), "apns-topic": TOPIC}
            return client.post(PATH, headers=fields, content=b"{}").status_code

    def test_first_pushes_are_answered_before_the_goaway(self):
        for then in ("drain", "close", "stayOpen"):
            server = self.serve('{"reason": "Shutdown", "then": "%s"}' % then)
            for _ in range(ROUNDS):
                with self.subTest(then):
                    self.assertEqual(self.push(server), 200)

    def test_first_pushes_left_out_learn_the_goaways_reason(self):
        server = self.serve('{"reason": "Shutdown", "lastStream": "zero"}')
        for _ in range(ROUNDS):
            with self.assertRaises(httpx.RemoteProtocolError) as caught:
                self.push(server)
            self.assertIn(b"Shutdown".hex(), str(caught.exception))

    def test_the_reason_of_a_refused_certificate(self):
        """The preface in one piece with the end of the handshake, so that both arrive together."""
        command = [EXECUTABLE, "certs", "--certs", self.folder, "--kind", "wrong-environment"]
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        server = self.enterContext(Server(certs=self.folder))
        context = server.tls(minimum_version=ssl.TLSVersion.TLSv1_3)
        name = pathlib.Path(self.folder) / "client-wrong-environment"
        context.load_cert_chain(f"{name}.pem", f"{name}.key")
        for _ in range(ROUNDS):
            end = self.last_word(server, context)
            self.assertEqual(end.additional_data, b'{"reason":"BadCertificateEnvironment"}')

    def last_word(self, server, context):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        client = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        client.initiate_connection()
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as raw:
            while True:
                try:
                    tls.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    raw.sendall(outgoing.read())
                    incoming.write(raw.recv(65536))
            tls.write(client.data_to_send())
            raw.sendall(outgoing.read())
            # All that the server says, in one read.
            while data := raw.recv(65536):
                incoming.write(data)
            said = b""
            try:
                while part := tls.read(65536):
                    said += part
            except ssl.SSLZeroReturnError:
                pass
            return [each for each in client.receive_data(said) if isinstance(each, h2.events.ConnectionTerminated)][-1]


if __name__ == "__main__":
    unittest.main()
