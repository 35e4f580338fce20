"""The package for Node, in Clients/node: its own tests, what npm packs, and that nothing is left, however the tests end."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

from copies import NODE_PACKAGE, install_node_package
from server import EXECUTABLE, PATIENCE, ROOT, until
from texts import Text

# A test that ends as END says. Until then it has a server, a session with files, and a connection to it.
TEST = """
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { test } from "node:test";
import { sharedServer, withSession } from "mock-apns";

const how = process.env.END;
const timeout = how === "timeout" ? 2000 : 200_000;
const scenario = { expect: [{ name: "a push", requests: {}, count: how === "normal" ? 0 : 1 }] };
await sharedServer();

test("ends", { timeout }, withSession({ scenario }, async (apns) => {
  const server = await sharedServer();
  const { pid } = await server.call("GET", "/identity");
  const connection = connect(apns.url, { ca: apns.ca }).on("error", () => {});
  await once(connection, "connect");
  const state = { pid, ports: [apns.port, server.port], files: apns.env.MOCK_APNS_CERTS };
  writeFileSync("state.json", JSON.stringify(state));
  switch (how) {
    case "kill": process.kill(process.pid, "SIGKILL"); break;
    case "kill the runner": process.kill(process.ppid, "SIGKILL"); break;
    case "uncaught": setTimeout(() => { throw new Error("my own mistake"); }); break;
    case "exit": process.exit(3); break;
    case "normal": connection.close(); return;
  }
  await new Promise(() => {});
}));
"""
# How a test ends, and the exit codes of `node` and `node --test`.
ENDS = {"kill": (-9, 1), "kill the runner": (None, -9), "uncaught": (1, 1), "exit": (3, 1), "timeout": (1, 1), "normal": (0, 0)}


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def is_open(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@unittest.skipIf(sys.platform != "linux" and not shutil.which("node"), "node is not installed")
class NodePackage(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-node-")))
        # What is left behind lies here.
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("MOCK_APNS", "NODE"))},
            "MOCK_APNS_EXECUTABLE": EXECUTABLE, "TMPDIR": str(self.temporary),
        }

    def run_node(self, *words, folder=None, **variables):
        """The exit code, and what was printed: it ends only when nobody has its output any more."""
        done = subprocess.run(["node", *words], cwd=folder or self.folder, env={**self.environment, **variables},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=PATIENCE)
        return done.returncode, done.stdout

    def assert_nothing_is_left(self):
        until(lambda: not list(self.temporary.iterdir()), lambda: f"left: {list(self.temporary.iterdir())}")

    def test_its_own_tests(self):
        files = [str(file) for file in sorted(NODE_PACKAGE.glob("test/*.test.mjs"))]
        code, output = self.run_node("--test", "--test-reporter=tap", *files, folder=NODE_PACKAGE)
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"\n# pass [1-9]")
        self.assert_nothing_is_left()

    def test_the_example_of_its_readme(self):
        example = Text(NODE_PACKAGE / "README.md").unmarked("js")[0]
        install_node_package(self.folder)
        headers = '"apns-push-type": "alert" }'
        self.assertEqual(example.count(headers), 1)
        for text, code in (example, 0), (example.replace(headers, '"apns-push-type": "alert", "apns-priority": "7" }'), 1):
            (self.folder / "goal.test.mjs").write_text(text)
            found, output = self.run_node("--test")
            self.assertEqual(found, code, output)
        self.assertIn('BadPriority: apns-priority is "7"', output)

    def check_end(self, how):
        install_node_package(self.folder)
        (self.folder / "ends.test.mjs").write_text(TEST)
        for options, code in zip([[], ["--test"]], ENDS[how]):
            if code is None:
                continue
            with self.subTest(options):
                found, output = self.run_node(*options, "ends.test.mjs", END=how)
                self.assertEqual(found, code, output)
                self.assert_nothing_is_left()
                # On a busy machine the time may be up before anything is written.
                if how != "timeout" or (self.folder / "state.json").exists():
                    state = json.loads((self.folder / "state.json").read_text())
                    self.assertTrue(state["files"].startswith(str(self.temporary)))
                    until(lambda: not is_running(state["pid"]), lambda: "the server is left")
                    for port in state["ports"]:
                        self.assertFalse(is_open(port))
                    (self.folder / "state.json").unlink()
                if how == "timeout":
                    # Beside node:test's own words.
                    self.assertIn("timed out after 2000ms", output)
                    self.assertIn("FAILED  a push", output)
                if how == "uncaught":
                    self.assertIn("my own mistake", output)

    def test_packed(self):
        """What package.json names is there, and the version is that of the server."""
        package = json.loads((NODE_PACKAGE / "package.json").read_text())
        version = (ROOT / "Sources/MockAPNSCore/Words/MockAPNSVersion.swift").read_text()
        self.assertEqual(package["version"], re.search('let text = "(.*)"', version)[1])
        self.assertNotIn("dependencies", package)
        named = [package["main"], package["types"]]
        for entry in package["exports"].values():
            named += [entry] if isinstance(entry, str) else entry.values()
        for name in named:
            self.assertTrue((NODE_PACKAGE / name).is_file(), name)
            self.assertTrue(name.removeprefix("./").startswith("lib/") or name == "./package.json", name)
        self.assertEqual(package["files"], ["lib"])


def ends(how):
    return lambda self: self.check_end(how)


# A test for each way to end.
for _how in ENDS:
    setattr(NodePackage, f"test_{_how.replace(' ', '_')}", ends(_how))


if __name__ == "__main__":
    unittest.main()
