package mockapns;

import static mockapns.Provider.ALICE;
import static mockapns.Provider.push;
import static mockapns.Provider.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a test can ask of a server. */
@ExtendWith(MockAPNsExtension.class)
class MockAPNsTest {
    static final String CLOCK_AND_ALICE = """
        {"clock": {"manual": "now"}, "devices": [{"name": "alice", "token": "%s"}]}""".formatted(ALICE);

    @Test
    void recordsPushes(MockAPNs apns) {
        assertEquals(200, push(apns, "1-0", "apns-collapse-id", "score-1"));
        var request = apns.waitFor(1).get(0);
        assertEquals(1, request.sequence());
        assertEquals(200, request.status());
        assertEquals("score-1", request.collapseID());
        assertEquals("score-1", request.header("APNS-Collapse-ID"));
        assertEquals("1-0", request.payload("/aps/alert"));
        assertNull(request.payload("/aps/alert/title"));
        assertNull(request.reason());
        assertNull(request.priority());
        assertEquals("provider", request.get("sentBy"));
        assertTrue(request.time().isBefore(Instant.now().plusSeconds(60)));
        assertEquals("alert to aaaaaaaa…aaaa, 200", request.toString());
        assertThrows(IllegalArgumentException.class, () -> request.get("apnsId"));
    }

    @Test
    void countsWhatMatches(MockAPNs apns) {
        push(apns, "1-0", "apns-collapse-id", "score-1");
        push(apns, "2-0", "apns-priority", "7");
        assertEquals(1, apns.count(Map.of("collapseID", Map.of("prefix", "score-"))));
        assertEquals(1, apns.count("{\"status\": {\"oneOf\": [400, 429]}}"));
        assertEquals(1, apns.requests("{\"collapseID\": null}").size());
        assertEquals("BadPriority", apns.requests(Map.of("status", 400)).get(0).reason());
        assertEquals(2, apns.requests().size());
        assertEquals(0, apns.dropped());
    }

    @Test
    void aMisspelledNameIsAnErrorWithTheNearestOne(MockAPNs apns) {
        var error = assertThrows(MockAPNsException.class, () -> apns.count(Map.of("pushtype", "alert")));
        assertEquals(400, error.status());
        assertEquals("badValue", error.code());
        assertEquals("/requests/pushtype", error.pointer());
        assertTrue(error.getMessage().contains("did you mean \"pushType\"?"), error.getMessage());
    }

    @Test
    void aWaitThatTimesOutSaysWhatCameNearest(MockAPNs apns) {
        var none = assertThrows(AssertionError.class, () -> apns.waitFor(1, Map.of(), Duration.ofMillis(50)));
        assertEquals("""
            Not enough requests within 0.05s.
              expected  at least 1 request
              seen      0 requests
            No request arrived. There was no connection.""", none.getMessage());
        push(apns, "1-0");
        var error = assertThrows(AssertionError.class, () -> apns.waitFor(1, Map.of("status", 429), Duration.ofMillis(50)));
        assertTrue(error.getMessage().contains("nearest   request 1: status is 200, not 429"), error.getMessage());
        assertThrows(IllegalArgumentException.class, () -> apns.waitFor(0));
    }

    @Test
    void waitsForNone(MockAPNs apns) throws Exception {
        apns.waitForNone(Map.of(), Duration.ofMillis(50));
        var done = new AtomicBoolean();
        var provider = new Thread(() -> {
            while (!done.get()) push(apns, "1-0");
        });
        provider.start();
        var error = assertThrows(AssertionError.class, () -> apns.waitForNone(Map.of("status", 200), Duration.ofMinutes(2)));
        done.set(true);
        provider.join();
        assertTrue(error.getMessage().startsWith("A request came that was not expected.\n  request "), error.getMessage());
        assertTrue(error.getMessage().contains(": alert to aaaaaaaa…aaaa, 200"), error.getMessage());
    }

    @Test
    void rules(MockAPNs apns) {
        apns.addRule(Map.of("times", 1, "when", Map.of("pushType", "alert"), "then", Map.of("reject", "Unregistered")));
        assertEquals(410, push(apns, "1-0"));
        assertEquals(200, push(apns, "1-0"));
        var name = apns.addRule("{\"then\": {\"reject\": \"TooManyRequests\"}}");
        assertEquals(429, push(apns, "1-0"));
        apns.deleteRule(name);
        assertEquals(200, push(apns, "1-0"));
    }

