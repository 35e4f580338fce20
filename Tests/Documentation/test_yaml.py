"""The YAML of the documentation, and what it links to: for Compose, GitHub, GitLab and Kubernetes. Each is read and checked
against its schema. What it has the server and the jobs do is done without an engine, word for word, in a network and a file
system of its own (Linux): only GitHub's expressions are replaced, and the images and tests of users are stand-ins."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import yaml

import containers
from containers import ADDRESS, ENTRYPOINT, Container
from copies import KUBERNETES
from server import EXECUTABLE, PATIENCE, ROOT
from texts import ARTICLES

TOOLS = pathlib.Path(sys.executable).parent
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
        (self.folder / "bin").mkdir()
        # `docker exec CONTAINER COMMAND…` runs the command here; `app` is what a user's image has.
        docker = '#!/bin/sh\n[ "$1 $2" = "exec id" ] && shift 2 && exec "$@"\n'
        scripts = {"bin/npm": TESTS, "bin/make": TESTS, "app": TESTS, "bin/pip": "#!/bin/sh\n", "bin/docker": docker}
        for name, script in scripts.items():
            (self.folder / name).write_text(script)
            (self.folder / name).chmod(0o755)

    def container(self, *arguments, variables=None):
        """The server. Each file for it and for the jobs lies in the folder, which they have as /tmp."""
        return Container(*arguments, folder=self.folder, variables=variables)

    def command(self, container, *words, code=0, **variables):
        """Runs a command beside the server."""
        done, said = container.run(*words, **variables)
        self.assertEqual(done, code, said)

    def assert_healthy(self, container):
        code, said = container.health()
        self.assertEqual(code, 0, said)

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

    @unittest.skipUnless(containers.allowed(), "user namespaces are not allowed here")
    def test_compose(self):
        (found,) = next(each for each in documents("Container") if "services" in each[0])
        services = found["services"]
        self.assertEqual(services["app"]["depends_on"], {"mock-apns": {"condition": "service_healthy"}})
        with self.container(*shlex.split(services["mock-apns"]["command"])) as container:
            self.assert_healthy(container)
            self.command(container, *services["app"]["command"])
            self.command(container, "mock-apns", "verify", "--admin", "http://mock-apns:2198", "--finish")

    @unittest.skipUnless(containers.allowed(), "user namespaces are not allowed here")
    def test_compose_with_a_verdict(self):
        (found,) = next(each for each in documents("TestSuites") if "services" in each[0])
        services = found["services"]
        self.assertEqual(services["tests"]["depends_on"], {"mock-apns": {"condition": "service_healthy"}})
        self.assertEqual(services["verify"]["volumes"], ["./reports:/reports"])
        verify = [*ENTRYPOINT, *shlex.split(services["verify"]["command"])]
        with self.container(*shlex.split(services["mock-apns"]["command"])) as container:
            self.assert_healthy(container)
            self.command(container, *verify, code=1)
            self.command(container, *services["tests"]["command"])
            self.command(container, *verify)
        self.assertIn("<testsuite", (self.folder / "reports/mock-apns.xml").read_text())

    @unittest.skipUnless(containers.allowed(), "user namespaces are not allowed here")
    def test_github(self):
        (found,) = next(each for each in documents("Container") if "jobs" in each[0])
        job = found["jobs"]["test"]
        service = job["services"]["mock-apns"]
        # The runner's own network reaches the container by these alone.
        self.assertEqual(service["ports"], ["2197:2197", "2198:2198"])
        with self.container(variables=service["env"]) as container:
            # The runner waits for this.
            self.assert_healthy(container)
            for step in job["steps"]:
                if "run" in step:
                    self.command(container, "bash", "-e", "-c", step["run"].replace("${{ job.services.mock-apns.id }}", "id"),
                                 GITHUB_STEP_SUMMARY="/tmp/summary.md")
        self.assertIn("<testsuite", (self.folder / "mock-apns.xml").read_text())
        self.assertIn("let through", (self.folder / "summary.md").read_text())

    def test_github_without_a_container(self):
        found = [each[0] for each in documents("Container") if "jobs" in each[0]]
        job = next(each["jobs"]["test"] for each in found if "services" not in each["jobs"]["test"])
        (self.folder / "bin/mock-apns").symlink_to(EXECUTABLE)
        (self.folder / "scenarios").symlink_to(ROOT / "scenarios")
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(self.folder),
                       "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md")}
        for step in job["steps"]:
            if "run" in step:
                done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=self.folder, env=environment,
                                      capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("<testsuite", (self.folder / "mock-apns.xml").read_text())
        self.assertIn("let through", (self.folder / "summary.md").read_text())

    @unittest.skipUnless(containers.allowed(), "user namespaces are not allowed here")
    def test_gitlab(self):
        (found,) = next(each for each in documents("Container") if "test" in each[0])
        job = found["test"]
        (service,) = job["services"]
        self.assertEqual(service["alias"], "mock-apns")
        with self.container(*service["command"]) as container:
            self.command(container, "bash", "-eo", "pipefail", "-c", "\n".join(job["script"]))
        self.assertIn("<testsuite", (self.folder / job["artifacts"]["reports"]["junit"]).read_text())

    @unittest.skipUnless(containers.allowed(), "user namespaces are not allowed here")
    def test_kubernetes(self):
        found = next(each for each in documents("TestSuites") if "apiVersion" in each[0])
        self.assertEqual(of("Service", found)["metadata"]["name"], "mock-apns")
        pod = of("Deployment", found)["spec"]["template"]["spec"]
        job = of("Job", found)["spec"]["template"]["spec"]
        container = pod["containers"][0]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        ready, tests = job["initContainers"]
        (verify,) = job["containers"]
        with self.container(*container["args"]) as running:
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                asked = container[probe]["httpGet"]
                # The kubelet asks by the address of the pod.
                self.command(running, "curl", "-fsS", f"http://{ADDRESS}:{ports[asked['port']]}{asked['path']}")
            self.command(running, *ENTRYPOINT, *ready["args"])
            self.command(running, *tests["command"])
            self.command(running, *ENTRYPOINT, *verify["args"])
        self.assertFalse(pod["enableServiceLinks"] or job["enableServiceLinks"])
        self.assertEqual(ports, {port["name"]: port["port"] for port in of("Service", found)["spec"]["ports"]})


if __name__ == "__main__":
    unittest.main()
