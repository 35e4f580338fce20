package mockapns;

import java.nio.file.Path;
import java.util.List;

/**
 * A client certificate and its key, as files.
 *
 * @param certificate the certificate, PEM
 * @param key its key, PEM
 * @param p12 both in a PKCS#12 key store
 * @param password the password of the key store
 * @param topics the topics that it may push to; if there is only one, a push without {@code apns-topic} goes there
 */
public record ClientCertificate(Path certificate, Path key, Path p12, String password, List<String> topics) {}
