package import MockAPNSTransport

/// An authority with a server and a provider, made once for all tests of TLS.
package enum TestIdentity {
    /// 2030-01-01: tests do not depend on the day.
    package static let now: Int64 = 1_893_456_000
    package static let authority = try! CertificateAuthority.make(now: now)
    package static let server = try! authority.serverCertificate(names: ["localhost", "127.0.0.1", "::1"], now: now)
    package static let provider = try! authority.providerCertificate(
        topics: ["com.example.app"], teamID: "DEF123GHIJ", now: now)

    package static func context(
        trusting: [UInt8]? = nil, revoked: Set<String> = [],
        unverified: TLSContext.ClientCertificates.Unverified = .refused
    ) throws -> TLSContext {
        try TLSContext(
            certificateChain: server.certificatePEM + authority.certificatePEM, privateKey: server.privateKeyPEM,
            clientCertificates: .init(
                authorities: trusting ?? authority.certificatePEM, revokedSerials: revoked, unverified: unverified,
                time: now))
    }

    package static let context = try! context()
}

extension CertificateAuthority.Issued {
    /// As a TLS client takes it.
    package var pair: (certificate: [UInt8], key: [UInt8]) { (certificatePEM, privateKeyPEM) }
}
