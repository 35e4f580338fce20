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
# Tests that say what goes wrong in them, with a session from a hook and with one of their own. Each pushes once, to be rejected.
FAILING = """
import { once } from "node:events";
import { connect } from "node:http2";
import { afterEach, beforeEach, describe, test } from "node:test";
import { openSession, withSession } from "mock-apns";

const expect = [{ name: "a push", requests: { status: 200 }, count: 1 }];

async function push(apns) {
  const provider = connect(apns.url, { ca: apns.ca });
  const headers = { authorization: `bearer ${apns.token()}`, "apns-topic": apns.topic, "apns-priority": "7" };
  const request = provider.request({ ":method": "POST", ":path": `/3/device/${"a".repeat(64)}`, ...headers });
  await once(request.end('{"aps":{"alert":"Goal"}}').resume(), "close");
  provider.close();
}

const endings = {
  error() { throw new Error("my own mistake"); },
  text() { throw "my own mistake"; },
  web() { throw new DOMException("my own mistake", "TimeoutError"); },
  skip(t) { t.skip("why"); },
  nothing() {},
};

describe("hook", () => {
  let apns;
  beforeEach(async (t) => {
    apns = await openSession({ scenario: t.name.includes("expected") ? { expect } : {} }, t);
    if (!apns.name.startsWith("hook-")) throw new Error(`the session is called ${apns.name}`);
  });
  afterEach((t) => apns.end(t));
  for (const [name, end] of Object.entries(endings)) {
    for (const more of ["", " expected"]) test(`hook ${name}${more}`, (t) => push(apns).then(() => end(t)));
  }
});
for (const [name, end] of Object.entries(endings)) {
  test(`own ${name} expected`, withSession({ scenario: { expect } }, (apns, t) => push(apns).then(() => end(t))));
}
// It does not wait, and so throws at once; the rejection of another promise would fail the file.
test("own error", withSession(() => endings.error()));
"""
# What TypeScript accepts: with this option the first record has to be known to be there.
TYPES = """
import { openSession, withServer, withSession, HistoryEntry, RequestRecord } from "mock-apns";

export const tests = [
  withSession(async (apns) => {
    const [push] = await apns.wait(1, { pushType: "alert" });
    const topic: string | null = push.topic;
    const all: RequestRecord[] = await apns.wait();
    const alice = apns.device("alice");
    await alice.app({ state: "forceQuit" }, apns.topic);
    await alice.notifications({ sound: false });
    const entry: HistoryEntry | undefined = (await alice.history())[0];
    return [topic, all, entry?.why, (await alice.state()).token];
  }),
  withSession({ scenario: "tour" }, (apns, t) => openSession({ name: apns.name }, t)),
  withServer((apns) => apns.stop()),
];
"""
TYPE_OPTIONS = "--noEmit --strict --noUncheckedIndexedAccess --target es2022 --module node16 --moduleResolution node16".split()
# How a test ends, and the exit codes of `node` and `node --test`.
ENDS = {"kill": (-9, 1), "kill the runner": (None, -9), "uncaught": (1, 1), "exit": (3, 1), "timeout": (1, 1), "normal": (0, 0)}

# The report follows in the test's error; with Node 18 it is on its own, and names the test.
REPORT = r"[\s#]+1 of 1 expectation failed\.[\s#]+FAILED  a push"
EARLY = rf"ends: The test was ended early\.{REPORT}"


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
        """The exit code, and what was printed: it ends only when no process has its output any more."""
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

    def failing(self, reporter):
        """What is said of each test of FAILING: name -> text."""
        major = int(self.run_node("--version")[1].split(".")[0].removeprefix("v"))
        if major < 20:
            self.skipTest("This Node does not tell hooks whether their test has failed.")
        install_node_package(self.folder)
        (self.folder / "failing.test.mjs").write_text(FAILING)
        code, output = self.run_node("--test", f"--test-reporter={reporter}", "failing.test.mjs")
        self.assertEqual(code, 1, output)
        self.assertNotIn("asynchronous activity", output)
        self.assertNotIn("failing.test.mjs (", output)
        self.assert_nothing_is_left()
        begin = r"^ *(?:not )?ok \d+ - " if reporter == "tap" else r"^ *[^\w\s] (?=hook |own )"
        parts = re.split(begin, output.split("failing tests:")[0], flags=re.MULTILINE)[1:]
        named = [(re.match(r"(?:hook|own) \w+(?: expected)?", part), part) for part in parts]
        return {name[0]: part for name, part in named if name}

    def check_failing(self, reporter):
        found = self.failing(reporter)
        for how in "error", "text", "web":
            for name in f"hook {how}", f"hook {how} expected", f"own {how} expected":
                with self.subTest(name):
                    report = r"1 of 1 expectation failed\..*" if "expected" in name else ""
                    received = r"mock-apns has received:\n *1 request:\n.* 400 BadPriority\n"
                    self.assertRegex(found[name], rf"(?s)my own mistake\n\s*{report}{received}")
        self.assertIn("my own mistake", found["own error"])
        for name in "hook nothing expected", "own nothing expected":
            self.assertRegex(found[name], r"(?s)1 of 1 expectation failed\..*mock-apns has received:")
        return found

    def test_failing_as_tap_shows_it(self):
        self.check_failing("tap")

    def test_failing_as_spec_shows_it(self):
        found = self.check_failing("spec")
        self.assertIn("TimeoutError: my own mistake", found["own web expected"])

    def test_skipped_tests_are_not_judged(self):
        found = self.failing("tap")
        for name in "hook skip", "hook skip expected", "own skip expected":
            self.assertRegex(found[name], rf"^{name} # SKIP why")
            self.assertNotIn("FAILED", found[name])

    @unittest.skipUnless(shutil.which("tsc"), "TypeScript is not installed")
    def test_types_of_a_test(self):
        install_node_package(self.folder)
        (self.folder / "goal.ts").write_text(TYPES)
        done = subprocess.run(["tsc", *TYPE_OPTIONS, "goal.ts"], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

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
                    self.assertIn("timed out after 2000ms", output)
                    self.assertRegex(output, f"{EARLY}|timed out after 2000ms{REPORT}")
                if how == "uncaught":
                    self.assertIn("my own mistake", output)
                    self.assertRegex(output, f"{EARLY}|my own mistake{REPORT}")

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
