package mockapns;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Address, authority, keys and names of a server, some of them as files. */
final class Identity {
    /** A provider token has to be at least this old before it is replaced by another, in seconds; it is valid for an hour. */
    private static final int TOKEN_AGE = 30 * 60;
    /** Where systems keep the authorities that they trust: Debian, Alpine and others; macOS and BSD; Fedora. */
    private static final List<String> ROOTS =
        List.of("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt");
    /** The variables that name certificates to trust, each with those that its clients fall back to. */
    private static final Map<String, List<String>> BUNDLES = Map.of(
        "SSL_CERT_FILE", List.of("SSL_CERT_FILE"),
        "REQUESTS_CA_BUNDLE", List.of("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"),
        "CURL_CA_BUNDLE", List.of("CURL_CA_BUNDLE", "SSL_CERT_FILE"),
        "NODE_EXTRA_CA_CERTS", List.of("NODE_EXTRA_CA_CERTS"));

    final URI url;
    final String keyID, teamID, topic;
    final Path ca, key;
    final List<String> manageURLs;
    private final List<String> manageEnvironments;
    private final Path folder, certificate, certificateKey;
    private String token;
    private Instant tokenTime = Instant.MIN;

    Identity(Map<String, Object> answer, Path folder) {
        this.folder = folder;
        url = URI.create((String) answer.get("apns"));
        keyID = (String) answer.get("keyID");
        teamID = (String) answer.get("teamID");
        topic = (String) answer.get("topic");
        manageURLs = Json.list(answer.getOrDefault("manage", List.of()));
        manageEnvironments = Json.list(answer.getOrDefault("manageEnvironments", List.of()));
        ca = write("ca.pem", answer.get("certificateAuthority"));
        certificate = write("client.pem", answer.get("clientCertificate"));
        certificateKey = write("client.key", answer.get("clientKey"));
        writeBase64("client.p12", answer.get("clientStore"));
        // The server does not hand out a key of the scenario's own.
        key = answer.get("signingKey") == null ? null : write("AuthKey_" + keyID + ".p8", answer.get("signingKey"));
    }

    Path key() {
        if (key != null) return key;
        throw new MockAPNsException("The signing key " + keyID + " is the scenario's own; the server does not hand it out.");
    }

    /** The files of a client certificate as the server has issued it. */
    ClientCertificate clientCertificate(String name, Map<String, Object> answer) {
        return new ClientCertificate(write(name + ".pem", answer.get("certificate")), write(name + ".key", answer.get("key")),
            writeBase64(name + ".p12", answer.get("store")), (String) answer.get("password"), Json.list(answer.get("topics")));
    }

    synchronized String token() {
        if (tokenTime.isBefore(Instant.now().minusSeconds(TOKEN_AGE))) {
            tokenTime = Instant.now();
            token = token(tokenTime);
        }
        return token;
    }

