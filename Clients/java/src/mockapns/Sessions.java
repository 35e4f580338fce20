package mockapns;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Opens sessions, and finds where they can be reached. */
final class Sessions {
    /** How long to wait for a port while others have all of them. */
    private static final Duration PORT = Duration.ofSeconds(5);

    private Sessions() {}

    static Map<String, Object> open(Admin root, Map<String, ?> settings) {
        var deadline = Instant.now().plus(PORT);
        while (true) {
            var answer = root.exchange("POST", "/sessions", settings);
            if (answer.status() < 400) return Json.map(answer.body());
            if (answer.status() != 503 || Instant.now().isAfter(deadline)) throw refusal(root, answer);
            try {
                Thread.sleep(50);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                throw refusal(root, answer);
            }
        }
    }

    /** Why there is no session, for people who have only said where the server is. */
    static MockAPNsException refusal(Admin root, Admin.Answer answer) {
        var name = "The mock-apns at " + root.url;
        return Admin.error(answer, switch (answer.status()) {
            case 401 -> root.token == null ? name + " requires a token: set the variable MOCK_APNS_ADMIN_TOKEN."
                : name + " wants another token than that of the variable MOCK_APNS_ADMIN_TOKEN.";
            case 404, 405 -> name + " is too old to have sessions: use one of the version of this package.";
            case 503 -> name + " cannot open a session: " + Admin.error(answer).getMessage();
            default -> null;
        });
    }

    /**
     * The address at which we reach a session, which the server cannot know if ports are mapped or if its host has another
     * name here; null if it knows.
     */
    static String reachable(String reported, String adminHost, PublishedPorts ports) {
        var address = URI.create(reported);
        if (ports == null && (!isLoopback(address.getHost()) || isLoopback(adminHost))) return null;
        var port = ports == null ? address.getPort() : ports.published(address.getPort());
        return "https://" + (adminHost.contains(":") ? "[" + adminHost + "]" : adminHost) + ":" + port;
    }

    private static boolean isLoopback(String host) {
        return host.matches("(.*\\.)?localhost|127\\.[0-9.]+|\\[?::1]?");
    }
}
