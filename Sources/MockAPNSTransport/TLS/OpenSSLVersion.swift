import CMockOpenSSL

/// The version of OpenSSL in use.
package enum OpenSSLVersion {
    /// The version in OpenSSL's own words, such as `OpenSSL 3.0.17 1 Jul 2025`.
    package static var text: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
