import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// Matchers of numbers, texts and values of payloads, against what the contract says in the plainest way.
@Suite struct MatcherTests {
    // MARK: What a matcher means

    @Test("Of two texts one is enough", arguments: [(nil, nil), ("a", nil), (nil, "a"), ("a", "b"), ("b", "a")])
    func eitherOfTwo(_ one: String?, _ other: String?) {
        func test(_ test: ValueTest) -> Bool {
            test.test(either: one.map { Array($0.utf8) }, or: other.map { Array($0.utf8) }).isTrue
        }
        let isThere = one != nil || other != nil
        #expect(test(.exists(true)) == isThere && test(.exists(false)) == !isThere)
    }

    /// A value that is asked about.
    enum Asked: Sendable {
        case absent, null, object
        case text(String)
        case number(Double)
        case bool(Bool)

        var json: String? {
            switch self {
            case .absent: nil
            case .null: "null"
            case .object: "{}"
            case .text(let text): "\"\(text)\""
            case .number(let number): "\(number)"
            case .bool(let bool): "\(bool)"
            }
        }
    }

    private static func means(_ matcher: ValueMatcher, _ value: Asked) -> Bool {
        switch (matcher, value) {
        case (.exists(let wanted), .absent): return !wanted
        case (.exists(let wanted), _): return wanted
        case (.anyOf(let matchers), _): return matchers.contains { means($0, value) }
        case (.not(let inner), _): return !means(inner, value)
        case (.text(let wanted), .text(let text)): return wanted == Array(text.utf8)
        case (.prefix(let wanted), .text(let text)): return text.hasPrefix(String(decoding: wanted, as: UTF8.self))
        case (.contains(let wanted), .text(let text)):
            return wanted.isEmpty || text.contains(String(decoding: wanted, as: UTF8.self))
        case (.number(let wanted), .number(let number)): return number == Double(wanted)
        case (.decimal(let wanted), .number(let number)): return number == wanted
        case (.range(let least, let most), .number(let number)):
            return number >= least.map { Double($0) } ?? -.infinity && number <= most.map { Double($0) } ?? .infinity
        case (.decimalRange(let least, let most), .number(let number)):
            return number >= least ?? -.infinity && number <= most ?? .infinity
        case (.bool(let wanted), .bool(let bool)): return wanted == bool
        case (.null, .null): return true
        default: return false
        }
    }

    /// A matcher of whole numbers from 0 to 6, or of something else.
    private static func random(_ random: inout SeededRandom, depth: Int, numbersOnly: Bool) -> ValueMatcher {
        func number() -> Int64 { Int64(random.next() % 7) }
        func bound() -> Int64? { random.next() % 3 == 0 ? nil : number() }
        func half() -> Double { Double(random.next() % 13) / 2 }
        switch random.next() % (numbersOnly ? 5 : 11) {
        case 0 where depth > 0:
            let count = random.next() % 3
            return .anyOf(
                (0..<count).map { _ in Self.random(&random, depth: depth - 1, numbersOnly: numbersOnly) })
        case 1 where depth > 0: return .not(Self.random(&random, depth: depth - 1, numbersOnly: numbersOnly))
        case 2: return .exists(random.next() % 2 == 0)
        case 3: return .range(atLeast: bound(), atMost: bound())
        case 5: return .decimal(half())
        case 6: return .decimalRange(atLeast: random.next() % 3 == 0 ? nil : half(), atMost: half())
        case 7: return .bool(random.next() % 2 == 0)
        case 8: return .null
        case 9:
            let text = Array(["", "a", "ab", "b", "abc"][Int(random.next() % 5)].utf8)
            return [.text(text), .prefix(text), .contains(text)][Int(random.next() % 3)]
        default: return .number(number())
        }
    }

    private static let values: [Asked] =
        [.absent, .null, .object, .bool(true), .bool(false)] + ["", "a", "ab", "abc", "cab", "b"].map { .text($0) }
        + (-1...14).map { .number(Double($0) / 2) }

    // MARK: Asking values

