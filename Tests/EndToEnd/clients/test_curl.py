"""curl, as people use it by hand, and a thousand pushes from one configuration file."""

import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

import mixture
from server import PATIENCE, TOPIC, Server, device


def curl(server, *arguments, protocol="--http2"):
    command = ["curl", "--silent", "--show-error", "--max-time", str(PATIENCE), "--cacert", server.authority, protocol, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


class Curl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server())
        cls.token = cls.server.token()
        cls.url = f"{cls.server.url}/3/device/{device(1)}"
        cls.headers = ["-H", f"authorization: bearer {cls.token}", "-H", f"apns-topic: {TOPIC}"]

    def push(self, *arguments, url=None, protocol="--http2"):
        done = curl(
            self.server, *self.headers, "--write-out", "\n%{http_code} %{http_version}", *arguments,
            url or self.url, protocol=protocol,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        body, _, status = done.stdout.rpartition("\n")
        return body, status

    def test_a_push(self):
        self.assertEqual(self.push("--data", "{}"), ("", "200 2"))
        self.assertEqual(self.push("--data", "{}", protocol="--http2-prior-knowledge"), ("", "200 2"))

    def test_errors(self):
        self.assertEqual(self.push(), ('{"reason":"MethodNotAllowed"}', "405 2"))
        large = mixture.alert("x" * 4096)
        self.assertEqual(self.push("--data", large), ('{"reason":"PayloadTooLarge"}', "413 2"))
        with tempfile.NamedTemporaryFile("w") as huge:
            huge.write("x" * 300_000)
            huge.flush()
            self.assertEqual(self.push("--data-binary", f"@{huge.name}"), ('{"reason":"PayloadTooLarge"}', "413 2"))
        other = f"{self.server.url}/4/device/{device(1)}"
        self.assertEqual(self.push("--data", "{}", url=other), ('{"reason":"BadPath"}', "404 2"))

    def test_long_headers(self):
        # Without a body: with one, the reset of the stream that follows the answer is all that curl reports.
        self.assertEqual(self.push("--request", "POST", "-H", "x-filler: " + "f" * 9000), ("", "431 2"))
        self.assertEqual(self.push("--data", "{}"), ("", "200 2"), "and the server goes on")

    def test_http_1_is_told_so(self):
        done = curl(self.server, "--data", "{}", *self.headers, self.url, protocol="--http1.1")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.push("--data", "{}"), ("", "200 2"), "and others are served")

    def test_the_line_of_the_banner_can_be_pasted(self):
        lines, taken = iter(self.server.until_said("/3/device/").splitlines()), []
        for line in lines:
            if taken or line.strip().startswith("curl "):
                taken.append(line.strip())
                if not line.rstrip().endswith("\\"):
                    break
        self.assertTrue(taken, f"no curl line in the banner:\n{self.server.stderr()}")
        folder = pathlib.Path.cwd()
        done = subprocess.run(
            ["bash", "-c", "\n".join(taken)], capture_output=True, text=True, timeout=PATIENCE, cwd=folder
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("200", done.stdout + done.stderr)

    def test_printed_commands_of_servers_on_every_address_work(self):
        """They need neither its files nor its command, as outside of a container."""
        with Server("--host", "0.0.0.0") as server, tempfile.TemporaryDirectory() as folder:
            text = server.until_said("/3/device/")
            self.assertIn("curl -fsS ", text)
            done = subprocess.run(
                ["bash", "-euc", text[text.index("curl -fsS "):]], capture_output=True, text=True, timeout=PATIENCE, cwd=folder,
                env={**os.environ, "TMPDIR": folder},
            )
            self.assertEqual((done.returncode, done.stdout), (0, "200\n"), done.stderr)

    def test_a_thousand_pushes(self):
        with Server("--log", "LOG") as server, tempfile.TemporaryDirectory() as folder:
            pushes = mixture.make("bearer " + server.token())
            blocks = []
            for number, push in enumerate(pushes):
                body = pathlib.Path(folder) / f"{number}.json"
                body.write_text(push.body)
                lines = [
                    f'url = "{server.url}{push.path}"', f'request = "{push.method}"', "http2", "silent", "show-error",
                    f'cacert = "{server.authority}"', f"max-time = {PATIENCE}", f'output = "{body}.answer"',
                    'write-out = "%{http_code} %header{apns-id}\\n"', 'header = "content-type:"',
                ]
                if push.method == "POST":
                    lines.append(f'data-binary = "@{body}"')
                lines += [f'header = "{name}: {value}"' for name, value in push.headers.items()]
                blocks.append("\n".join(lines))
            config = pathlib.Path(folder) / "config"
            config.write_text("\nnext\n".join(blocks))
            done = subprocess.run(
                ["curl", "--config", str(config), "--parallel", "--parallel-max", "50"],
                capture_output=True, text=True, timeout=PATIENCE,
            )
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            statuses = dict(reversed(line.split(" ")) for line in done.stdout.splitlines())
            answers = {}
            for number, push in enumerate(pushes):
                answer = pathlib.Path(folder) / f"{number}.json.answer"
                body = answer.read_text() if answer.exists() else ""
                expected = '{"reason":"%s"}' % push.reason if push.reason else ""
                status = statuses.get(push.headers["apns-id"])
                self.assertEqual((status, body), (str(push.status), expected), push)
                answers[push.headers["apns-id"]] = (push.status, push.reason)
            mixture.compare(self, server, answers)

    def test_shell_quoting_of_the_folder(self):
        """The banner's line also works when the folder's name has a blank."""
        with tempfile.TemporaryDirectory(prefix="with blank ") as folder, Server(certs=folder) as server:
            text = server.until_said("/3/device/").replace("\\\n", " ")
            lines = [line.strip() for line in text.splitlines() if line.strip().startswith("curl ")]
            self.assertTrue(lines, text)
            self.assertIn(str(pathlib.Path(server.authority).resolve()),
                          [str(pathlib.Path(word).resolve()) for word in shlex.split(lines[0])])


if __name__ == "__main__":
    unittest.main()
