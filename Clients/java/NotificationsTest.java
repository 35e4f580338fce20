// Java 17, with JUnit 5 and the standard library.

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;

class NotificationsTest {
    static final String ALICE = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0";

    @Test
    void triesAgainWhenBusy() throws Exception {
        try (var apns = MockAPNs.open("""
            {
              "authentication": {"mode": "none"},
              "rules": [{"name": "busy", "times": 2, "then": {"reject": "TooManyRequests"}}],
              "expect": [{"name": "tried again until it worked", "requests": {"status": 200}, "count": 1}]
            }
            """)) {
            push(apns, ALICE, "Goal");
            var requests = apns.waitFor(1, "{\"status\": 200}");
            assertTrue(requests.contains("\"pushType\":\"alert\""), requests);
        }
    }

    /** Your provider; this one needs no provider token, as the scenario says. */
    static void push(MockAPNs apns, String device, String text) throws Exception {
        var client = HttpClient.newBuilder().sslContext(apns.trust()).version(HttpClient.Version.HTTP_2).build();
        var request = HttpRequest.newBuilder(URI.create(apns.url + "/3/device/" + device))
            .header("apns-topic", apns.topic).header("apns-push-type", "alert")
            .POST(HttpRequest.BodyPublishers.ofString("{\"aps\":{\"alert\":\"" + text + "\"}}")).build();
        for (var tries = 0; tries < 3; tries++) {
            if (client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 200) return;
        }
    }
}

/** A mock APNs server of a test's own. When it is closed, what its scenario expects has to have happened. */
final class MockAPNs implements AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String SERVER = server();

    final String url, topic;
    private final String admin, certificateAuthority;

    private MockAPNs(String identity) {
        url = member("apns", identity);
        topic = member("topic", identity);
        admin = member("admin", identity);
        certificateAuthority = member("certificateAuthority", identity);
    }

    static MockAPNs open(String scenario) throws Exception {
        return new MockAPNs(call("POST", SERVER + "/api/v1/sessions", "{\"scenario\": " + scenario + "}"));
    }

    /** Waits until at least so many requests match, and returns them as JSON. */
    String waitFor(int count, String match) throws Exception {
        try {
            return call("POST", admin + "/requests/wait", "{\"requests\": " + match + ", \"count\": " + count + "}");
        } catch (TimeoutException late) {
            var expect = "{\"requests\": " + match + ", \"count\": {\"atLeast\": " + count + "}}";
            throw new AssertionError(member("report", call("POST", admin + "/verify", "{\"expect\": [" + expect + "]}")));
        }
    }

    @Override
    public void close() throws Exception {
        var verdict = call("DELETE", admin, "");
        if (!verdict.startsWith("{\"passed\":true")) throw new AssertionError(member("report", verdict));
    }

    /** Trusts the server, and nothing else. */
    SSLContext trust() throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        var pem = new ByteArrayInputStream(certificateAuthority.getBytes());
        store.setCertificateEntry("mock-apns", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    /** The address of a server for all tests, started unless the variable names one that is running. */
    private static String server() {
        var running = System.getenv("MOCK_APNS_ADMIN_URL");
        if (running != null) return running;
        try {
            var certs = Files.createTempDirectory("mock-apns-");
            var server = new ProcessBuilder(
                "mock-apns", "serve", "--exit-with-parent", "--quiet", "--port", "0", "--admin-port", "0",
                "--certs", certs.toString()).start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                server.destroy();
                for (var file : certs.toFile().listFiles()) file.delete();
                certs.toFile().delete();
            }));
            var ready = server.inputReader().readLine();
            if (ready != null) return member("admin", ready);
            var words = new String(server.getErrorStream().readAllBytes());
            throw new IllegalStateException("mock-apns did not start: " + words);
        } catch (IOException error) {
            throw new IllegalStateException("The command mock-apns is not on the PATH.", error);
        }
    }

    private static String call(String method, String url, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url)).version(HttpClient.Version.HTTP_1_1)
            .method(method, HttpRequest.BodyPublishers.ofString(body)).build();
        HttpResponse<String> answer;
        try {
            answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException error) {
            // Java's own message does not say where.
            throw new IOException(method + " " + url + ": no server answers there", error);
        }
        if (answer.statusCode() == 408) throw new TimeoutException();
        if (answer.statusCode() >= 300) throw new AssertionError(method + " " + url + ": " + answer.body());
        return answer.body();
    }

    /** A member of an object; with a library for JSON in your project, use that. */
    private static String member(String name, String json) {
        var found = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        if (!found.find()) throw new AssertionError("no " + name + " in " + json);
        return found.group(1).translateEscapes();
    }
}