    @Test
    void devicesAndTheClock(MockAPNs apns) {
        apns.play(CLOCK_AND_ALICE);
        var alice = apns.device("alice");
        alice.offline();
        push(apns, "1-0", "apns-expiration", "9999999999");
        assertEquals("1-0", Json.map(Json.map(alice.stored().get(0).payload()).get("aps")).get("alert"));
        apns.advance("10m");
        apns.advance(Duration.ofSeconds(1));
        assertEquals(List.of(), alice.displayed());
        alice.online();
        var shown = alice.displayed().get(0);
        assertEquals(1, shown.sequence());
        assertEquals(1, alice.received());
        assertEquals(0, alice.badge());
        alice.dismiss(shown);
        assertEquals(List.of(), alice.displayed());
        alice.power("saving");
        push(apns, "1-1", "apns-priority", "5");
        assertEquals(1, alice.stored().size());
        alice.power("normal");
        assertEquals(List.of(), alice.stored());
        alice.platform("tvOS");
        assertEquals("tvOS", alice.json().get("platform"));
        assertThrows(MockAPNsException.class, () -> alice.platform("tvos"));
        alice.uninstall();
        assertEquals(410, push(apns, "1-0"));
        alice.delete();
        assertEquals(404, assertThrows(MockAPNsException.class, alice::token).status());

        var bob = apns.addDevice(Map.of("name", "bob", "online", false));
        assertEquals(64, bob.token().length());
        bob.change("{\"online\": true}");
        assertEquals(true, bob.json().get("online"));
    }

    @Test
    @Scenario("""
        {"clock": {"manual": "2026-01-01T00:00:00Z"},
         "apps": [{"topic": "com.example.app", "categories": [{"id": "GAME", "actions":
           [{"id": "WATCH", "title": "Watch"}, {"id": "REPLY", "title": "Reply", "textInput": {}}]}]}]}""")
    void whatADeviceDoes(MockAPNs apns) {
        var alice = apns.addDevice(Map.of("name", "alice", "topic", apns.topic()));
        var background = Map.of("content-available", 1);
        alice.app(Map.of("state", "forceQuit"));
        assertEquals(200, push(apns, alice.token(), background));
        var entry = alice.history().get(0);
        assertEquals(1, entry.sequence());
        assertEquals("dropped", entry.state());
        assertEquals(Instant.parse("2026-01-01T00:00:00Z"), entry.clock());
        assertEquals("The user has force-quit the app, so the push does not wake it.", entry.why());
        alice.app(Map.of("state", "notRunning"), apns.topic());
        alice.budget("background", 1, Duration.ofHours(1));
        push(apns, alice.token(), background);
        push(apns, alice.token(), background);
        apns.advance("1h");
        assertEquals(List.of("dropped", "woke", "heldByBudget", "woke"), states(alice));
        assertEquals("forceQuit", Json.map(alice.json().get("app")).get("state"));

        alice.notifications(Map.of("sound", false, "alert", false));
        for (var text : List.of("1-0", "2-0", "3-0")) push(apns, alice.token(), Map.of("alert", text, "category", "GAME"));
        var shown = alice.displayed();
        assertEquals(false, Json.map(shown.get(0).json().get("shown")).get("banner"));
        alice.open(shown.get(0));
        alice.open(shown.get(1), "WATCH");
        alice.open(shown.get(2), "REPLY", "Yes");
        assertEquals(List.of(), alice.displayed());
        assertEquals(List.of("opened", "opened", "opened"), states(alice).subList(7, 10));
        assertTrue(alice.history().get(8).why().contains("\"WATCH\""));
        alice.notifications(false);
        assertEquals(false, alice.json().get("notifications"));
        assertEquals(404, assertThrows(MockAPNsException.class, () -> alice.open(shown.get(0))).status());
    }

    private static List<String> states(Device device) {
        return device.history().stream().map(Device.HistoryEntry::state).toList();
    }

