package mockapns;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * Gives a mock APNs server that has received no push to each test that has a parameter of type {@link MockAPNs}:
 *
 * <pre>{@code
 * @ExtendWith(MockAPNsExtension.class)
 * class ScoreTest {
 *     @Test
 *     @Scenario("busy.json")
 *     void triesAgain(MockAPNs apns) { … }
 * }
 * }</pre>
 *
 * <p>One server is started for all tests, when the first one needs it, unless {@code MOCK_APNS_ADMIN_URL} names one that is
 * running. Each test has a session on it, so tests can run in parallel. What the scenario expects is judged after the test's
 * method, as part of the test: always if {@link Scenario} is on the method, otherwise if the test asks for a server. If a test
 * fails, its error has the report, and what the server received, as suppressed exceptions.
 *
 * <p>Configuration parameters of JUnit, which can be system properties: {@code mock-apns.url}, the admin port of a running
 * server, as the variable; {@code mock-apns.executable}, as the variable {@code MOCK_APNS_EXECUTABLE};
 * {@code mock-apns.published-ports}, such as {@code 12300-12399:2300-2399}, how a container publishes the ports of sessions;
 * several have commas between.
 */
public final class MockAPNsExtension
    implements ParameterResolver, BeforeTestExecutionCallback, AfterTestExecutionCallback, AfterEachCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(MockAPNsExtension.class);

    private final String[] options;
    private Object scenario;

    /** Each test has a session on one server. */
    public MockAPNsExtension() {
        this(new String[0]);
    }

    private MockAPNsExtension(String[] options) {
        this.options = options;
    }

    /**
     * For {@code @RegisterExtension}: each test has a server of its own.
     *
     * @param options those of {@code mock-apns serve}: {@code withOptions("--auth", "none", "--threads", "2")}
     */
    public static MockAPNsExtension withOptions(String... options) {
        if (options.length == 0) throw new IllegalArgumentException("withOptions wants options of mock-apns serve.");
        return new MockAPNsExtension(options.clone());
    }

    /** For {@code @RegisterExtension}: what servers of tests without {@link Scenario} play, as for {@link MockAPNs#play}. */
    public MockAPNsExtension scenario(Object scenario) {
        this.scenario = scenario;
        return this;
    }

    // The server of a test.

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == MockAPNs.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        if (test.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("A test has a server of its own: ask for it in the test's method or in"
                + " @BeforeEach, not in @BeforeAll or a constructor.");
        }
        return server(test);
    }

    /** A scenario on the method is judged, even if the test asks for no server. */
    @Override
    public void beforeTestExecution(ExtensionContext test) {
        if (AnnotationSupport.isAnnotated(test.getRequiredTestMethod(), Scenario.class)) server(test);
    }

    private MockAPNs server(ExtensionContext test) {
        var given = store(test).getOrComputeIfAbsent(Given.class, key -> give(test), Given.class);
        if (given.refusal != null) throw given.refusal;
        return given.apns;
    }

    private Given give(ExtensionContext test) {
        try {
            return new Given(open(test), null);
        } catch (RuntimeException error) {
            // JUnit puts every other exception into one of its own. Ours has said everything in its message.
            var cause = error instanceof MockAPNsException ? null : error;
            return new Given(null, new ParameterResolutionException(error.getMessage(), cause));
        }
    }

    /** What a test was given: a server, or the reason why there is none, which JUnit shows once if it is always the same. */
    private static final class Given {
        final MockAPNs apns;
        final ParameterResolutionException refusal;
        boolean judged;

        Given(MockAPNs apns, ParameterResolutionException refusal) {
            this.apns = apns;
            this.refusal = refusal;
        }
    }

    private MockAPNs open(ExtensionContext test) {
        var played = scenario(test);
        var apns = options.length > 0 ? ownServer(test, played) : shared(test).session(test, played);
        // Expectations that are about to be dropped have to hold, unless nothing has come since they were made.
        apns.beforeReplacing = () -> {
            if (apns.count(Map.of()) > 0) apns.verify();
        };
        return apns;
    }

    private MockAPNs ownServer(ExtensionContext test, Object played) {
        var apns = MockAPNs.start(shared(test).executable, options);
        try {
            apns.beside = test.getRequiredTestClass();
            if (played != null) apns.play(played);
            return apns;
        } catch (RuntimeException error) {
            apns.close();
            throw error;
        }
    }

    /** The scenario of the nearest annotation, or that of the field. */
    private Object scenario(ExtensionContext test) {
        var found = AnnotationSupport.findAnnotation(test.getRequiredTestMethod(), Scenario.class);
        for (Class<?> type = test.getRequiredTestClass(); found.isEmpty() && type != null; type = type.getEnclosingClass()) {
            found = AnnotationSupport.findAnnotation(type, Scenario.class);
        }
        return found.<Object>map(Scenario::value).orElse(scenario);
    }

    private static ExtensionContext.Store store(ExtensionContext test) {
        return test.getStore(NAMESPACE);
    }

    private static Shared shared(ExtensionContext test) {
        return store(test.getRoot()).getOrComputeIfAbsent(Shared.class, key -> new Shared(test), Shared.class);
    }

    // The end of a test.

    @Override
    public void afterTestExecution(ExtensionContext test) {
        var given = store(test).get(Given.class, Given.class);
        var error = test.getExecutionException().orElse(null);
        if (given == null || given.apns == null || error instanceof TestAbortedException) return;
        given.judged = true;
        try {
            given.apns.verifyAtEnd();
        } catch (ExpectationsFailed failure) {
            // The test itself may have asked.
            if (!(error instanceof ExpectationsFailed) || !failure.getMessage().equals(error.getMessage())) throw failure;
        }
    }

    @Override
    public void afterEach(ExtensionContext test) {
        var given = store(test).remove(Given.class, Given.class);
        if (given == null || given.apns == null) return;
        var error = test.getExecutionException().orElse(null);
        var skipped = error instanceof TestAbortedException;
        try {
            // Only a method with @AfterEach has asked for it.
            if (error == null && !given.judged) given.apns.verifyAtEnd();
            if (error != null && !skipped) addReceived(error, Report.log(given.apns.admin()));
        } finally {
            given.apns.close(!skipped);
        }
    }

    /** Unless it says so already, as an error does when nothing came. */
    private static void addReceived(Throwable error, String log) {
        var said = Stream.concat(Stream.of(error), Stream.of(error.getSuppressed())).map(Throwable::getMessage);
        if (said.noneMatch(message -> message != null && message.contains(log))) error.addSuppressed(new Received(log));
    }

    /** What the server received, to be shown beside the error of a test. */
    private static final class Received extends Exception {
        private static final long serialVersionUID = 1;

        Received(String text) {
            super(text, null, false, false);
        }

        @Override
        public String toString() {
            return "mock-apns: " + getMessage();
        }
    }

    // The server of all tests.

    /** The server on which tests have sessions, started or looked for when the first one needs it. */
    private static final class Shared implements ExtensionContext.Store.CloseableResource {
        private final String url;
        private final Path executable;
        private final PublishedPorts ports;
        private MockAPNs server;
        /** What a server that was started elsewhere plays; sessions begin with it. */
        private Map<String, Object> theirs;
        private String failure;

        Shared(ExtensionContext test) {
            var named = test.getConfigurationParameter("mock-apns.url").orElse(System.getenv("MOCK_APNS_ADMIN_URL"));
            url = named == null || named.isEmpty() ? null : named;
            executable = test.getConfigurationParameter("mock-apns.executable").map(Path::of).orElse(null);
            ports = test.getConfigurationParameter("mock-apns.published-ports").map(PublishedPorts::of).orElse(null);
        }

        MockAPNs session(ExtensionContext test, Object scenario) {
            var server = server();
            var name = name(test);
            try {
                return session(server, name, test, scenario);
            } catch (MockAPNsException error) {
                if (!error.code().equals("taken")) throw error;
                // Another run is at the same test.
                var other = name.substring(0, Math.min(56, name.length())) + "-" + UUID.randomUUID().toString().substring(0, 6);
                return session(server, other, test, scenario);
            }
        }

        private MockAPNs session(MockAPNs server, String name, ExtensionContext test, Object scenario) {
            var settings = new LinkedHashMap<String, Object>(Map.of("name", name));
            if (scenario == null && theirs != null) settings.put("scenario", theirs);
            return server.session(settings, scenario, ports, test.getRequiredTestClass());
        }

        /** Lowercase letters, digits and hyphens, at most 63. */
        private static String name(ExtensionContext test) {
            var words = new ArrayList<>(List.of(test.getRequiredTestClass().getSimpleName(), test.getRequiredTestMethod().getName()));
            if (!test.getDisplayName().startsWith(words.get(1) + "(")) words.add(test.getDisplayName());
            var name = String.join("-", words).replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-").toLowerCase().replaceAll("[^a-z0-9]+", "-");
            name = name.substring(0, Math.min(63, name.length())).replaceAll("^-+|-+$", "");
            return name.isEmpty() ? "test" : name;
        }

        private synchronized MockAPNs server() {
            // What failed once fails for each test; none has to try again.
            if (failure != null) throw new MockAPNsException(failure);
            if (server != null && server.isAlive()) return server;
            try {
                if (server != null) server.close();
                server = url == null ? MockAPNs.start(executable) : running();
                return server;
            } catch (MockAPNsException error) {
                failure = error.getMessage();
                throw error;
            }
        }

        private MockAPNs running() {
            var found = MockAPNs.at(url);
            var answer = found.admin().exchange("GET", "/scenario", null);
            if (answer.status() >= 400) throw Sessions.refusal(found.admin(), answer);
            theirs = Json.map(answer.body());
            return found;
        }

        @Override
        public synchronized void close() {
            if (server != null) server.close();
        }
    }
}
