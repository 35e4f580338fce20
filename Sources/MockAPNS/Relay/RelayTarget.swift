import MockAPNSTransport
public import SystemPackage

extension MockAPNSServer.Configuration {
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

/// The other APNs of a relay, ready to be connected to.
struct RelayTarget: Sendable {
    /// Maximum length in bytes of a payload that is passed on: many times what APNs takes.
    static let bodyLimit = 65_536

    let host: String
    let port: Int
    /// For providers with tokens, which show no certificate.
    let tls: TLSClientContext
    /// For providers with a client certificate; `nil` if there is none for the upstream.
    let tlsWithCertificate: TLSClientContext?

    var hasCertificate: Bool { tlsWithCertificate != nil }

    /// Reads the files that a configuration names.
    ///
    /// - Throws: ``MockAPNSWords/StartError/malformed(_:)`` for an address or a file that cannot be used.
    init(_ relay: MockAPNSServer.Configuration.Relay) throws(StartError) {
        guard let (host, port) = Self.address(in: relay.url) else {
            throw .malformed(
                "The upstream is \"\(relay.url)\"; expected an address such as https://api.sandbox.push.apple.com.")
        }
        (self.host, self.port) = (host, port)
        let authorities = try relay.authorities.map { file throws(StartError) in try CertificateFolder.read(file) }
        var certificate: (chain: [UInt8], privateKey: [UInt8])?
        if let (chain, privateKey) = relay.certificate {
            certificate = (try CertificateFolder.read(chain), try CertificateFolder.read(privateKey))
        }
        do {
            tls = try TLSClientContext(authorities: authorities)
            tlsWithCertificate = try certificate.map { certificate throws(OpenSSLError) in
                try TLSClientContext(authorities: authorities, certificate: certificate)
            }
        } catch {
            throw .malformed("The authorities or the certificate for the upstream cannot be used: \(error).")
        }
    }

    /// The host as in `:authority`.
    var authority: String { port == 443 ? hostInURL : "\(hostInURL):\(port)" }
    private var hostInURL: String { host.contains(":") ? "[\(host)]" : host }

    /// Returns the host, without brackets, and the port in `https://HOST:PORT`.
    static func address(in url: String) -> (host: String, port: Int)? {
        let scheme = "https://"
        guard url.lowercased().hasPrefix(scheme) else { return nil }
        var rest = url.dropFirst(scheme.count)
        if rest.last == "/" { rest.removeLast() }
        guard !rest.contains(where: { "/?#@ ".contains($0) }) else { return nil }
        var host = rest
        var port = 443
        let afterBrackets = rest.lastIndex(of: "]").map { rest.index(after: $0) } ?? rest.startIndex
        if let colon = rest[afterBrackets...].lastIndex(of: ":") {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else { return nil }
            (host, port) = (rest[..<colon], Int(number))
        }
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        return HostText.isName(String(host)) ? (String(host), port) : nil
    }
}