    @Test
    @Scenario("{\"liveActivities\": {\"tokens\": \"own\"}}")
    void liveActivitiesAndANewToken(MockAPNs apns) {
        var device = apns.addDevice(Map.of("topic", apns.topic()));
        var old = device.token();
        var start = Map.of("event", "start", "timestamp", 1, "content-state", Map.of(), "attributes-type", "Match",
            "attributes", Map.of(), "alert", Map.of("title", "Goal"), "input-push-token", 1);
        assertEquals(400, push(apns, old, start));
        assertEquals(200, push(apns, device.pushToStartToken(), start));
        var activity = device.waitForActivities(1).get(0);
        assertEquals(apns.topic(), activity.get("topic"));
        var token = (String) activity.get("token");
        assertEquals(200, push(apns, token, Map.of("event", "update", "timestamp", 2, "content-state", Map.of())));
        assertEquals(200, push(apns, token, Map.of("event", "end", "timestamp", 3)));
        assertEquals(410, push(apns, token, Map.of("event", "update", "timestamp", 4, "content-state", Map.of())));
        var error = assertThrows(AssertionError.class, () -> device.waitForActivities(2, apns.topic(), Duration.ofMillis(50)));
        assertEquals("""
            Not enough Live Activities within 0.05s.
              expected  at least 2 Live Activities of %s with topic com.example.app, not ended
              seen      0 Live Activities""".formatted(old), error.getMessage());
        assertEquals(400, assertThrows(MockAPNsException.class, () -> device.waitForActivities(0)).status());

        var renewed = device.renewToken();
        assertEquals(renewed, device.token());
        assertEquals(410, push(apns, old, Map.of("alert", "Goal")));
        assertEquals(200, push(apns, renewed, Map.of("alert", "Goal")));
        apns.addDevice(Map.of("name", "bob", "topics", List.of(apns.topic(), "com.example.other")));
        var bob = apns.device("bob");
        assertEquals(bob.renewToken(), bob.token());
        assertEquals("bob", bob.toString());
        assertThrows(MockAPNsException.class, bob::pushToStartToken);
        apns.play("{}");
        assertNull(apns.addDevice(Map.of()).pushToStartToken());
    }

    @Test
    void channels(MockAPNs apns) {
        assertEquals(List.of(), apns.channels());
        var channel = apns.addChannel("match-7");
        assertEquals(List.of(channel), apns.channels());
        assertEquals(channel, apns.channel("match-7"));
        assertEquals(channel, apns.channel(channel.id()));
        var alice = apns.addDevice(Map.of("name", "alice"));
        alice.subscribe("match-7", "score");
        assertEquals(1, apns.channel("match-7").subscribers());
        assertEquals(1, apns.uniqueSubscribers());
        assertEquals(1, alice.activities().size());
        alice.endActivity("score");
        alice.subscribe("match-7");
        alice.unsubscribe("match-7");
        alice.startActivity("own");
        assertEquals(1, alice.activities().size());
        alice.dismissActivity("own");
        assertEquals(List.of(), alice.activities());
        assertEquals(0, apns.uniqueSubscribers());
        apns.deleteChannel("match-7");
        assertEquals(List.of(), apns.channels());
    }

    @Test
    void verifies(MockAPNs apns) {
        push(apns, "1-0");
        var verification = apns.verify(Map.of("requests", Map.of("status", 200), "count", 1), "{\"connections\": 1}");
        assertEquals(2, verification.results().size());
        var error = assertThrows(ExpectationsFailed.class, () -> apns.verify("{\"requests\": {\"status\": 429}, \"count\": 1}"));
        assertEquals("""
            1 of 1 expectation failed.
            FAILED  expect[0]
              expected  exactly 1 request with status 429
              seen      0 requests
              nearest   request 1: status is 200, not 429""", error.getMessage());
        assertEquals(false, error.verification().results().get(0).get("passed"));
    }

    @Test
    void lint(MockAPNs apns) {
        push(apns, "");
        var finding = apns.lint().get(0);
        assertEquals(List.of("alert-empty", "warning", "/aps/alert", 1L, 1L), List.of(finding.rule(), finding.severity(),
            finding.pointer(), finding.count(), finding.sequence()));
        assertEquals(List.of(), apns.lint(Map.of("severity", "error")));
    }

