"""The YAML of the documentation, and what it links to: for Compose, GitHub, GitLab and Kubernetes. Each is read, checked
against its schema, and the commands in it are run as far as that goes without an engine."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

from copies import KUBERNETES
from server import EXECUTABLE, PATIENCE, ROOT, Server
from texts import ARTICLES

TOOLS = pathlib.Path(sys.executable).parent
# The server, by the names that it has in a network of containers.
ADMIN = re.compile(r"http://(mock-apns|localhost|127\.0\.0\.1):2198")
# Stands for the tests of a user: two pushes to alice, with a wait when she gets too many.
TESTS = """#!/bin/sh
for n in 1 2; do
    curl -fsS --retry 3 --retry-delay 1 --http2 --cacert "$MOCK_APNS_CA" --cert "$MOCK_APNS_CLIENT_CERT" \\
        --key "$MOCK_APNS_CLIENT_KEY" -H "apns-topic: $MOCK_APNS_TOPIC" -H "apns-push-type: alert" -d '{}' \\
        "$MOCK_APNS_URL/3/device/00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
done
"""


def documents(*articles):
    return [list(yaml.safe_load_all(block["text"]))
            for name in articles for block in ARTICLES[name].all_blocks if block["language"] == "yaml"]


def of(kind, found):
    """The object of that kind in a manifest for Kubernetes."""
    return next(each for each in found if each["kind"] == kind)


class YAML(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-yaml-")))
        commands = self.folder / "bin"
        commands.mkdir()
        (commands / "mock-apns").symlink_to(EXECUTABLE)
        # `docker exec CONTAINER COMMAND…` runs the command here.
        for name, script in {"npm": TESTS, "make": TESTS, "pip": "#!/bin/sh\n", "docker": '#!/bin/sh\nshift 2\nexec "$@"\n'}.items():
            (commands / name).write_text(script)
            (commands / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}", "TMPDIR": str(self.folder),
                            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md")}

    def command(self, server, *words, code=0):
        """Runs a command that speaks with a server in a container."""
        words = [word.replace("/tmp/", f"{self.folder}/").replace("/reports", str(self.folder)) for word in words]
        words = [re.sub(r"\$\{\{.*?\}\}", "id", ADMIN.sub(server.admin, word)) for word in words]
        done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)

    def check(self, *tool, content):
        file = self.folder / "file.yaml"
        file.write_text(yaml.safe_dump_all(content))
        done = subprocess.run([TOOLS / tool[0], *tool[1:], file], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_schemas(self):
        kinds = []
        for found in [*documents(*ARTICLES), list(yaml.safe_load_all(KUBERNETES.read_text()))]:
            keys = set(found[0])
            if "apiVersion" in keys:
                kind, tool = "kubernetes", ["kubernetes-validate", "--strict"]
            elif "services" in keys:
                kind, tool = "compose", ["check-jsonschema", "--builtin-schema", "vendor.compose-spec"]
            elif "jobs" in keys:
                kind, tool = "github", ["check-jsonschema", "--builtin-schema", "vendor.github-workflows"]
                # The text shows the jobs alone.
                found[0]["on"] = "push"
            else:
                kind, tool = "gitlab", ["check-jsonschema", "--builtin-schema", "vendor.gitlab-ci"]
            kinds.append(kind)
            with self.subTest(kind):
                self.check(*tool, content=found)
        expected = ["compose"] * 3 + ["github"] * 2 + ["gitlab"] + ["kubernetes"] * 3
        self.assertEqual(sorted(kinds), expected)

    def scenario(self, arguments):
        """Options of a server, with the scenario of the image as it lies here."""
        return [word.replace("/scenarios/", f"{ROOT}/scenarios/") for word in arguments]

    def test_compose(self):
        (found,) = next(each for each in documents("TestSuites") if "services" in each[0])
        services = found["services"]
        with Server(*self.scenario(services["mock-apns"]["command"].split())) as server:
            self.command(server, "mock-apns", *services["verify"]["command"].split(), code=1)
            self.command(server, *services["tests"]["command"])
            self.command(server, "mock-apns", *services["verify"]["command"].split())
        self.assertIn("<testsuite", (self.folder / "mock-apns.xml").read_text())

    def test_github(self):
        (found,) = next(each for each in documents("Container") if "jobs" in each[0])
        job = found["jobs"]["test"]
        options = job["services"]["mock-apns"]["env"]["MOCK_APNS_OPTIONS"].split()
        with Server(*self.scenario(options)) as server:
            for step in job["steps"]:
                if "run" in step:
                    self.command(server, "bash", "-euc", step["run"])
        self.assertIn("<testsuite", (self.folder / "mock-apns.xml").read_text())
        self.assertIn("let through", (self.folder / "summary.md").read_text())

    def test_github_without_a_container(self):
        found = [each[0] for each in documents("Container") if "jobs" in each[0]]
        job = next(each["jobs"]["test"] for each in found if "services" not in each["jobs"]["test"])
        (self.folder / "scenarios").symlink_to(ROOT / "scenarios")
        for step in job["steps"]:
            if "run" in step:
                done = subprocess.run(["bash", "-euc", step["run"]], cwd=self.folder, env=self.environment,
                                      capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("<testsuite", (self.folder / "mock-apns.xml").read_text())
        self.assertIn("let through", (self.folder / "summary.md").read_text())

    def test_gitlab(self):
        (found,) = next(each for each in documents("Container") if "test" in each[0])
        job = found["test"]
        with Server(*self.scenario(job["services"][0]["command"])) as server:
            self.command(server, "bash", "-euc", "\n".join(job["script"]))
        self.assertIn("<testsuite", (self.folder / job["artifacts"]["reports"]["junit"]).read_text())

    def test_kubernetes(self):
        found = next(each for each in documents("TestSuites") if "apiVersion" in each[0])
        pod = of("Deployment", found)["spec"]["template"]["spec"]
        job = of("Job", found)["spec"]["template"]["spec"]
        container = pod["containers"][0]
        ready, tests = job["initContainers"]
        with Server(*self.scenario(container["args"])) as server:
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                path = container[probe]["httpGet"]["path"]
                self.command(server, "curl", "-fsS", f"{server.admin}{path}")
            self.command(server, "mock-apns", *ready["args"])
            self.command(server, *tests["command"])
            self.command(server, "mock-apns", *job["containers"][0]["args"])
        self.assertFalse(pod["enableServiceLinks"] or job["enableServiceLinks"])
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        self.assertEqual(ports, {port["name"]: port["port"] for port in of("Service", found)["spec"]["ports"]})


if __name__ == "__main__":
    unittest.main()
