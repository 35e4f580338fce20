import Foundation
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore

/// A scenario with patterns that would take forever: handshakes, pushes, searches and the end come as ever.
@Suite struct HostilePatternsInTheServerTests {
    private static let patterns = ["(.|.)*[!%]", "(?:a*a*a*a*a*a*a*a*)*[!%]", "(a+)+[$%]", ".*aa.*aa.*aa.*[!%]"]
    private static let body = #"{"aps":{"alert":"Hello"},"t":"\#(String(repeating: "a", count: 3000))?"}"#

    private static var scenario: String {
        let rules = patterns.enumerated().map { number, pattern in
            let matcher = #"{"matches": "\#(pattern)"}"#
            let not = number % 2 == 0 ? matcher : #"{"not": \#(matcher)}"#
            return #"{"name": "hang \#(number)", "when": {"payload": {"/t": \#(not)}}, "then": {"reject": "BadPath"}}"#
        }
        let expected = #"{"requests": {"payload": {"/t": {"matches": "\#(patterns[0])"}}}, "count": 0}"#
        return #"{"rules": [\#(rules.joined(separator: ","))], "expect": [\#(expected)]}"#
    }

    @Test func theServerGoesOn() async throws {
        try await withAdmin {
            $0.play(Self.scenario)
        } _: { server, admin async throws in
            var push = TestPush(try server.authorization())
            push.body = Array(Self.body.utf8)
            for _ in 1...6 {
                let provider = try await TestProvider.connect(to: server)
                #expect(try await provider.push([push, push]).map(\.status) == ["200", "200"])
                await provider.close()
            }
            let records = try server.records
            #expect(records.count == 12)
            for record in records {
                #expect(
                    record.explanation?.contains(
                        #"Rule "hang 0" did not apply: its pattern "(.|.)*[!%]" was undecided"#)
                        == true)
            }
            #expect(records[0].explanation?.contains("because it reached its work limit") == true)
            #expect(records[11].explanation?.contains("10 times and is no longer tried") == true)

            let question = #"{"requests": {"payload": {"/t": {"not": {"matches": "\#(Self.patterns[2])"}}}}}"#
            let found = try await admin.send("POST", "/api/v1/requests/find", body: question).object
            #expect(found["total"] as? Int == 0 && found["undecided"] as? Int == 12)
            let counted = try await admin.send("POST", "/api/v1/requests/count", body: question).object
            #expect(counted["count"] as? Int == 0 && counted["undecided"] as? Int == 12)
            let plain = try await admin.send("POST", "/api/v1/requests/count", body: "{}").object
            #expect(plain["count"] as? Int == 12 && plain["undecided"] == nil)
            let wait = question.dropLast() + #", "timeout": "1ms"}"#
            let missing = try await admin.send("POST", "/api/v1/requests/wait", body: String(wait))
            #expect(missing.status == 408 && missing.object["undecided"] as? Int == 12)
            let result = try #require(await server.verify().results.first)
            #expect(!result.passed)
            #expect(result.seen.hasSuffix(#"pattern "(.|.)*[!%]" was undecided for requests 1, 2, 3 and 9 others"#))
        }
    }

    @Test func processesReportHostilePatternsAndStopOnSignals() async throws {
        try await withFolder { folder in
            let file = folder.appending("hang.json")
            try write(Array(Self.scenario.utf8), to: file)
            try await withServerProcess(["--scenario", file.string]) { process, ready, _ in
                let provider = try await TestProvider.connect(port: ready.port)
                let key = try read(FilePath(try #require(ready.signingKey)))
                let signer = try ProviderTokenSigner(privateKey: key, keyID: ready.keyID, teamID: ready.teamID)
                var push = TestPush("bearer " + (try signer.token()))
                push.body = Array(Self.body.utf8)
                for _ in 1...11 { #expect(try await provider.push(push).status == "200") }
                await provider.close()
                // A match that is not bounded takes years.
                let begun = ContinuousClock.now
                let end = await process.stop()
                #expect(ContinuousClock.now - begun < .patience)
                for pattern in Self.patterns {
                    let start = #"mock-apns: warning: The pattern "\#(pattern)" "#
                    #expect(end.errors.contains(start + "reached its work limit"))
                    #expect(end.errors.contains(start + "was undecided 10 times"))
                }
                #expect(end.errors.components(separatedBy: "The pattern").count == 9)
            }
        }
    }
}
