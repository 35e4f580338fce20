"""`--proxy-port` and `exec --proxy`: unmodified clients whose host is api.push.apple.com reach the server, and nothing else."""

import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

from server import EXECUTABLE, PATIENCE, ROOT, TOPIC, Relay, Server, device

HOST = "api.push.apple.com"
PATH = f"/3/device/{device(81)}"
BODY = '{"aps":{"alert":"Hello"}}'
HTTPX = f"""
import os, httpx

with httpx.Client(http2=True) as client:
    headers = {{"authorization": "bearer " + os.environ["TOKEN"], "apns-topic": "{TOPIC}"}}
    answer = client.post("https://{HOST}{PATH}", headers=headers, content='{BODY}')
    print(answer.status_code, answer.http_version)
"""
NODE = f"""
import {{ request }} from "node:http";
import {{ connect as connectHTTP2 }} from "node:http2";
import {{ connect as connectTLS }} from "node:tls";

const proxy = new URL(process.env.https_proxy);
const tunnel = request({{ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: "{HOST}:443" }});
tunnel.on("connect", (answer, socket) => {{
  const client = connectHTTP2("https://{HOST}", {{
    createConnection: () => connectTLS({{ socket, servername: "{HOST}", ALPNProtocols: ["h2"] }}),
  }});
  const push = client.request({{
    ":method": "POST", ":path": "{PATH}", authorization: `bearer ${{process.env.TOKEN}}`, "apns-topic": "{TOPIC}",
  }});
  push.on("response", (headers) => {{
    console.log(headers[":status"], "HTTP/2");
    client.close();
  }});
  push.end('{BODY}');
}}).end();
"""
GO = f"""package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {{
	request, _ := http.NewRequest("POST", "https://{HOST}{PATH}", strings.NewReader(`{BODY}`))
	request.Header.Set("authorization", "bearer "+os.Getenv("TOKEN"))
	request.Header.Set("apns-topic", "{TOPIC}")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {{
		panic(err)
	}}
	fmt.Println(answer.StatusCode, answer.Proto)
}}
"""
JAVA = f"""
import java.net.URI;
import java.net.http.*;

class Push {{
    public static void main(String[] words) throws Exception {{
        var push = HttpRequest.newBuilder(URI.create("https://{HOST}{PATH}"))
            .header("authorization", "bearer " + System.getenv("TOKEN")).header("apns-topic", "{TOPIC}")
            .POST(HttpRequest.BodyPublishers.ofString({json.dumps(BODY)})).build();
        var answer = HttpClient.newHttpClient().send(push, HttpResponse.BodyHandlers.discarding());
        System.out.println(answer.statusCode() + " " + answer.version());
    }}
}}
"""


