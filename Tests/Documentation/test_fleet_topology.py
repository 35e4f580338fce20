"""The fleets of the article Fleet: the one to try, command by command, and the one that its file for Compose describes,
with Debian's redis-server and haproxy instead of containers. What a service is called there is a port of 127.0.0.1 here,
and nothing else is translated."""

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
import unittest
import unittest.mock

import yaml

from copies import KUBERNETES
from fleets import BOB, TOKEN, Collector, Engine, FleetCase
from provider import Provider
from server import EXECUTABLE, PATIENCE, ROOT, TOPIC, Server, free_port, until
from texts import ARTICLES, shows, transcript

# What the image exposes: the ports of providers and of the admin API.
APNS, ADMIN = re.search(r"^EXPOSE (\d+) (\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE).groups()
ALICE = json.loads((ROOT / "scenarios/tour.json").read_text())["devices"][0]["token"]


def words(service, **names):
    """The command line of a service, with other names for folders and services."""
    found = shlex.split(service["command"])
    for name, other in names.items():
        found = [re.sub(rf"(?<=/){name}(?=[/:]|$)", other, word) for word in found]
    return found


class Trial(FleetCase):
    """What the article shows to be tried, to a verdict that passes and one that fails."""

    # What bash says of a job that was killed, and what a member of the fleet says of it.
    ASIDES = re.compile(r"^(.*: line \d+: +\d+ Killed|mock-apns: warning: ).*\n", re.MULTILINE)

    def test_transcript(self):
        article = ARTICLES["Fleet"]
        for name, content in article.named_blocks("file").items():
            (self.folder / name).write_text(content)
        commands = self.folder / "bin"
        commands.mkdir()
        (commands / "mock-apns").symlink_to(EXECUTABLE)
        (text,) = [block["text"] for block in article.all_blocks if block["language"] == "console"]
        with Engine() as engine:
            text = text.replace("redis://127.0.0.1", engine.url).replace("30s", f"{PATIENCE}s")
            ports = {port: str(free_port()) for port in sorted(set(re.findall(r"\b2[123]9[78]\b", text)))}
            text = re.sub(r"\b2[123]9[78]\b", lambda found: ports[found[0]], text)
            # The first one takes the ports of a server by itself, without being told.
            text = text.replace("--replica a", f"--replica a --port {ports[APNS]} --admin-port {ports[ADMIN]}")
            steps = transcript(text)
            self.assertGreater(len(steps), 5)
            script = "".join(f"{command}\nprintf '\\n@@\\n'\n" for command, _ in steps)
            printed = self.run_script(script, commands).split("\n@@\n")
        self.assertEqual(printed.pop(), "")
        self.assertEqual(len(printed), len(steps))
        for (command, expected), output in zip(steps, printed):
            with self.subTest(command):
                output = self.ASIDES.sub("", output)
                self.assertTrue(shows(expected, output), f"The article shows\n{expected}\nbut it printed\n{output}")

    def run_script(self, script, commands):
        """Runs a script that starts servers, and ends them even if it fails; returns what it prints."""
        with subprocess.Popen(
                ["bash", "-c", script], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, start_new_session=True,
                env={**os.environ, "PATH": f"{commands}:{os.environ['PATH']}"}) as process:
            try:
                return process.communicate(timeout=PATIENCE)[0]
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


class Providers:
    """Providers that push one after another, and go elsewhere when a connection ends, until the block ends."""

    def __init__(self, tokens):
        self.ending = threading.Event()
        self.statuses = []
        self.threads = [threading.Thread(target=self.run, args=(token,)) for token in tokens]

    def run(self, token):
        provider = Provider(bug=None)
        while not self.ending.wait(0.005):
            # Until the balancer knows that a replica has ended, it may end a connection before anything is sent.
            with contextlib.suppress(OSError):
                self.statuses.append(provider.push(token))

    def go_on(self):
        """Waits for the answers to some more pushes."""
        before = len(self.statuses)
        until(lambda: len(self.statuses) > before + 200, lambda: "the providers stand still")

    def __enter__(self):
        for each in self.threads:
            each.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        for each in self.threads:
            each.join()


@unittest.skipUnless(shutil.which("haproxy"), "haproxy is not installed")
class Topology(FleetCase):
    def setUp(self):
        super().setUp()
        (text,) = (block["text"] for block in ARTICLES["Fleet"].all_blocks if block["language"] == "yaml")
        self.file = yaml.safe_load(text)
        self.services = self.file["services"]

    def haproxy(self, port, places):
        """Writes the configuration of the balancer, with servers in place of the template that asks for their names: each
        with its port and that of its admin API."""
        service = self.services["apns"]
        (mounted,) = service["configs"]
        self.assertEqual(mounted["target"], "/usr/local/etc/haproxy/haproxy.cfg")
        text = self.file["configs"][mounted["source"]]["content"]
        file = self.folder / "haproxy.cfg"
        # As it stands there, it is one that haproxy takes.
        file.write_text(text)
        done = subprocess.run(["haproxy", "-c", "-f", file], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        template = re.compile(r"^ *server-template (\S+) \d+ (\S+) (.*) resolvers \S+ init-addr none$", re.MULTILINE)
        prefix, name, options = template.search(text).groups()
        self.assertEqual(name, f"replica:{APNS}")
        self.assertIn(f" port {ADMIN}", options)
        servers = [f"  server {prefix}{number} 127.0.0.1:{apns} " + options.replace(f" port {ADMIN}", f" port {admin}")
                   for number, (apns, admin) in enumerate(places, 1)]
        bind = f"bind :{service['ports'][0].rsplit(':', 1)[1]}\n"
        self.assertIn(bind, text)
        file.write_text(template.sub("\n".join(servers), text).replace(bind, f"bind 127.0.0.1:{port}\n"))
        return file

    @contextlib.contextmanager
    def balancer(self, port, places):
        with subprocess.Popen(["haproxy", "-db", "-f", self.haproxy(port, places)], stderr=subprocess.DEVNULL) as process:
            def answers():
                self.assertIsNone(process.poll())
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    return True

            try:
                until(answers, lambda: "haproxy does not answer")
                yield
            finally:
                process.kill()

    def test_compose(self):
        engine = Engine()
        server, *options = words(self.services["valkey"])
        self.assertEqual(server, "valkey-server")
        engine.command[5:] = options
        address = f"127.0.0.1:{engine.port}"
        scenarios = str(ROOT / "scenarios").lstrip("/")
        replica = words(self.services["replica"], valkey=address, scenarios=scenarios)
        kind, *collecting = words(self.services["collector"], valkey=address, scenarios=scenarios)
        self.assertEqual((replica[0][:1], kind), ("-", "collect"))
        collector = Collector(engine)
        collector.command = [EXECUTABLE, kind, *collecting, "--admin-port", "0"]
        self.assertEqual(self.services["collector"]["ports"], [f"127.0.0.1:{ADMIN}:{ADMIN}"])
        # The replicas share the folder of certificates, in which those of an image are.
        self.assertEqual(self.services["replica"]["volumes"], ["certs:/certs"])
        with engine, contextlib.ExitStack() as stack:
            replicas = [stack.enter_context(Server(*replica)) for _ in range(self.services["replica"]["deploy"]["replicas"])]
            self.assertEqual(len(replicas), 3)
            stack.enter_context(collector)
            port = free_port()
            places = [(each.port, each.admin.rpartition(":")[2]) for each in replicas]
            stack.enter_context(self.balancer(port, places))
            self.assert_works(engine, replicas, collector, port)
            self.assert_takes_load(replicas[0], collector, port)
            self.assert_asks_who_is_ready(engine, replicas[0], port)

    def assert_works(self, engine, replicas, collector, port):
        """Plays the scenario of the tour over the balancer."""
        # TLS ends in a replica, whose certificate has the name of the service.
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain:
            with replicas[0].tls().wrap_socket(plain, server_hostname="apns") as secure:
                self.assertEqual(secure.selected_alpn_protocol(), "h2")
        with self.assertRaises(ssl.SSLCertVerificationError), \
                socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain:
            replicas[0].tls().wrap_socket(plain, server_hostname="elsewhere")
        self.body.write_text('{"aps":{"alert":{"title":"2-1"}}}')
        fields = ["apns-push-type: alert", "apns-collapse-id: score"]
        # All are busy twice altogether.
        self.assertEqual(self.push(replicas[0], 300, port, to=ALICE, connections=12, fields=fields), 298)
        self.change(collector, "/clock/advance", "POST", {"by": "10m"})
        verdict = collector.post("/api/v1/verify", {})
        self.assertTrue(verdict["passed"], verdict["report"])
        self.assertEqual((collector.count(), collector.count(status=200)), (300, 298))
        for each in replicas:
            self.assertGreater(self.own_count(each), 0)
        received = [each["received"] for each in collector.get("/api/v1/fleet")["replicas"]]
        self.assertEqual((len(received), sum(received)), (3, 300))
        # What the collector is called is known to the services alone.
        scenario = str(ROOT / "scenarios/tour.json")
        told = self.verify(engine, scenario, code=69)
        self.assertRegex(told, r"^mock-apns: The collector of the fleet default is at http://collector:\d+, but nothing answers there; give --admin URL")
        self.assertIn("All 3 expectations hold.", self.passed(collector, scenario))

    def passed(self, collector, scenario):
        done = subprocess.run([EXECUTABLE, "verify", "--admin", collector.admin, scenario], capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def assert_takes_load(self, replica, collector, port):
        """Runs the quick load of the article."""
        (text,) = [block["text"] for block in ARTICLES["Fleet"].all_blocks if "h2load" in block["text"]]
        amount = int(re.search(r" -n (\d+) ", text)[1])
        for old, new in [(":2197/", f":{port}/"), ("http://127.0.0.1:2198", collector.admin)]:
            self.assertIn(old, text)
            text = text.replace(old, new)
        commands = self.folder / "bin"
        commands.mkdir()
        (commands / "mock-apns").symlink_to(EXECUTABLE)
        # `docker compose exec -T SERVICE COMMAND…` runs the command here.
        (commands / "docker").write_text('#!/bin/sh\nshift 4\nexec "$@"\n')
        (commands / "docker").chmod(0o755)
        (self.folder / "certs").symlink_to(replica.certs)
        done = subprocess.run(["sh", "-euc", text], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, "PATH": f"{commands}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{amount} succeeded, 0 failed, 0 errored", done.stdout)
        self.assertIn(f"status codes: {amount} 2xx", done.stdout)
        self.assertIn('"role":"collector"', done.stdout)

    def test_rolling_restart(self):
        """Four replicas behind the balancer: what is refused twice is refused twice in all of them, and no push is lost or
        counted twice while one replica after another is replaced."""
        # A replacement has another name, as that of a container has, and stands where the balancer looks for it.
        places = [(free_port(), free_port()) for _ in range(4)]

        def replica(number, generation):
            port, admin = places[number]
            return stacks[number].enter_context(self.replica(
                engine, f"{generation}{number}", "--scenario", scenario, "--port", str(port), "--admin-port", str(admin)))

        scenario = self.ordered(
            rules=[{"name": "busy twice", "when": {"device": "bob"}, "times": 2, "then": {"reject": "TooManyRequests"}}],
            expect=[{"name": "it was busy", "requests": {"status": 429}, "count": 2}])
        with Engine() as engine, contextlib.ExitStack() as stack:
            stacks = [stack.enter_context(contextlib.ExitStack()) for _ in places]
            first, *_ = [replica(number, "a") for number in range(4)]
            with Collector(engine, scenario) as collector, self.balancer(port := free_port(), places):
                self.assertEqual(self.push(first, 1000, port, to=BOB, connections=16), 998)
                found = 0
                with unittest.mock.patch.dict(os.environ, self.environment(first, port)), Providers(4 * [TOKEN, BOB]) as providers:
                    for number in range(4):
                        providers.go_on()
                        stacks[number].close()
                        new = replica(number, "b")
                        # The next one is not replaced before the balancer sends a push here.
                        deadline = time.monotonic() + PATIENCE
                        while not self.own_count(new):
                            self.assertLess(time.monotonic(), deadline, "the balancer does not find it")
                            found += self.push(new, 1, port)
                    providers.go_on()
                self.assertEqual(set(providers.statuses), {200})
                answered = len(providers.statuses) + found
                self.assertIn("holds", self.passed(collector, scenario))
                self.assertEqual((collector.count(), collector.count(status=200)), (1000 + answered, 998 + answered))
                names = {each["name"] for each in collector.get("/api/v1/fleet")["replicas"]}
                self.assertEqual(names, {f"{generation}{number}" for generation in "ab" for number in range(4)})

    def environment(self, replica, port):
        """What `mock-apns exec` would tell a provider."""
        ready = replica.ready
        return {"MOCK_APNS_URL": f"https://127.0.0.1:{port}", "SSL_CERT_FILE": replica.authority, "MOCK_APNS_TOPIC": TOPIC,
                "MOCK_APNS_KEY": ready["signingKey"], "MOCK_APNS_KEY_ID": ready["keyID"], "MOCK_APNS_TEAM_ID": ready["teamID"]}

    def own_count(self, replica):
        return json.loads(self.status(replica, "/api/v1/requests/count?scope=replica", "POST", {"requests": {}})[1])["count"]

    def assert_asks_who_is_ready(self, engine, replica, port):
        """While the engine hangs, the balancer lets no provider connect to the replicas, which cannot ship."""
        def connects():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain:
                with replica.tls().wrap_socket(plain, server_hostname="apns"):
                    return True

        self.assertTrue(connects())
        engine.signal(signal.SIGSTOP)
        until(lambda: not connects(), lambda: "it connects to replicas that are not ready")
        engine.signal(signal.SIGCONT)
        until(connects, lambda: "it does not connect to replicas that are ready again")

    def test_kubernetes_runs_the_same(self):
        found = yaml.safe_load_all(KUBERNETES.read_text())
        deployments = {each["metadata"]["name"]: each for each in found if each["kind"] == "Deployment"}
        for name, service in self.services.items():
            if name != "apns":
                spec = deployments[name]["spec"]
                (container,) = spec["template"]["spec"]["containers"]
                command = shlex.split(service["command"])
                self.assertEqual(container["args"], command[1:] if name == "valkey" else command)
                self.assertEqual(spec.get("replicas"), service.get("deploy", {}).get("replicas"))


if __name__ == "__main__":
    unittest.main()
