import Foundation
import MockAPNSCore
import MockAPNSTransport
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// A server that knows a key of each kind, and signs with any of them.
private struct Keys {
    /// Members of each key beside its id.
    static let kinds = [
        "TEAMBOTH01": "", "TEAMBOTH02": "", "TEAMSANDBX": #","environments": ["sandbox"]"#,
        "TEAMPRODUC": #","environments": ["production"]"#,
        "TOPICKEY01":
            #","environments": ["sandbox"], "topics": ["com.example.app"], "related": "TOPICKEY02""#,
        "TOPICKEY02": #","environments": ["sandbox"], "topics": ["com.example.other"]"#,
        "TOPICKEY03": #","environments": ["sandbox"], "topics": ["com.example.app"]"#,
        "REVOKEDKEY": #","revoked": true"#,
    ]

    let pem: [String: [UInt8]]

    init() throws {
        pem = try Dictionary(
            uniqueKeysWithValues: (Self.kinds.keys + ["OTHERKEY12"]).map { ($0, try ES256SigningKey.generate().pem) })
    }

    func scenario(_ rest: String = "") -> String {
        func key(_ id: String, _ members: String) -> String {
            let text = String(decoding: pem[id]!, as: UTF8.self).replacing("\n", with: "\\n")
            return #"{"keyID": "\#(id)", "pem": "\#(text)"\#(members)}"#
        }
        let keys = Self.kinds.sorted { $0.key < $1.key }.map(key).joined(separator: ",")
        return """
            {"authentication": {"providerTokenUpdates": false, "teams": [
                {"teamID": "DEF123GHIJ", "keys": [\(keys)]},
                {"teamID": "OTHERTEAM1", "keys": [\(key("OTHERKEY12", ""))]}]}\(rest)}
            """
    }

    func push(_ keyID: String, topic: String = "com.example.app", device: String = TestPush.device) throws -> TestPush {
        let signer = try ProviderTokenSigner(
            privateKey: pem[keyID]!, keyID: keyID, teamID: keyID == "OTHERKEY12" ? "OTHERTEAM1" : "DEF123GHIJ")
        return TestPush(
            "bearer " + (try signer.token()), [("apns-topic", topic), (":path", "/3/device/" + device)])
    }
}

@Suite struct SigningKeyScopeOnTheWireTests {
    private static let otherDevice = String(repeating: "ab", count: 32)

    struct Row: Sendable {
        var keys: [String]
        /// Of the last key's push.
        var reason: String?
        var topic = "com.example.app"
    }

    static let rows = [
        Row(keys: ["TEAMBOTH01"]), Row(keys: ["TEAMSANDBX"]), Row(keys: ["TOPICKEY01"]),
        Row(keys: ["TEAMPRODUC"], reason: "BadEnvironmentKeyInToken"),
        Row(keys: ["REVOKEDKEY"], reason: "InvalidProviderToken"),
        Row(keys: ["TEAMBOTH01", "TEAMBOTH02"]), Row(keys: ["TEAMBOTH01", "TEAMSANDBX"]),
        Row(keys: ["TEAMBOTH01", "TEAMPRODUC"], reason: "BadEnvironmentKeyInToken"),
        Row(keys: ["TEAMBOTH01", "TOPICKEY01"], reason: "UnrelatedKeyIdInToken"),
        Row(keys: ["TOPICKEY01", "TEAMBOTH01"], reason: "UnrelatedKeyIdInToken"),
        Row(keys: ["TOPICKEY01", "TOPICKEY03"], reason: "UnrelatedKeyIdInToken"),
        Row(keys: ["TOPICKEY01", "TOPICKEY02"], topic: "com.example.other"),
        Row(keys: ["TOPICKEY01"], reason: "TopicDisallowed", topic: "com.example.other"),
        Row(keys: ["TEAMBOTH01", "OTHERKEY12"], reason: "InvalidProviderToken"),
        Row(keys: ["OTHERKEY12", "TEAMBOTH01"], reason: "InvalidProviderToken"),
        Row(keys: ["TEAMBOTH01", "REVOKEDKEY"], reason: "InvalidProviderToken"),
    ]

