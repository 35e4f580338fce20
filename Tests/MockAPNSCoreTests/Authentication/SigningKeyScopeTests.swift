import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct SigningKeyScopeTests {
    /// A gateway that knows a key of each kind; each test's connection is its own.
    private static func rig(_ change: (inout GatewayConfiguration) -> Void = { _ in }) -> GatewayRig {
        GatewayRig {
            $0.authentication.providerTokenUpdates = nil
            $0.authentication.teams = [
                .init(
                    teamID: "DEF123GHIJ",
                    keys: [
                        .init(keyID: "TEAMBOTH01"), .init(keyID: "TEAMBOTH02"),
                        .init(keyID: "TEAMSANDBX", isForProduction: false),
                        .init(keyID: "TEAMPRODUC", isForSandbox: false),
                        .init(
                            keyID: "TOPICKEY01", isForProduction: false, topics: ["com.example.app"],
                            related: "TOPICKEY02"),
                        .init(keyID: "TOPICKEY02", isForProduction: false, topics: ["com.example.other"]),
                        .init(keyID: "TOPICKEY03", isForProduction: false, topics: ["com.example.app"]),
                        .init(
                            keyID: "TOPICPROD1", isForSandbox: false, topics: ["com.example.app"],
                            related: "TOPICKEY03"),
                        .init(keyID: "NOWHEREKEY", isForSandbox: false, isForProduction: false),
                    ]),
                .init(teamID: "OTHERTEAM1", keys: [.init(keyID: "OTHERKEY12")]),
            ]
            change(&$0)
        }
    }

    private static func push(
        _ key: String, topic: String = "com.example.app", team: String = "DEF123GHIJ"
    ) -> ExamplePush {
        ExamplePush {
            $0.token = ExamplePush.bearer(keyID: key, teamID: team)
            $0.topic = topic
            // Every topic has a device of its own.
            if topic.hasPrefix("com.example.other") { $0.path = "/3/device/" + String(repeating: "ab", count: 32) }
        }
    }

    /// The rows of Apple's page: which key may follow which on a connection to the sandbox.
    static let rows: [(first: String, then: String, reason: String?, shown: [String])] = [
        ("TEAMBOTH01", "TEAMBOTH01", nil, []),
        ("TEAMBOTH01", "TEAMBOTH02", nil, []),
        ("TEAMBOTH01", "TEAMSANDBX", nil, []),
        ("TEAMSANDBX", "TEAMBOTH01", nil, []),
        ("TEAMBOTH01", "TEAMPRODUC", "BadEnvironmentKeyInToken", ["TEAMPRODUC", "production only", "the sandbox"]),
        ("TEAMBOTH01", "NOWHEREKEY", "BadEnvironmentKeyInToken", ["NOWHEREKEY", "no environment"]),
        ("TEAMBOTH01", "TOPICKEY01", "UnrelatedKeyIdInToken", ["TOPICKEY01", "TEAMBOTH01", "whole team"]),
        ("TEAMBOTH01", "TOPICPROD1", "UnrelatedKeyIdInToken", ["TOPICPROD1", "TEAMBOTH01"]),
        ("TOPICKEY01", "TEAMBOTH01", "UnrelatedKeyIdInToken", ["TEAMBOTH01", "a key of the whole team", "TOPICKEY01"]),
        ("TOPICKEY01", "TOPICKEY01", nil, []),
        ("TOPICKEY01", "TOPICKEY02", nil, []),
        ("TOPICKEY02", "TOPICKEY01", nil, []),
        ("TOPICKEY01", "TOPICKEY03", "UnrelatedKeyIdInToken", ["TOPICKEY03", "TOPICKEY01", "TOPICKEY02"]),
        ("TOPICKEY03", "TOPICKEY01", "UnrelatedKeyIdInToken", ["TOPICKEY01", "TOPICKEY03", "no related key"]),
        ("TOPICKEY01", "TOPICPROD1", "UnrelatedKeyIdInToken", ["TOPICPROD1", "TOPICKEY01"]),
        ("TOPICKEY03", "TOPICPROD1", "BadEnvironmentKeyInToken", ["TOPICPROD1", "production only"]),
        ("TOPICKEY01", "TEAMBOTH01", "UnrelatedKeyIdInToken", ["TEAMBOTH01", "TOPICKEY01", "topic-specific"]),
    ]

    @Test("Which key may follow which on a connection", arguments: rows)
    func follows(_ row: (first: String, then: String, reason: String?, shown: [String])) {
        var rig = Self.rig()
        func push(_ key: String) -> ExamplePush {
            Self.push(key, topic: key == "TOPICKEY02" ? "com.example.other" : "com.example.app")
        }
        #expect(rig.send(push(row.first)).status == 200)
        let seen = rig.send(push(row.then))
        #expect(seen.reason == row.reason)
        #expect(seen.status == (row.reason == nil ? 200 : 403))
        for part in row.shown { #expect(seen.explanation.contains(part), "\(seen.explanation)") }
        // What was refused has changed nothing.
        #expect(rig.send(push(row.first)).status == 200)
        #expect(rig.gateway.connections[1]?.providerTokens == (row.first == row.then ? 1 : 2))
    }

    @Test("A key of the other environment is refused from the first push on, in either spelling, and binds nothing")
    func environment() {
        for (environment, key, reason) in [
            (.sandbox, "TEAMPRODUC", "BadEnvironmentKeyInToken"), (.sandbox, "TEAMSANDBX", nil),
            (.production, "TEAMSANDBX", "BadEnvironmentKeyInToken"), (.production, "TEAMPRODUC", nil),
            (.production, "TOPICKEY01", "BadEnvironmentKeyInToken"), (.production, "TEAMBOTH01", nil),
        ] as [(Environment, String, String?)] {
            var rig = Self.rig { $0.environment = environment }
            let seen = rig.send(Self.push(key))
            #expect(seen.reason == reason)
            if reason != nil {
                #expect(seen.explanation.contains(key), "\(seen.explanation)")
                #expect(rig.gateway.connections[1]?.teamID == nil)
                #expect(seen.streamLimit == nil)
            }
        }
        var rig = Self.rig { $0.responses.badEnvironmentReason = .badEnvironmentKeyIDInToken }
        #expect(rig.send(Self.push("TEAMPRODUC")).reason == "BadEnvironmentKeyIdInToken")
    }

    @Test("What is said of a key of the other environment names where it is good")
    func whereAKeyIsGood() {
        for (environment, key, words) in [
            (.sandbox, "TEAMPRODUC", "valid for production only"), (.sandbox, "NOWHEREKEY", "valid for no environment"),
            (.production, "TEAMSANDBX", "valid for the sandbox only"),
            (.production, "NOWHEREKEY", "valid for no environment"),
        ] as [(Environment, String, String)] {
            var rig = Self.rig { $0.environment = environment }
            let seen = rig.send(Self.push(key))
            #expect(seen.explanation.contains(words), "\(seen.explanation)")
        }
    }

    @Test("A topic-specific key may push to its topics and their suffixes, each related key to its own")
    func topics() {
        var rig = Self.rig()
        for _ in 0..<2 {  // judged anew, then remembered
            #expect(rig.send(Self.push("TOPICKEY01")).status == 200)
            let seen = rig.send(Self.push("TOPICKEY01", topic: "com.example.other"))
            #expect(seen.reason == "TopicDisallowed")
            for part in ["com.example.other", "TOPICKEY01", "com.example.app"] {
                #expect(seen.explanation.contains(part), "\(seen.explanation)")
            }
        }
        #expect(rig.send(Self.push("TOPICKEY02")).reason == "TopicDisallowed")
        #expect(rig.send(Self.push("TOPICKEY02", topic: "com.example.other")).status == 200)
        var voIP = Self.push("TOPICKEY02", topic: "com.example.other.voip")
        voIP.path = "/3/device/" + String(repeating: "cd", count: 32)
        #expect(rig.send(voIP).status == 200)
    }

    @Test("It is the first good push that binds, not the latest")
    func theFirstBinds() {
        var rig = Self.rig {
            $0.authentication.teams[0].keys.append(
                .init(keyID: "TOPICKEY04", topics: ["com.example.app"], related: "TOPICKEY02"))
        }
        #expect(rig.send(Self.push("TOPICKEY01")).status == 200)
        #expect(rig.send(Self.push("TOPICKEY02", topic: "com.example.other")).status == 200)
        let seen = rig.send(Self.push("TOPICKEY04"))
        #expect(seen.reason == "UnrelatedKeyIdInToken" && seen.explanation.contains("TOPICKEY01"))
        let other = rig.gateway.openConnection(.example, at: rig.now)
        #expect(rig.send(Self.push("TOPICKEY02", topic: "com.example.other"), on: other).status == 200)
        #expect(rig.send(Self.push("TOPICKEY04"), on: other).status == 200)
    }

    @Test("The topics of the first team bind every push of a connection, those of its first key as well")
    func topicsOfTheFirst() {
        var rig = Self.rig {
            $0.authentication.teams = [
                .init(
                    teamID: "DEF123GHIJ", topics: ["com.example.app"],
                    keys: [.init(keyID: "TOPICKEY01", topics: ["com.example.other"]), .init(keyID: "TEAMBOTH01")])
            ]
        }
        for _ in 0..<3 {  // judged anew, then remembered
            #expect(rig.send(Self.push("TEAMBOTH01")).status == 200)
            let seen = rig.send(Self.push("TEAMBOTH01", topic: "com.example.other"))
            #expect(seen.reason == "TopicDisallowed")
            #expect(seen.explanation.contains(#"team "DEF123GHIJ" may push to "com.example.app""#))
        }
        let other = rig.gateway.openConnection(.example, at: rig.now)
        for _ in 0..<3 {
            #expect(rig.send(Self.push("TOPICKEY01", topic: "com.example.other"), on: other).status == 200)
            let seen = rig.send(Self.push("TOPICKEY01"), on: other)
            #expect(seen.reason == "TopicDisallowed")
            #expect(seen.explanation.contains(#"key "TOPICKEY01" may push to "com.example.other""#))
        }
    }

    @Test("Another team is InvalidProviderToken, whatever kind its key is")
    func otherTeam() {
        var rig = Self.rig()
        #expect(rig.send(Self.push("TOPICKEY01")).status == 200)
        let seen = rig.send(Self.push("OTHERKEY12", team: "OTHERTEAM1"))
        #expect(seen.reason == "InvalidProviderToken")
        #expect(seen.explanation.contains("OTHERTEAM1"))
    }

    @Test("Two keys of a team on a connection count as a token update")
    func twoKeysAreAnUpdate() {
        var rig = Self.rig { $0.authentication.providerTokenUpdates = .init(allowed: 2) }
        #expect(rig.send(Self.push("TEAMBOTH01")).status == 200)
        #expect(rig.send(Self.push("TEAMBOTH02")).status == 200)
        let seen = rig.send(Self.push("TEAMSANDBX"))
        #expect(seen.reason == "TooManyProviderTokenUpdates")
        #expect(seen.explanation.contains("TEAMSANDBX"))
        #expect(rig.send(Self.push("TEAMBOTH01")).status == 200)
    }

    @Test("A key can be revoked while its connection runs, and that can be taken back")
    func revocation() {
        var rig = Self.rig()
        #expect(rig.send(Self.push("TEAMBOTH01")).status == 200)
        #expect(rig.gateway.revoke("TEAMBOTH01") == true)
        let seen = rig.send(Self.push("TEAMBOTH01"))
        #expect(seen.reason == "InvalidProviderToken")
        #expect(seen.explanation.contains("TEAMBOTH01") && seen.explanation.contains("revoked"))
        #expect(rig.send(Self.push("TEAMBOTH02")).status == 200)
        #expect(rig.gateway.revoke("TEAMBOTH01", false) == true)
        #expect(rig.send(Self.push("TEAMBOTH01")).status == 200)
        #expect(rig.gateway.revoke("NOSUCHKEY1") == false)
    }

    @Test("Without verification the kind of a key means nothing")
    func decode() {
        for mode in [AuthenticationMode.decode, .none] {
            var rig = Self.rig { $0.authentication.mode = mode }
            #expect(rig.send(Self.push("TEAMPRODUC")).status == 200)
            #expect(rig.send(Self.push("TOPICKEY02")).status == 200)
        }
    }
}
