"""What a provider has to be given, as files in a folder of our own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional
from urllib.parse import urlsplit

# Where systems keep the authorities that they trust: Debian, Alpine and others; macOS and BSD; Fedora.
ROOTS = ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt")
BUNDLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


class Identity:
    """Address, authority, keys and names of a server; the files are written at once."""

    def __init__(self, answer: Mapping[str, Any], folder: Path) -> None:
        address = urlsplit(answer["apns"])
        self.url: str = answer["apns"]
        self.host: str = address.hostname or ""
        self.port: int = address.port or 443
        self.key_id: str = answer["keyID"]
        self.team_id: str = answer["teamID"]
        self.topic: str = answer["topic"]
        self.manage_urls: List[str] = answer.get("manage", [])
        self.manage_environments: List[str] = answer.get("manageEnvironments", [])
        self.folder = folder
        self.ca = self._write("ca.pem", answer["certificateAuthority"])
        self.client_certificate = self._write("client.pem", answer["clientCertificate"])
        self.client_key = self._write("client.key", answer["clientKey"])
        self.key: Optional[Path] = None
        if answer["signingKey"]:
            self.key = self._write(f"AuthKey_{self.key_id}.p8", answer["signingKey"])

    def environment(self, admin: str, token: Optional[str]) -> Dict[str, str]:
        """The variables that `mock-apns exec` sets for its command."""
        variables = {
            "MOCK_APNS_URL": self.url,
            "MOCK_APNS_HOST": self.host,
            "MOCK_APNS_PORT": str(self.port),
            "MOCK_APNS_ADMIN_URL": admin,
            "MOCK_APNS_CERTS": str(self.folder),
            "MOCK_APNS_CA": str(self.ca),
            "MOCK_APNS_KEY_ID": self.key_id,
            "MOCK_APNS_TEAM_ID": self.team_id,
            "MOCK_APNS_TOPIC": self.topic,
            "MOCK_APNS_CLIENT_CERT": str(self.client_certificate),
            "MOCK_APNS_CLIENT_KEY": str(self.client_key),
            "NODE_EXTRA_CA_CERTS": str(self.ca),
        }
        if self.manage_urls:
            variables["MOCK_APNS_MANAGE_URL"] = self.manage_urls[0]
            variables["MOCK_APNS_MANAGE_PORT"] = str(urlsplit(self.manage_urls[0]).port)
            for url, environment in zip(reversed(self.manage_urls), reversed(self.manage_environments)):
                if environment != "serverName":
                    variables[f"MOCK_APNS_MANAGE_{environment.upper()}_URL"] = url
        for name in BUNDLES:
            roots = next((each for each in (os.environ.get(name), *ROOTS) if each and readable(each)), None)
            text = (Path(roots).read_text("utf-8", "replace") + "\n" if roots else "") + self.ca.read_text()
            variables[name] = str(self._write(f"{name.lower()}.pem", text))
        if self.key:
            variables["MOCK_APNS_KEY"] = str(self.key)
        if token:
            variables["MOCK_APNS_ADMIN_TOKEN"] = token
        return variables

    def _write(self, name: str, text: str) -> Path:
        """Writes a file that others may be reading: it is there as a whole, or as it was."""
        file = self.folder / name
        if not file.exists() or file.read_text("utf-8") != text:
            new = self.folder / f".{name}"
            new.write_text(text, "utf-8")
            new.chmod(0o600)
            new.replace(file)
        return file


def readable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.R_OK)
