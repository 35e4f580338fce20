package mockapns;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/** A provider for tests: java.net.http. */
final class Provider {
    static final String ALICE = "a".repeat(64);

    private Provider() {}

    /** Pushes an alert to Alice with a provider token and further header fields; returns the answer's status. */
    static int push(MockAPNs apns, String text, String... fields) {
        return push(HttpClient.newBuilder().sslContext(apns.sslContext()).build(), apns, text, with(apns.token(), fields));
    }

    /** Pushes as this client does, with these header fields and no others but topic and push type. */
    static int push(HttpClient client, MockAPNs apns, String text, String... fields) {
        var all = Stream.concat(Stream.of("apns-topic", apns.topic(), "apns-push-type", "alert"), Stream.of(fields));
        return push(client, apns, ALICE, Map.of("alert", text), all.toArray(String[]::new));
    }

    /** Pushes an event of a Live Activity, an alert, or in the background, to any token. */
    static int push(MockAPNs apns, String token, Map<String, ?> aps) {
        var type = aps.containsKey("event") ? "liveactivity" : aps.containsKey("alert") ? "alert" : "background";
        var topic = apns.topic() + (aps.containsKey("event") ? ".push-type.liveactivity" : "");
        return push(HttpClient.newBuilder().sslContext(apns.sslContext()).build(), apns, token, aps,
            with(apns.token(), "apns-topic", topic, "apns-push-type", type, "apns-priority", type.equals("background") ? "5" : "10"));
    }

    private static int push(HttpClient client, MockAPNs apns, String token, Map<String, ?> aps, String... fields) {
        var request = HttpRequest.newBuilder(URI.create(apns.url() + "/3/device/" + token)).timeout(Duration.ofMinutes(1))
            .headers(fields).POST(HttpRequest.BodyPublishers.ofString(Json.write(Map.of("aps", aps))));
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
        } catch (IOException | InterruptedException error) {
            throw new AssertionError(error);
        }
    }

    /** Header fields with a provider token. */
    static String[] with(String token, String... fields) {
        return Stream.concat(Stream.of("authorization", "bearer " + token), Stream.of(fields)).toArray(String[]::new);
    }
}
