import MockAPNSCore
import MockAPNSTransport

extension Engine {
    /// Returns a server certificate that no client should trust, for the rules on connections. It is made on first use.
    ///
    /// If the authority's key is not available, another authority has to issue it, which is one more reason for
    /// distrust.
    func flawedServer(_ fault: ServerCertificateFault) throws(OpenSSLError) -> ServerIdentity {
        if let made = trust.withLock({ $0.flawedServers[fault] }) { return made }
        let identity = identity
        let now = WallClock.now().seconds
        let authority: CertificateAuthority
        if let key = identity.certificateAuthorityKey {
            authority = try CertificateAuthority(certificatePEM: identity.certificateAuthority, privateKeyPEM: key)
        } else {
            authority = try .make(now: now)
        }
        let issued = try authority.serverCertificate(names: Identity.serverNames, flaw: fault.flaw, now: now)
        let server = try ServerIdentity(
            certificateChain: issued.certificatePEM + authority.certificatePEM, privateKey: issued.privateKeyPEM)
        trust.withLock { $0.flawedServers[fault] = server }
        return server
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
