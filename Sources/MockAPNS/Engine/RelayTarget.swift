import MockAPNSTransport
import NIOCore
import SystemPackage

/// The other APNs of a relay, ready to be connected to.
struct RelayTarget: Sendable {
    /// Maximum length in bytes of a payload that is passed on: many times what APNs takes.
    static let bodyLimit = 65_536

    let host: String
    let port: Int
    /// The host and the port, as in `:authority`.
    let authority: String
    /// For providers with tokens, which show no certificate.
    let tls: TLSClientContext
    /// For providers with a client certificate; `nil` if there is none for the upstream.
    let tlsWithCertificate: TLSClientContext?

    var hasCertificate: Bool { tlsWithCertificate != nil }

    /// Reads the files that a configuration names.
    ///
    /// - Throws: ``MockAPNSWords/StartError/malformed(_:)`` for an address or a file that cannot be used.
    init(_ relay: Configuration.Relay) throws(StartError) {
        guard let (host, port) = Self.address(in: relay.url) else {
            // A password is not shown.
            let url = relay.url.contains("@") ? "an address with a user name" : "\"\(relay.url)\""
            throw .malformed(
                "The upstream is \(url); expected https://HOST or https://HOST:PORT and nothing after it, such as https://api.sandbox.push.apple.com."
            )
        }
        (self.host, self.port) = (host, port)
        let hostInURL = host.contains(":") ? "[\(host)]" : host
        authority = port == 443 ? hostInURL : "\(hostInURL):\(port)"
        let authorities = try relay.authorities.map { file throws(StartError) in try CertificateFolder.read(file) }
        do { tls = try TLSClientContext(authorities: authorities) } catch {
            let file = relay.authorities.map { "\($0):1:1: " } ?? ""
            throw .malformed("\(file)the authorities for the upstream cannot be used: \(error).")
        }
        guard let (chain, privateKey) = relay.certificate else {
            tlsWithCertificate = nil
            return
        }
        let certificate = (try CertificateFolder.read(chain), try CertificateFolder.read(privateKey))
        do { tlsWithCertificate = try TLSClientContext(authorities: authorities, certificate: certificate) } catch {
            throw .malformed(
                "\(chain) and \(privateKey) cannot be used for the upstream: \(error); expected a certificate and its private key in PEM."
            )
        }
    }

    /// Whether its address says that it is on this machine; no other name than `localhost` is looked up.
    var isThisMachine: Bool {
        guard let address = (try? SocketAddress(ipAddress: host, port: port))?.ipAddress else {
            return host.lowercased() == "localhost"
        }
        return address.hasPrefix("127.") || ["::1", "0.0.0.0", "::"].contains(address)
    }

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