    @Test
    void goAwayNamesTheConnections(MockAPNs apns) {
        var client = HttpClient.newBuilder().sslContext(apns.sslContext()).build();
        push(client, apns, "1-0", with(apns.token()));
        assertEquals(1, apns.goAway(Map.of("reason", "Shutdown")).size());
    }

    @Test
    void resets(MockAPNs apns) {
        push(apns, "1-0");
        apns.reset();
        assertEquals(List.of(), apns.requests());
    }

    @Test
    void tokens(MockAPNs apns) {
        assertEquals(apns.token(), apns.token());
        var client = HttpClient.newBuilder().sslContext(apns.sslContext()).build();
        push(client, apns, "1-0", with(apns.token(Instant.now().minusSeconds(7200))));
        assertEquals("ExpiredProviderToken", apns.waitFor(1).get(0).reason());
    }

    @Test
    void clientCertificates(MockAPNs apns) {
        var client = HttpClient.newBuilder().sslContext(apns.sslContext(apns.clientCertificate())).build();
        assertEquals(200, push(client, apns, "1-0"));
        var voip = apns.clientCertificate("voip", "com.example.other");
        assertTrue(voip.topics().contains("com.example.other.voip"), voip.topics().toString());
        assertTrue(Files.exists(voip.certificate()) && Files.exists(voip.key()));
    }

    @Test
    void anotherProcessGetsTheVariablesOfExec(MockAPNs apns) throws Exception {
        var env = apns.env();
        assertEquals(apns.url(), env.get("MOCK_APNS_URL"));
        assertEquals(apns.adminURL().toString(), env.get("MOCK_APNS_ADMIN_URL"));
        assertEquals(String.valueOf(apns.port()), env.get("MOCK_APNS_PORT"));
        assertEquals(Files.readString(apns.ca()), Files.readString(Path.of(env.get("MOCK_APNS_CA"))));
        assertEquals(Files.readString(apns.key()), Files.readString(Path.of(env.get("MOCK_APNS_KEY"))));
        for (var file : List.of("client.pem", "client.key", "client.p12")) {
            assertTrue(Files.exists(Path.of(env.get("MOCK_APNS_CERTS"), file)), file);
        }
        assertTrue(Files.readString(Path.of(env.get("SSL_CERT_FILE"))).endsWith(Files.readString(apns.ca())));
        assertTrue(env.get("no_proxy").endsWith("localhost,127.0.0.1,::1"), env.get("no_proxy"));
        assertEquals(List.of(), apns.manageURLs());
        assertEquals("127.0.0.1", apns.host());
    }

    @Test
    void sessionsWithinASession(MockAPNs apns) {
        try (var other = apns.session("tour")) {
            assertNotEquals(apns.url(), other.url());
            other.advance("1h");
            push(apns, "1-0");
            assertEquals(List.of(), other.requests());
            assertEquals(1, apns.requests().size());
        }
    }

    @Test
    void mistakesInAScenario(MockAPNs apns, @TempDir Path folder) throws Exception {
        var wrong = "{\"rules\": [{\"then\": {\"rejekt\": \"TooManyRequests\"}}]}";
        var error = assertThrows(MockAPNsException.class, () -> apns.play(wrong));
        assertEquals("/rules/0/then/rejekt", error.pointer());
        var file = Files.writeString(folder.resolve("wrong.json"), wrong);
        var inFile = assertThrows(MockAPNsException.class, () -> apns.play(file));
        assertEquals(file + ": " + error.getMessage(), inFile.getMessage());
        var missing = assertThrows(MockAPNsException.class, () -> apns.play("no/such.json"));
        assertTrue(missing.getMessage().startsWith("There is no scenario no/such.json in "), missing.getMessage());
        assertEquals(404, assertThrows(MockAPNsException.class, () -> apns.play("no-such")).status());
    }

