"""Calls of the admin API."""

from __future__ import annotations

import http.client
import json
import os
from typing import Any, Callable, Mapping, Optional, Tuple, Union
from urllib.parse import urlsplit

from . import _printable
from ._errors import APIError, Error

Explain = Callable[[OSError], Optional[str]]

# For answers that come at once, in seconds. It only ends what hangs.
PATIENCE = 60.0


class Admin:
    """The admin API of a server, or of one session of it."""

    def __init__(self, url: str, token: Optional[str] = None, explain: Optional[Explain] = None) -> None:
        parts = urlsplit(url if "//" in url else f"http://{url}")
        if parts.scheme != "http" or not parts.hostname:
            raise Error(f"{url} is not the address of an admin port, such as http://127.0.0.1:2198.")
        try:
            self._address = (parts.hostname, parts.port or 80)
        except ValueError:
            raise Error(f"{url} has no port number, as in http://127.0.0.1:2198.") from None
        path = parts.path.rstrip("/")
        self.url = f"http://{parts.netloc}{path}"
        self._base = path if "/api/v1" in path else f"{path}/api/v1"
        self._server = f"http://{parts.netloc}{path.split('/api/v1')[0]}"
        self.token = token or os.environ.get("MOCK_APNS_ADMIN_TOKEN") or None
        self._explain = explain

    @property
    def api(self) -> str:
        """Where paths of the API begin, as `/requests`."""
        return f"http://{urlsplit(self.url).netloc}{self._base}"

    @property
    def host(self) -> str:
        """The host name or address by which we reach the server."""
        return self._address[0]

    def root(self) -> Admin:
        """The API of the server itself."""
        return Admin(self._server, self.token, self._explain)

    def session(self, name: str) -> Admin:
        """The API of one session of the server."""
        return Admin(f"{self._server}/api/v1/sessions/{name}", self.token, self._explain)

    def get(self, path: str) -> Any:
        __tracebackhide__ = True
        return self.call("GET", path)

    def post(self, path: str, body: Any) -> Any:
        __tracebackhide__ = True
        return self.call("POST", path, body)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Makes one call and returns the answer; the body is text, or an object to send as JSON."""
        __tracebackhide__ = True
        status, answer = self.exchange(method, path, body)
        if status >= 400:
            raise error_of(status, answer)
        return answer

    def exchange(self, method: str, path: str, body: Any = None, timeout: float = PATIENCE) -> Tuple[int, Any]:
        """Makes one call and returns status and answer, even those of an error."""
        __tracebackhide__ = True
        text: Union[bytes, None] = None
        if body is not None:
            text = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if text is not None else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        # A connection for each call: it may be made in any thread, and in a process that was forked.
        connection = http.client.HTTPConnection(*self._address, timeout=timeout)
        try:
            connection.request(method, self._base + path, text, headers)
            response = connection.getresponse()
            raw = response.read()
        except (OSError, http.client.HTTPException) as error:
            told = self._explain(error) if self._explain and isinstance(error, OSError) else None
            raise Error(told or f"No mock-apns answers at {self.url}: {error}.") from None
        finally:
            connection.close()
        try:
            return response.status, json.loads(raw)
        except ValueError:
            raise Error(f"What answers at {self.url} is not mock-apns; it said {raw[:80]!r}.") from None


def error_of(status: int, answer: Any) -> APIError:
    """The exception for an answer that reports an error."""
    error: Mapping[str, Any] = answer.get("error", {}) if isinstance(answer, dict) else {}
    message = _printable.line(error.get("message") or f"mock-apns answered {status}.")
    return APIError(message, code=error.get("code", ""), pointer=error.get("pointer", ""), status=status)