class ByExec(unittest.TestCase):
    """Clients that take a proxy from the variables of `exec --proxy`."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-proxy-")))
        self.log = self.folder / "log.jsonl"

    def run_shell(self, script, *options, **variables):
        """Runs a script with a provider token. Returns what it printed."""
        script = f'export TOKEN=$("{EXECUTABLE}" token --certs "$MOCK_APNS_CERTS")\n{script}'
        inherited = {name: value for name, value in os.environ.items() if name.lower() not in ("no_proxy", "https_proxy")}
        command = [EXECUTABLE, "exec", *options, "--certs", str(self.folder / "certs"), "--log", str(self.log), "--"]
        done = subprocess.run([*command, "sh", "-ec", script], cwd=self.folder, env={**inherited, **variables},
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def assert_pushed(self, agent):
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        push, = (line for line in lines if line["event"] == "request")
        self.assertEqual((push["status"], push["path"], push["method"]), (200, PATH, "POST"))
        self.assertIn(agent, dict(push["headers"]).get("user-agent", "").lower())
        opened = next(line for line in lines if line["event"] == "connection")
        self.assertEqual(opened["serverName"], HOST)

    def test_curl(self):
        script = f"""curl -sS --http2 -o /dev/null -w '%{{http_code}} %{{http_version}}' -H "authorization: bearer $TOKEN" \
            -H "apns-topic: {TOPIC}" -d '{BODY}' https://{HOST}{PATH}"""
        self.assertEqual(self.run_shell(script, "--proxy"), "200 2")
        self.assert_pushed("curl")

    def test_httpx(self):
        (self.folder / "push.py").write_text(HTTPX)
        self.assertEqual(self.run_shell(f'"{sys.executable}" push.py', "--proxy"), "200 HTTP/2")
        self.assert_pushed("httpx")

    @unittest.skipIf(sys.platform != "linux" and not shutil.which("node"), "node is not installed")
    def test_node(self):
        (self.folder / "push.mjs").write_text(NODE)
        self.assertEqual(self.run_shell("node push.mjs", "--proxy"), "200 HTTP/2")
        self.assert_pushed("")

    @unittest.skipIf(sys.platform != "linux" and not shutil.which("go"), "go is not installed")
    def test_go(self):
        (self.folder / "push.go").write_text(GO)
        self.assertEqual(self.run_shell("go run push.go", "--proxy", GOCACHE=str(ROOT / ".build/go")), "200 HTTP/2.0")
        self.assert_pushed("go-http-client")

    @unittest.skipIf(sys.platform != "linux" and not shutil.which("java"), "java is not installed")
    def test_java(self):
        (self.folder / "Push.java").write_text(JAVA)
        # Java reads none of the variables.
        script = """
            keytool -importcert -noprompt -file "$MOCK_APNS_CA" -keystore ca.p12 -storetype PKCS12 -storepass changeit 2>&1
            proxy="${MOCK_APNS_PROXY#http://}"
            java -XX:TieredStopAtLevel=1 -Dhttps.proxyHost="${proxy%:*}" -Dhttps.proxyPort="${proxy#*:}" \
                -Djavax.net.ssl.trustStore=ca.p12 -Djavax.net.ssl.trustStorePassword=changeit Push.java"""
        self.assertEqual(self.run_shell(script, "--proxy").splitlines()[-1], "200 HTTP_2")
        self.assert_pushed("java")

    def test_only_with_the_option(self):
        shown = 'echo "${https_proxy-none} ${HTTPS_PROXY-none} ${MOCK_APNS_PROXY-none} $no_proxy"'
        own = "localhost,127.0.0.1,::1"
        self.assertEqual(self.run_shell(shown), f"none none none {own}")
        lower, upper, proxy, without = self.run_shell(shown, "--proxy").split()
        self.assertEqual((lower, upper, without), (proxy, proxy, own))
        lower, upper, proxy, without = self.run_shell(shown, "--proxy-port", "0").split()
        self.assertEqual((lower, upper, without), ("none", "none", own))
        self.assertRegex(proxy, r"^http://127\.0\.0\.1:\d+$")

    def test_exceptions_do_not_lead_past_it(self):
        shown = 'echo "$no_proxy $NO_PROXY"'
        for inherited, kept in (("*", ""), (".apple.com,intern.example", "intern.example,"), ("*.push.apple.com, a.example", " a.example,"),
                                ("apple.company.example", "apple.company.example,")):
            got = self.run_shell(shown, "--proxy", no_proxy=inherited)
            self.assertEqual(got, f"{kept}localhost,127.0.0.1,::1 {kept}localhost,127.0.0.1,::1".strip())


