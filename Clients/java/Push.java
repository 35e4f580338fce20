// Java 17, with nothing but its standard library. Run it with: mock-apns exec -- java Push.java DEVICE-TOKEN...
// The authority is put into a trust store in memory.

import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class Push {
    static String env(String name) {
        return System.getenv("MOCK_APNS_" + name);
    }

    static String providerToken() throws Exception {
        var encoder = Base64.getUrlEncoder().withoutPadding();
        var header = "{\"alg\":\"ES256\",\"kid\":\"%s\"}".formatted(env("KEY_ID"));
        var claims = "{\"iss\":\"%s\",\"iat\":%d}".formatted(env("TEAM_ID"), Instant.now().getEpochSecond());
        var message = encoder.encodeToString(header.getBytes()) + "." + encoder.encodeToString(claims.getBytes());
        var pem = Files.readString(Path.of(env("KEY"))).replaceAll("-----[A-Z ]+-----|\\s", "");
        var key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
        var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(key);
        signature.update(message.getBytes());
        return message + "." + encoder.encodeToString(signature.sign());
    }

    static SSLContext trust() throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var file = new FileInputStream(env("CA"))) {
            store.setCertificateEntry("mock-apns", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    public static void main(String[] devices) throws Exception {
        var client = HttpClient.newBuilder().sslContext(trust()).version(HttpClient.Version.HTTP_2).build();
        var token = providerToken();
        for (var device : devices) {
            var request = HttpRequest.newBuilder(URI.create(env("URL") + "/3/device/" + device))
                .header("authorization", "bearer " + token).header("apns-topic", env("TOPIC"))
                .header("apns-push-type", "alert")
                .POST(HttpRequest.BodyPublishers.ofString("{\"aps\":{\"alert\":\"Hello\"}}")).build();
            System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
        }
    }
}
