"""What a provider needs, as files in a folder of our own."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union
from urllib.parse import urlsplit

# Where systems keep the authorities that they trust: Debian, Alpine and others; macOS and BSD; Fedora.
ROOTS = ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt")
# The variables that name certificates to trust, each with the variables that its clients fall back to.
BUNDLES = {
    "SSL_CERT_FILE": ("SSL_CERT_FILE",),
    "REQUESTS_CA_BUNDLE": ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"),
    "CURL_CA_BUNDLE": ("CURL_CA_BUNDLE", "SSL_CERT_FILE"),
    "NODE_EXTRA_CA_CERTS": ("NODE_EXTRA_CA_CERTS",),
}
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class ClientCertificate(NamedTuple):
    """A client certificate and its key, as files."""

    certificate: Path
    """The certificate, PEM."""
    key: Path
    """Its key, PEM."""
    combined: Path
    """Both in one PEM file, as many libraries want them."""
    p12: Path
    """Both in a PKCS#12 key store with the password in `password`."""
    password: str
    topics: Tuple[str, ...]
    """The topics that it may push to. If there is only one, a push without `apns-topic` goes there."""


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
        self._write("client.p12", base64.b64decode(answer["clientStore"]))
        self.key: Optional[Path] = None
        if answer["signingKey"]:
            self.key = self._write(f"AuthKey_{self.key_id}.p8", answer["signingKey"])

    def certificate(self, name: str, answer: Mapping[str, Any]) -> ClientCertificate:
        """The files of a client certificate as the server has issued it."""
        return ClientCertificate(
            self._write(f"{name}.pem", answer["certificate"]),
            self._write(f"{name}.key", answer["key"]),
            self._write(f"{name}-combined.pem", answer["certificate"] + answer["key"]),
            self._write(f"{name}.p12", base64.b64decode(answer["store"])),
            answer["password"],
            tuple(answer["topics"]),
        )

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
        }
        if self.manage_urls:
            variables["MOCK_APNS_MANAGE_URL"] = self.manage_urls[0]
            variables["MOCK_APNS_MANAGE_PORT"] = str(urlsplit(self.manage_urls[0]).port)
            for url, environment in zip(reversed(self.manage_urls), reversed(self.manage_environments)):
                if environment != "serverName":
                    variables[f"MOCK_APNS_MANAGE_{environment.upper()}_URL"] = url
        for name, origins in BUNDLES.items():
            # Node trusts its own roots besides.
            others = () if name == "NODE_EXTRA_CA_CERTS" else ROOTS
            sources = [*(os.environ.get(origin, "") for origin in origins), *others]
            text = next(filter(None, map(certificates, sources)), "") + self.ca.read_text()
            variables[name] = str(self._write(f"{name.lower()}.pem", text))
        hosts = list(dict.fromkeys([self.host, *LOOPBACK]))
        for name in ("no_proxy", "NO_PROXY"):
            known = os.environ.get(name) or os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
            variables[name] = known if known == "*" else ",".join([*([known] if known else []), *hosts])
        if self.key:
            variables["MOCK_APNS_KEY"] = str(self.key)
        if token:
            variables["MOCK_APNS_ADMIN_TOKEN"] = token
        return variables

    def _write(self, name: str, content: Union[str, bytes]) -> Path:
        """Writes a file that others may be reading: it is there as a whole, or as it was."""
        file = self.folder / name
        data = content.encode() if isinstance(content, str) else content
        if not file.exists() or file.read_bytes() != data:
            new = self.folder / f".{name}"
            new.touch(0o600)
            new.write_bytes(data)
            new.replace(file)
        return file


def certificates(path: str) -> str:
    """The certificates in a file or a folder, each file with a line end; nothing if they cannot be read."""
    files = sorted(Path(path).iterdir()) if os.path.isdir(path) else [Path(path)]
    readable = [file for file in files if file.is_file() and os.access(file, os.R_OK)]
    return "".join(file.read_text("utf-8", "replace") + "\n" for file in readable)
