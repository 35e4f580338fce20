// Java 17, with JUnit 5 and the package mockapns, the folder src/mockapns.

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import mockapns.MockAPNs;
import mockapns.MockAPNsExtension;
import mockapns.Scenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(MockAPNsExtension.class)
class NotificationsTest {
    static final String ALICE = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0";

    @Test
    @Scenario("""
        {
          "rules": [{"name": "busy", "times": 2, "then": {"reject": "TooManyRequests"}}],
          "expect": [{"name": "tried again until it worked", "requests": {"status": 200}, "count": 1}]
        }
        """)
    void triesAgainWhenBusy(MockAPNs apns) throws Exception {
        push(apns, ALICE, "Goal");
        var request = apns.waitFor(1, Map.of("status", 200)).get(0);
        assertEquals("alert", request.pushType());
        assertEquals("Goal", request.payload("/aps/alert"));
    }

    /** Your provider. */
    static void push(MockAPNs apns, String device, String text) throws Exception {
        var client = HttpClient.newBuilder().sslContext(apns.sslContext()).version(HttpClient.Version.HTTP_2).build();
        var request = HttpRequest.newBuilder(URI.create(apns.url() + "/3/device/" + device))
            .header("authorization", "bearer " + apns.token())
            .header("apns-topic", apns.topic()).header("apns-push-type", "alert")
            .POST(HttpRequest.BodyPublishers.ofString("{\"aps\":{\"alert\":\"" + text + "\"}}")).build();
        for (var tries = 0; tries < 3; tries++) {
            if (client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 200) return;
        }
    }
}