    String token(Instant issuedAt) {
        try {
            var header = Json.write(Map.of("alg", "ES256", "kid", keyID));
            var claims = Json.write(Map.of("iss", teamID, "iat", issuedAt.getEpochSecond()));
            var message = base64(header.getBytes()) + "." + base64(claims.getBytes());
            var pem = Files.readString(key()).replaceAll("-----[A-Z ]+-----|\\s", "");
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(KeyFactory.getInstance("EC").generatePrivate(
                new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem))));
            signature.update(message.getBytes());
            return message + "." + base64(signature.sign());
        } catch (IOException | GeneralSecurityException error) {
            throw new MockAPNsException("A provider token cannot be signed with " + key + ": " + error);
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Trusts the server and no other; with a client certificate, if there is one. */
    SSLContext sslContext(ClientCertificate client) {
        try (var file = Files.newInputStream(ca)) {
            var trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("mock-apns", CertificateFactory.getInstance("X.509").generateCertificate(file));
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            if (client == null) {
                keys.init(null, null);
            } else {
                var password = client.password().toCharArray();
                keys.init(KeyStore.getInstance(client.p12().toFile(), password), password);
            }
            var context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException error) {
            throw new MockAPNsException("No TLS context can be made with " + folder + ": " + error);
        }
    }

    /** The variables that {@code mock-apns exec} sets for its command. */
    Map<String, String> environment(Admin admin) {
        var variables = new LinkedHashMap<String, String>();
        variables.put("MOCK_APNS_URL", url.toString());
        variables.put("MOCK_APNS_HOST", host());
        variables.put("MOCK_APNS_PORT", String.valueOf(port()));
        variables.put("MOCK_APNS_ADMIN_URL", admin.url);
        variables.put("MOCK_APNS_CERTS", folder.toString());
        variables.put("MOCK_APNS_CA", ca.toString());
        variables.put("MOCK_APNS_KEY_ID", keyID);
        variables.put("MOCK_APNS_TEAM_ID", teamID);
        variables.put("MOCK_APNS_TOPIC", topic);
        variables.put("MOCK_APNS_CLIENT_CERT", certificate.toString());
        variables.put("MOCK_APNS_CLIENT_KEY", certificateKey.toString());
        if (key != null) variables.put("MOCK_APNS_KEY", key.toString());
        if (admin.token != null) variables.put("MOCK_APNS_ADMIN_TOKEN", admin.token);
        if (!manageURLs.isEmpty()) {
            variables.put("MOCK_APNS_MANAGE_URL", manageURLs.get(0));
            variables.put("MOCK_APNS_MANAGE_PORT", String.valueOf(URI.create(manageURLs.get(0)).getPort()));
        }
        for (var at = 0; at < Math.min(manageURLs.size(), manageEnvironments.size()); at++) {
            var environment = manageEnvironments.get(at);
            if (environment.equals("serverName")) continue;
            variables.putIfAbsent("MOCK_APNS_MANAGE_" + environment.toUpperCase() + "_URL", manageURLs.get(at));
        }
        BUNDLES.forEach((name, origins) -> variables.put(name, bundle(name, origins).toString()));
        var hosts = String.join(",", new LinkedHashSet<>(List.of(host(), "localhost", "127.0.0.1", "::1")));
        for (var name : List.of("no_proxy", "NO_PROXY")) {
            var known = first(List.of(name, "no_proxy", "NO_PROXY"), System::getenv);
            variables.put(name, known.isEmpty() ? hosts : known.equals("*") ? known : known + "," + hosts);
        }
        return variables;
    }

    String host() {
        return url.getHost().replaceAll("[\\[\\]]", "");
    }

    int port() {
        return url.getPort() < 0 ? 443 : url.getPort();
    }

    /** What the variable has named so far, or the system's authorities, and ours. */
    private Path bundle(String variable, List<String> origins) {
        var known = first(origins, name -> certificates(System.getenv(name)));
        // Node trusts its own roots besides.
        if (known.isEmpty() && !variable.equals("NODE_EXTRA_CA_CERTS")) known = first(ROOTS, Identity::certificates);
        return write(variable.toLowerCase() + ".pem", known + certificates(ca.toString()));
    }

    private static String first(List<String> names, Function<String, String> value) {
        return names.stream().map(value).filter(each -> each != null && !each.isEmpty()).findFirst().orElse("");
    }

    /** The certificates in a file or a folder; nothing if they cannot be read. */
    private static String certificates(String name) {
        if (name == null || name.isEmpty()) return "";
        var file = Path.of(name).toFile();
        var files = file.isDirectory() && file.listFiles() != null ? List.of(file.listFiles()) : List.of(file);
        var text = new StringBuilder();
        for (var each : new TreeSet<>(files)) {
            try {
                if (each.isFile()) text.append(Files.readString(each.toPath(), StandardCharsets.ISO_8859_1)).append('\n');
            } catch (IOException error) {
                continue;
            }
        }
        return text.toString();
    }

    private Path write(String name, Object text) {
        return write(name, text.toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private Path writeBase64(String name, Object text) {
        return write(name, Base64.getDecoder().decode(text.toString()));
    }

    /** Writes a file that others may be reading: it is there as a whole, or as it was. */
    private Path write(String name, byte[] content) {
        try {
            var file = folder.resolve(name);
            var part = Files.createTempFile(folder, ".", name);  // that nobody else may read
            Files.write(part, content);
            return Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
