import MockAPNSCore
import MockAPNSTransport
package import SystemPackage

/// The folder of certificates and keys: missing files are created, existing ones are kept.
///
/// Leaf certificates are reissued by the same authority if they expire in less than 30 days, or if the names or topics
/// they should have differ. Files that belong together appear together. The authority is valid for ten years. Once it
/// has expired, no certificate it issued is trusted, so a start fails, and only renewing creates another.
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
        /// Warnings about files that work, but not for long or not for every client; one line each.
        package var warnings: [String] = []
    }

    /// The password of the `.p12` files.
    package static let password = "mock-apns"

    /// How long a certificate must still be valid, in seconds.
    static let margin: Int64 = 30 * 86_400

    /// A request for the certificates that ``prepare(_:)`` makes.
    package struct Request: Sendable {
        /// Additional names for the server certificate; those of an existing certificate are kept.
        package var serverNames: [String] = []
        /// The topics of the provider certificate, the first of which is the identity's; `nil` keeps those of an
        /// existing certificate.
        package var topics: [String]?
        /// Whether leaf certificates are reissued even if valid, and the authority replaced if it has expired.
        package var renews = false
        /// Whether the server's certificate with an RSA key is made, too; a server makes it when a client needs it.
        package var includesRSA = false

        /// Creates a request for what a server needs.
        package init() {}
    }

    /// Creates missing files.
    ///
    /// - Throws: if a file cannot be read or written, or the authority has expired.
    package func prepare(_ request: Request = Request()) throws(StartError) -> Outcome {
        let now = WallClock.now().seconds
        return try FolderFiles.locked(path) { files throws(StartError) in
            try prepare(&files, request, now: now)
        }
    }

    private func prepare(
        _ files: inout FolderFiles, _ request: Request, now: Int64
    ) throws(StartError) -> Outcome {
        let authority = try AuthorityFiles(&files, renew: request.renews, now: now)
        let issue = Issue(authority: authority, serverNames: request.serverNames, isForced: request.renews, now: now)
        let server = try server("server", .p256, &files, issue)
        if request.includesRSA { _ = try self.server(Self.rsaName, .rsa, &files, issue) }
        let client = try leaf("client", &files, issue) {
            request.topics == nil || $0.topics == request.topics
        } make: { authority, existing throws(OpenSSLError) in
            let kept = existing.map(\.topics).flatMap { $0.isEmpty ? nil : $0 }
            return try authority.providerCertificate(
                topics: request.topics ?? kept ?? [Identity.defaultTopic], teamID: Identity.defaultTeamID, now: now)
        }
        var identity = Identity(
            certificateAuthority: authority.certificate, certificateAuthorityKey: authority.privateKey,
            server: server,
            rsaServer: RSAServerCertificate { warn throws(StartError) in
                try rsaServer(authority, request.serverNames, warn)
            }, client: LazyPair(client), signingKey: try signingKey(&files))
        identity.clientTopics = (try? CertificateFacts(pem: client.certificate).allTopics) ?? []
        identity.topic = identity.clientTopics.first ?? request.topics?.first ?? Identity.defaultTopic
        identity.hasClientFile = true
        var warnings = authority.endsSoon(now: now).map { [$0] } ?? []
        try files.commit()
        // A server does not need it, so it starts even if the folder is not writable.
        do {
            identity.lazyClient = LazyPair(client, store: try store(of: client, "client", &files))
            try files.commit()
        } catch {
            files.discard()
            warnings.append(error.description)
        }
        warnings += KeyPermissions.warnings(in: path)
        return Outcome(identity: identity, made: files.made, warnings: warnings)
    }

    /// Creates a provider certificate of a kind, such as `client-expired.pem`, `.key` and `.p12`, and the authority if
    /// there is none; nothing else. One that is to be accepted is kept while it is valid and for this topic.
    ///
    /// - Parameter topics: for a ``PushService``, one at most; empty for those of the examples.
    /// - Returns: the names of the files written.
    package func make(_ kind: CertificateKind, topics: [String], renew: Bool = false) throws(StartError) -> [String] {
        let now = WallClock.now().seconds
        let name = "client-\(kind.rawValue)"
        return try FolderFiles.locked(path) { files throws(StartError) in
            let authority = try AuthorityFiles(&files, renew: renew, now: now)
            let issue = Issue(authority: authority, serverNames: [], isForced: renew || kind.flaw != nil, now: now)
            _ = try leaf(name, &files, issue) {
                kind.service == nil || topics.isEmpty || $0.provider.userID == topics[0]
            } make: { authority, existing throws(OpenSSLError) in
                let kept = existing?.provider.userID
                return try authority.certificate(
                    kind, topics: topics.isEmpty && kind.service != nil ? kept.map { [$0] } ?? [] : topics, now: now)
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

    /// Returns the contents of a file with the certificates of many authorities.
    package static func readBundle(_ file: FilePath) throws(StartError) -> [UInt8] {
        try BoundedFile.read(file, .bundle)
    }

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
        files.write([.init(name: name, bytes: key, isPrivate: true)])
        return key
    }

    /// The name of the server's files with an RSA key.
    private static let rsaName = "server-rsa"

    /// Returns the server's certificate with an RSA key, for a running server.
    ///
    /// - Parameters:
    ///   - authority: the authority that the server's clients trust.
    ///   - warn: called if the certificate cannot be kept in the folder.
    private func rsaServer(
        _ authority: AuthorityFiles, _ serverNames: [String], _ warn: (StartError) -> Void
    ) throws(StartError) -> Identity.Pair {
        try FolderFiles.locked(path) { files throws(StartError) in
            // Another authority may be in the folder by now, which the server's clients do not trust.
            let isOther = try files.read("ca.pem") != authority.certificate
            let issue = Issue(
                authority: authority, serverNames: serverNames, isForced: isOther, now: WallClock.now().seconds)
            let pair = try server(Self.rsaName, .rsa, &files, issue)
            if isOther { files.discard() }
            do throws(StartError) { try files.commit() } catch {
                files.discard()
                warn(error)
            }
            return pair
        }
    }

    /// The issuer of certificates, and the conditions for reissuing them.
    private struct Issue {
        let authority: AuthorityFiles
        /// Additional names of servers.
        let serverNames: [String]
        /// Whether all certificates are reissued, valid or not.
        var isForced: Bool
        /// The current time in seconds since 1970.
        let now: Int64
    }

    /// Returns a certificate of the server.
    private func server(
        _ name: String, _ key: CertificateAuthority.ServerKey, _ files: inout FolderFiles, _ issue: Issue
    ) throws(StartError) -> Identity.Pair {
        var issue = issue
        // A server has made this one, so it is replaced if the authority was.
        if name == Self.rsaName, let old = try files.read("\(name).pem"),
            (try? CertificateFacts(pem: old)).map(issue.authority.issued) != true
        {
            issue.isForced = true
        }
        let names = Identity.serverNames + issue.serverNames
        // Without the authority's key, no certificate with the later names can be issued; the old one still works.
        let needed = issue.authority.canIssue ? names : names.filter { !Identity.laterServerNames.contains($0) }
        return try leaf(name, &files, issue) {
            $0.covers(needed)
        } make: { authority, existing throws(OpenSSLError) in
            let kept = existing?.names.filter { (try? SubjectName($0)) != nil } ?? []
            return try authority.serverCertificate(names: names + kept, key: key, now: issue.now)
        }
    }

    /// Returns an existing leaf certificate if it is still valid; otherwise, issues a new one.
    ///
    /// - Parameter make: issues it; gets the one that it replaces, which may be anything.
    private func leaf(
        _ name: String, _ files: inout FolderFiles, _ issue: Issue, suits: (CertificateFacts) -> Bool,
        make: (CertificateAuthority, CertificateFacts?) throws(OpenSSLError) -> CertificateAuthority.Issued
    ) throws(StartError) -> Identity.Pair {
        let (authority, now) = (issue.authority, issue.now)
        let existing =
            if issue.isForced { try? files.read("\(name).pem") } else { try files.read("\(name).pem") }
        if !issue.isForced, let existing, let key = try files.read("\(name).key") {
            let facts = try facts(existing, key: key, name, authority)
            // No certificate outlives the authority, so a new one would not be valid for longer.
            let lasts =
                facts.notAfter - now >= Self.margin || (facts.notAfter > now && facts.notAfter >= authority.notAfter)
            if lasts, suits(facts) {
                return Identity.Pair(certificate: existing, privateKey: key)
            }
        }
        let replaced = existing.flatMap { try? CertificateFacts(pem: $0) }
        return try write(name, &files, authority) { authority throws(OpenSSLError) in try make(authority, replaced) }
    }

    /// Reads an existing certificate. An unusable one is reported, not overwritten: the user put it there.
    private func facts(
        _ certificate: [UInt8], key: [UInt8], _ name: String, _ authority: AuthorityFiles
    ) throws(StartError) -> CertificateFacts {
        let file = path.appending("\(name).pem")
        let advice = "remove it, or run `mock-apns certs --renew`, to have a new one created"
        let facts: CertificateFacts
        do { facts = try CertificateFacts(pem: certificate) } catch {
            throw .malformed("\(file):1:1: this is not a certificate in PEM (\(error)); \(advice).")
        }
        let isItsKey: Bool
        do { isItsKey = try facts.matches(privateKey: key) } catch {
            throw .malformed("\(path.appending("\(name).key")):1:1: this key cannot be read (\(error)); \(advice).")
        }
        guard isItsKey else {
            throw .malformed("\(file):1:1: the key in \(name).key is not this certificate's; \(advice).")
        }
        guard authority.issued(facts) else {
            throw .malformed(
                "\(file):1:1: the authority in ca.pem did not issue this certificate, so a client that trusts the one would reject the other; \(advice)."
            )
        }
        return facts
    }

    private func write(
        _ name: String, _ files: inout FolderFiles, _ authority: AuthorityFiles,
        _ make: (CertificateAuthority) throws(OpenSSLError) -> CertificateAuthority.Issued
    ) throws(StartError) -> Identity.Pair {
        let signer = try authority.signer(in: path)
        let issued = try made("\(name).pem") { () throws(OpenSSLError) in try make(signer) }
        let isServer = name == "server" || name == Self.rsaName
        // A server sends its chain; a provider's file contains only its own certificate, as Apple's does.
        let pair = Identity.Pair(
            certificate: issued.certificatePEM + (isServer ? authority.certificate : []),
            privateKey: issued.privateKeyPEM)
        var made = [FolderFiles.File(name: "\(name).key", bytes: pair.privateKey, isPrivate: true)]
        if !isServer { made.append(try store(pair, name)) }
        // Last, for readers that take no lock: a pair whose certificate exists is complete.
        made.append(.init(name: "\(name).pem", bytes: pair.certificate, isPrivate: false))
        files.write(made)
        return pair
    }

    /// Returns the key store of an existing pair, and writes it if it is missing.
    private func store(
        of pair: Identity.Pair, _ name: String, _ files: inout FolderFiles
    ) throws(StartError) -> [UInt8] {
        if let existing = try files.read("\(name).p12") { return existing }
        let store = try store(pair, name)
        files.write([store])
        return store.bytes
    }

    /// Returns the key store of a pair.
    private func store(_ pair: Identity.Pair, _ name: String) throws(StartError) -> FolderFiles.File {
        let file = "\(name).p12"
        return .init(name: file, bytes: try pair.store(name: name), isPrivate: true)
    }
}

/// Wraps an error of OpenSSL.
func made<Result>(_ name: String, _ make: () throws(OpenSSLError) -> Result) throws(StartError) -> Result {
    do { return try make() } catch { throw .unavailable("\(name) cannot be created: \(error).") }
}
