internal import CMockOpenSSL

/// What OpenSSL takes from the machine that it runs on.
package enum OpenSSLConfiguration {
    /// Keeps OpenSSL from reading `openssl.cnf`, and so from loading what that names: the server behaves alike on every
    /// machine. It holds for the whole process, and has to come before anything else of OpenSSL's
    /// (OPENSSL_init_crypto(3)).
    package static func ignoreFile() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
    }
}
