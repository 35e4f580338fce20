import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// There are at most so many rules, and adding the last costs no more than adding the first.
@Suite struct RuleLimitTests {
    private static func rule(_ name: String = "", topic: String = "com.example.other") -> Rule {
        var rule = Rule(name: name, steps: .push([Step(.reject(.tooManyRequests))]))
        rule.match = MatchExpression([.field(.topic, .text(Array(topic.utf8)))])
        return rule
    }

    @Test func noMoreRulesThanTheLimitAreAdded() throws {
        var rig = GatewayRig()
        for number in 1...RuleBook.limit { #expect(rig.gateway.add(Self.rule(), at: rig.now) == "rule-\(number)") }
        #expect(rig.gateway.hasRoom(for: Self.rule()) == false)
        #expect(rig.gateway.add(Self.rule("one-more"), at: rig.now) == nil)
        let uses = rig.gateway.limitUses()
        let use = try #require(uses.first { $0.name == "rules" })
        #expect(use.used == RuleBook.limit && use.limit == RuleBook.limit && use.dropped == 1)
        #expect(uses.first { $0.name == "rule_bytes" }?.used == 0, "they have no JSON")
        #expect(rig.gateway.remove(rule: "rule-5", at: rig.now) == true)
        #expect(rig.gateway.add(Self.rule(), at: rig.now) == "rule-5", "the next free number")
        #expect(rig.send().status == 200)
    }

    @Test func addingOrRemovingRulesAffectsTheNextPush() {
        var rig = GatewayRig()
        #expect(rig.send().status == 200)
        #expect(rig.gateway.add(Self.rule("busy", topic: "com.example.app"), at: rig.now) == "busy")
        #expect(rig.gateway.add(Self.rule("busy"), at: rig.now) == nil)
        #expect(rig.send().status == 429)
        #expect(rig.gateway.remove(rule: "busy", at: rig.now) == true)
        #expect(rig.gateway.remove(rule: "busy", at: rig.now) == false)
        #expect(rig.send().status == 200)
        #expect(rig.gateway.add(Self.rule("busy", topic: "com.example.app"), at: rig.now) == "busy")
        #expect(rig.send().status == 429)
    }

    @Test func theTextsOfAddedRulesAreLimited() throws {
        var rig = GatewayRig()
        let (beginning, end) = (#"{"$comment":""#, #"","then":{"pass":true}}"#)
        let comment = String(repeating: "x", count: (1 << 20) - beginning.utf8.count - end.utf8.count)
        let text = beginning + comment + end
        let (read, _) = Scenario().rule(from: try JSONText.read(Array(text.utf8)), defaultName: "")
        let rule = try #require(read)
        var added = 0
        while rig.gateway.add(rule, at: rig.now) != nil { added += 1 }
        #expect(added == 64)
        let uses = rig.gateway.limitUses()
        let use = try #require(uses.first { $0.name == "rule_bytes" })
        #expect(use.limit == 64 << 20 && use.used == use.limit)
        #expect(rig.gateway.remove(rule: "rule-1", at: rig.now) == true)
        #expect(rig.gateway.add(rule, at: rig.now) == "rule-1")
        #expect(rig.gateway.add(rule, at: rig.now) == nil)
    }

    @Test func aScenarioWithMoreRulesHasAMistake() throws {
        func mistakes(_ count: Int) throws -> [ScenarioMistake] {
            let rules = (0..<count).map { #"{"when": {"topic": "com.example.t\#($0)"}, "then": {"pass": true}}"# }
            let text = #"{"rules": [\#(rules.joined(separator: ","))]}"#
            return Scenario.read(try JSONText.read(Array(text.utf8))).1
        }
        #expect(try mistakes(RuleBook.limit).isEmpty)
        let found = try mistakes(RuleBook.limit + 1)
        #expect(found.map(\.message) == ["rules[10000] is one too many; expected at most 10000 rules"])
        #expect(found.map(\.pointer) == ["/rules/10000"])
    }
}
