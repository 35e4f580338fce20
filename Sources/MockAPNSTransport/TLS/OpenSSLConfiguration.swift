internal import CMockOpenSSL

/// Settings of OpenSSL for the whole process, to be made before anything else in OpenSSL (OPENSSL_init_crypto(3)).
package enum OpenSSLConfiguration {
    /// Prevents OpenSSL from freeing what it shares between threads when the process exits: threads that end at the same
    /// time would still use it, and crash. Its memory goes with the process.
    package static func skipCleanup() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }

    /// Prevents OpenSSL from reading `openssl.cnf`, and so from loading anything named there: the server behaves the
    /// same on every machine.
    package static func ignoreFile() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
    }
}
