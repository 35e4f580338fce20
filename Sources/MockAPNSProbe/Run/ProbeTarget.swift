import MockAPNS
package import MockAPNSTransport
import NIOCore
import NIOPosix

/// The server that is probed, and what the prober has for it.
package struct ProbeTarget: Sendable {
    /// A provider's signing key with its ids.
    package struct Key: Sendable {
        package var key: ES256SigningKey
        package var keyID: String
        package var teamID: String

        /// Creates a key.
        package init(key: ES256SigningKey, keyID: String, teamID: String) {
            self.key = key
            self.keyID = keyID
            self.teamID = teamID
        }
    }

    /// A client certificate and its key, PEM.
    package struct Certificate: Sendable {
        package var chain: [UInt8]
        package var privateKey: [UInt8]
        /// The topics it may push to; empty if it does not say.
        package let topics: [String]

        /// Creates a certificate.
        package init(chain: [UInt8], privateKey: [UInt8]) {
            self.chain = chain
            self.privateKey = privateKey
            let certificate = try? PeerCertificate(pem: chain)
            topics = certificate.map { $0.topics.isEmpty ? [$0.userID].compactMap(\.self) : $0.topics } ?? []
        }
    }

    /// A host and a port.
    package struct Address: Sendable, Hashable {
        /// Without brackets.
        package var host: String
        package var port: Int

        /// Creates an address.
        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// As in `:authority`.
        package var authority: String {
            let host = host.contains(":") ? "[\(host)]" : host
            return port == 443 ? host : "\(host):\(port)"
        }
    }

    package var address: Address
    /// Where channels are managed; `nil` if it is the same address.
    package var managementAddress: Address?
    /// PEM of the authorities that the server's certificate is trusted by; `nil` for those of the system.
    package var authorities: [UInt8]?
    package var topic = "com.example.app"
    /// The topics of other kinds.
    package var furtherTopics: [TopicKind: String] = [:]
    package var keys: [KeyKind: Key] = [:]
    package var certificates: [CertificateKind: Certificate] = [:]
    /// Several tokens of a kind are used in turn.
    package var devices: [DeviceKind: [String]] = [:]
    /// Whether the server is not on this machine, so that it is treated with care.
    package var isStranger: Bool

    /// Creates a target.
    package init(host: String, port: Int, authorities: [UInt8]?) {
        address = Address(host: host, port: port)
        self.authorities = authorities
        isStranger = !Self.isLoopback(host)
    }

    /// Returns whether a host is this machine, by its name or address alone.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "::1" || host.lowercased() == "localhost" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Looks up whether all hosts are this machine.
    ///
    /// - Throws: ``ProbeRun/Failure`` if there is no such host.
    package mutating func resolve() async throws {
        isStranger = false
        for address in [address, managementAddress].compactMap(\.self) {
            do {
                let found = try await NIOThreadPool.singleton.runIfActive {
                    try SocketAddress.makeAddressResolvingHost(address.host, port: address.port)
                }
                if !Self.isLoopback(address.host), !found.isLoopback { isStranger = true }
            } catch {
                throw ProbeRun.Failure.unreachable(
                    MissingIPv6.isAddress(address.host)
                        ? "\(address.host) is an IPv6 address, but this machine has no IPv6."
                        : "There is no host \(address.host), or its address cannot be looked up.")
            }
        }
    }

    /// Whether the provider is known by its client certificate alone: it has no key to sign tokens with.
    var hasCertificateOnly: Bool { keys[.provider] == nil && certificates[.provider] != nil }

    /// Returns the address of an endpoint.
    func address(of endpoint: ProbeEndpoint) -> Address {
        endpoint == .management ? managementAddress ?? address : address
    }

    /// The provider's address, as in `:authority`.
    package var authority: String { address.authority }
}

extension SocketAddress {
    /// Whether it is an address of this machine alone.
    var isLoopback: Bool {
        guard let text = ipAddress else { return false }
        return ProbeTarget.isLoopback(text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text)
    }
}
