import Foundation
import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// What each form of expectation makes of a run in which there was nothing to judge. The table is
/// `Tests/Scenarios/nothing-to-judge.json`, which the tests of the commands play, too.
@Suite struct NothingToJudgeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let pushes: [String]
        let expect: String
        /// What is lacking; `nil` where `orNone` may not be said.
        let seen: String?
        let holds: Bool
        let devices: [String: String]

        var testDescription: String { "\(pushes) \(expect)" }

        /// The expectation with `orNone`.
        var allowing: String { expect.dropLast() + #","orNone":true}"# }
    }

    static let cases: [Case] = {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let file = URL(filePath: root + "/Scenarios/nothing-to-judge.json")
        guard let text = try? Data(contentsOf: file), let table = try? JSONText.read([UInt8](text)) else { return [] }
        let devices = Dictionary(
            uniqueKeysWithValues: (table["devices"]?.object ?? []).map { ($0.key, $0.value.string ?? "") })
        return (table["cases"]?.array ?? []).map { row in
            var expect: [UInt8] = []
            if let value = row["expect"] { expect.appendJSON(value) }
            return Case(
                pushes: (row["pushes"]?.array ?? []).compactMap(\.string),
                expect: String(decoding: expect, as: UTF8.self),
                seen: row["seen"]?.string, holds: row["holds"]?.bool ?? false, devices: devices)
        }
    }()

    /// A gateway that has decided about the pushes of a case, and what a server would have written to its log.
    private func played(_ row: Case, _ expectation: String) throws -> RecordedRig {
        var rig = try RecordedRig(expectation)
        for device in row.pushes {
            let token = device == "alice" ? JudgeRig.alice : JudgeRig.bob
            rig.work { $0.send(to: token) }
        }
        return rig
    }

    private func check(_ result: ExpectationResult?, _ row: Case, allowing: Bool) {
        guard let lack = row.seen else {
            #expect(result?.passed == row.holds, "\(result?.seen ?? "")")
            return
        }
        #expect(result?.passed == allowing)
        #expect(result?.seen == "nothing to judge: \(lack)" + (allowing ? "" : #"; "orNone": true allows that"#))
        if allowing { #expect(result?.nearMisses == []) }
    }

    @Test func thereAreCases() { #expect(Self.cases.count >= 28) }

    @Test(arguments: cases)
    func everyForm(_ row: Case) throws {
        for allowing in row.seen == nil ? [false] : [false, true] {
            let expectation = allowing ? row.allowing : row.expect
            let rig = try played(row, expectation)
            check(rig.rig.results.first, row, allowing: allowing)
            // Counted in the log instead of as they were decided.
            check(try rig.rig.verify(expectation).first, row, allowing: allowing)
            check(try rig.recorded().input.verify().results.first, row, allowing: allowing)
            var collector = try CollectorRig(expectation, replicas: ["a"])
            var replica = try ReplicaRig(expectations: expectation)
            for device in row.pushes {
                replica.work { $0.send(to: device == "alice" ? JudgeRig.alice : JudgeRig.bob) }
            }
            try collector.take(replica.frames(), of: 0)
            collector.proceed()
            check(
                collector.gateway.verificationInput(at: GatewayRig.now).verify().results.first, row, allowing: allowing)
        }
    }

    @Test(arguments: cases.filter { $0.seen == nil })
    func orNoneIsRefusedWhereItHasNoUse(_ row: Case) throws {
        let devices = row.devices.map { #"{"name": "\#($0.key)", "token": "\#($0.value)"}"# }.joined(separator: ", ")
        let text = #"{"devices": [\#(devices)], "expect": [\#(row.allowing)]}"#
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        #expect(scenario == nil)
        #expect(mistakes.map(\.pointer) == ["/expect/0/orNone"])
        #expect(mistakes.first?.message.contains("cannot be used here: ") == true)
    }

    @Test func whatThereIsIsJudged() throws {
        let expectations = """
            {"requests": {}, "count": 1, "each": "token", "orNone": true},
            {"spacing": {"requests": {}, "atLeast": "1s"}, "orNone": true},
            {"spacing": {"requests": {}, "atLeast": "1s"}, "each": "token", "orNone": true},
            {"inOrder": [{"status": 200}, {"status": 429}], "orNone": true},
            {"inOrder": [{"status": 429}], "each": "token", "orNone": true}
            """
        var rig = try JudgeRig(expectations)
        rig.send()
        rig.send(after: 10)
        #expect(rig.passed == [false, false, false, false, false])
        #expect(!rig.results.contains { $0.seen.contains("nothing to judge") })
    }

    @Test func whatIsUndecidedIsNotNothing() throws {
        let endless = #"{"/n": {"matches": "^(a+)+$"}}"#
        let body = #"{"aps":{"alert":"x"},"n":"\#(String(repeating: "a", count: 40))!"}"#
        var rig = try JudgeRig(
            #"{"inOrder": [{"payload": \#(endless)}], "orNone": true}, {"spacing": {"requests": {"payload": \#(endless)}, "atLeast": "1s"}, "orNone": true}"#
        )
        rig.send(body: body)
        rig.send(body: body, after: 1)
        #expect(rig.passed == [false, false])
        #expect(rig.results.allSatisfy { $0.seen.contains("was undecided") })
    }
}
