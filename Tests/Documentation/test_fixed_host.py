"""A program whose host cannot be changed, led to the server by the two files of the article Providers (Linux)."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE, device
from texts import ARTICLES

NAMESPACES = ["unshare", "-Urnm", "ip", "link", "set", "lo", "up"]
# Stands for a program that knows Apple's address alone.
PROGRAM = """#!/bin/sh
curl -sS --http2 -w '%{{http_code}}' -H "authorization: bearer $(mock-apns token --certs "$MOCK_APNS_CERTS")" \\
    -H 'apns-topic: com.example.app' -d '{{}}' https://api.sandbox.push.apple.com/3/device/{token}
"""


def allowed():
    return bool(shutil.which("unshare")) and subprocess.run(NAMESPACES, capture_output=True).returncode == 0


class FixedHost(unittest.TestCase):
    @unittest.skipUnless(allowed(), "user namespaces are not allowed here")
    def test_the_files_of_the_article(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-host-")))
        article = ARTICLES["Providers"]
        for name in ("hosts", "isolated.sh"):
            (folder / name).write_text(article.blocks(f"file {name}")[0])
        (folder / "bin").mkdir()
        (folder / "bin/mock-apns").symlink_to(EXECUTABLE)
        program = folder / "your-program"
        program.write_text(PROGRAM.format(token=device(1)))
        program.chmod(0o755)
        (command,) = [block["text"] for block in article.all_blocks if "isolated.sh ./your-program" in block["text"]]
        done = subprocess.run(
            ["bash", "-euc", command], cwd=folder, capture_output=True, text=True, timeout=PATIENCE,
            env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"})
        self.assertEqual((done.returncode, done.stdout), (0, "200"), done.stderr)


if __name__ == "__main__":
    unittest.main()