class Proxy(unittest.TestCase):
    """The proxy by its sockets."""

    def connection(self, server):
        proxy = urllib.parse.urlsplit(server.ready["proxy"])
        self.assertEqual(proxy.hostname, "127.0.0.1")
        return self.enterContext(socket.create_connection((proxy.hostname, proxy.port), PATIENCE))

    def test_no_other_host_is_reached(self):
        with Server("--proxy-port", "0", "--server-name", "push.test") as server:
            admin = urllib.parse.urlsplit(server.admin)
            for target in ("169.254.169.254:80", f"127.0.0.1:{admin.port}", f"localhost:{admin.port}", f"[::1]:{server.port}",
                           "example.com:443", "api.push.apple.com.example.com:443", "2130706433:443"):
                with self.subTest(target), self.connection(server) as client:
                    client.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
                    answer = b"".join(iter(lambda: client.recv(65536), b"")).decode()
                    self.assertTrue(answer.startswith("HTTP/1.1 403 "), answer)
                    self.assertIn("This proxy leads to mock-apns alone", answer)
            with self.connection(server) as client:
                client.sendall(b"CONNECT Push.Test:8443 HTTP/1.1\r\n\r\n")
                self.assertTrue(client.recv(65536).startswith(b"HTTP/1.1 200 "))
                with server.tls().wrap_socket(client, server_hostname="push.test") as provider:
                    self.assertIsNotNone(provider.version())

    def test_the_proxy_of_a_relay_leads_to_the_upstream(self):
        with Server() as upstream, Relay(upstream, "--proxy-port", "0") as relay:
            done = subprocess.run(
                ["curl", "-sS", "--http2", "-x", relay.ready["proxy"], "--cacert", relay.authority, "-o", "/dev/null", "-w", "%{http_code}",
                 "-H", f"authorization: bearer {relay.token()}", "-H", f"apns-topic: {TOPIC}", "-d", BODY, f"https://{HOST}{PATH}"],
                capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.stdout, "200", done.stderr)
            record, = upstream.get("/api/v1/requests")["requests"]
            self.assertEqual((record["path"], record["status"]), (PATH, 200))

    def test_a_handshake_may_come_with_the_request(self):
        with Server("--proxy-port", "0") as server, self.connection(server) as client:
            context = server.tls()
            context.set_alpn_protocols(["h2"])
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = context.wrap_bio(incoming, outgoing, server_hostname=HOST)
            with self.assertRaises(ssl.SSLWantReadError):
                tls.do_handshake()
            client.sendall(f"CONNECT {HOST}:443 HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode() + outgoing.read())
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += client.recv(65536)
            head, rest = answer.split(b"\r\n\r\n", 1)
            self.assertEqual(head, b"HTTP/1.1 200 Connection established")
            incoming.write(rest)
            while True:
                try:
                    tls.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    incoming.write(client.recv(65536))
            self.assertEqual(tls.selected_alpn_protocol(), "h2")

    def test_many_clients_that_ask_for_nothing_do_not_keep_others_out(self):
        with Server("--proxy-port", "0") as server:
            idle = [self.connection(server) for _ in range(300)]
            for client in idle:
                client.sendall(b"CONNECT api.push")
            with self.connection(server) as client:
                client.sendall(f"CONNECT {HOST}:443 HTTP/1.1\r\n\r\n".encode())
                self.assertTrue(client.recv(65536).startswith(b"HTTP/1.1 200 "))

    def test_the_server_stops_with_clients_on_it(self):
        with Server("--proxy-port", "0") as server:
            idle, waiting = self.connection(server), self.connection(server)
            waiting.sendall(f"CONNECT {HOST}:443 HTTP/1.1\r\n\r\n".encode())
            self.assertTrue(waiting.recv(65536).startswith(b"HTTP/1.1 200 "))
            server.process.send_signal(signal.SIGTERM)
            for client in (idle, waiting):
                self.assertEqual(client.recv(65536), b"")
            self.assertEqual(server.wait(PATIENCE), 0)

    def test_a_port_in_use(self):
        with Server("--proxy-port", "0") as server:
            port = str(urllib.parse.urlsplit(server.ready["proxy"]).port)
            done = subprocess.run([EXECUTABLE, "serve", "--port", "0", "--admin-port", "0", "--proxy-port", port, "--certs", str(server.certs)],
                                  capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 69)
            self.assertIn(f"Port {port} on 127.0.0.1 is in use", done.stderr)
            self.assertIn("(--proxy-port)", done.stderr)


if __name__ == "__main__":
    unittest.main()
