public import SystemPackage

extension Configuration {
    /// Another APNs, which answers the pushes that no rule decides.
    public struct Relay: Sendable {
        /// Its address, such as `https://api.sandbox.push.apple.com`.
        public var url: String
        /// The PEM file of the authorities to trust; `nil` for those of the system.
        public var authorities: FilePath?
        /// The PEM files of a client certificate and its private key, for the pushes of providers that have one; `nil` for
        /// none.
        public var certificate: (chain: FilePath, privateKey: FilePath)?

        /// Creates a relay to an address, which is trusted by the authorities of the system.
        public init(to url: String) { self.url = url }
    }
}
