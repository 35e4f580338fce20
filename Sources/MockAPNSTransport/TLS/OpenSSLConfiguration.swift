internal import CMockOpenSSL

/// OpenSSL settings that come from the machine.
package enum OpenSSLConfiguration {
    /// Prevents OpenSSL from reading `openssl.cnf`, and so from loading anything named there: the server behaves the
    /// same on every machine. This applies to the whole process, and has to be called before anything else in OpenSSL
    /// (OPENSSL_init_crypto(3)).
    package static func ignoreFile() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
    }
}