    @Test("A matcher holds for what it means, whatever it is asked of", arguments: 0..<4 as Range<UInt64>)
    func holds(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<1000 {
            let matcher = Self.random(&random, depth: 2, numbersOnly: false)
            let test = ValueTest(matcher, PatternContext())
            for value in Self.values {
                let wanted = Self.means(matcher, value)
                let read = try value.json.map { try JSONText.read(Array($0.utf8)) }
                #expect(test.test(read).isTrue == wanted && test.test(read).isFalse != wanted, "\(matcher) \(value)")
                switch value {
                case .absent:
                    #expect(test.holdsForAbsence == wanted)
                    #expect(test.holds(nil) == wanted && test.test([UInt8]?.none).isTrue == wanted)
                case .text(let text):
                    #expect(ValueTest(matcher).mayHold(for: text) == wanted)
                    #expect(test.test(Array(text.utf8)).isTrue == wanted)
                case .number(let number) where number == number.rounded():
                    #expect(test.holds(Int64(number)) == wanted, "\(matcher) \(number)")
                default: break
                }
            }
        }
    }

    @Test("A header field that comes more than once fulfils what one of its values does")
    func headers() {
        let (bytes, headerLength) = ExamplePush(("x-a", "1"), ("x-a", "2"), ("x-b", "3")).bytes
        for (name, matcher, wanted) in [
            ("x-a", .equals("1"), true), ("x-a", .equals("2"), true), ("x-a", .equals("3"), false),
            ("x-b", .equals("3"), true), ("x-c", .exists(false), true), ("x-c", .exists(true), false),
            ("x-a", .exists(false), false), ("x-a", .not(.equals("1")), true), ("x-b", .not(.equals("3")), false),
            ("x-c", .not(.equals("3")), true),
        ] as [(String, ValueMatcher, Bool)] {
            let result = ValueTest(matcher, PatternContext())
                .test(header: Array(name.utf8), in: bytes.span, headerLength: headerLength)
            #expect(result.isTrue == wanted && result.isFalse != wanted, "\(name) \(matcher)")
        }
    }

    @Test("What holds is not asked of further values or conditions, which may cost much")
    func stopsEarly() {
        let patterns = PatternContext()
        let endless = ValueMatcher.pattern(EndlessPattern.text)
        let value = Array(EndlessPattern.value.utf8)
        for matcher in [ValueMatcher.anyOf([.exists(true), endless]), .anyOf([endless, .exists(true)])] {
            #expect(ValueTest(matcher, patterns).test(value).isTrue)
        }
        #expect(patterns.takeEvents().count == 1, "only where the pattern comes first")
        #expect(ValueTest(endless, patterns).isSlow && ValueTest(.not(.anyOf([.null, endless])), patterns).isSlow)
        #expect(!ValueTest(.not(.anyOf([.null, .exists(true)])), patterns).isSlow)
    }

    @Test("Patterns are counted wherever they stand")
    func patternCount() {
        let pattern = ValueMatcher.pattern("a")
        #expect(ValueMatcher.anyOf([pattern, .null, .not(pattern), .anyOf([pattern])]).patternCount == 3)
        #expect(ValueMatcher.anyOf([]).patternCount == 0 && ValueMatcher.not(.null).patternCount == 0)
        let expression = MatchExpression([.device([0]), .field(.topic, pattern), .header("a", .not(pattern))])
        #expect(expression.patternCount == 2)
    }

    @Test(
        "Numbers of a payload that are greater than any whole number are compared with the border, which counts too",
        arguments: [
            (.range(atLeast: .max, atMost: nil), "9223372036854775808", true),
            (.range(atLeast: .max, atMost: nil), "9223372036854775806", false),
            (.range(atLeast: 1, atMost: .max), "1e300", false), (.range(atLeast: 1, atMost: nil), "1e300", true),
            (.range(atLeast: nil, atMost: 1), "-1e300", true), (.range(atLeast: 1, atMost: nil), "0.5", false),
            (.range(atLeast: nil, atMost: 1), "1.5", false), (.range(atLeast: 1, atMost: 2), "1.5", true),
            (.decimalRange(atLeast: 0.5, atMost: 1.5), "0.5", true),
            (.decimalRange(atLeast: 0.5, atMost: 1.5), "1.5", true),
            (.decimalRange(atLeast: 0.5, atMost: 1.5), "0.49", false),
            (.decimalRange(atLeast: 0.5, atMost: 1.5), "1.51", false), (.decimal(0.5), "0.5", true),
            (.decimal(0.5), "0.25", false),
        ] as [(ValueMatcher, String, Bool)])
    func numbersOfPayloads(matcher: ValueMatcher, number: String, wanted: Bool) throws {
        let value = try JSONText.read(Array(number.utf8))
        #expect(ValueTest(matcher, PatternContext()).test(value).isTrue == wanted)
    }