    @Test
    void keysOfAScenarioLieBesideItsFile(MockAPNs apns, @TempDir Path folder) throws Exception {
        Files.copy(apns.key(), folder.resolve("our.p8"));
        var file = Files.writeString(folder.resolve("keys.json"), """
            {"authentication": {"teams": [{"teamID": "TEAM123456", "topics": ["com.example.app"],
                                           "keys": [{"keyID": "KEY1234567", "file": "our.p8"}]}]}}""");
        apns.play(file.toString());
        assertEquals("KEY1234567", apns.keyID());
        assertTrue(assertThrows(MockAPNsException.class, apns::key).getMessage().contains("scenario's own"));
    }

    @Test
    void aServerOfOnesOwn() {
        MockAPNs started;
        Path folder;
        try (var apns = MockAPNs.start("--auth", "none", "--admin-token", "secret")) {
            started = apns;
            folder = apns.ca().getParent().getParent();
            var client = HttpClient.newBuilder().sslContext(apns.sslContext()).build();
            assertEquals(200, push(client, apns, "1-0"));
            assertEquals("secret", apns.env().get("MOCK_APNS_ADMIN_TOKEN"));
            assertTrue(Files.exists(folder));
            var error = assertThrows(MockAPNsException.class, () -> MockAPNs.at(apns.adminURL().toString()).requests());
            assertEquals(401, error.status());
        }
        assertFalse(Files.exists(folder));
        var error = assertThrows(MockAPNsException.class, started::requests);
        assertTrue(error.getMessage().contains("ended by itself (exit code"), error.getMessage());
    }

    @Test
    void aServerThatIsRunningAlready(MockAPNs apns) {
        Path folder;
        try (var same = MockAPNs.at(apns.adminURL().toString())) {
            assertEquals(200, push(same, "1-0"));
            folder = same.ca().getParent();
        }
        assertFalse(Files.exists(folder));
        assertEquals(1, apns.requests().size());
    }

    @Test
    void whatCannotBeStarted(@TempDir Path folder) throws Exception {
        var option = assertThrows(MockAPNsException.class, () -> MockAPNs.start("--treads", "2"));
        assertTrue(option.getMessage().contains("could not be started (exit code 64): "), option.getMessage());
        assertFalse(option.getMessage().contains("Usage:"), option.getMessage());
        var missing = assertThrows(MockAPNsException.class, () -> MockAPNs.start(folder.resolve("none")));
        assertEquals("There is no executable " + folder.resolve("none") + ".", missing.getMessage());
        var other = Files.writeString(folder.resolve("other"), "#!/bin/sh\necho hello\n");
        assertEquals(other + " is not executable.", assertThrows(MockAPNsException.class, () -> MockAPNs.start(other)).getMessage());
        assertTrue(other.toFile().setExecutable(true));
        assertEquals(other + " is not mock-apns: its first line is hello.",
            assertThrows(MockAPNsException.class, () -> MockAPNs.start(other)).getMessage());
        var address = assertThrows(MockAPNsException.class, () -> MockAPNs.at("https://127.0.0.1"));
        assertTrue(address.getMessage().contains("is not the address of an admin port"), address.getMessage());
    }

    @Test
    void portsOfAContainer() {
        var ports = PublishedPorts.of("12300-12399:2300-2399");
        assertEquals("https://docker:12307", Sessions.reachable("https://127.0.0.1:2307", "docker", ports));
        assertEquals("https://docker:2307", Sessions.reachable("https://127.0.0.1:2307", "docker", null));
        assertNull(Sessions.reachable("https://docker:2307", "docker", null));
        assertNull(Sessions.reachable("https://127.0.0.1:2307", "localhost", null));
        assertThrows(MockAPNsException.class, () -> ports.published(2400));
        assertEquals(4444, PublishedPorts.of("3333-3334:2300-2301,4444:2302").published(2302));
        for (var wrong : List.of("", "1-2", "1-2:3", "2-1:2-1", "a:b", "1:2,", "1:2,3")) {
            assertThrows(MockAPNsException.class, () -> PublishedPorts.of(wrong), wrong);
        }
    }

    @Test
    void textsOfOthersAreShownWithEscapes() {
        assertEquals("a\\u{1B}[31m\\nb\\t\\u{202E}", Report.line("a\u001b[31m\nb\t\u202e"));
        assertEquals("a\nb\tc", Report.block("a\nb\tc"));
    }
}
