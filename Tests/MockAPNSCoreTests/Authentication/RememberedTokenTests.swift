import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

@Suite("What is remembered of provider tokens, and how long")
struct RememberedTokenTests {
    private static func token(_ text: some Sequence<UInt8>) -> ProviderToken {
        let bytes = Array(text)
        return ProviderToken(malformed: .none, authorization: bytes.span)
    }

    private static func token(_ number: Int) -> ProviderToken { token("\(number)".utf8) }

    /// Two texts with the same hash.
    private static func collision() throws -> (ProviderToken, ProviderToken) {
        func bytes(_ word: UInt64) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        func words(_ number: UInt64) -> [UInt64] {
            [number &* 0x9e37_79b9, number &* 0x85eb_ca6b &+ 7].map { $0 & 0xffff_ffff }
        }
        func state(_ number: UInt64) -> UInt64 {
            words(number).reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ $1) &* 0x100_0000_01b3 }
        }
        var seen: [UInt64: UInt64] = [:]
        for number in 0..<1_000_000 as Range<UInt64> {
            guard let other = seen.updateValue(number, forKey: state(number) >> 32) else { continue }
            // The next four bytes undo the difference of the lower half.
            let texts = [(number, 0), (other, state(number) ^ state(other))].map { number, last in
                (words(number) + [last]).flatMap(bytes)
            }
            return (token(texts[0]), token(texts[1]))
        }
        throw Unfound()
    }

    private struct Unfound: Error {}

    private static func isKept(_ token: ProviderToken, in cache: ProviderTokenCache) -> Bool {
        let bytes = token.authorization
        return cache.find(bytes.span) === token
    }

    // MARK: The cache

    @Test("Of the tokens that share a set the four latest are kept, and one that comes again is the latest")
    func sets() {
        var cache = ProviderTokenCache()
        let tokens = Array((0...).lazy.map { Self.token($0) }.filter { $0.hash % 256 == 255 }.prefix(6))
        func kept() -> [Int] { tokens.indices.filter { Self.isKept(tokens[$0], in: cache) } }
        #expect(kept() == [])
        for index in 0..<4 {
            cache.insert(tokens[index])
            #expect(kept() == Array(0...index))
        }
        cache.insert(tokens[0])
        #expect(kept() == [0, 1, 2, 3])
        cache.insert(tokens[4])
        #expect(kept() == [0, 2, 3, 4])
        cache.insert(tokens[5])
        #expect(kept() == [0, 3, 4, 5])
        cache.removeAll()
        #expect(kept() == [])
    }

    @Test("Two tokens of one hash are told apart by their bytes")
    func collidingTokens() throws {
        let (one, other) = try Self.collision()
        #expect(one.hash == other.hash && one.authorization != other.authorization)
        #expect(!one.isSame(as: other) && one.isSame(as: Self.token(one.authorization)))
        var cache = ProviderTokenCache()
        cache.insert(one)
        let bytes = other.authorization
        let found = cache.find(bytes.span)
        #expect(found == nil)
        cache.insert(other)
        #expect(Self.isKept(one, in: cache) && Self.isKept(other, in: cache))
        var numbers = TokensOnConnection()
        #expect([one, other, one].map { numbers.number(of: $0) } == [1, 2, 1])
    }

    // MARK: The rate of new tokens

    @Test("The tokens of before the window are not new again, as long as there are no more than 64 of them")
    func olderTokens() {
        let rule = Authentication.ProviderTokenUpdates(allowed: 2, per: 1000)
        func isNew(_ token: Int, after others: Int) -> Bool {
            var rate = ProviderTokenUpdateRate()
            var now = GatewayRig.now
            for number in 0..<others {
                #expect(rate.tooEarly(Self.token(number), at: now, by: rule) == nil)
                now.milliseconds += 1000
            }
            // Two new ones are taken; a third is too early if this one was new, too.
            #expect(rate.tooEarly(Self.token(token), at: now, by: rule) == nil)
            #expect(rate.tooEarly(Self.token(-1), at: now, by: rule) == nil)
            return rate.tooEarly(Self.token(-2), at: now, by: rule) != nil
        }
        #expect(!isNew(0, after: 64))
        #expect(isNew(0, after: 65))
        #expect(!isNew(1, after: 65))
        #expect(isNew(1, after: 66))
    }

    @Test("The tokens within the window are never forgotten")
    func tokensInTheWindow() {
        let rule = Authentication.ProviderTokenUpdates(allowed: 100, per: 1000)
        var rate = ProviderTokenUpdateRate()
        for number in 0..<100 { #expect(rate.tooEarly(Self.token(number), at: GatewayRig.now, by: rule) == nil) }
        #expect(rate.tooEarly(Self.token(0), at: GatewayRig.now, by: rule) == nil)
        let end = Timestamp(milliseconds: GatewayRig.now.milliseconds + 1000)
        #expect(rate.tooEarly(Self.token(100), at: GatewayRig.now, by: rule)?.until == end)
    }

    @Test(
        "Only a clock that is put back by more than the window makes the rate begin anew",
        arguments: [(1, false), (999, false), (1000, false), (1001, true), (100_000, true)])
    func clockPutBack(milliseconds: Int64, beginsAnew: Bool) {
        let rule = Authentication.ProviderTokenUpdates(allowed: 1, per: 1000)
        var rate = ProviderTokenUpdateRate()
        let now = GatewayRig.now
        let before = now.advanced(by: -milliseconds)
        #expect(rate.tooEarly(Self.token(0), at: now, by: rule) == nil)
        let until = rate.tooEarly(Self.token(1), at: before, by: rule)?.until
        #expect(until == (beginsAnew ? nil : now.advanced(by: 1000)))
        // Where it began anew, the token of before is as new as any other.
        let untilAgain = rate.tooEarly(Self.token(0), at: before, by: rule)?.until
        #expect(untilAgain == (beginsAnew ? before.advanced(by: 1000) : nil))
    }

    @Test("A token shown after the clock was put back a little counts from the latest time")
    func latestTime() {
        let rule = Authentication.ProviderTokenUpdates(allowed: 2, per: 1000)
        var rate = ProviderTokenUpdateRate()
        let now = GatewayRig.now
        #expect(rate.tooEarly(Self.token(0), at: now, by: rule) == nil)
        #expect(rate.tooEarly(Self.token(1), at: now.advanced(by: -500), by: rule) == nil)
        let end = now.advanced(by: 1000)
        #expect(rate.tooEarly(Self.token(2), at: now.advanced(by: 999), by: rule)?.until == end)
        #expect(rate.tooEarly(Self.token(2), at: end, by: rule) == nil)
    }

    @Test("A connection numbers its last 64 tokens; one of before gets a new number")
    func numbers() {
        var numbers = TokensOnConnection()
        func number(_ token: Int) -> UInt32 { numbers.number(of: Self.token(token)) }
        #expect((0..<64).map(number) == Array(1...64))
        #expect(number(0) == 1 && numbers.seen == 64)
        #expect(number(64) == 65 && number(1) == 2)
        #expect(number(0) == 66 && number(2) == 3 && number(1) == 67)
        #expect(numbers.seen == 67)
    }

    @Test("A thousand teams are told apart by their rates; all others share one, and none is forgotten")
    func teams() {
        var rig = GatewayRig {
            $0.authentication.mode = .decode
            $0.authentication.providerTokenUpdates = .init(allowed: 1, per: 1000, scope: .team)
        }
        func push(_ team: Int, _ issuedAt: Int) -> ExamplePush {
            ExamplePush {
                $0.token = ExamplePush.bearer(
                    teamID: "\(1_000_000_000 + team)", issuedAt: "\(1_795_255_000 + issuedAt)")
            }
        }
        for team in 0..<1000 { #expect(rig.send(push(team, 0)).status == (team == 0 ? 200 : 403)) }
        #expect(rig.send(push(0, 1)).reason == "TooManyProviderTokenUpdates")
        #expect(rig.send(push(999, 1)).reason == "TooManyProviderTokenUpdates")
        #expect(rig.send(push(1000, 0)).reason == "InvalidProviderToken")
        #expect(rig.send(push(0, 1)).reason == "TooManyProviderTokenUpdates")
        let other = rig.send(push(1001, 0))
        #expect(other.reason == "TooManyProviderTokenUpdates")
        #expect(other.explanation.contains("all teams after the first 1000"), "\(other.explanation)")
        let (known, untracked) = (rig.gateway.validator.teamCount, rig.gateway.validator.untracked)
        #expect(known == 1000 && untracked == 2)
    }

    @Test("Ten thousand tokens of a window are told apart; more cannot be allowed")
    func manyTokens() throws {
        let rule = Authentication.ProviderTokenUpdates(allowed: ProviderTokenUpdateRate.allowedLimit, per: 1000)
        var rate = ProviderTokenUpdateRate()
        let now = GatewayRig.now
        for number in 0..<rule.allowed { #expect(rate.tooEarly(Self.token(number), at: now, by: rule) == nil) }
        #expect(rate.tooEarly(Self.token(-1), at: now, by: rule)?.until == now.advanced(by: 1000))
        #expect(rate.tooEarly(Self.token(5000), at: now, by: rule) == nil)
        func mistakes(_ allowed: Int) throws -> [ScenarioMistake] {
            let text = #"{"authentication": {"providerTokenUpdates": {"allowed": \#(allowed)}}}"#
            return Scenario.read(try JSONText.read(Array(text.utf8))).1
        }
        #expect(try mistakes(10_000).isEmpty)
        for allowed in [10_001, 1_000_000_000] {
            let mistake = try #require(try mistakes(allowed).first)
            #expect(mistake.pointer == "/authentication/providerTokenUpdates/allowed")
            #expect(mistake.message.hasSuffix("expected a whole number from 1 to 10000"), "\(mistake.message)")
        }
    }

    // MARK: Topics

    @Test("Without verification a token of an unconfigured team may push to every topic, each time")
    func unknownTeam() {
        var rig = GatewayRig {
            $0.authentication = Authentication(teams: [])
            $0.authentication.mode = .decode
        }
        for topic in ["com.example.app", "com.example.other", "com.example.app"] {
            let push = ExamplePush {
                $0.topic = topic
                $0.path = "/3/device/" + String(repeating: topic == "com.example.app" ? "ab" : "cd", count: 32)
            }
            #expect(rig.send(push).status == 200)
        }
    }

    @Test("The topics of the first team, and of its first key, bind every push of a connection")
    func topicsOfEveryPush() {
        let app: TopicList = ["com.example.app"]
        let teams = [
            Authentication.Team(teamID: "DEF123GHIJ", topics: app, keys: [.init(keyID: "ABC123DEFG")]),
            Authentication.Team(teamID: "DEF123GHIJ", keys: [.init(keyID: "ABC123DEFG", topics: app)]),
            Authentication.Team(
                teamID: "DEF123GHIJ", topics: ["com.example.other"], keys: [.init(keyID: "ABC123DEFG", topics: app)]),
        ]
        for team in teams {
            var rig = GatewayRig { $0.authentication.teams = [team] }
            for _ in 0..<3 {
                #expect(rig.send().status == 200)
                #expect(rig.send(ExamplePush { $0.topic = "com.example.other" }).reason == "TopicDisallowed")
            }
        }
    }
}