    // MARK: What can hold at all

    private static let numbers: [(RequestField, MatchUse, ClosedRange<Int64>, Bool)] = [
        (.status, .record, 200...599, true), (.providerToken, .record, 1...1_000_000_000, true),
        (.connection, .record, 1...1_000_000_000, true), (.connection, .rule(.connect), 1...1_000_000_000, false),
        (.requestOnConnection, .record, 1...1_000_000_000, false), (.inFlight, .record, 1...1_000_000_000, false),
        (.requestOnConnection, .rule(.ping), 0...1_000_000_000, false),
        (.inFlight, .rule(.ping), 0...1_000_000_000, false), (.payloadBytes, .record, 0...1_000_000_000, false),
        (.expiration, .record, .min ... .max, true),
    ]

    @Test("A number that a field can have is not called impossible, and one beyond is", arguments: numbers.indices)
    func bounds(index: Int) {
        let (field, use, range, canBeAbsent) = Self.numbers[index]
        let domain = MatchDomain(field, use)
        for bound in [range.lowerBound, range.upperBound] {
            #expect(domain.canHold(.number(bound)) && domain.canHold(.range(atLeast: bound, atMost: bound)))
        }
        for (beyond, overflow) in [
            range.lowerBound.subtractingReportingOverflow(1), range.upperBound.addingReportingOverflow(1),
        ] where !overflow {
            #expect(!domain.canHold(.number(beyond)) && !domain.canHold(.range(atLeast: beyond, atMost: beyond)))
        }
        #expect(domain.canHold(.exists(false)) == canBeAbsent)
        let all = ValueMatcher.range(atLeast: range.lowerBound, atMost: range.upperBound)
        #expect(domain.canHold(.not(all)) == canBeAbsent && domain.canHold(all))
        #expect(domain.canHold(.not(.exists(true))) == canBeAbsent)
    }

    @Test("A matcher can hold where some value fulfils it, or none", arguments: 0..<2 as Range<UInt64>)
    func canHoldNumbers(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let fields: [(RequestField, MatchUse, [Int64], Bool)] = [
            (.priority, .record, [1, 5, 10], true), (.providerToken, .record, Array(1...20), true),
            (.payloadBytes, .record, Array(0...20), false), (.inFlight, .record, Array(1...20), false),
        ]
        for _ in 0..<2000 {
            let matcher = Self.random(&random, depth: 2, numbersOnly: true)
            for (field, use, values, canBeAbsent) in fields {
                let wanted =
                    canBeAbsent && Self.means(matcher, .absent)
                    || values.contains { Self.means(matcher, .number(Double($0))) }
                #expect(MatchDomain(field, use).canHold(matcher) == wanted, "\(field) \(matcher)")
            }
        }
    }

    @Test(
        "What no text can fulfil",
        arguments: [
            (.anyOf([]), false, false), (.exists(true), true, true), (.exists(false), true, false),
            (.not(.exists(true)), true, false), (.not(.exists(false)), true, true), (.equals("checks"), true, true),
            (.not(.equals("checks")), true, true), (.not(.anyOf([])), true, true),
            (.not(.anyOf([.exists(true), .exists(false)])), false, false),
            (.not(.anyOf([.exists(true), .equals("checks")])), true, false),
            (.not(.anyOf([.exists(true), .not(.equals("checks"))])), false, false),
            (.not(.anyOf([.exists(false), .equals("checks")])), true, true),
            (.anyOf([.exists(false), .anyOf([])]), true, false), (.anyOf([.anyOf([]), .equals("checks")]), true, true),
            (.not(.not(.exists(false))), true, false), (.not(.not(.anyOf([]))), false, false),
            (.not(.anyOf([.not(.anyOf([])), .equals("checks")])), false, false),
            (.not(.not(.exists(true))), true, true),
        ] as [(ValueMatcher, Bool, Bool)])
    func canHoldTexts(matcher: ValueMatcher, ofTopics: Bool, ofDeciders: Bool) {
        #expect(MatchDomain(.topic, .record).canHold(matcher) == ofTopics)
        #expect(MatchDomain(.device, .record).canHold(matcher) == ofTopics)
        #expect(MatchDomain.payload.canHold(matcher) == ofTopics && MatchDomain.text.canHold(matcher) == ofTopics)
        #expect(MatchDomain(.decidedBy, .record).canHold(matcher) == ofDeciders)
    }

