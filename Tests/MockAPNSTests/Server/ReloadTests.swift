import Foundation
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

@Suite struct ReloadTests {
    /// Whether a client that trusts this authority gets through its handshake.
    private func isTrusted(_ server: MockAPNSServer, by authority: [UInt8]) async throws -> Bool {
        let provider = try await TestProvider.connect(to: server, tls: .init(authority: authority))
        let isComplete = try await provider.perform { $0.tls!.isHandshakeComplete }
        await provider.close()
        return isComplete
    }

    @Test func aReloadReplacesCertificatesAndSigningKeys() async throws {
        try await withFolder { folder in
            try await withProvider {
                $0.certificates = folder
            } _: { provider, server in
                let old = server.identity
                let authorization = try server.authorization()
                #expect(try await provider.push(TestPush(authorization)).status == "200")
                try await withMadeCertificates { other in
                    for name in try FileManager.default.contentsOfDirectory(atPath: other.string) {
                        try write(read(other.appending(name)), to: folder.appending(name))
                    }
                }
                try server.reload()
                #expect(server.identity.certificateAuthority != old.certificateAuthority)
                #expect(try await isTrusted(server, by: server.identity.certificateAuthority))
                #expect(try await !isTrusted(server, by: old.certificateAuthority))
                // The connection from before goes on, but the old key is known no more.
                #expect(try await provider.push(TestPush(authorization)).reason == "InvalidProviderToken")
                #expect(try await provider.push(TestPush(server.authorization())).status == "200")
            }
        }
    }

    @Test func anAuthorityThatIsGoneStaysInForce() async throws {
        try await withMadeCertificates { folder in
            let messages = Messages()
            var configuration = Configuration()
            configuration.certificates = folder
            let server = try await MockAPNSServer.start(configuration, logger: messages.logger)
            let old = server.identity
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.string) {
                try FileManager.default.removeItem(atPath: folder.appending(name).string)
            }
            try server.reload()
            #expect(messages.all.contains { $0.contains("There is no longer a ca.pem in \(folder)") })
            #expect(!FileManager.default.fileExists(atPath: folder.appending("ca.pem").string))
            #expect(server.identity.certificateAuthority == old.certificateAuthority)
            #expect(try await isTrusted(server, by: old.certificateAuthority))
            let provider = try await TestProvider.connect(to: server)
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
            await server.stop()
        }
    }

    @Test(arguments: ["ca.pem", "AuthKey_ABC123DEFG.p8"])
    func aBadFileLeavesEverythingAsItWas(name: String) async throws {
        try await withMadeCertificates { folder in
            try await withProvider {
                $0.certificates = folder
            } _: { provider, server in
                let authorization = try server.authorization()
                #expect(try await provider.push(TestPush(authorization)).status == "200")
                try write(Array("garbage".utf8), to: folder.appending(name))
                #expect(throws: StartError.self) { try server.reload() }
                #expect(try await isTrusted(server, by: server.identity.certificateAuthority))
                #expect(try await provider.push(TestPush(authorization)).status == "200")
                let other = try await TestProvider.connect(to: server)
                #expect(try await other.push(TestPush(authorization)).status == "200")
            }
        }
    }

    @Test func anIdentityInMemoryStays() async throws {
        try await withProvider { provider, server in
            let old = server.identity
            try server.reload()
            #expect(server.identity.certificateAuthority == old.certificateAuthority)
            #expect(server.identity.signingKey == old.signingKey)
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
        }
    }
}
