package mockapns;

import static mockapns.Provider.push;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** What becomes of tests with the extension: the classes below are run, and their results judged. */
class MockAPNsExtensionTest {
    static final String BUSY = """
        {"rules": [{"name": "busy", "times": 2, "then": {"reject": "TooManyRequests"}}],
         "expect": [{"name": "tried again", "requests": {"status": 200}, "count": 1}]}""";
    static final String REPORT = """
        1 of 1 expectation failed.
        FAILED  tried again
          expected  exactly 1 request with status 200
          seen      0 requests
          nearest   request 1: status is 429, not 200""";

    static final String NOTHING = "No request arrived. There was no connection.";
    static final String WRONG = "{\"rules\": [{\"then\": {\"rejekt\": \"TooManyRequests\"}}]}";
    static final String WHAT_IS_WRONG =
        "Line 1, column 22: rules[0].then.rejekt is not a key of a step; did you mean \"reject\"?";

    /** Runs a class and returns the result of each test by its name. */
    static Map<String, TestExecutionResult> run(Class<?> tests, String... configuration) {
        var request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests))
            // Not that of a server that runs these tests themselves.
            .configurationParameter("mock-apns.url", "");
        for (var at = 0; at < configuration.length; at += 2) {
            request.configurationParameter(configuration[at], configuration[at + 1]);
        }
        var results = new ConcurrentHashMap<String, TestExecutionResult>();
        LauncherFactory.create().execute(request.build(), new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) results.put(test.getDisplayName().replaceAll("\\(.*", ""), result);
            }
        });
        return results;
    }

    static Throwable error(TestExecutionResult result) {
        assertEquals(Status.FAILED, result.getStatus());
        return result.getThrowable().orElseThrow();
    }

    static void assertAllPass(int count, Map<String, TestExecutionResult> results) {
        results.forEach((name, result) -> assertEquals(Status.SUCCESSFUL, result.getStatus(), () -> name + ": " + result));
        assertEquals(count, results.size());
    }

    @ExtendWith(MockAPNsExtension.class)
    @Scenario(BUSY)
    static class Busy {
        @Test
        void triesAgain(MockAPNs apns) {
            assertEquals(List.of(429, 429, 200), List.of(push(apns, "1-0"), push(apns, "1-0"), push(apns, "1-0")));
        }

        @Test
        void givesUp(MockAPNs apns) {
            push(apns, "1-0");
        }

        @Test
        void doesNothing(MockAPNs apns) {}

        @Test
        void hasAMistakeOfItsOwn(MockAPNs apns) {
            push(apns, "1-0");
            throw new IllegalStateException("my own mistake");
        }

        @Test
        void asksItself(MockAPNs apns) {
            push(apns, "1-0");
            apns.verify();
        }

        @Test
        void isSkipped(MockAPNs apns) {
            Assumptions.assumeTrue(false);
        }

        @Test
        void playsAnother(MockAPNs apns) {
            push(apns, "1-0");
            apns.play("{}");
        }

        @Test
        void needsNoServer() {}
    }

    @Test
    void whatTheScenarioExpectsIsAPartOfTheTest() {
        var results = run(Busy.class);
        assertEquals(8, results.size());
        for (var name : List.of("triesAgain", "needsNoServer")) {
            assertEquals(Status.SUCCESSFUL, results.get(name).getStatus(), name);
        }
        assertEquals(Status.ABORTED, results.get("isSkipped").getStatus());
        for (var name : List.of("givesUp", "asksItself", "playsAnother")) {
            var error = error(results.get(name));
            assertEquals(ExpectationsFailed.class, error.getClass(), name);
            assertEquals(REPORT, error.getMessage(), name);
            var received = List.of(error.getSuppressed());
            assertTrue(received.get(received.size() - 1).toString().startsWith("mock-apns: 1 request:\n  1  "));
        }
        assertEquals(1, error(results.get("givesUp")).getSuppressed().length);
        assertEquals(1, error(results.get("asksItself")).getSuppressed().length);
        assertTrue(error(results.get("doesNothing")).getMessage().endsWith("\n" + NOTHING));

        var own = error(results.get("hasAMistakeOfItsOwn"));
        assertEquals("my own mistake", own.getMessage());
        assertEquals(REPORT, own.getSuppressed()[0].getMessage());
        assertTrue(own.getSuppressed()[1].toString().contains("429 TooManyRequests, decided by rule:busy"));
    }

    @ExtendWith(MockAPNsExtension.class)
    static class Unasked {
        @Test
        @Scenario(BUSY)
        void expects() {}

        @Test
        @Scenario("{}")
        void expectsNothing() {}

        @Test
        @Scenario(BUSY)
        void isSkipped() {
            Assumptions.assumeTrue(false);
        }

        @Test
        @Scenario(WRONG)
        void isWrong() {}

        @Test
        void needsNoServer() {}
    }

    @ExtendWith(MockAPNsExtension.class)
    @Scenario(BUSY)
    static class AskedAfterwards {
        @Test
        void thatOfTheClass() {}

        @Test
        @Scenario(BUSY)
        void thatOfTheMethod() {}

        @Test
        @Scenario("{}")
        void expectsNothing() {}

        @Test
        void isSkipped() {
            Assumptions.assumeTrue(false);
        }

        @Test
        void hasAMistakeOfItsOwn() {
            throw new IllegalStateException("my own mistake");
        }

        @AfterEach
        void ask(MockAPNs apns) {
            assertEquals(List.of(), apns.requests());
        }
    }

    @Test
    void anUnaskedScenarioIsJudged() {
        var results = run(Unasked.class);
        assertTrue(error(results.get("expects")).getMessage().endsWith("\n" + NOTHING));
        assertEquals(WHAT_IS_WRONG, error(results.get("isWrong")).getMessage());
        assertEquals(Status.ABORTED, results.get("isSkipped").getStatus());
        assertEquals(Status.SUCCESSFUL, results.get("expectsNothing").getStatus());
        assertEquals(Status.SUCCESSFUL, run(Unasked.class, "mock-apns.executable", "none").get("needsNoServer").getStatus());

        results = run(AskedAfterwards.class);
        for (var name : List.of("thatOfTheClass", "thatOfTheMethod")) {
            assertTrue(error(results.get(name)).getMessage().endsWith("\n" + NOTHING), name);
            assertEquals(0, error(results.get(name)).getSuppressed().length, name);
        }
        assertEquals(Status.SUCCESSFUL, results.get("expectsNothing").getStatus());
        assertEquals(Status.ABORTED, results.get("isSkipped").getStatus());
        assertEquals("my own mistake", error(results.get("hasAMistakeOfItsOwn")).getMessage());
    }

    @ExtendWith(MockAPNsExtension.class)
    static class Silent {
        @Test
        @Scenario(BUSY)
        void isJudged(MockAPNs apns) {}

        @Test
        @Scenario(BUSY)
        void isJudgedToo(MockAPNs apns) {
            throw new IllegalStateException("my own mistake");
        }

        @Test
        void waits(MockAPNs apns) {
            apns.waitFor(1, Map.of(), Duration.ofMillis(50));
        }

        @Test
        void hasAMistakeOfItsOwn(MockAPNs apns) {
            throw new IllegalStateException();
        }
    }

    @Test
    void thatNothingCameIsSaidOnce() {
        var results = run(Silent.class);
        assertEquals(4, results.size());
        assertEquals("mock-apns: " + NOTHING, error(results.get("hasAMistakeOfItsOwn")).getSuppressed()[0].toString());
        results.forEach((name, result) -> {
            var trace = new StringWriter();
            error(result).printStackTrace(new PrintWriter(trace));
            assertEquals(2, trace.toString().split(Pattern.quote(NOTHING), -1).length, trace.toString());
        });
    }

    @ExtendWith(MockAPNsExtension.class)
    static class Everywhere {
        @BeforeEach
        void before(MockAPNs apns) {}

        @Test
        void inTheTest(MockAPNs apns) {}

        @Test
        @Scenario(WRONG)
        void wrong(MockAPNs apns) {}

        @AfterEach
        void after(MockAPNs apns) {}
    }

    static class WithAnotherScenario {
        @RegisterExtension
        static final MockAPNsExtension SERVER = new MockAPNsExtension().scenario(7);

        @Test
        void isNone(MockAPNs apns) {}
    }

    @Test
    void whyThereIsNoServerIsSaidOnce() {
        var wrong = error(run(Everywhere.class).get("wrong"));
        assertEquals(WHAT_IS_WRONG, wrong.getMessage());
        var missing = error(run(Everywhere.class, "mock-apns.executable", "none").get("inTheTest"));
        assertEquals("There is no executable " + Path.of("none").toAbsolutePath() + ".", missing.getMessage());
        var none = error(run(Unasked.class, "mock-apns.executable", "none").get("expects"));
        assertEquals(missing.getMessage(), none.getMessage());
        for (var error : List.of(wrong, missing, none)) {
            assertEquals(ParameterResolutionException.class, error.getClass());
            assertEquals(0, error.getSuppressed().length);
            assertNull(error.getCause());
        }
        var other = error(run(WithAnotherScenario.class).get("isNone"));
        assertEquals("A text with JSON or a Map is wanted here, not 7.", other.getMessage());
        assertEquals(IllegalArgumentException.class, other.getCause().getClass());
    }

    @ExtendWith(MockAPNsExtension.class)
    static class Shared {
        static final CyclicBarrier BOTH = new CyclicBarrier(2);
        MockAPNs first;

        @BeforeEach
        void remember(MockAPNs apns) {
            first = apns;
        }

        @Test
        void one(MockAPNs apns) throws Exception {
            both(apns);
        }

        @Test
        void two(MockAPNs apns) throws Exception {
            both(apns);
        }

        void both(MockAPNs apns) throws Exception {
            assertSame(first, apns);
            BOTH.await();
            push(apns, "1-0");
            BOTH.await();
            assertEquals(1, apns.requests().size());
        }
    }

    @Test
    void testsRunInParallel() {
        assertAllPass(2, run(Shared.class, "junit.jupiter.execution.parallel.enabled", "true",
            "junit.jupiter.execution.parallel.mode.default", "concurrent",
            "junit.jupiter.execution.parallel.config.strategy", "fixed",
            "junit.jupiter.execution.parallel.config.fixed.parallelism", "2"));
    }

    static class Own {
        @RegisterExtension
        static final MockAPNsExtension SERVER = MockAPNsExtension.withOptions("--auth", "none").scenario(BUSY);

        @Test
        void plays(MockAPNs apns) {
            var client = HttpClient.newBuilder().sslContext(apns.sslContext()).build();
            assertEquals(List.of(429, 429, 200), List.of(push(client, apns, ""), push(client, apns, ""), push(client, apns, "")));
        }

        @Test
        @Scenario("{}")
        void playsAnother(MockAPNs apns) {
            assertEquals(List.of(), apns.session("{}").requests());
        }
    }

    @Test
    void aServerOfItsOwn() {
        assertAllPass(2, run(Own.class));
    }

    @ExtendWith(MockAPNsExtension.class)
    @Scenario("tour")
    static class Named {
        @Test
        void aBuiltInOne(MockAPNs apns) {
            apns.device("alice").offline();
            apns.reset();
            apns.play("{}");
        }

        @Nested
        class Inside {
            @Test
            void nested(MockAPNs apns) {
                assertEquals(false, apns.device("alice").json().get("online"));
                apns.play("{}");
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"a", "b"})
        @Scenario("beside.json")
        void aResource(String text, MockAPNs apns) {
            assertEquals(64, apns.device("beside").token().length());
        }
    }

    @Test
    void theNearestScenarioCounts() {
        assertAllPass(4, run(Named.class));
    }

    @ExtendWith(MockAPNsExtension.class)
    static class Constructed {
        Constructed(MockAPNs apns) {}

        @Test
        void test() {}
    }

    @Test
    void noServerForAConstructor() {
        assertTrue(error(run(Constructed.class).get("test")).getMessage().contains("ask for it in the test's method"));
    }

    @ExtendWith(MockAPNsExtension.class)
    static class Theirs {
        @Test
        void isInASession(MockAPNs apns) {
            assertTrue(apns.adminURL().getPath().startsWith("/api/v1/sessions/theirs-is-in-a-session"), apns.toString());
            assertEquals(429, push(apns, "1-0"));
            assertEquals(200, push(apns, "1-0"));
        }
    }

    @Test
    void aServerThatIsRunning() {
        try (var server = MockAPNs.start()) {
            server.play("{\"rules\": [{\"times\": 1, \"then\": {\"reject\": \"TooManyRequests\"}}]}");
            // Another run is at the same test.
            try (var taken = server.session(Map.of("name", "theirs-is-in-a-session"), null)) {
                assertAllPass(1, run(Theirs.class, "mock-apns.url", server.adminURL().toString()));
                assertEquals(List.of(), taken.requests());
            }
            assertEquals(List.of(), server.admin().get("/sessions").get("sessions"));
        }
        var error = error(run(Theirs.class, "mock-apns.url", "http://127.0.0.1:9").get("isInASession"));
        assertEquals("No mock-apns answers at http://127.0.0.1:9: it cannot be reached.", error.getMessage());
    }

    @Test
    void anExecutableThatIsGiven() {
        var error = error(run(Theirs.class, "mock-apns.executable", Path.of("none").toString()).get("isInASession"));
        assertEquals("There is no executable " + Path.of("none").toAbsolutePath() + ".", error.getMessage());
    }
}
