"""Providers on the page: who is behind each connection, how it fares, and how old its provider token is."""

import json
import pathlib
import subprocess
import tempfile
import time
import unittest

import httpx

from browser import ALICE, PageTest
from server import EXECUTABLE, PATIENCE, TOPIC

ROWS = "Array.from(document.querySelectorAll('[aria-label=Connections] tbody tr'), (row) => Array.from(row.cells, (cell) => cell.innerText.replaceAll('\\n', ' ')))"


class Providers(PageTest):
    def test_a_connection_has_a_row(self):
        with self.serving() as server:
            self.open("providers")
            self.page.element(".empty", "No connections")
            self.provider.alert("good")
            self.provider.alert("bad", priority=7)
            self.page.until(f"{ROWS}[0]?.[4] === '2'")
            [row] = self.page.run(f"return {ROWS}")
            identity = server.get("/api/v1/identity")
            self.assertEqual(row[:2], ["1", f"key {identity['keyID']} team {identity['teamID']}"])
            self.assertIn("python-httpx", row[2])
            self.assertRegex(row[3], r"^127\.0\.0\.1:\d+ TLSv1\.3$")
            self.assertEqual(row[5], "1")
            self.assertIn("0 min old", row[7])
            # Errors are counted again when there are more, and lead to those pushes.
            self.provider.alert("bad", priority=7)
            self.page.until(f"{ROWS}[0][5] === '2'")
            self.page.click("td a", "2")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 2")

    def test_a_certificate_stands_for_a_key(self):
        with self.serving() as server:
            found = server.get("/api/v1/identity")
            file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "client.pem"
            file.write_text(found["clientCertificate"] + found["clientKey"])
            context = server.tls()
            context.load_cert_chain(file)
            with httpx.Client(http2=True, verify=context, timeout=PATIENCE) as client:
                answer = client.post(f"{server.url}/3/device/{ALICE}", headers={"apns-topic": TOPIC, "apns-push-type": "alert"}, json={"aps": {"alert": "x"}})
                self.assertEqual(answer.status_code, 200)
                self.open("providers")
                self.page.until(f"{ROWS}[0]?.[4] === '1'")
                [row] = self.page.run(f"return {ROWS}")
            [connection] = server.get("/api/v1/connections")["connections"]
            self.assertEqual((row[1], row[7]), (connection["clientCertificate"]["subject"], "certificate"))

    def test_old_provider_tokens_are_told(self):
        with self.serving():
            for minutes, text, kind in ((55, "55 min old · expires in 5 min", "refused"), (61, "61 min old · too old · ExpiredProviderToken", "broken")):
                with self.subTest(minutes):
                    issued = str(int(time.time()) - minutes * 60 - 5)
                    command = [EXECUTABLE, "token", "--certs", str(self.server.certs), "--issued-at", issued]
                    self.provider.token = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.strip()
                    self.provider.alert("x")
                    self.open("providers")
                    self.page.element(f"td .status.{kind}", text)

    def test_the_end_of_a_token_is_told(self):
        """After an hour, or what the scenario says."""
        for scenario, lifetime in (({}, 3600), ({"authentication": {"providerTokenLifetime": "30m"}}, 1800)):
            file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "scenario.json"
            file.write_text(json.dumps(scenario))
            with self.subTest(lifetime), self.serving("--scenario", str(file)):
                issued = int(time.time()) - 605
                command = [EXECUTABLE, "token", "--certs", str(self.server.certs), "--issued-at", str(issued)]
                self.provider.token = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.strip()
                self.provider.alert("x")
                self.open("providers")
                self.page.element("td .status.ok", f"10 min old · fresh until {time.strftime('%H:%M', time.gmtime(issued + lifetime))}")

    def test_a_token_that_is_refused_is_not_well(self):
        """However young it is."""
        with self.serving():
            head, claims, signature = self.provider.token.split(".")
            self.provider.token = ".".join((head, claims, signature[::-1]))
            self.assertEqual(self.provider.alert("refused"), 403)
            self.open("providers")
            self.page.element("td .status.broken", "InvalidProviderToken")

    def test_closed_connections_are_shown_on_demand(self):
        with self.serving():
            self.provider.alert("x")
            self.open("providers")
            self.page.click("td button", "Close…")
            self.page.click("dialog button", "TCP RST")
            self.page.element(".empty", "All are closed")
            self.page.click("main input[type=checkbox]")
            self.page.element("td", "closed (reset)")


if __name__ == "__main__":
    unittest.main()
