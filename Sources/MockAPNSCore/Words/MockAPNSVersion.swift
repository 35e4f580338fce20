/// The version of mock-apns, shown by `mock-apns --version`, `/metrics` and the OpenAPI document. A test keeps them in
/// step.
package enum MockAPNSVersion {
    /// MAJOR.MINOR.PATCH.
    package static let text = "0.9.0"
}
