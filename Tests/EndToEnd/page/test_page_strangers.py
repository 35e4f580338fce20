"""What a page of another site can do to the admin port from the same browser: nothing."""

import contextlib
import http.server
import json
import threading
import unittest

from browser import PageTest

# Tries everything that a page can try without being asked; resolves with what came of each.
ATTACK = """
<!doctype html><meta charset="utf-8"><title>Another site</title><body><script>
const admin = ADMIN;
const results = {};
const settled = (name, promise) => promise.then((value) => { results[name] = value; }, (error) => { results[name] = 'refused: ' + error.name; });
const element = (tag, attributes) => new Promise((resolve, reject) => {
  const made = document.createElement(tag);
  made.onload = () => resolve('loaded');
  made.onerror = () => reject(new Error());
  Object.assign(made, attributes);
  document.body.append(made);
});
const sent = (path, method, body) => fetch(admin + path, { method, mode: 'no-cors', body, headers: { 'Content-Type': 'text/plain' } })
  .then((answer) => answer.text()).then((text) => text === '' ? 'nothing to read' : 'read: ' + text);
const form = (path, name, value) => new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.name = 'frame' + path;
  document.body.append(frame);
  const form = document.createElement('form');
  Object.assign(form, { action: admin + path, method: 'POST', enctype: 'text/plain', target: frame.name });
  const field = document.createElement('input');
  Object.assign(field, { name, value });
  form.append(field);
  document.body.append(form);
  frame.onload = () => {
    let text = '';
    try { text = frame.contentDocument?.body?.innerText ?? ''; } catch {}
    if (frame.contentWindow.location.href !== 'about:blank') resolve(text);
  };
  const looking = setInterval(() => {
    try { frame.contentWindow.location.href; } catch { clearInterval(looking); resolve('nothing to read'); }
  }, 20);
  form.submit();
});
const events = () => new Promise((resolve, reject) => {
  const source = new EventSource(admin + '/api/v1/events');
  source.onopen = () => resolve('open');
  source.onerror = () => { source.close(); reject(new Error()); };
});
const framed = () => new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.src = admin + '/ui/';
  frame.onload = () => {
    // A page that may not be framed leaves an error page of the browser, of no origin.
    let text = 'nothing to read';
    try { text = 'read: ' + frame.contentDocument.body.innerText; } catch {}
    resolve(text);
  };
  document.body.append(frame);
});
window.attack = async () => {
  await Promise.all([
    settled('fetch', fetch(admin + '/api/v1/identity').then((answer) => answer.text())),
    settled('fetch with credentials', fetch(admin + '/api/v1/identity', { credentials: 'include' }).then((answer) => answer.text())),
    settled('fetch without CORS', sent('/api/v1/requests', 'GET')),
    settled('POST as text', sent('/api/v1/reset', 'POST', '{}')),
    settled('rule as text', sent('/api/v1/rules', 'POST', '{"then": {"reject": "Shutdown"}}')),
    settled('push as text', sent('/api/v1/pushes', 'POST', JSON.stringify({ token: TOKEN }))),
    settled('DELETE', fetch(admin + '/api/v1/requests', { method: 'DELETE' })),
    settled('PUT', fetch(admin + '/api/v1/scenario', { method: 'PUT', body: '{}' })),
    settled('form', form('/api/v1/reset', '{"$comment": "', '"}')),
    settled('form of a rule', form('/api/v1/rules', '{"then": {"reject": "Shutdown"}, "$comment": "', '"}')),
    settled('EventSource', events()),
    settled('script', element('script', { src: admin + '/api/v1/openapi.json' })),
    settled('script of the page', element('script', { src: admin + ASSET, type: 'module' })),
    settled('classic script of the page', element('script', { src: admin + ASSET })),
    settled('style', element('link', { href: admin + ASSET.replace('app.js', 'app.css'), rel: 'stylesheet' })),
    settled('image', element('img', { src: admin + '/api/v1/identity' })),
    settled('frame', framed()),
  ]);
  navigator.sendBeacon(admin + '/api/v1/reset', '{}');
  return results;
};
</script>
"""


class Stranger:
    """A web server with one page; a context manager."""

    def __init__(self, page):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200 if self.path == "/" else 204)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                if self.path == "/":
                    self.wfile.write(page.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self.server.server_port

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Strangers(PageTest):
    options = ("--host-resolver-rules=MAP attacker.example 127.0.0.1",)

    def state(self):
        """What a stranger could have changed or learnt of."""
        found = self.server.get("/api/v1/requests/1")
        return {
            "requests": self.server.get("/api/v1/summary")["requests"],
            "by admin": self.server.get("/api/v1/summary")["requestsByAdmin"], "record": found,
            "rules": self.server.get("/api/v1/rules"), "scenario": self.server.get("/api/v1/scenario"),
        }

    def test_a_foreign_page_gets_and_does_nothing(self):
        """Of the same site, which is a server on another port, and of another."""
        for host in ("127.0.0.1", "localhost"):
            with self.subTest(host), self.serving() as server, contextlib.ExitStack() as stack:
                self.provider.alert("secret")
                self.open()
                asset = self.page.run("return document.querySelector('script[src]').getAttribute('src')")
                before = self.state()
                page = ATTACK.replace("ADMIN", json.dumps(server.admin), 1).replace("ASSET", json.dumps(asset))
                port = stack.enter_context(Stranger(page.replace("TOKEN", json.dumps("ab" * 32))))
                self.page.open(f"http://{host}:{port}/")
                results = self.page.driver.execute_async_script("window.attack().then(arguments[0])")
                # All the refusals, and why nothing is in the frame.
                self.assertTrue(any("frame-ancestors" in each for each in self.page.complaints()))
                useless = ("refused: ", "nothing to read")
                for name, result in results.items():
                    self.assertTrue(result.startswith(useless), f"{name}: {result}")
                self.assertEqual(len(results), 17)
                self.assertEqual(self.state(), before)
                # The browser may tell of a refusal after its answer.
                self.page.open("about:blank")
                self.page.complaints()

    def test_foreign_host_names_for_this_machine_are_refused(self):
        """The name of the page's server points here when the page asks again: DNS rebinding."""
        with self.serving() as server:
            self.provider.alert("secret")
            address = server.admin.replace("127.0.0.1", "attacker.example")
            for path in ("/ui/", "/api/v1/identity", "/api/v1/requests"):
                with self.subTest(path):
                    self.page.open(address + path)
                    text = self.page.run("return document.body.innerText")
                    self.assertIn("unknownHost", text)
                    self.assertNotIn("secret", text)
                    # What the page itself asks for gets no further: it is of the same origin there.
                    status = self.page.driver.execute_async_script(
                        "const done = arguments[0]; fetch('/api/v1/identity').then((answer) => done(answer.status), (error) => done(String(error)))")
                    self.assertEqual(status, 421)
            self.page.complaints()  # all the refusals


if __name__ == "__main__":
    unittest.main()
