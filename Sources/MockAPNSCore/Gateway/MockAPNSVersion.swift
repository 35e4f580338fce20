/// The version of mock-apns, as in `mock-apns --version`, `/metrics` and the OpenAPI document, which a test holds to it.
package enum MockAPNSVersion {
    /// MAJOR.MINOR.PATCH.
    package static let text = "0.9.0"
}
