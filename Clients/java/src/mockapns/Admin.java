package mockapns;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** The admin API of a server, or of one session of it. */
final class Admin {
    /** For answers that come at once. It only ends what hangs. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
        .proxy(HttpClient.Builder.NO_PROXY).connectTimeout(PATIENCE).build();

    record Answer(int status, Object body) {}

    /** The address: that of the admin port, or of a session. */
    final String url;
    final String host;
    final String token;
    /** The process of the server, if it is ours. */
    private final ServerProcess process;

    Admin(String address, String token, ServerProcess process) {
        var parts = URI.create(address.contains("//") ? address : "http://" + address);
        if (!"http".equals(parts.getScheme()) || parts.getHost() == null) {
            throw new MockAPNsException(address + " is not the address of an admin port, such as http://127.0.0.1:2198.");
        }
        url = parts.toString().replaceFirst("/+$", "");
        host = parts.getHost().replaceAll("[\\[\\]]", "");
        var known = token == null ? System.getenv("MOCK_APNS_ADMIN_TOKEN") : token;
        this.token = known == null || known.isEmpty() ? null : known;
        this.process = process;
    }

    /** The API of the server itself. */
    Admin root() {
        return new Admin(url.split("/api/v1")[0], token, process);
    }

    /** The API of one session of the server. */
    Admin session(String name) {
        return new Admin(root().url + "/api/v1/sessions/" + name, token, process);
    }

    Map<String, Object> get(String path) {
        return call("GET", path, null);
    }

    Map<String, Object> post(String path, Object body) {
        return call("POST", path, body);
    }

    /** Makes one call and returns the answer; the body is text, or a Map to send as JSON. */
    Map<String, Object> call(String method, String path, Object body) {
        var answer = exchange(method, path, body);
        if (answer.status >= 400) throw error(answer);
        return Json.map(answer.body);
    }

    /** Makes one call that waits for something to come. */
    Answer await(String path, Object body) {
        return answer(send("POST", path, body, PATIENCE.plusMinutes(10)));
    }

    /** Makes one call and returns status and answer, even those of an error. */
    Answer exchange(String method, String path, Object body) {
        return answer(send(method, path, body, PATIENCE));
    }

    private Answer answer(HttpResponse<String> response) {
        try {
            return new Answer(response.statusCode(), Json.read(response.body()));
        } catch (IllegalArgumentException error) {
            var shown = response.body().substring(0, Math.min(80, response.body().length()));
            throw new MockAPNsException("What answers at " + url + " is not mock-apns; it said: " + shown);
        }
    }

    /** An answer that is a text. */
    String text(String path) {
        return send("GET", path, null, PATIENCE).body();
    }

    private HttpResponse<String> send(String method, String path, Object body, Duration timeout) {
        var request = HttpRequest.newBuilder(URI.create((url.contains("/api/v1") ? url : url + "/api/v1") + path))
            .timeout(timeout).header("Content-Type", "application/json").method(method, body == null
                ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(Json.object(body)));
        if (token != null) request.header("Authorization", "Bearer " + token);
        try {
            return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException error) {
            var ended = process == null ? null : process.lastWords("ended by itself", 1);
            // Java's own message does not say where, and often nothing.
            var why = error instanceof ConnectException ? "it cannot be reached." : error + ".";
            throw new MockAPNsException(ended != null ? ended : "No mock-apns answers at " + url + ": " + why);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new MockAPNsException("The test was interrupted while it waited for mock-apns.");
        }
    }

    static MockAPNsException error(Answer answer) {
        return error(answer, null);
    }

    /** The exception for an answer that reports an error; with another message, if one is given. */
    static MockAPNsException error(Answer answer, String message) {
        var error = answer.body instanceof Map<?, ?> body && body.get("error") instanceof Map<?, ?> found
            ? Json.map(found) : Map.<String, Object>of();
        var said = error.getOrDefault("message", "mock-apns answered " + answer.status + ".").toString();
        return new MockAPNsException(message == null ? said : message, answer.status,
            error.getOrDefault("code", "").toString(), error.getOrDefault("pointer", "").toString());
    }

    /** A part of a path or a query. */
    static String quoted(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
