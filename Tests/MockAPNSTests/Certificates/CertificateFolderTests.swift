import Foundation
import MockAPNSCore
import MockAPNSTransport
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

@Suite struct CertificateFolderTests {
    static let names = [
        ".gitignore", "AuthKey_ABC123DEFG.p8", "ca.key", "ca.pem", "client.key", "client.p12", "client.pem",
        "server.key", "server.pem",
    ]

    private func changed(_ folder: FilePath, by body: () throws -> Void) throws -> [String] {
        let before = try contents(of: folder)
        try body()
        let after = try contents(of: folder)
        return after.keys.filter { before[$0] != after[$0] }.sorted()
    }

    @Test func itIsMadeOnceAndKept() async throws {
        try await withFolder { parent in
            let path = parent.appending("made").appending("certs")
            let folder = CertificateFolder(path)
            let made = try folder.prepare().made
            #expect(Set(made) == Set(Self.names).subtracting([".gitignore"]))
            #expect(try contents(of: path).keys.sorted() == Self.names)
            let ignored = try String(decoding: read(path.appending(".gitignore")), as: UTF8.self)
            #expect(ignored.split(separator: "\n").first == "*")
            #expect(try changed(path) { _ = try folder.prepare() } == [])
            #expect(try folder.prepare().made.isEmpty)
        }
    }

    @Test func privateKeysAreForTheOwnerOnly() async throws {
        try await withFolder { folder in
            let path = folder.appending("made")
            _ = try CertificateFolder(path).prepare()
            for name in Self.names {
                let attributes = try FileManager.default.attributesOfItem(atPath: path.appending(name).string)
                let mode = try #require(attributes[.posixPermissions] as? Int)
                let isPrivate = [".key", ".p8", ".p12"].contains { name.hasSuffix($0) }
                #expect(!isPrivate || mode == 0o600, "\(name) \(mode)")
            }
        }
    }

