import Logging
import MockAPNSCore
import MockAPNSTransport

extension Engine {
    /// Returns the certificate for a client that cannot use the one on P-256, with the fault that a rule asks for.
    func rsaServer(_ fault: ServerCertificateFault?) -> RSACertificate {
        let warn: @Sendable (StartError) -> Void = { [logger] in logger.warning("\($0)") }
        switch identity.rsaServer.settled(warn: warn) {
        case nil: return .pending
        case .failure(let error): return .unavailable(error)
        case .success(let made):
            guard let fault else { return .ready(made.identity) }
            do { return .ready(try flawedServer(fault, key: .existing(made.pair.privateKey))) } catch {
                return .unavailable(error)
            }
        }
    }

    /// Returns a server certificate that no client should trust, for the rules on connections. It is made on first use.
    ///
    /// If the authority's key is not available, another authority has to issue it, which is one more reason for
    /// distrust.
    ///
    /// - Parameter key: its key; an existing one is RSA.
    func flawedServer(
        _ fault: ServerCertificateFault, key: CertificateAuthority.ServerKey = .p256
    ) throws(OpenSSLError) -> ServerIdentity {
        let isRSA = if case .p256 = key { false } else { true }
        let kind = FlawedServer(fault: fault, isRSA: isRSA)
        if let made = trust.withLock({ $0.flawedServers[kind] }) { return made }
        let now = WallClock.now().seconds
        let identity = identity
        let authority =
            if identity.certificateAuthorityKey == nil { try CertificateAuthority.make(now: now) } else {
                try identity.authority()
            }
        let issued = try authority.serverCertificate(
            names: Identity.serverNames, key: key, flaw: fault.flaw, now: now)
        let server = try ServerIdentity(
            certificateChain: issued.certificatePEM + authority.certificatePEM, privateKey: issued.privateKeyPEM)
        trust.withLock { $0.flawedServers[kind] = server }
        return server
    }

    /// The key by which to choose a server certificate that no client should trust.
    struct FlawedServer: Hashable {
        let fault: ServerCertificateFault
        /// Whether it is for clients that cannot use P-256.
        let isRSA: Bool
    }
}

extension ServerCertificateFault {
    fileprivate var flaw: CertificateAuthority.ServerFlaw {
        switch self {
        case .expired: .expired
        case .otherName: .otherName
        case .untrusted: .untrusted
        }
    }
}
