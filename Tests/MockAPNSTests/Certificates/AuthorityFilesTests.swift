import Foundation
import MockAPNSCore
import MockAPNSTransport
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

@Suite struct AuthorityFilesTests {
    /// As if made so long ago that the authority has so many days left; with what a server needs from it.
    private func makeFolder(_ path: FilePath, daysLeft: Int64) throws {
        let now = WallClock.now().seconds
        let authority = try CertificateAuthority.make(
            now: now - CertificateAuthority.authorityLifetime + daysLeft * 86_400 + 60)
        try write(authority.certificatePEM, to: path.appending("ca.pem"))
        try write(authority.privateKeyPEM, to: path.appending("ca.key"))
        try makePrivate(path.appending("ca.key"))
    }

    @Test func expiredAuthoritiesAreRenewedOnlyWhenAsked() async throws {
        try await withFolder { path in
            let folder = CertificateFolder(path)
            try makeFolder(path, daysLeft: -1)
            let key = try read(path.appending("ca.key"))
            let ended = try read(path.appending("ca.pem"))
            let error = #expect(throws: StartError.self) { try folder.prepare() }
            guard case .malformed(let line)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            let day = Timestamp(seconds: try CertificateFacts(pem: ended).notAfter).text.prefix(10)
            #expect(line.hasPrefix("\(path.appending("ca.pem")):1:1: the authority expired on \(day), "))
            #expect(line.contains("`mock-apns certs --renew --certs \(path)`"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: path.string).sorted() == ["ca.key", "ca.pem"])

            let renewed = try folder.prepare(.renewing)
            #expect(renewed.made.first == "ca.pem")
            #expect(Set(renewed.made) == Set(CertificateFolderTests.names).subtracting([".gitignore", "ca.key"]))
            #expect(renewed.warnings == [])
            #expect(try read(path.appending("ca.key")) == key)
            #expect(try read(path.appending("ca.pem")) != ended)
            try await expectTrust(path)
        }
    }

    @Test func authoritiesEndingSoonWarnAndNothingOutlivesThem() async throws {
        try await withFolder { path in
            let folder = CertificateFolder(path)
            try makeFolder(path, daysLeft: 20)
            let outcome = try folder.prepare()
            let end = try CertificateFacts(pem: read(path.appending("ca.pem"))).notAfter
            #expect(try CertificateFacts(pem: outcome.identity.server.certificate).notAfter == end)
            #expect(try CertificateFacts(pem: outcome.identity.client.certificate).notAfter == end)
            let day = Timestamp(seconds: end).text.prefix(10)
            #expect(outcome.warnings.count == 1)
            #expect(outcome.warnings.first?.contains("ca.pem ends on \(day), ") == true)
            // Another certificate would end as soon.
            #expect(try folder.prepare().made == [])
            let messages = Messages()
            var configuration = Configuration()
            configuration.certificates = path
            let server = try await MockAPNSServer.start(configuration, logger: messages.logger)
            await server.stop()
            #expect(messages.all.contains { $0.contains("ca.pem ends on \(day), ") })
            // What the line advises.
            try FileManager.default.removeItem(atPath: path.appending("ca.pem").string)
            #expect(try folder.prepare(.renewing).warnings == [])
            try await expectTrust(path)
        }
    }

    @Test(arguments: CertificateFolderTests.names.filter { ![".gitignore", "ca.key"].contains($0) })
    func aMissingFileIsMadeAgain(name: String) async throws {
        try await withMadeCertificates { path in
            let folder = CertificateFolder(path)
            try FileManager.default.removeItem(atPath: path.appending(name).string)
            let made = try folder.prepare().made
            // A key cannot be had from its certificate, nor the other way round.
            let together: Set<String> =
                switch name {
                case "server.key", "server.pem": ["server.key", "server.pem"]
                case "client.key", "client.pem": ["client.key", "client.p12", "client.pem"]
                default: [name]
                }
            #expect(Set(made) == together)
            #expect(try folder.prepare().made == [])
            try await expectTrust(path)
        }
    }

    @Test func failingToMakeTheKeyStoreOnlyWarns() async throws {
        try await withMadeCertificates { path in
            // For root, too, a file cannot take the place of a folder.
            let store = path.appending("client.p12")
            try FileManager.default.removeItem(atPath: store.string)
            try FileManager.default.createDirectory(atPath: store.string, withIntermediateDirectories: false)
            let outcome = try CertificateFolder(path).prepare()
            #expect(outcome.made == [])
            #expect(outcome.warnings == ["\(store) is a folder, not a file."])
            try await expectTrust(path)
        }
    }

    /// A provider that trusts the folder's `ca.pem` gets an answer with the folder's provider certificate.
    private func expectTrust(_ path: FilePath) async throws {
        let setup = TestTLSClient.Setup(
            authority: try read(path.appending("ca.pem")),
            certificate: (try read(path.appending("client.pem")), try read(path.appending("client.key"))))
        try await withServer {
            $0.certificates = path
        } _: { server in
            let provider = try await TestProvider.connect(to: server, tls: setup)
            let answer = try await provider.push(TestPush())
            #expect(answer.status == "200")
        }
    }
}
