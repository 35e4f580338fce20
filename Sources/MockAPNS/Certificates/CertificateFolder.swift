import MockAPNSCore
import MockAPNSTransport
package import SystemPackage

/// The folder of certificates and keys: missing files are created, existing ones are kept.
///
/// Leaf certificates are reissued by the same authority if they expire in less than 30 days, or if the names or topics
/// they should have differ. The authority is valid for ten years. Once it has expired, no certificate it issued is
/// trusted, so a start fails, and only renewing creates another.
package struct CertificateFolder: Sendable {
    /// The path of the folder.
    package let path: FilePath

    /// Refers to a folder that exists or will be created.
    package init(_ path: FilePath) { self.path = path }

    /// The result of a call, for people; file names in order.
    package struct Outcome: Sendable {
        /// The identity now in the folder.
        package var identity: Identity
        /// The files written.
        package var made: [String]
        /// Warnings about what still works, but not for long or not for everyone; one line each.
        package var warnings: [String] = []
    }

    /// The password of the `.p12` files.
    package static let password = "mock-apns"

    /// How long a certificate must still be valid, in seconds.
    static let margin: Int64 = 30 * 86_400

    /// Creates missing files.
    ///
    /// - Parameters:
    ///   - serverNames: additional names for the server certificate.
    ///   - topics: the topics of the provider certificate, the first of which is the identity's; `nil` keeps those of
    ///     an existing certificate.
    ///   - renew: whether leaf certificates are reissued even if valid, and the authority replaced if it has expired.
    /// - Throws: if a file cannot be read or written, or the authority has expired.
    package func prepare(
        serverNames: [String] = [], topics: [String]? = nil, renew: Bool = false
    ) throws(StartError) -> Outcome {
        let now = WallClock.now().seconds
        return try FolderFiles.locked(path) { files throws(StartError) in
            try prepare(&files, serverNames: serverNames, topics: topics, renew: renew, now: now)
        }
    }

    private func prepare(
        _ files: inout FolderFiles, serverNames: [String], topics: [String]?, renew: Bool, now: Int64
    ) throws(StartError) -> Outcome {
        let authority = try AuthorityFiles(&files, renew: renew, now: now)
        let names = Identity.serverNames + serverNames
        let renewal = Renewal(isForced: renew, now: now)
        // Without the authority's key, no certificate with the later names can be issued; the old one still works.
        let needed = authority.canIssue ? names : names.filter { !Identity.laterServerNames.contains($0) }
        let server = try leaf("server", &files, authority, renewal) {
            $0.covers(needed)
        } issue: {
            authority throws(OpenSSLError) in
            try authority.serverCertificate(names: names, now: now)
        }
        let wanted = topics ?? [Identity.defaultTopic]
        let client = try leaf("client", &files, authority, renewal) {
            topics == nil || $0.topics == topics
        } issue: { authority throws(OpenSSLError) in
            try authority.providerCertificate(topics: wanted, teamID: Identity.defaultTeamID, now: now)
        }
        var identity = Identity(
            certificateAuthority: authority.certificate, certificateAuthorityKey: authority.privateKey,
            server: server, client: LazyPair(client), signingKey: try signingKey(&files))
        identity.topic = (try? CertificateFacts(pem: client.certificate).topics.first) ?? wanted[0]
        var warnings = authority.endsSoon(now: now).map { [$0] } ?? []
        // A server does not need it, so it starts even if the folder is not writable.
        do { try addStore(client, "client", &files) } catch { warnings.append(error.description) }
        warnings += KeyPermissions.warnings(in: path)
        return Outcome(identity: identity, made: files.made, warnings: warnings)
    }

    /// Creates a provider certificate that is rejected: `client-expired.pem`, `.key` and `.p12`.
    ///
    /// - Returns: the names of the files written.
    package func make(_ kind: CertificateKind, topics: [String]) throws(StartError) -> [String] {
        let now = WallClock.now().seconds
        return try FolderFiles.locked(path) { files throws(StartError) in
            let authority = try AuthorityFiles(&files, renew: false, now: now)
            _ = try issue("client-\(kind.rawValue)", &files, authority) { authority throws(OpenSSLError) in
                try authority.providerCertificate(
                    topics: topics, teamID: Identity.defaultTeamID, flaw: kind.flaw, now: now)
            }
            return files.made
        }
    }

    /// Whether the authority's certificate exists.
    var hasAuthority: Bool {
        // A file that cannot be read exists.
        do { return try FolderFiles(path).read("ca.pem") != nil } catch { return true }
    }

    /// Returns the contents of a file with a key or certificates.
    package static func read(_ file: FilePath) throws(StartError) -> [UInt8] { try FolderFiles.read(file) }

    /// Returns the signing key of the default identity as PEM, creating it if missing.
    package func signingKey() throws(StartError) -> [UInt8] {
        try FolderFiles.locked(path) { files throws(StartError) in try signingKey(&files) }
    }

    private func signingKey(_ files: inout FolderFiles) throws(StartError) -> [UInt8] {
        let name = "AuthKey_\(Identity.defaultKeyID).p8"
        if let key = try files.read(name) {
            do { _ = try ES256SigningKey(pem: key) } catch {
                throw .malformed(
                    "\(path.appending(name)):1:1: this is not a P-256 private key in PEM (\(error)); remove the file to have a new one created."
                )
            }
            return key
        }
        let key = try made(name) { () throws(OpenSSLError) in try ES256SigningKey.generate().pem }
        try files.write([.init(name: name, bytes: key, isPrivate: true)])
        return key
    }

    /// When certificates are reissued.
    private struct Renewal {
        /// Whether all certificates are reissued, valid or not.
        let isForced: Bool
        /// The current time in seconds since 1970.
        let now: Int64
    }

    /// Returns an existing leaf certificate if it is still valid; otherwise, issues a new one.
    private func leaf(
        _ name: String, _ files: inout FolderFiles, _ authority: AuthorityFiles, _ renewal: Renewal,
        suits: (CertificateFacts) -> Bool,
        issue make: (CertificateAuthority) throws(OpenSSLError) -> CertificateAuthority.Issued
    ) throws(StartError) -> Identity.Pair {
        if !renewal.isForced, let certificate = try files.read("\(name).pem"), let key = try files.read("\(name).key") {
            let facts = try facts(certificate, key: key, name, authority)
            // No certificate outlives the authority, so a new one would not be valid for longer.
            let now = renewal.now
            let lasts =
                facts.notAfter - now >= Self.margin || (facts.notAfter > now && facts.notAfter >= authority.notAfter)
            if lasts, suits(facts) {
                return Identity.Pair(certificate: certificate, privateKey: key)
            }
        }
        return try issue(name, &files, authority, make)
    }

    /// Reads an existing certificate. One that cannot be used is not overwritten, as somebody put it there.
    private func facts(
        _ certificate: [UInt8], key: [UInt8], _ name: String, _ authority: AuthorityFiles
    ) throws(StartError) -> CertificateFacts {
        let file = path.appending("\(name).pem")
        let advice = "remove it, or run `mock-apns certs --renew`, to have a new one created"
        let facts: CertificateFacts
        do { facts = try CertificateFacts(pem: certificate) } catch {
            throw .malformed("\(file):1:1: this is not a certificate in PEM (\(error)); \(advice).")
        }
        guard facts.matches(privateKey: key) else {
            throw .malformed("\(file):1:1: the key in \(name).key is not this certificate's; \(advice).")
        }
        guard authority.issued(facts) else {
            throw .malformed(
                "\(file):1:1: the authority in ca.pem did not issue this certificate, so a client that trusts the one would reject the other; \(advice)."
            )
        }
        return facts
    }

    private func issue(
        _ name: String, _ files: inout FolderFiles, _ authority: AuthorityFiles,
        _ make: (CertificateAuthority) throws(OpenSSLError) -> CertificateAuthority.Issued
    ) throws(StartError) -> Identity.Pair {
        let signer = try authority.signer(in: path)
        let issued = try made("\(name).pem") { () throws(OpenSSLError) in try make(signer) }
        let isServer = name == "server"
        // A server sends its chain; a provider's file contains only its own certificate, as Apple's does.
        let pair = Identity.Pair(
            certificate: issued.certificatePEM + (isServer ? authority.certificate : []),
            privateKey: issued.privateKeyPEM)
        var made = [FolderFiles.File(name: "\(name).key", bytes: pair.privateKey, isPrivate: true)]
        if !isServer { made.append(try store(pair, name)) }
        // Last, so that a pair whose certificate exists is complete.
        made.append(.init(name: "\(name).pem", bytes: pair.certificate, isPrivate: false))
        try files.write(made)
        return pair
    }

    /// Writes the missing key store of an existing pair.
    private func addStore(
        _ pair: Identity.Pair, _ name: String, _ files: inout FolderFiles
    ) throws(StartError) {
        let store = "\(name).p12"
        if try files.read(store) == nil { try files.write([self.store(pair, name)]) }
    }

    /// Returns the key store of a pair.
    private func store(_ pair: Identity.Pair, _ name: String) throws(StartError) -> FolderFiles.File {
        let file = "\(name).p12"
        let bytes = try made(file) { () throws(OpenSSLError) in
            try PKCS12.export(
                certificate: pair.certificate, privateKey: pair.privateKey, name: name, password: Self.password)
        }
        return .init(name: file, bytes: bytes, isPrivate: true)
    }
}

/// A kind of provider certificate that is created to be rejected.
package enum CertificateKind: String, Sendable, CaseIterable {
    case expired
    case revoked
    case wrongEnvironment = "wrong-environment"
    case unknownAuthority = "unknown-authority"
    case notPush = "not-push"

    fileprivate var flaw: CertificateAuthority.Flaw {
        switch self {
        case .expired: .expired
        case .revoked: .revoked
        case .wrongEnvironment: .wrongEnvironment
        case .unknownAuthority: .unknownAuthority
        case .notPush: .notPush
        }
    }
}

/// Wraps an error of OpenSSL.
func made<Result>(_ name: String, _ make: () throws(OpenSSLError) -> Result) throws(StartError) -> Result {
    do { return try make() } catch { throw .unavailable("\(name) cannot be created: \(error).") }
}