    @Test func newFoldersAreForTheOwnerOnly() async throws {
        try await withFolder { folder in
            let path = folder.appending("made")
            #expect(try CertificateFolder(path).prepare().warnings.isEmpty)
            #expect(try Self.mode(of: path) == 0o700)
            let existing = folder.appending("existing")
            try FileManager.default.createDirectory(
                atPath: existing.string, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            _ = try CertificateFolder(existing).prepare()
            #expect(try Self.mode(of: existing) == 0o755)
        }
    }

    @Test func keysReadableOrWritableByOthersGetWarnings() async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            #expect(try folder.prepare().warnings == [])
            // A file that others can only run cannot be read or changed.
            try write(Array("own".utf8), to: path.appending("own.key"))
            for (name, mode) in [("ca.key", 0o644), ("server.key", 0o640), ("ca.pem", 0o666), ("client.p12", 0o604)]
                + [("client.key", 0o620), ("AuthKey_ABC123DEFG.p8", 0o666), ("own.key", 0o711)]
            {
                try FileManager.default.setAttributes(
                    [.posixPermissions: mode], ofItemAtPath: path.appending(name).string)
            }
            let (authority, store, server) = ("\(path)/ca.key", "\(path)/client.p12", "\(path)/server.key")
            let (token, client) = ("\(path)/AuthKey_ABC123DEFG.p8", "\(path)/client.key")
            #expect(
                try folder.prepare().warnings == [
                    "The private key in \(token) can be read and changed by others (mode 0666); run chmod 600 \(token).",
                    "The private key in \(authority) can be read by others (mode 0644); run chmod 600 \(authority).",
                    "The private key in \(client) can be changed by others (mode 0620); run chmod 600 \(client).",
                    "The private key in \(store) can be read by others (mode 0604); run chmod 600 \(store).",
                    "The private key in \(server) can be read by others (mode 0640); run chmod 600 \(server).",
                ])
        }
    }

    private static func mode(of path: FilePath) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path.string)[.posixPermissions] as? Int
    }

    @Test func badCertificatesAreNamedAndNotOverwritten() async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            let good = try read(path.appending("server.pem"))
            let stranger = try Identity.inMemory(serverNames: [], now: WallClock.now().seconds)
            for (pem, key) in [
                (Array("nonsense".utf8), nil), (stranger.server.certificate, nil),
                (stranger.server.certificate, stranger.server.privateKey),
            ] {
                try write(pem, to: path.appending("server.pem"))
                if let key { try write(key, to: path.appending("server.key")) }
                let error = #expect(throws: StartError.self) { try folder.prepare() }
                #expect(error?.description.hasPrefix("\(path.appending("server.pem")):1:1: ") == true)
                #expect(try read(path.appending("server.pem")) == pem)
            }
            _ = try folder.prepare(.renewing)
            #expect(try read(path.appending("server.pem")) != good)
            _ = try folder.prepare()
        }
    }

    @Test func otherNamesRenewTheServersCertificateAlone() async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            let changes = try changed(path) { _ = try folder.prepare(.named(["push.internal"])) }
            #expect(changes == ["server.key", "server.pem"])
            let facts = try CertificateFacts(pem: read(path.appending("server.pem")))
            #expect(facts.covers(Identity.serverNames + ["push.internal"]))
            // Fewer names than a certificate has are no reason to make another.
            #expect(try changed(path) { _ = try folder.prepare() } == [])
        }
    }

    @Test func otherTopicsRenewTheProvidersCertificateAlone() async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            var request = CertificateFolder.Request()
            request.topics = ["com.example.a", "com.example.b"]
            let changes = try changed(path) { [request] in _ = try folder.prepare(request) }
            #expect(changes == ["client.key", "client.p12", "client.pem"])
            let kept = try folder.prepare()
            #expect(kept.made.isEmpty)
            #expect(kept.identity.topic == "com.example.a")
        }
    }

    @Test(arguments: [29, 31] as [Int64])
    func lessThan30DaysLeftRenew(days: Int64) async throws {
        let leaves = ["client.key", "client.p12", "client.pem", "server.key", "server.pem"]
        try await withFolder { path in
            let folder = CertificateFolder(path)
            // As if made so long ago: a leaf lives 397 days, less an hour that it is dated back.
            let then = WallClock.now().seconds - 397 * 86_400 + days * 86_400 + 2 * 3600
            let authority = try CertificateAuthority.make(now: then)
            let server = try authority.serverCertificate(names: Identity.serverNames, now: then)
            let client = try authority.providerCertificate(
                topics: [Identity.defaultTopic], teamID: Identity.defaultTeamID, now: then)
            for (name, bytes) in [
                ("ca.pem", authority.certificatePEM), ("ca.key", authority.privateKeyPEM),
                ("server.pem", server.certificatePEM + authority.certificatePEM), ("server.key", server.privateKeyPEM),
                ("client.pem", client.certificatePEM), ("client.key", client.privateKeyPEM), ("client.p12", []),
                ("AuthKey_ABC123DEFG.p8", try ES256SigningKey.generate().pem),
            ] {
                try write(bytes, to: path.appending(name))
            }
            try write([], to: path.appending(".gitignore"))
            #expect(try changed(path) { _ = try folder.prepare() } == (days < 30 ? leaves : []))
        }
    }

    @Test func aProvidersP256KeyStaysUntilRenewed() async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            let first = try folder.prepare().identity
            // As an earlier version made it: what tells it apart is its key alone.
            let authority = try CertificateAuthority(
                certificatePEM: first.certificateAuthority,
                privateKeyPEM: #require(first.certificateAuthorityKey))
            let old = try authority.serverCertificate(names: ["localhost"], now: WallClock.now().seconds)
            try write(old.certificatePEM, to: path.appending("client.pem"))
            try write(old.privateKeyPEM, to: path.appending("client.key"))
            #expect(try changed(path) { _ = try folder.prepare() } == [])
            #expect(try folder.prepare().identity.client.privateKey == old.privateKeyPEM)
            let renewed = try folder.prepare(.renewing).identity.client.privateKey
            #expect(throws: OpenSSLError.self) { try ES256SigningKey(pem: renewed) }
            #expect(renewed.count > 1600)
        }
    }

    @Test func withTheAuthorityKeyCertificatesGainLaterNames() async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            let first = try folder.prepare().identity
            let authority = try CertificateAuthority(
                certificatePEM: first.certificateAuthority, privateKeyPEM: #require(first.certificateAuthorityKey))
            let names = Identity.serverNames.filter { !Identity.laterServerNames.contains($0) }
            let old = try authority.serverCertificate(names: names, now: WallClock.now().seconds)
            let key = try read(path.appending("ca.key"))
            func putBack() throws {
                try write(old.certificatePEM + first.certificateAuthority, to: path.appending("server.pem"))
                try write(old.privateKeyPEM, to: path.appending("server.key"))
            }
            try putBack()
            try FileManager.default.removeItem(atPath: path.appending("ca.key").string)
            #expect(try changed(path) { _ = try folder.prepare() } == [])
            try write(key, to: path.appending("ca.key"))
            #expect(try changed(path) { _ = try folder.prepare() } == ["server.key", "server.pem"])
        }
    }

    @Test func renewingRemakesLeavesUnderTheSameAuthority() async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            let changes = try changed(path) { _ = try folder.prepare(.renewing) }
            #expect(changes == ["client.key", "client.p12", "client.pem", "server.key", "server.pem"])
        }
    }

    @Test func lackingTheAuthorityKeyItServesWithoutIssuing() async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            try FileManager.default.removeItem(atPath: path.appending("ca.key").string)
            try await withProvider {
                $0.certificates = path
            } _: { provider, server in
                let answer = try await provider.push(TestPush(server.authorization()))
                #expect(answer.status == "200")
            }
            let error = #expect(throws: StartError.self) { _ = try folder.prepare(.named(["push.internal"])) }
            #expect(error?.description.contains("ca.key is missing") == true)
            #expect(try !contents(of: path).keys.contains("ca.key"))
        }
    }

    @Test func aFileInItsPlaceIsNamed() async throws {
        try await withFolder { folder in
            let file = folder.appending("certs")
            try write([], to: file)
            let error = #expect(throws: StartError.self) { try CertificateFolder(file).prepare() }
            #expect(error?.description == "\(file) is a file; --certs names a folder.")
            let below = file.appending("below")
            let other = #expect(throws: StartError.self) { try CertificateFolder(below).signingKey() }
            #expect(other?.description.hasPrefix("The folder \(below) cannot be created or opened (") == true)
            #expect(try read(file) == [])
        }
    }

    @Test(arguments: CertificateKind.allCases)
    func certificatesThatAreRefusedAreMade(kind: CertificateKind) async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            let made = try folder.make(kind, topics: [Identity.defaultTopic])
            let name = "client-\(kind.rawValue)"
            #expect(made.sorted() == ["\(name).key", "\(name).p12", "\(name).pem"])
            let facts = try CertificateFacts(pem: read(path.appending("\(name).pem")))
            #expect(try facts.matches(privateKey: read(path.appending("\(name).key"))))
            #expect((facts.notAfter < WallClock.now().seconds) == (kind == .expired))
        }
    }
}