    @Test(arguments: rows)
    func whichKeyMayPushAndFollowWhich(row: Row) async throws {
        let keys = try Keys()
        try await withProvider {
            $0.play(keys.scenario())
        } _: { provider, server in
            for key in row.keys.dropLast() {
                #expect(try await provider.push(keys.push(key)).status == "200")
            }
            let last = row.keys.last!
            let device = row.topic == "com.example.app" ? TestPush.device : Self.otherDevice
            let answer = try await provider.push(keys.push(last, topic: row.topic, device: device))
            #expect(answer.reason == row.reason)
            #expect(answer.status == (row.reason == nil ? "200" : row.reason == "TopicDisallowed" ? "400" : "403"))
            let record = try #require(try server.records.last)
            #expect((record.explanation == nil) == (row.reason == nil))
            if row.reason != nil, row.reason != "TopicDisallowed" {
                #expect(
                    record.explanation?.contains(last) == true || record.explanation?.contains("OTHERTEAM1") == true)
                #expect(record.authentication.verdict == row.reason)
            }
            // A connection of its own is good for a key that did not suit this one.
            if row.keys.count == 2, row.reason == "UnrelatedKeyIdInToken" {
                let other = try await TestProvider.connect(to: server)
                #expect(try await other.push(keys.push(last)).status == "200")
            }
        }
    }

    @Test func theDocumentedSpellingIsASwitch() async throws {
        let keys = try Keys()
        try await withProvider {
            $0.play(keys.scenario(#", "responses": {"badEnvironmentReason": "BadEnvironmentKeyIdInToken"}"#))
        } _: { provider, _ in
            let answer = try await provider.push(keys.push("TEAMPRODUC"))
            #expect(answer.status == "403")
            #expect(answer.body == #"{"reason":"BadEnvironmentKeyIdInToken"}"#)
        }
    }

    @Test func inProductionTheOtherKeyIsValid() async throws {
        let keys = try Keys()
        try await withServer {
            $0.play(keys.scenario(#", "environment": "production""#))
        } _: { server in
            for (key, reason) in [("TEAMPRODUC", nil), ("TEAMSANDBX", "BadEnvironmentKeyInToken")] {
                let provider = try await TestProvider.connect(to: server)
                #expect(try await provider.push(keys.push(key)).reason == reason)
            }
        }
    }

    @Test func twoKeysPerTeamCountAsTwoTokens() async throws {
        let keys = try Keys()
        try await withProvider {
            $0.play(keys.scenario().replacing(#""providerTokenUpdates": false, "#, with: ""))
        } _: { provider, server in
            #expect(try await provider.push(keys.push("TEAMBOTH01")).status == "200")
            #expect(try await provider.push(keys.push("TEAMBOTH02")).status == "200")
            let third = try await provider.push(keys.push("TEAMSANDBX"))
            #expect(third.status == "429")
            #expect(third.reason == "TooManyProviderTokenUpdates")
            #expect(server.connection(1)?.providerTokens == 3)
        }
    }

    // MARK: Scopes of TooManyProviderTokenUpdates

    @Test(arguments: ["connection", "team", "listener"])
    func newTokensAreCountedWithinAScope(scope: String) async throws {
        let keys = try Keys()
        let rule = #""providerTokenUpdates": {"allowed": 1, "per": "20m", "scope": "\#(scope)"}"#
        try await withServer {
            $0.play(keys.scenario().replacing(#""providerTokenUpdates": false"#, with: rule))
        } _: { server in
            var reasons: [String?] = []
            // One connection, another of the same team, and one of another team.
            for key in ["TEAMBOTH01", "TEAMBOTH02", "OTHERKEY12"] {
                let provider = try await TestProvider.connect(to: server)
                reasons.append(try await provider.push(keys.push(key)).reason)
            }
            let tooMany = "TooManyProviderTokenUpdates"
            let expected: [String: [String?]] = [
                "connection": [nil, nil, nil], "team": [nil, tooMany, nil], "listener": [nil, tooMany, tooMany],
            ]
            #expect(reasons == expected[scope])
        }
    }

    // MARK: Files of keys

    @Test func keysWithoutAFileAreMadeAndKept() async throws {
        try await withFolder { folder in
            try await withProvider {
                $0.certificates = folder
                $0.play(
                    #"{"authentication": {"teams": [{"teamID": "TEAM123456", "topics": ["com.example.mine"], "keys": [{"keyID": "MINE123456"}]}]}}"#
                )
            } _: { provider, server in
                let file = folder.appending("AuthKey_MINE123456.p8")
                #expect(server.identity.keyID == "MINE123456")
                #expect(server.identity.teamID == "TEAM123456")
                #expect(server.identity.topic == "com.example.mine")
                #expect(try read(file) == server.identity.signingKey)
                try server.reload()
                #expect(try read(file) == server.identity.signingKey)
                let push = TestPush(try server.authorization(), [("apns-topic", "com.example.mine")])
                #expect(try await provider.push(push).status == "200")
                #expect(try await provider.push(TestPush(server.authorization())).reason == "TopicDisallowed")
            }
        }
    }

    @Test func keyFilesAreFoundBesideTheScenario() async throws {
        let key = try ES256SigningKey.generate()
        try await withFolder { folder in
            try write(key.pem, to: folder.appending("mine.p8"))
            try await withProvider {
                $0.play(
                    #"{"authentication": {"teams": [{"teamID": "TEAM123456", "keys": [{"keyID": "MINE123456", "file": "mine.p8"}, {"keyID": "MADE123456"}]}]}}"#,
                    in: folder)
            } _: { provider, server in
                #expect(try await provider.push(TestPush(server.authorization())).status == "200")
                // In memory, further keys are made too, and stay.
                let made = try #require(server.identity.furtherKeys["MADE123456"])
                try server.reload()
                #expect(server.identity.furtherKeys["MADE123456"] == made)
                let signer = try ProviderTokenSigner(privateKey: made, keyID: "MADE123456", teamID: "TEAM123456")
                #expect(try await provider.push(TestPush("bearer " + signer.token())).status == "200")
            }
        }
    }
}
