import Foundation
import MockAPNSCore
import MockAPNSTransport
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// Provider tokens made by hand, so that each part can be wrong.
struct TestToken {
    var header = #"{"alg":"ES256","kid":"ABC123DEFG"}"#
    var claims: String
    var scheme = "bearer "
    var isDER = false
    var isStandardBase64 = false

    init(issuedAt: String = "\(Int(Date().timeIntervalSince1970))", teamID: String = "DEF123GHIJ") {
        claims = #"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#
    }

    func signed(by key: [UInt8]) throws -> String {
        let message = "\(base64(Array(header.utf8))).\(base64(Array(claims.utf8)))"
        let raw = try ES256SigningKey(pem: key).sign(Array(message.utf8).span)
        return "\(scheme)\(message).\(base64(isDER ? der(raw) : raw))"
    }

    private func base64(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString()
        if isStandardBase64 { return text }
        return text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The two halves as INTEGERs of a SEQUENCE.
    private func der(_ raw: [UInt8]) -> [UInt8] {
        let integers = [raw[..<32], raw[32...]].flatMap { half -> [UInt8] in
            var bytes = Array(half.drop { $0 == 0 })
            if bytes.first ?? 128 >= 128 { bytes.insert(0, at: 0) }
            return [2, UInt8(bytes.count)] + bytes
        }
        return [0x30, UInt8(integers.count)] + integers
    }
}

@Suite struct ProviderTokensOnTheWireTests {
    static let accepted: [(String, TestToken)] = {
        let now = Int(Date().timeIntervalSince1970)
        var cases: [(String, TestToken)] = [("raw", TestToken())]
        var token = TestToken()
        token.isDER = true
        cases.append(("DER", token))
        token = TestToken()
        (token.isStandardBase64, token.scheme) = (true, "Bearer ")
        cases.append(("standard alphabet, padding, Bearer", token))
        cases.append(("string", TestToken(issuedAt: "\"\(now)\"")))
        cases.append(("fraction", TestToken(issuedAt: "\(now).75")))
        token = TestToken()
        token.header = "{\n  \"typ\": \"JWT\",\n  \"alg\": \"ES256\",\n  \"kid\": \"ABC123DEFG\"\n}"
        cases.append(("white space and more members", token))
        return cases
    }()

    @Test(arguments: accepted.indices)
    func whatLibrariesSendIsAccepted(index: Int) async throws {
        let (name, token) = Self.accepted[index]
        try await withProvider { provider, server in
            let answer = try await provider.push(TestPush(token.signed(by: server.identity.signingKey)))
            #expect(answer.status == "200", "\(name): \(answer.body)")
            let record = try #require(try server.records.last)
            #expect(record.authentication.verdict == "valid")
            #expect(record.authentication.signature == (token.isDER ? "der" : "raw"))
            #expect(record.authentication.providerToken == 1)
        }
    }

