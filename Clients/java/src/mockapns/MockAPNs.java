package mockapns;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/**
 * A running server: what a provider needs to push to it, what it has received, and how it answers next.
 *
 * <p>{@link MockAPNsExtension} gives one to each test; {@link #start} starts one without JUnit.
 *
 * <p>A parameter {@code Object} with JSON takes a text, such as a text block, or a Map: {@code Map.of("status", 200)}. A
 * match has conditions for recorded requests, all of which must hold, as in a scenario. A duration is a text such as
 * {@code "10m"}, or a Duration.
 */
public final class MockAPNs implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Admin admin;
    /** The process of the server, if it is ours and this is no session of it. */
    private final ServerProcess process;
    /** The server that this is a session of. */
    private final MockAPNs server;
    private final String identityPath;
    /** Where files for the provider are, once there are any; {@code temporary} if it is a folder of our own. */
    private Path files;
    private Folder temporary;
    private Identity identity;
    /** For the extension: the class beside which scenarios lie, and what is done before one is replaced. */
    Class<?> beside;
    Runnable beforeReplacing = () -> {};

    private MockAPNs(Admin admin, ServerProcess process, MockAPNs server, String identityPath) {
        this.admin = admin;
        this.process = process;
        this.server = server;
        this.identityPath = identityPath;
    }

    /**
     * Starts a server on free ports, and returns when it is ready. It ends when it is closed, or with this process.
     *
     * @param options those of {@code mock-apns serve}: {@code start("--auth", "none")}
     */
    public static MockAPNs start(String... options) { return start((Path) null, options); }

    /** Starts a server with this executable, rather than that of MOCK_APNS_EXECUTABLE or the one on the PATH. */
    public static MockAPNs start(Path executable, String... options) {
        var given = executable == null ? System.getProperty("mock-apns.executable") : executable.toString();
        var process = new ServerProcess(given, options);
        return new MockAPNs(new Admin((String) process.ready.get("admin"), process.token, process), process, null, "/identity");
    }

    /** A server that is already running, by the address of its admin port, such as {@code http://127.0.0.1:2198}. */
    public static MockAPNs at(String adminURL) {
        return new MockAPNs(new Admin(adminURL, null, null), null, null, "/identity");
    }

    /** Opens a session, a server of its own within this one, that plays a scenario, as for {@link #play}, until it is closed. */
    public MockAPNs session(Object scenario) { return session(Map.of(), scenario); }

    /**
     * Opens a session.
     *
     * @param settings {@code name}, {@code port}, {@code serverName}, {@code expiresAfter}; each may be absent
     * @param scenario what it plays, or null
     */
    public MockAPNs session(Map<String, ?> settings, Object scenario) { return session(settings, scenario, null, beside); }

    MockAPNs session(Map<String, ?> settings, Object scenario, PublishedPorts ports, Class<?> beside) {
        var opened = Sessions.open(admin.root(), settings);
        var address = Sessions.reachable((String) opened.get("apns"), admin.host, ports);
        var path = address == null ? "/identity" : "/identity?url=" + Admin.quoted(address);
        var session = new MockAPNs(admin.session((String) opened.get("name")), null, server == null ? this : server, path);
        session.beside = beside;
        try {
            if (scenario != null) session.playNow(scenario);
            return session;
        } catch (RuntimeException error) {
            session.close();
            throw error;
        }
    }

    /** Ends what was started or opened here, and removes the files that were made for the provider. */
    @Override
    public void close() { close(true); }

    /** Unless it is judged, a session's expectations do not count for {@code mock-apns exec}. */
    synchronized void close(boolean judged) {
        if (process != null) {
            process.stop();
        } else if (server != null) {
            if (files != null) Folder.delete(files);
            if (server.isAlive()) end(judged ? "" : "?judge=false");
        } else if (temporary != null) {
            temporary.close();
        }
        temporary = null;
        files = null;
        identity = null;
    }

    private void end(String how) {
        var answer = admin.exchange("DELETE", how, null);
        // 404 when the session has ended by itself.
        if (answer.status() >= 400 && answer.status() != 404) throw Admin.error(answer);
    }

    boolean isAlive() { return process == null || process.isAlive(); }

    Admin admin() { return admin; }

    // What a provider has to be given.

    /** Where to push to, such as {@code https://127.0.0.1:40123}. */
    public String url() { return identity().url.toString(); }

    /** The host of {@link #url}. */
    public String host() { return identity().host(); }

    /** The port of {@link #url}. */
    public int port() { return identity().port(); }

    /** Where to manage broadcast channels: an address for each {@code --manage-port}. If there is none, use {@link #url}. */
    public List<String> manageURLs() { return identity().manageURLs; }

    /** The certificate authority that the provider has to trust, as a PEM file. */
    public Path ca() { return identity().ca; }

    /** The key that provider tokens are signed with, as a {@code .p8} file. */
    public Path key() { return identity().key(); }

    /** The id of {@link #key}. */
    public String keyID() { return identity().keyID; }

    /** The id of the team that {@link #key} belongs to. */
    public String teamID() { return identity().teamID; }

    /** The topic to push to: the app's bundle id. */
    public String topic() { return identity().topic; }

    /** The same as environment variables, for a provider in another process: those that {@code mock-apns exec} sets. */
    public Map<String, String> env() { return identity().environment(admin, identityPath); }

    /**
     * A provider token, for the header {@code authorization: bearer TOKEN}. It stays the same for half an hour, since APNs
     * rejects providers that change it too often.
     */
    public String token() { return identity().token(); }

    /** A provider token of another time, such as an expired one. */
    public String token(Instant issuedAt) { return identity().token(issuedAt); }

    /** For clients: trusts this server and no other. */
    public SSLContext sslContext() { return identity().sslContext(null); }

    /** For clients that have a certificate: trusts this server and no other. */
    public SSLContext sslContext(ClientCertificate certificate) { return identity().sslContext(certificate); }

    /** A client certificate for all of the app's pushes, for a provider that signs no tokens. */
    public ClientCertificate clientCertificate() { return clientCertificate(null, null); }

    /**
     * Another client certificate.
     *
     * @param kind {@code voip}, {@code pass}, {@code website}, {@code watchkit} and {@code mdm} are for one topic;
     *     {@code expired}, {@code revoked}, {@code wrong-environment}, {@code unknown-authority} and {@code not-push} are
     *     rejected; null is for all of the app's pushes
     * @param topic the topic, or null for the app's
     */
    public ClientCertificate clientCertificate(String kind, String topic) {
        var asked = new LinkedHashMap<String, String>();
        if (kind != null) asked.put("kind", kind);
        if (topic != null) asked.put("topic", topic);
        var name = "client" + (kind == null ? "" : "-" + kind)
            + (topic == null ? "" : "-" + Integer.toHexString(topic.hashCode()));
        return identity().clientCertificate(name, admin.get("/identity/certificate?" + query(asked)));
    }

    private synchronized Identity identity() {
        if (identity == null) identity = new Identity(admin.get(identityPath), files());
        return identity;
    }

    private synchronized Path files() {
        if (files != null) return files;
        try {
            if (server != null) {
                files = Files.createTempDirectory(server.files(), "session-");
            } else if (process != null) {
                files = Files.createDirectory(process.folder.path.resolve("provider"));
            } else {
                temporary = new Folder();
                files = temporary.path;
            }
            return files;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    // What came.

    /** All requests, in order. */
    public List<Request> requests() { return requests(Map.of()); }

    /** The requests that match, in order: {@code apns.requests(Map.of("device", "alice", "status", 200))}. */
    public List<Request> requests(Object match) {
        var found = new ArrayList<Request>();
        while (true) {
            var after = found.isEmpty() ? 0 : found.get(found.size() - 1).sequence();
            var question = Map.of("requests", json(match), "limit", 1000, "after", after);
            var page = Request.all(admin.post("/requests/find", question).get("requests"));
            found.addAll(page);
            if (page.size() < 1000) return found;
        }
    }

    /** The number of requests in the log that match; {@link #dropped} says how many it no longer has. */
    public long count(Object match) {
        return Json.number(admin.post("/requests/count", Map.of("requests", json(match))).get("count"));
    }

    /** The number of requests that the log no longer has, because it is full. */
    public long dropped() { return Json.number(admin.post("/requests/count", Map.of()).get("dropped")); }

    /** Waits 5 s for so many requests. */
    public List<Request> waitFor(int count) { return waitFor(count, Map.of(), TIMEOUT); }

    /** Waits 5 s for so many requests that match. */
    public List<Request> waitFor(int count, Object match) { return waitFor(count, match, TIMEOUT); }

    /**
     * Waits until at least {@code count} requests match, and returns all that do. Requests that came before the call count
     * as well.
     *
     * @throws AssertionError when the time is over, with the requests that almost matched
     */
    public List<Request> waitFor(int count, Object match, Duration timeout) {
        if (count < 1) throw new IllegalArgumentException("waitFor(" + count + ") waits for no request; use waitForNone.");
        var requests = json(match);
        var answer = admin.await("/requests/wait",
            Map.of("requests", requests, "count", count, "timeout", duration(timeout)));
        if (answer.status() == 408) throw missing(requests, count, timeout, Json.map(answer.body()));
        if (answer.status() >= 400) throw Admin.error(answer);
        return Request.all(Json.map(answer.body()).get("requests"));
    }

    private AssertionError missing(Object match, int count, Duration timeout, Map<String, Object> answer) {
        var expect = Map.of("requests", match, "count", Map.of("atLeast", count));
        var report = (String) admin.post("/verify", Map.of("expect", List.of(expect))).get("report");
        var lines = Report.block(report).lines().filter(line -> line.startsWith("  ")).collect(Collectors.joining("\n"));
        if (lines.isEmpty()) lines = "  seen      " + answer.get("total") + " of " + count;  // They came just now.
        return new AssertionError("Not enough requests within " + seconds(timeout) + ".\n" + lines + Report.whyNone(admin));
    }

    /**
     * Makes sure that no request that matches comes for a time, from now on.
     *
     * @throws AssertionError as soon as one comes
     */
    public void waitForNone(Object match, Duration time) {
        var answer = admin.await("/requests/wait", Map.of("requests", json(match), "count", 0, "for", duration(time)));
        if (answer.status() == 409 && Json.map(answer.body()).get("requests") instanceof List<?> came) {
            throw new AssertionError("A request came that was not expected." + Request.all(came).stream()
                .map(each -> "\n  request " + each.sequence() + ": " + each).collect(Collectors.joining()));
        }
        if (answer.status() >= 400) throw Admin.error(answer);
    }

    // What is expected.

    /**
     * Judges these expectations, written as in a scenario; without any, those of the scenario.
     *
     * @throws ExpectationsFailed with the report, unless they hold
     */
    public Verification verify(Object... expectations) {
        var expect = new ArrayList<>();
        for (var each : expectations) expect.add(json(each));
        return verify("/verify", expectations.length == 0 ? Map.of() : Map.of("expect", expect));
    }

    /** Judges what the scenario expects, with a manual clock at the end of its timeline, as {@code mock-apns exec} does. */
    void verifyAtEnd() { verify("/verify?finish=true", Map.of()); }

    private Verification verify(String path, Map<String, ?> question) {
        var answer = admin.post(path, question);
        var report = Report.block(((String) answer.get("report")).stripTrailing());
        var verification = new Verification(Json.list(answer.get("results")), Json.list(answer.get("unusedRules")), report);
        if (answer.get("passed").equals(true)) return verification;
        throw new ExpectationsFailed(report + Report.whyNone(admin), verification);
    }

    /** Likely mistakes in what was pushed. */
    public List<Finding> lint() { return lint(Map.of()); }

    /** Likely mistakes: {@code rule}, {@code severity} (at least as bad) and {@code sequence} choose among them. */
    public List<Finding> lint(Map<String, ?> chosen) {
        return Json.<Object>list(admin.get("/lint?" + query(chosen)).get("findings")).stream().map(Finding::of).toList();
    }

    // What to do next.

    /**
     * Adds a rule before all others, written as in a scenario, and returns its name:
     * {@code apns.addRule(Map.of("times", 2, "then", Map.of("reject", "TooManyRequests")))}.
     */
    public String addRule(Object rule) { return (String) admin.post("/rules", rule).get("name"); }

    /** Removes a rule. */
    public void deleteRule(String name) { admin.call("DELETE", "/rules/" + Admin.quoted(name), null); }

    /** A device by its name in the scenario, or by its device token. */
    public Device device(String name) { return new Device(admin, name); }

    /** Declares a device, written as in a scenario: {@code apns.addDevice(Map.of("name", "alice", "online", false))}. */
    public Device addDevice(Object device) {
        return new Device(admin, (String) admin.post("/devices", device).get("token"));
    }

    /** The broadcast channels that exist, in order of creation. */
    public List<Channel> channels() {
        return channelPages().stream().flatMap(page -> Json.<Object>list(page.get("channels")).stream())
            .map(Channel::of).toList();
    }

    /** A broadcast channel by its name or its id. */
    public Channel channel(String name) { return Channel.of(admin.get(channelPath(name))); }

    /** Creates a broadcast channel for the server's topic, as a provider does, but with a name. */
    public Channel addChannel(String name) {
        return addChannel(Map.of("name", name, "topic", topic(), "storage", "mostRecent"));
    }

    /** Creates a broadcast channel, written as in a scenario, but the name may be left out. */
    public Channel addChannel(Map<String, ?> channel) { return Channel.of(admin.post("/channels", channel)); }

    /** Deletes a broadcast channel for good, by its name or its id. */
    public void deleteChannel(String name) { admin.call("DELETE", channelPath(name), null); }

    /** How many devices have a Live Activity on a channel of the app. */
    public long uniqueSubscribers() {
        var topic = topic();
        // Each page has the apps of its channels; there is one for each environment.
        var found = new LinkedHashMap<Object, Long>();
        for (var page : channelPages()) {
            for (var app : Json.<Map<String, Object>>list(page.get("apps"))) {
                if (topic.equals(app.get("topic"))) found.put(app.get("environment"), Json.number(app.get("uniqueSubscribers")));
            }
        }
        return found.values().stream().mapToLong(Long::longValue).sum();
    }

    private List<Map<String, Object>> channelPages() {
        var pages = new ArrayList<Map<String, Object>>();
        for (Object after = 0; after != null; after = pages.get(pages.size() - 1).get("next")) {
            pages.add(admin.get("/channels?limit=1000&after=" + after));
        }
        return pages;
    }

    /** An id in the alphabet of URLs, since it may have slashes; a name as it is. */
    private static String channelPath(String name) {
        return "/channels/" + Admin.quoted(name.endsWith("=") ? name.replace('+', '-').replace('/', '_') : name);
    }

    /** Moves a manual clock: {@code apns.advance("10m")}. Everything due by then happens before it returns. */
    public void advance(String by) { admin.post("/clock/advance", Map.of("by", by)); }

    /** Moves a manual clock. */
    public void advance(Duration by) { advance(duration(by)); }

    /** Sends GOAWAY to all open connections, and returns their ids. */
    public List<Long> goAway() { return goAway(Map.of()); }

    /** Sends GOAWAY to all open connections: {@code reason} or {@code text}, {@code errorCode}, {@code lastStream}, {@code then}. */
    public List<Long> goAway(Object frame) {
        return Json.list(admin.post("/connections/all/goaway", frame).get("connections"));
    }

    /**
     * Plays a scenario from its beginning; everything else starts over, as with {@link #reset}.
     *
     * @param scenario JSON, a Map, the path of a file, or the name of a built-in scenario
     */
    public void play(Object scenario) {
        beforeReplacing.run();
        playNow(scenario);
    }

    private void playNow(Object scenario) {
        var text = ScenarioText.of(scenario, beside, admin);
        var answer = admin.exchange("PUT", "/scenario?reset=true", text.json());
        if (answer.status() >= 400) {
            var error = Admin.error(answer);
            throw Admin.error(answer, text.place() + error.getMessage());
        }
        synchronized (this) {
            identity = null;
        }
    }

    /**
     * Starts over: log, devices, rules, clock and counters are as at the start of the scenario. Open connections stay open,
     * but lose their number and no longer count in any total.
     */
    public void reset() {
        beforeReplacing.run();
        admin.call("POST", "/reset", null);
    }

    /** Where its admin API is, and for a session its own part of it. */
    public URI adminURL() { return URI.create(admin.url); }

    @Override
    public String toString() { return "mock-apns at " + admin.url; }

    /** JSON to put into other JSON. */
    private static Object json(Object json) {
        return json instanceof CharSequence ? Json.read(json.toString()) : Json.read(Json.object(json));
    }

    /** A duration as the API takes it. */
    static String duration(Duration duration) { return duration.toMillis() + "ms"; }

    /** A duration as people write it. */
    static String seconds(Duration duration) { return duration.toString().substring(2).toLowerCase(); }

    private static String query(Map<String, ?> chosen) {
        return chosen.entrySet().stream().map(each -> each.getKey() + "=" + Admin.quoted(each.getValue().toString()))
            .collect(Collectors.joining("&"));
    }
}