    @Test("A number that is left alone between others can hold")
    func canHoldOneNumber() {
        let size = MatchDomain(.payloadBytes, .record)
        let (upTo4, from7) = (ValueMatcher.range(atLeast: nil, atMost: 4), ValueMatcher.range(atLeast: 7, atMost: nil))
        #expect(size.canHold(.not(.anyOf([upTo4, .number(5), from7]))))
        #expect(size.canHold(.not(.anyOf([upTo4, .number(6), from7]))))
        #expect(!size.canHold(.not(.anyOf([upTo4, .number(5), .number(6), from7]))))
    }

    @Test("Of a field with few words it is known what can hold")
    func canHoldWords() {
        let outcome = MatchDomain(.outcome, .record)
        #expect(outcome.canHold(.equals("responded")) && !outcome.canHold(.equals("answered")))
        #expect(outcome.canHold(.prefix(Array("re".utf8))) && !outcome.canHold(.contains(Array("#".utf8))))
        #expect(outcome.canHold(.pattern("x")), "a pattern is not tried")
        #expect(outcome.canHold(.anyOf([.equals("answered"), .pattern("x")])))
        #expect(!outcome.canHold(.anyOf([.equals("answered"), .equals("asked")])))
        #expect(outcome.canHold(.not(.equals("responded"))) && outcome.canHold(.exists(false)))
        let words = RequestField.outcome.words.map { ValueMatcher.equals($0) }
        #expect(!outcome.canHold(.not(.anyOf(words + [.exists(false)]))))
        #expect(outcome.canHold(.not(.anyOf(words))))
    }

    @Test("Which fields take texts, and which numbers")
    func kinds() {
        let fields = RequestField.allCases.filter { MatchDomain($0, .record).hasNumbers }
        #expect(
            fields.map(\.rawValue).sorted()
                == RequestField.allCases.filter { $0.kind == .number }.map(\.rawValue).sorted())
        #expect(RequestField.allCases.allSatisfy { MatchDomain($0, .record).hasTexts != fields.contains($0) })
        #expect(MatchDomain.payload.hasTexts && MatchDomain.payload.hasNumbers)
        #expect(MatchDomain(.outcome, .record).words == Outcome.allCases.map(\.name))
        #expect(MatchDomain(.decidedBy, .record).words == DecidedBy.allCases.map(\.name))
        #expect(MatchDomain(.topic, .record).words.isEmpty && MatchDomain(.pushType, .record).words.isEmpty)
    }

    @Test("A number that is too large to be counted is there, and is none of those asked for")
    func hugeNumber() throws {
        let patterns = PatternContext()
        let number = try JSONText.read(Array("1e999".utf8))
        for (matcher, holds) in [
            (.exists(true), true), (.range(atLeast: 1, atMost: nil), false), (.number(0), false),
            (.not(.number(0)), true), (.decimalRange(atLeast: 1, atMost: nil), false),
        ] as [(ValueMatcher, Bool)] {
            #expect(ValueTest(matcher, patterns).test(number).isTrue == holds, "\(matcher)")
        }
    }

    @Test("Only the capitals of ASCII have small letters")
    func lowercased() {
        for byte in UInt8.min...UInt8.max {
            #expect(byte.lowercased == (65...90 ~= byte ? byte + 32 : byte))
        }
    }

    // MARK: MatchResult

    @Test("What is undecided stays so unless the other side decides")
    func undecidedResults() {
        let (one, other) = (UndecidedPattern("a", .limit), UndecidedPattern("b", .limit))
        func name(_ result: MatchResult) -> String {
            result.undecidedPattern?.text ?? (result.isTrue ? "yes" : result.isFalse ? "no" : "?")
        }
        let all: [MatchResult] = [.no, .yes, .undecided(one)]
        let others: [MatchResult] = [.no, .yes, .undecided(other)]
        #expect(
            all.map { first in others.map { name(first && $0) } } == [
                ["no", "no", "no"], ["no", "yes", "b"], ["no", "a", "a"],
            ])
        #expect(
            all.map { first in others.map { name(first || $0) } } == [
                ["no", "yes", "b"], ["yes", "yes", "yes"], ["a", "yes", "a"],
            ])
        #expect(all.map { name(!$0) } == ["yes", "no", "a"])
    }
}
