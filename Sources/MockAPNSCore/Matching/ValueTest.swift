/// A ``ValueMatcher`` prepared for testing, with compiled regular expressions.
package indirect enum ValueTest {
    case text([UInt8])
    case number(Int64)
    case decimal(Double)
    case bool(Bool)
    case null
    case exists(Bool)
    case prefix([UInt8])
    case contains([UInt8])
    case pattern(PatternTest)
    case unevaluated(UndecidedPattern)
    case range(atLeast: Int64?, atMost: Int64?)
    case decimalRange(atLeast: Double?, atMost: Double?)
    case anyOf([ValueTest])
    case not(ValueTest)

    /// Compiles a matcher. A regular expression that does not compile, which the reader rejects, never matches.
    ///
    /// - Parameter patterns: evaluates regular expressions.
    ///   Without it none is tried, and all stay undecided.
    package init(_ matcher: ValueMatcher, _ patterns: PatternContext? = nil) {
        self =
            switch matcher {
            case .text(let text): .text(text)
            case .number(let number): .number(number)
            case .decimal(let number): .decimal(number)
            case .bool(let bool): .bool(bool)
            case .null: .null
            case .exists(let wanted): .exists(wanted)
            case .prefix(let text): .prefix(text)
            case .contains(let text): .contains(text)
            case .pattern(let text):
                if let patterns {
                    PatternTest(text, in: patterns).map { .pattern($0) } ?? .anyOf([])
                } else {
                    .unevaluated(UndecidedPattern(text, .budget))
                }
            case .range(let least, let most): .range(atLeast: least, atMost: most)
            case .decimalRange(let least, let most): .decimalRange(atLeast: least, atMost: most)
            case .anyOf(let matchers): .anyOf(matchers.map { ValueTest($0, patterns) })
            case .not(let matcher): .not(ValueTest(matcher, patterns))
            }
    }

    /// Whether it may evaluate a regular expression, which can cost a thousand times as much as anything else.
    var isSlow: Bool {
        switch self {
        case .pattern: true
        case .anyOf(let tests): tests.contains(where: \.isSlow)
        case .not(let test): test.isSlow
        default: false
        }
    }

    /// Whether an absent value matches.
    package var holdsForAbsence: Bool {
        switch self {
        case .exists(let wanted): !wanted
        case .anyOf(let tests): tests.contains(where: \.holdsForAbsence)
        case .not(let test): !test.holdsForAbsence
        default: false
        }
    }

    /// Tests a text.
    func test(_ text: Span<UInt8>) -> MatchResult {
        switch self {
        case .text(let wanted): return MatchResult(text.equals(wanted.span))
        case .prefix(let wanted): return MatchResult(text.hasAll(of: wanted.span, at: 0))
        case .contains(let wanted): return MatchResult(text.hasSomewhere(wanted.span))
        case .pattern(let pattern): return pattern.test(text)
        case .unevaluated(let pattern): return .undecided(pattern)
        case .exists(let wanted): return MatchResult(wanted)
        case .anyOf(let tests): return tests.reduce(.no) { $0 || $1.test(text) }
        case .not(let test): return !test.test(text)
        case .number, .decimal, .bool, .null, .range, .decimalRange: return .no
        }
    }

    /// Whether a text may match: it does, or a regular expression decides it.
    package func mayHold(for text: String) -> Bool { !test(Array(text.utf8).span).isFalse }

    /// Tests a text; `nil` means absent.
    func test(_ text: [UInt8]?) -> MatchResult {
        guard let text else { return MatchResult(holdsForAbsence) }
        return test(text.span)
    }

    /// Tests something with two texts, one of which may be absent: it matches if one of them does.
    func test(either one: [UInt8]?, or other: [UInt8]?) -> MatchResult {
        switch self {
        case .not(let test): !test.test(either: one, or: other)
        case .anyOf(let tests): tests.reduce(.no) { $0 || $1.test(either: one, or: other) }
        case .exists(let wanted): MatchResult((one != nil || other != nil) == wanted)
        default: (one.map { test($0.span) } ?? .no) || (other.map { test($0.span) } ?? .no)
        }
    }

    /// Tests a header field by its name in lower case. A repeated field matches if one of its values does.
    func test(header name: [UInt8], in bytes: Span<UInt8>, headerLength: Int) -> MatchResult {
        var fields = HeaderFields(length: headerLength)
        var isThere = false
        var truth = MatchResult.no
        while let field = fields.next(in: bytes) {
            guard bytes.extracting(field.name.range).equals(name.span) else { continue }
            isThere = true
            truth = truth || test(bytes.extracting(field.value.range))
        }
        return isThere ? truth : MatchResult(holdsForAbsence)
    }

    /// Returns whether a whole number matches; `nil` means absent.
    package func holds(_ number: Int64?) -> Bool {
        guard let number else { return holdsForAbsence }
        switch self {
        case .number(let wanted): return number == wanted
        case .decimal(let wanted): return Double(number) == wanted
        case .exists(let wanted): return wanted
        case .range(let least, let most): return number >= least ?? .min && number <= most ?? .max
        case .decimalRange(let least, let most):
            return Double(number) >= least ?? -.infinity && Double(number) <= most ?? .infinity
        case .anyOf(let tests): return tests.contains { $0.holds(number) }
        case .not(let test): return !test.holds(number)
        case .text, .prefix, .contains, .pattern, .unevaluated, .bool, .null: return false
        }
    }

    /// Tests a value of a payload; `nil` means absent. Objects and arrays can only be tested for presence.
    package func test(_ value: JSONText.Value?) -> MatchResult {
        guard let value else { return MatchResult(holdsForAbsence) }
        switch self {
        case .exists(let wanted): return MatchResult(wanted)
        case .anyOf(let tests): return tests.reduce(.no) { $0 || $1.test(value) }
        case .not(let test): return !test.test(value)
        default: break
        }
        switch value.content {
        case .string(let text):
            let bytes = Array(text.utf8)
            return test(bytes.span)
        case .number(let number):
            if let whole = number.int64 { return MatchResult(holds(whole)) }
            return MatchResult(number.double.map { holdsFraction($0) } ?? false)
        case .bool(let bool): if case .bool(let wanted) = self { return MatchResult(bool == wanted) }
        case .null: if case .null = self { return .yes }
        case .object, .array: break
        }
        return .no
    }

    private func holdsFraction(_ number: Double) -> Bool {
        switch self {
        case .decimal(let wanted): number == wanted
        case .range(let least, let most):
            number >= least.map(Double.init) ?? -.infinity && number <= most.map(Double.init) ?? .infinity
        case .decimalRange(let least, let most): number >= least ?? -.infinity && number <= most ?? .infinity
        default: false
        }
    }
}

extension Span<UInt8> {
    fileprivate func hasAll(of other: Span<UInt8>, at offset: Int) -> Bool {
        guard offset + other.count <= count else { return false }
        for index in 0..<other.count where self[offset + index] != other[index] { return false }
        return true
    }

    /// Returns whether the bytes equal these lower-case letters and digits, ignoring case.
    func isSame(asLowercase other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index].lowercased != other[index] { return false }
        return true
    }

    /// Returns whether the other bytes occur in these.
    func hasSomewhere(_ other: Span<UInt8>) -> Bool {
        guard other.count <= count else { return false }
        for offset in 0...count - other.count where hasAll(of: other, at: offset) { return true }
        return false
    }
}

extension UInt8 {
    /// The lower-case form of an ASCII letter; other bytes unchanged.
    var lowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}
