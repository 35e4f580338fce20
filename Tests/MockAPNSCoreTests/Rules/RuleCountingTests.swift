import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct RuleCountingTests {
    private static func rig(_ members: String, then: String = #"{"reject": "TooManyRequests"}"#) -> ScriptRig {
        ScriptRig(#"{\#(members) "then": \#(then)}"#)
    }

    /// R: decided by the rule, -: by the checks.
    private static func pattern(_ outcomes: [String]) -> String {
        outcomes.map { $0 == "200" ? "-" : $0 == "TooManyRequests" ? "R" : $0 == "ServiceUnavailable" ? "S" : "?" }
            .joined()
    }

    @Test(
        "skip, times, every, repeat and lists",
        arguments: [
            ("", "R", "RRRRRRRR"), (#""skip": 2,"#, "R", "--RRRRRR"), (#""times": 2,"#, "R", "RR------"),
            (#""every": 3,"#, "R", "--R--R--"), (#""skip": 1, "every": 2, "times": 2,"#, "R", "--R-R---"),
            (#""skip": 1, "every": 3,"#, "R", "---R--R-"), ("", "[R, S]", "RS------"),
            (#""repeat": "last","#, "[R, S]", "RSSSSSSS"),
            (#""repeat": "cycle","#, "[R, S]", "RSRSRSRS"), (#""repeat": "stop","#, "R", "R-------"),
            (#""repeat": "cycle", "times": 3,"#, "[R, S]", "RSR-----"), (#""every": 2,"#, "[R, S]", "-R-S----"),
            (#""skip": 3, "repeat": "cycle", "every": 2,"#, "[R, S]", "----R-S-"),
        ] as [(String, String, String)])
    func counts(_ members: String, _ then: String, _ expected: String) {
        var rig = Self.rig(members, then: Self.steps(then))
        #expect(Self.pattern(rig.outcomes(8)) == expected)
    }

    /// What a pattern of the other kind stands for, such as "[R, S]".
    private static func steps(_ pattern: String) -> String {
        let steps = pattern.map {
            $0 == "R" ? #"{"reject": "TooManyRequests"}"# : $0 == "S" ? #"{"reject": "ServiceUnavailable"}"# : "\($0)"
        }
        return steps.joined()
    }

    @Test(
        "How often a rule has decided, and how often it still will",
        arguments: [
            ("", "R", 2, 2, nil, false), (#""times": 3,"#, "R", 2, 2, 1, false), (#""times": 2,"#, "R", 3, 2, 0, true),
            (#""skip": 1, "times": 2,"#, "R", 2, 1, 1, false), ("", "[R, S]", 1, 1, 1, false),
            ("", "[R, S]", 3, 2, 0, true),
            (#""repeat": "cycle", "times": 5,"#, "[R, S]", 1, 1, 4, false),
            (#""countPer": "token", "times": 2,"#, "R", 1, nil, nil, false),
        ] as [(String, String, Int, Int?, Int?, Bool)])
    func summaries(
        _ members: String, _ then: String, _ pushes: Int, _ decided: Int?, _ left: Int?, _ isUsedUp: Bool
    ) {
        var rig = Self.rig(#""name": "busy", \#(members)"#, then: Self.steps(then))
        _ = rig.outcomes(pushes)
        let summary = rig.gateway.look(for: RuleQuery()).page.elements[0]
        #expect(summary.decided == decided && summary.left == left && summary.isUsedUp == isUsedUp, "\(summary)")
        #expect(summary.name == "busy" && summary.trigger == .push && summary.steps == (then == "R" ? 1 : 2))
    }

    @Test("What a rule lets pass goes to the next")
    func next() {
        var rig = ScriptRig(
            #"""
            {"every": 2, "then": {"reject": "TooManyRequests"}}, {"times": 2, "then": {"reject": "ServiceUnavailable"}}
            """#)
        #expect(Self.pattern(rig.outcomes(6)) == "SRSR-R")
    }

    @Test("Counted for each value by itself")
    func countPer() {
        var rig = Self.rig(#""countPer": "token", "skip": 1,"#, then: #"[{"reject": "TooManyRequests"}]"#)
        func push(_ letter: Character) -> ExamplePush {
            ExamplePush { $0.path = "/3/device/" + String(repeating: letter, count: 64) }
        }
        let seen = ["a", "b", "a", "a", "b", "b", "A", "c"].map { rig.send(push($0)).what }
        #expect(Self.pattern(seen) == "--R-R---")

        var perConnection = Self.rig(#""countPer": "connection","#, then: #"[{"reject": "TooManyRequests"}]"#)
        let other = perConnection.gateway.openConnection(.example, at: GatewayRig.now)
        let answers = [1, other, 1, other].map { perConnection.send(on: $0).what }
        #expect(Self.pattern(answers) == "RR--")

        var perID = Self.rig(#""countPer": "apnsID","#, then: #"[{"reject": "TooManyRequests"}]"#)
        let id = "ec1bf194-b3b2-424a-89a9-5a918a6e6b5e"
        let retries = [id, id.uppercased(), "fc1bf194-b3b2-424a-89a9-5a918a6e6b5e"].map {
            perID.send(ExamplePush(("apns-id", $0))).what
        }
        #expect(Self.pattern(retries) == "R-R")
    }

    @Test("Of too many values the first are forgotten")
    func bound() {
        var counts = CountsOfValues()
        for number in 0..<CountsOfValues.limit + 10 {
            counts.with(.number(Int64(number))) { $0.matches += 1 }
        }
        #expect(counts.count == CountsOfValues.limit)
        #expect(counts.with(.number(5)) { $0.matches } == 0)
        #expect(counts.with(.number(50)) { $0.matches } == 1)
        var long = CountsOfValues()
        for number in 0..<5000 {
            long.with(.text(Array(repeating: 0, count: 5000) + "\(number)".utf8)) { $0.matches += 1 }
        }
        #expect(3000..<3400 ~= long.count)
        var full = CountsOfValues()
        for number in 1...17 as ClosedRange<UInt8> {
            full.with(.text(Array(repeating: number, count: 1 << 20))) { $0.matches += 1 }
            #expect(full.count == min(Int(number), 16), "16 MiB are the most")
        }
    }

    @Test("probability, drawn from the seed")
    func probability() {
        var rig = Self.rig(#""probability": 0.05,"#)
        let seen = rig.outcomes(20_000).filter { $0 == "TooManyRequests" }.count
        // Five standard deviations of a binomial distribution.
        #expect(1000 - 155...1000 + 155 ~= seen)
        var again = Self.rig(#""probability": 0.5,"#)
        var once = Self.rig(#""probability": 0.5,"#)
        #expect(again.outcomes(100) == once.outcomes(100))
    }

    @Test("Rules are added in front, removed, and refused when their name is taken")
    func adding() {
        var rig = ScriptRig("")
        func rule(_ name: String, _ reason: Reason) -> Rule { Rule(name: name, steps: .push([Step(.reject(reason))])) }
        #expect(rig.gateway.isScripted == false)
        #expect(rig.gateway.add(rule("a", .tooManyRequests), at: rig.now.clock) == "a")
        #expect(rig.send().reason == "TooManyRequests")
        #expect(rig.gateway.add(rule("b", .serviceUnavailable), at: rig.now.clock) == "b")
        #expect(rig.gateway.add(rule("a", .shutdown), at: rig.now.clock) == nil)
        #expect(rig.send().reason == "ServiceUnavailable")
        #expect(rig.gateway.rulesInForce.map(\.name) == ["b", "a"])
        #expect(rig.gateway.remove(rule: "b", at: rig.now.clock) == true)
        #expect(rig.gateway.remove(rule: "b", at: rig.now.clock) == false)
        #expect(rig.send().reason == "TooManyRequests")
        #expect(rig.gateway.remove(rule: "a", at: rig.now.clock) == true)
        #expect(rig.send().status == 200)
        #expect(rig.gateway.isScripted == false)
    }

    @Test("The middle and the 99th percentile of a log-normal delay; the bounds of a uniform one")
    func delays() {
        var random = SeededRandom(seed: 3)
        let delay = Step.Delay.lognormal(median: 40, p99: 2000)
        let drawn = (0..<20_000).map { _ in delay.draw(&random) }.sorted()
        #expect(38...42 ~= drawn[10_000])
        #expect(1600...2500 ~= drawn[19_800])
        let even = (0..<20_000).map { _ in Step.Delay.uniform(10, 12).draw(&random) }
        for value in 10...12 as ClosedRange<Int64> { #expect(6300...7000 ~= even.filter { $0 == value }.count) }
        #expect(Set(even).count == 3)
        #expect(Step.Delay.fixed(50).draw(&random) == 50)
        #expect(abs(Logarithm.natural(10) - 2.302_585_092_994_046) < 1e-14)
        #expect(abs(Logarithm.power(1) - 2.718_281_828_459_045) < 1e-14)
        #expect(abs(Logarithm.squareRoot(2) - 1.414_213_562_373_095) < 1e-14)
        #expect(abs(Normal.quantile(0.99) - Normal.quantileOf99) < 1e-8)
        #expect(abs(Normal.quantile(0.01) + Normal.quantileOf99) < 1e-8)
        #expect(abs(Normal.quantile(0.5)) < 1e-12)
    }

    @Test func whatIsTakenBackCountsAgain() throws {
        let rig = Self.rig(#""every": 2, "times": 3,"#)
        var rule = rig.gateway.rules.rules[0]
        let subject = ConnectionSubject(connectionID: 1, number: 1, serverName: nil)
        var random = SeededRandom(seed: 1)
        let matches = (0..<6).map { _ in rule.decideRevocably(subject, &random) }
        #expect(matches.map(\.step) == [nil, 0, nil, 0, nil, 0])
        #expect(rule.decided == 3 && rule.left == 0 && rule.isUsedUp)
        // One that it did not decide about.
        rule.takeBack(matches[4].counted)
        #expect(rule.decided == 3)
        rule.takeBack(matches[5].counted)
        #expect(rule.decided == 2 && rule.left == 1 && !rule.isUsedUp)
        let again = (0..<2).map { _ in rule.decideRevocably(subject, &random).step }
        #expect(again == [nil, 0] && rule.isUsedUp)
        // No more than there was.
        for _ in 0..<7 { rule.takeBack(matches[1].counted) }
        #expect(rule.decided == 0 && rule.left == 3)
        let anew = (0..<2).map { _ in rule.decideRevocably(subject, &random).step }
        #expect(anew == [nil, 0])
    }

    @Test func matchesOfValuesAreTakenBackByKind() {
        let rig = Self.rig(#""countPer": "connection", "every": 2,"#)
        var rule = rig.gateway.rules.rules[0]
        let subject = ConnectionSubject(connectionID: 1, number: 1, serverName: nil)
        var random = SeededRandom(seed: 1)
        let matches = (0..<2).map { _ in rule.decideRevocably(subject, &random) }
        #expect(matches.map(\.step) == [nil, 0] && rule.hasApplied)
        rule.takeBack(matches[0].counted)
        #expect(rule.hasApplied, "it did not decide about that one")
        rule.takeBack(matches[1].counted)
        #expect(!rule.hasApplied)
        let again = (0..<2).map { _ in rule.decideRevocably(subject, &random).step }
        #expect(again == [nil, 0] && rule.hasApplied)
    }

    @Test(arguments: [
        (#"{"then": {"pass": true, "device": {"online": false}}}"#, true),
        (#"{"then": {"reject": "Shutdown"}}"#, false),
        (#"{"then": [{"reject": "Shutdown"}, {"pass": true, "device": {"online": true}}]}"#, true),
    ])
    func aRuleForPushesMayChangeTheDevice(_ rule: String, changesIt: Bool) {
        #expect(ScriptRig(rule).gateway.rules.changesDevices == changesIt)
    }
}
