import MockAPNSCore
import MockAPNSTransport

extension MockAPNSVersion {
    /// The version and that of OpenSSL, a line for each.
    package static var lines: String { "mock-apns \(text)\n\(OpenSSLVersion.text)" }
}
