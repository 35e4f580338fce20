// Java 17, with its standard library; mock-apns signs the provider tokens.
// Run it with: javac Driver.java && mock-apns suite -- java Driver
import java.io.*;
import java.net.URI;
import java.net.http.*;
import java.nio.file.*;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;
import javax.net.ssl.*;

public class Driver {
    static final Map<String, String> NAMES = Map.of("topic", "apns-topic", "pushType", "apns-push-type", "priority",
        "apns-priority", "expiration", "apns-expiration", "collapseID", "apns-collapse-id");
    static final Set<String> DROPPED = ConcurrentHashMap.newKeySet();
    static volatile HttpClient client;
    static volatile String token;

    // A provider token, and a client that trusts the server; unless another push has renewed what was used.
    static synchronized void renew(String usedToken, HttpClient usedClient) throws Exception {
        if (token == usedToken) {
            var sign = new ProcessBuilder("mock-apns", "token", "--certs", System.getenv("MOCK_APNS_CERTS")).start();
            token = "bearer " + new String(sign.getInputStream().readAllBytes()).strip();
        }
        if (client == usedClient) {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            var file = Files.newInputStream(Path.of(System.getenv("MOCK_APNS_CA")));
            store.setCertificateEntry("mock-apns", CertificateFactory.getInstance("X.509").generateCertificate(file));
            var managers = TrustManagerFactory.getInstance("PKIX");
            managers.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            client = HttpClient.newBuilder().sslContext(context).build();
        }
    }

    // The driver.

    static String found(String pattern, String text) {
        var match = Pattern.compile(pattern).matcher(text);
        return match.find() ? match.group(1) : "";
    }

    static Void deliver(String line) throws Exception {
        var head = line.split(",\"payload\":")[0];
        var payload = line.substring(head.length() + 11, line.length() - 1);
        var device = found("\"token\":\"(\\w+)\"", head);
        var result = "\"error\":\"the device token was dropped\"";
        for (var number = 0; number < 6 && !DROPPED.contains(device); number++) {
            var usedToken = token;
            var usedClient = client;
            var request = HttpRequest.newBuilder(URI.create(System.getenv("MOCK_APNS_URL") + "/3/device/" + device))
                .timeout(Duration.ofSeconds(5)).header("authorization", usedToken)
                .header("apns-id", UUID.randomUUID().toString()).POST(HttpRequest.BodyPublishers.ofString(payload));
            for (var name : NAMES.entrySet()) {
                var value = found("\"" + name.getKey() + "\":\"?([^\",}]+)", head);
                if (!value.isEmpty()) request.header(name.getValue(), value);
            }
            long status = 0, pause = 25L << number;
            var reason = "";
            try {
                var answer = usedClient.send(request.build(), HttpResponse.BodyHandlers.ofString());
                status = answer.statusCode();
                reason = found("\"reason\":\"(\\w+)\"", answer.body());
                result = "\"status\":%d,\"reason\":\"%s\"".formatted(status, reason);
                pause += 1000 * answer.headers().firstValueAsLong("retry-after").orElse(0);
            } catch (IOException error) {
                result = "\"error\":\"%s\"".formatted(error.toString().replaceAll("[^\\w .:]", " "));
            }
            if (status == 410 || reason.equals("BadDeviceToken")) DROPPED.add(device);
            var expired = reason.equals("ExpiredProviderToken") && number < 2;
            var worn = expired || status == 0 || status == 500 || reason.equals("TooManyProviderTokenUpdates");
            if (worn) renew(expired ? usedToken : "", usedClient);
            else if (status != 429 && status != 503 && !(reason.equals("InvalidProviderToken") && number < 2)) break;
            Thread.sleep(pause);
        }
        System.out.println("{\"id\":\"%s\",%s}".formatted(found("\"id\":\"(\\w+)\"", head), result));
        return null;
    }

    public static void main(String[] arguments) throws Exception {
        renew(null, null);
        var pushes = Executors.newCachedThreadPool();
        new BufferedReader(new InputStreamReader(System.in)).lines().forEach(line -> pushes.submit(() -> deliver(line)));
        pushes.shutdown();
    }
}