/// Many at once in one process; Tests/EndToEnd has the same of many processes.
@Suite struct SharedCertificateFolderTests {
    @Test func serversThatStartAtOnceHaveOneIdentity() async throws {
        try await withFolder { parent in
            let path = parent.appending("made")
            var configuration = Configuration()
            configuration.certificates = path
            let identities = try await withThrowingTaskGroup { [configuration] group in
                for _ in 0..<8 {
                    group.addTask { try await MockAPNSServer.withServer(configuration) { $0.identity } }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(identities.map(\.certificateAuthority)) == [try read(path.appending("ca.pem"))])
            #expect(Set(identities.map(\.server.certificate)) == [try read(path.appending("server.pem"))])
            #expect(Set(identities.map(\.signingKey)).count == 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: path.string)
            #expect(names.sorted() == CertificateFolderTests.names)
        }
    }

    /// In three folders, since the lock of one is not fair: on a busy machine, ten rounds of all others may take longer than
    /// the half minute that one waits for it.
    @Test(arguments: 1...3) func readersSeeWholePairsDuringRenewal(folder number: Int) async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            try await withThrowingTaskGroup { group in
                for index in 0..<8 {
                    group.addTask {
                        for _ in 0..<4 {
                            // A pair that does not match would be an error.
                            _ = try folder.prepare(index < 2 ? .renewing : .init())
                            // A client takes no lock.
                            _ = try CertificateFacts(pem: read(path.appending("client.pem")))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