    /// Made before the first test runs; on a machine that is busy the last one runs minutes later.
    static let refused: [(String, String, TestToken)] = {
        let now = Int(Date().timeIntervalSince1970)
        func header(_ text: String) -> TestToken {
            var token = TestToken()
            token.header = text
            return token
        }
        return [
            ("InvalidProviderToken", "none", header(#"{"alg":"none","kid":"ABC123DEFG"}"#)),
            ("InvalidProviderToken", "RS256", header(#"{"alg":"RS256","kid":"ABC123DEFG"}"#)),
            ("InvalidProviderToken", "kid", header(#"{"alg":"ES256"}"#)),
            ("InvalidProviderToken", "XYZ123DEFG", header(#"{"alg":"ES256","kid":"XYZ123DEFG"}"#)),
            ("InvalidProviderToken", "ZZZ123GHIJ", TestToken(teamID: "ZZZ123GHIJ")),
            ("InvalidProviderToken", "iat", TestToken(issuedAt: "null")),
            ("ExpiredProviderToken", "\(now - 7200)", TestToken(issuedAt: "\(now - 7200)")),
            ("ExpiredProviderToken", "\(now + 7200)", TestToken(issuedAt: "\(now + 7200)")),
        ]
    }()

    @Test(arguments: refused.indices)
    func theRestIsRefused(index: Int) async throws {
        let (reason, value, token) = Self.refused[index]
        try await withProvider { provider, server in
            let answer = try await provider.push(TestPush(token.signed(by: server.identity.signingKey)))
            #expect(answer.status == "403")
            #expect(answer.reason == reason)
            let record = try #require(try server.records.last)
            #expect(record.authentication.verdict == reason)
            #expect(record.explanation?.contains(value) == true, "\(record.explanation ?? "")")
            // Nothing of it binds the connection.
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
        }
    }

    @Test func aTokenOfAnotherKeyIsRefused() async throws {
        try await withProvider { provider, server in
            let key = try ES256SigningKey.generate().pem
            let answer = try await provider.push(TestPush(TestToken().signed(by: key)))
            #expect(answer.reason == "InvalidProviderToken")
            #expect(try server.records.last?.explanation?.contains("ABC123DEFG") == true)
        }
    }

    @Test func aThirdTokenPerConnectionIsTooMany() async throws {
        try await withProvider { provider, server in
            let now = Int64(Date().timeIntervalSince1970)
            let tokens = try (0..<3).map { try server.authorization(issuedAt: now - $0) }
            #expect(try await provider.push(TestPush(tokens[0])).status == "200")
            #expect(try await provider.push(TestPush(tokens[1])).status == "200")
            let third = try await provider.push(TestPush(tokens[2]))
            #expect(third.status == "429")
            #expect(third.reason == "TooManyProviderTokenUpdates")
            #expect(try await provider.push(TestPush(tokens[1])).status == "200")
            #expect(try server.records.map(\.authentication.providerToken) == [1, 2, 3, 2])
            // Another connection has its own count.
            let other = try await TestProvider.connect(to: server)
            #expect(try await other.push(TestPush(tokens[2])).status == "200")
            #expect(server.connection(1)?.providerTokens == 3)
        }
    }

    // MARK: Keys of one's own

    @Test(arguments: [true, false])
    func aTrustedKeyIsKnownByEitherHalf(isPrivate: Bool) async throws {
        let key = try ES256SigningKey.generate()
        try await withFolder { folder in
            let file = folder.appending("key.pem")
            try write(isPrivate ? key.pem : key.publicKey.pem, to: file)
            try await withProvider {
                $0.trustedKeys = [TrustedKey(file: file, keyID: "OWN4567890", teamID: "TEAM567890")]
            } _: { provider, server in
                var token = TestToken(teamID: "TEAM567890")
                token.header = #"{"alg":"ES256","kid":"OWN4567890"}"#
                #expect(try await provider.push(TestPush(token.signed(by: key.pem))).status == "200")
                #expect(server.connection(1)?.teamID == "TEAM567890")
                // The connection is that team's now; the default team needs another one.
                let second = try await provider.push(TestPush(server.authorization()))
                #expect(second.reason == "InvalidProviderToken")
                #expect(try server.records.last?.explanation?.contains("DEF123GHIJ") == true)
                let other = try await TestProvider.connect(to: server)
                let answer = try await other.push(TestPush(server.authorization()))
                #expect(answer.status == "200")
            }
        }
    }

    @Test func anInvalidKeyFilePreventsStarting() async throws {
        try await withFolder { folder in
            let file = folder.appending("key.pem")
            try write(Array("no key".utf8), to: file)
            var configuration = Configuration()
            configuration.trustedKeys = [TrustedKey(file: file, keyID: "OWN4567890", teamID: "TEAM567890")]
            await #expect(throws: StartError.self) { _ = try await MockAPNSServer.start(configuration) }
        }
    }

    // MARK: Modes

    @Test func decodeTakesAnySignatureAndJudgesTheRest() async throws {
        try await withProvider {
            $0.authentication = .decode
        } _: { provider, _ in
            let key = try ES256SigningKey.generate().pem
            var token = TestToken(teamID: "ANYTEAM890")
            token.header = #"{"alg":"ES256","kid":"ANYKEY7890"}"#
            #expect(try await provider.push(TestPush(token.signed(by: key))).status == "200")
            #expect(try await provider.push(TestPush()).reason == "MissingProviderToken")
            let other = try TestToken(issuedAt: "1", teamID: "ANYTEAM890").signed(by: key)
            #expect(try await provider.push(TestPush(other)).reason == "ExpiredProviderToken")
        }
    }

    @Test func noneAsksForNothing() async throws {
        try await withProvider {
            $0.authentication = .none
        } _: { provider, server in
            let without = try await provider.push(TestPush())
            #expect(without.status == "200")
            #expect(try await provider.push(TestPush("bearer nonsense")).status == "200")
            #expect(try await provider.push(TestPush(nil, [("apns-topic", nil)])).reason == "MissingTopic")
            #expect(try server.records.map(\.authentication.method).first == "none")
        }
    }
}
