"""`serve --open`: the page in the browser of whoever starts the server."""

import os
import pathlib
import signal
import sys
import tempfile
import unittest
from unittest import mock

from server import Server, until

OPENER = "open" if sys.platform == "darwin" else "xdg-open"


class Open(unittest.TestCase):
    def opener(self, script):
        """A folder with nothing but an opener; it notes what it is given."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.noted = folder / "noted"
        if script is not None:
            file = folder / OPENER
            file.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" > {self.noted}.part\nmv {self.noted}.part {self.noted}\n{script}\n")
            file.chmod(0o755)
        return mock.patch.dict(os.environ, {"PATH": f"{folder}:/bin:/usr/bin" if script is not None else str(folder)})

    def test_the_page_is_opened_once_it_is_served(self):
        with self.opener("exit 0"), Server("--open") as server:
            until(self.noted.exists, server.stderr)
            self.assertEqual(self.noted.read_text().split(), ["1", f"{server.admin}/ui/"])
            self.assertNotIn("could not be opened", server.stderr())

    def test_nothing_is_opened_unasked(self):
        with self.opener("exit 0"), Server() as server:
            server.until_said("A first push")
        self.assertFalse(self.noted.exists())

    def test_failing_or_missing_openers_are_reported_not_fatal(self):
        for script, text in (("exit 3", f"({OPENER} failed)"), (None, f"(there is no {OPENER})")):
            with self.subTest(text), self.opener(script), Server("--open") as server:
                server.until_said(text)
                self.assertIn(f"{server.admin}/ui/", server.stderr())
                self.assertEqual(server.get("/api/v1/requests")["total"], 0)

    def test_openers_that_never_end_block_nothing(self):
        with self.opener('echo $$ > "$0.pid"; exec sleep 600'), Server("--open") as server:
            opener = self.noted.parent / f"{OPENER}.pid"
            until(lambda: opener.exists() and opener.read_text().strip(), server.stderr)
            self.addCleanup(os.kill, int(opener.read_text()), signal.SIGKILL)
            self.assertEqual(server.get("/api/v1/requests")["total"], 0)


if __name__ == "__main__":
    unittest.main()
