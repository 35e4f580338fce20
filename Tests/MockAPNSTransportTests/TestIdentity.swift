import MockAPNSTransport

/// An authority with a server and a provider, made once for all tests of TLS.
enum TestIdentity {
    /// 2030-01-01: tests do not depend on the day.
    static let now: Int64 = 1_893_456_000
    static let authority = try! CertificateAuthority.make(now: now)
    static let server = try! authority.serverCertificate(names: ["localhost", "127.0.0.1", "::1"], now: now)
    static let provider = try! authority.providerCertificate(
        topics: ["com.example.app"], teamID: "DEF123GHIJ", now: now)

    static func context(
        trusting: [UInt8]? = nil, revoked: Set<String> = [],
        unverified: TLSContext.ClientCertificates.Unverified = .refused
    ) throws -> TLSContext {
        try TLSContext(
            certificateChain: server.certificatePEM + authority.certificatePEM, privateKey: server.privateKeyPEM,
            clientCertificates: .init(
                authorities: trusting ?? authority.certificatePEM, revokedSerials: revoked, unverified: unverified,
                time: now))
    }

    static let context = try! context()
}

extension CertificateAuthority.Issued {
    /// As a TLS client takes it.
    var pair: (certificate: [UInt8], key: [UInt8]) { (certificatePEM, privateKeyPEM) }
}

/// Random numbers that are the same in every run (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
