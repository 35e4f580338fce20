"""The page and the API below a path of a reverse proxy: `--admin-prefix` and `X-Forwarded-Prefix`."""

import json
import re
import subprocess
import unittest
import urllib.error
import urllib.request

from server import EXECUTABLE, Server


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def get(address, **fields):
    """The status, the fields and the body of an answer."""
    request = urllib.request.Request(address, headers={name.replace("_", "-"): value for name, value in fields.items()})
    try:
        with urllib.request.build_opener(KeepRedirects).open(request) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


class Prefix(unittest.TestCase):
    def assert_page_below(self, prefix, server, path, **fields):
        """The page refers to files below the prefix, and the server has them there."""
        status, _, page = get(server.admin + path, **fields)
        self.assertEqual(status, 200)
        files = re.findall(r'(?:href|src)="(/[^"]+)"', page)
        self.assertEqual(len(files), 3, page)
        for file in files:
            self.assertTrue(file.startswith(f"{prefix}/"), file)
            kept = file.removeprefix(prefix) if fields else file
            self.assertEqual(get(server.admin + kept, **fields)[0], 200, file)

    def test_an_option(self):
        with Server("--admin-prefix", "/ci/mock") as server:
            self.assert_page_below("/ci/mock", server, "/ci/mock/ui/pushes/1")
            self.assert_page_below("", server, "/ui/pushes/1")
            for path in ("/ci/mock", "/ci/mock/"):
                status, fields, _ = get(server.admin + path)
                self.assertEqual((status, fields["Location"]), (302, "/ci/mock/ui/"))
            for path in ("/livez", "/ci/mock/livez", "/api/v1/requests?limit=1", "/ci/mock/api/v1/requests?limit=1"):
                self.assertEqual(get(server.admin + path)[0], 200, path)
            for path in ("/ci/mockery/livez", "/mock/livez", "/ci/livez", "/ci/mock/ci/mock/livez"):
                self.assertEqual(get(server.admin + path)[0], 404, path)
            identity = json.loads(get(f"{server.admin}/ci/mock/api/v1/identity")[2])
            self.assertEqual(identity["admin"], f"{server.admin}/ci/mock")
            self.assertIn(f"MOCK_APNS_ADMIN_URL='{server.admin}/ci/mock'", get(f"{server.admin}/ci/mock/api/v1/identity?format=shell")[2])
            self.assertEqual(server.get("/api/v1/identity")["admin"], server.admin)
            session = urllib.request.Request(f"{server.admin}/ci/mock/api/v1/sessions", b'{"name": "one"}', method="POST")
            with urllib.request.urlopen(session) as answer:
                self.assertEqual(answer.status, 201)
            self.assertEqual(get(f"{server.admin}/ci/mock/api/v1/sessions/one/requests")[0], 200)

    def test_a_proxy_that_takes_it_away(self):
        with Server() as server:
            self.assert_page_below("/mock", server, "/ui/", X_Forwarded_Prefix="/mock")
            self.assertEqual(get(server.admin, X_Forwarded_Prefix="/mock")[1]["Location"], "/mock/ui/")
            self.assertEqual(get(f"{server.admin}/mock/livez", X_Forwarded_Prefix="/mock")[0], 200)
            self.assertEqual(json.loads(get(f"{server.admin}/api/v1/identity", X_Forwarded_Prefix="/mock")[2])["admin"], f"{server.admin}/mock")
            for other in ('/"><script>', "//example.com", "/a/../b", "mock", "/mock/", "/" + "a" * 200):
                self.assert_page_below("", server, "/ui/", X_Forwarded_Prefix=other)

    def test_a_proxy_with_tls(self):
        """Its page is of the scheme https, by the same name."""
        with Server("--admin-name", "ci.example.com") as server:
            for origin, status in (("https://ci.example.com", 200), ("http://ci.example.com", 200), ("https://example.com", 403)):
                request = urllib.request.Request(f"{server.admin}/api/v1/reset", b"{}", {"Host": "ci.example.com", "Origin": origin}, method="POST")
                try:
                    with urllib.request.urlopen(request) as answer:
                        self.assertEqual(answer.status, status, origin)
                except urllib.error.HTTPError as error:
                    self.assertEqual(error.code, status, origin)

    def test_what_is_no_prefix(self):
        for prefix in ("mock", "/mock/", "/", "/a b", "/..", "/a//b"):
            made = subprocess.run([EXECUTABLE, "serve", "--admin-prefix", prefix], capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 64, prefix)
            self.assertIn("it must be a path such as /mock", made.stderr)


if __name__ == "__main__":
    unittest.main()
