import CMockOpenSSL

/// Which OpenSSL this program uses.
package enum OpenSSLVersion {
    /// In OpenSSL's own words, as in `OpenSSL 3.0.17 1 Jul 2025`.
    package static var text: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
