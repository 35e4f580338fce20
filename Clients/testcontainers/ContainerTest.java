// Java 17, with Testcontainers 1.20 or 2, JUnit 5 and the package mockapns, the folder Clients/java/src/mockapns.
//
// The tests of mock-apns have no engine: they run this file with a stand-in for Testcontainers.

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.stream.Stream;
import mockapns.MockAPNs;
import mockapns.MockAPNsExtension;
import mockapns.Scenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

@ExtendWith(MockAPNsExtension.class)
class ContainerTest {
    // One container for all tests. With more test classes, put this into a base class of theirs.
    static {
        // Four tests can have a session at a time; others wait.
        var sessionPorts = new Integer[] {2300, 2301, 2302, 2303};
        var container = new GenericContainer<>("mock-apns")
            .withCommand("--session-ports", "2300-2303")
            .withExposedPorts(Stream.concat(Stream.of(2198), Stream.of(sessionPorts)).toArray(Integer[]::new))
            .waitingFor(Wait.forHttp("/readyz").forPort(2198));
        // It ends with the tests: Testcontainers removes it.
        container.start();
        System.setProperty("mock-apns.url", "http://" + container.getHost() + ":" + container.getMappedPort(2198));
        System.setProperty("mock-apns.published-ports",
            Stream.of(sessionPorts).map(port -> container.getMappedPort(port) + ":" + port).collect(joining(",")));
    }

    @Test
    @Scenario("""
        {"expect": [{"requests": {"status": 200}, "count": 1}]}
        """)
    void goal(MockAPNs apns) throws Exception {
        push(apns, "Goal");
        assertEquals("Goal", apns.waitFor(1).get(0).payload("/aps/alert"));
    }

    /** Stands for your provider. */
    static void push(MockAPNs apns, String text) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(apns.url() + "/3/device/" + "a".repeat(64)))
            .headers("authorization", "bearer " + apns.token(), "apns-topic", apns.topic(), "apns-push-type", "alert")
            .POST(HttpRequest.BodyPublishers.ofString("{\"aps\": {\"alert\": \"" + text + "\"}}"));
        HttpClient.newBuilder().sslContext(apns.sslContext()).build()
            .send(request.build(), HttpResponse.BodyHandlers.discarding());
    }
}
