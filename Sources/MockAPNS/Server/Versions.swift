import MockAPNSCore
import MockAPNSTransport

extension MockAPNSVersion {
    /// The versions of mock-apns and OpenSSL in one line, as in `mock-apns 0.9.0 (OpenSSL 3.0.17)`.
    package static var line: String {
        "mock-apns \(text) (\(OpenSSLVersion.text.split(separator: " ").prefix(2).joined(separator: " ")))"
    }
}
