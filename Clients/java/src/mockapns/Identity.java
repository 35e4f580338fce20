package mockapns;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
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
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Address, authority, keys and names of a server, some of them as files. */
final class Identity {
    /** A provider token has to be at least this old before it is replaced by another, in seconds; it is valid for an hour. */
    private static final int TOKEN_AGE = 30 * 60;

    final URI url;
    final String keyID, teamID, topic;
    final Path ca, key;
    final List<String> manageURLs;
    private final Path folder;
    private String token;
    private Instant tokenTime = Instant.MIN;
    private Map<String, String> environment;

    Identity(Map<String, Object> answer, Path folder) {
        this.folder = folder;
        url = URI.create((String) answer.get("apns"));
        keyID = (String) answer.get("keyID");
        teamID = (String) answer.get("teamID");
        topic = (String) answer.get("topic");
        manageURLs = Json.list(answer.getOrDefault("manage", List.of()));
        ca = write("ca.pem", answer.get("certificateAuthority"));
        write("client.pem", answer.get("clientCertificate"));
        write("client.key", answer.get("clientKey"));
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

    /** The variables that {@code mock-apns exec} sets for its command: those that the server's script for shells exports. */
    synchronized Map<String, String> environment(Admin admin, String path) {
        if (environment != null) return environment;
        var script = new StringBuilder(admin.text(path + (path.contains("?") ? "&" : "?") + "format=shell")).append('\n');
        var names = Pattern.compile("(?m)^export ([A-Za-z_ ]+)").matcher(script.toString()).results()
            .flatMap(found -> Stream.of(found.group(1).split(" "))).toList();
        for (var name : names) script.append("printf '%s=%s\\n' ").append(name).append(" \"$").append(name).append("\"\n");
        try {
            var builder = new ProcessBuilder("/bin/sh", "-ec", script.toString()).redirectError(Redirect.DISCARD);
            builder.environment().put("TMPDIR", folder.toString());
            var shell = builder.start();
            shell.getOutputStream().close();
            var variables = new LinkedHashMap<String, String>();
            shell.inputReader().lines().map(line -> line.split("=", 2)).forEach(each -> variables.put(each[0], each[1]));
            // For providers in Java, which read no PEM files.
            Files.copy(folder.resolve("client.p12"), Path.of(variables.get("MOCK_APNS_CERTS"), "client.p12"));
            environment = variables;
            return variables;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    String host() {
        return url.getHost().replaceAll("[\\[\\]]", "");
    }

    int port() {
        return url.getPort() < 0 ? 443 : url.getPort();
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
            var part = Files.createTempFile(folder, ".", name);  // that only its owner may read
            Files.write(part, content);
            return Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
