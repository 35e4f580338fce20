/// One condition of a rule or a log query, prepared for testing.
enum MatchCondition {
    case number(RequestField, ValueTest)
    /// The accepted words of a field as bits by raw value, with bit 63 for absence.
    case word(RequestField, UInt64)
    /// The same for `decidedBy`, with a test for values of the form `rule:NAME`.
    case decider(UInt64, ValueTest)
    /// A text that is usually among the request's bytes in the form it is compared in.
    case bytes(RequestField, ValueTest)
    /// Any other text.
    case text(RequestField, ValueTest)
    /// Hexadecimal digits to be matched completely, in lower case.
    case digits(RequestField, [UInt8])
    /// An `apns-id`, compared as a number if the server generated it.
    case id(MadeID, [UInt8])
    /// A header field, by its name in lower case.
    case header([UInt8], ValueTest)
    case payload(JSONPointer, ValueTest)
    /// The id or the name of a broadcast channel.
    case channel(ValueTest)
    /// Whether it is a request about broadcast channels.
    case isCall(Bool)

    /// - Parameters:
    ///   - condition: a condition of a ``RequestMatch``, which gives devices by name.
    ///   - patterns: evaluates regular expressions.
    init(_ condition: MatchExpression.Condition, _ patterns: PatternContext) {
        switch condition {
        // A match has names instead.
        case .device: self = .text(.device, .anyOf([]))
        case .header(let name, let matcher): self = .header(Array(name.utf8), ValueTest(matcher, patterns))
        case .payload(let pointer, let matcher): self = .payload(pointer, ValueTest(matcher, patterns))
        case .field(let field, let matcher):
            let test = ValueTest(matcher, patterns)
            switch (field, field.kind) {
            case (.channel, _): self = .channel(test)
            case (.decidedBy, _): self = .decider(Self.words(field, test), test)
            case (_, .word): self = .word(field, Self.words(field, test))
            case (_, .number): self = .number(field, test)
            case (.uniqueID, _): self = .text(field, test)
            case (_, .foldedText):
                guard case .text(let text) = matcher else {
                    self = .text(field, test)
                    return
                }
                let id = field == .apnsID ? MadeID(text.span) : nil
                self = id.map { .id($0, text) } ?? .digits(field, text)
            case (.keyID, _), (.teamID, _), (.serverName, _): self = .text(field, test)
            case (_, .text): self = .bytes(field, test)
            }
        }
    }

    /// The cost of testing: cheap conditions come first, since all must hold.
    var cost: Int {
        switch self {
        case .number, .word, .decider, .isCall: 0
        case .id, .digits: 1
        case .bytes(let field, let test): test.isSlow ? 4 : field == .body ? 3 : 1
        case .text(_, let test), .channel(let test): test.isSlow ? 4 : 2
        case .header(_, let test): test.isSlow ? 4 : 3
        case .payload(_, let test): test.isSlow ? 6 : 5
        }
    }

    /// Tests whether the condition holds.
    @inline(__always)
    func test<Subject: MatchSubject & ~Escapable>(_ subject: inout Subject) -> MatchResult {
        switch self {
        case .number(let field, let test): return MatchResult(test.holds(subject.number(field)))
        case .word(let field, let mask): return MatchResult(Self.holds(mask, for: subject.word(field)))
        case .decider(let mask, let test):
            let decider = subject.word(.decidedBy)
            guard decider == DecidedBy.rule.code else { return MatchResult(Self.holds(mask, for: decider)) }
            return test.test(subject.text(.decidedBy))
        case .bytes(let field, let test): return subject.test(field, test)
        case .text(let field, let test): return test.test(subject.text(field))
        case .digits(let field, let digits): return MatchResult(subject.has(digits, as: field))
        case .id(let id, let digits):
            if let made = subject.madeID { return MatchResult(made == id) }
            return MatchResult(subject.has(digits, as: .apnsID))
        case .header(let name, let test): return subject.test(header: name, test)
        case .payload(let pointer, let test): return test.test(subject.payload(pointer))
        case .channel(let test):
            let channel = subject.channel
            return test.test(either: channel.id, or: channel.name)
        case .isCall(let wanted): return MatchResult(subject.isCall == wanted)
        }
    }

    private static func holds(_ mask: UInt64, for word: UInt8?) -> Bool {
        mask & (word.map { 1 << UInt64($0) } ?? StateTest.absence) != 0
    }

    /// Returns the accepted words of a field.
    private static func words(_ field: RequestField, _ test: ValueTest) -> UInt64 {
        var mask = test.holdsForAbsence ? StateTest.absence : 0
        for (value, word) in field.words.enumerated() {
            let text = Array(word.utf8)
            if test.test(text.span).isTrue { mask |= 1 << UInt64(value) }
        }
        return mask
    }
}

extension Sequence<MatchCondition> {
    /// The conditions, cheapest first.
    var sortedByCost: [MatchCondition] { sorted { $0.cost < $1.cost } }
}

extension [MatchCondition] {
    /// Tests whether all conditions hold.
    @inline(__always)
    func test<Subject: MatchSubject & ~Escapable>(_ subject: inout Subject) -> MatchResult {
        // Through a span, whose elements are not copied.
        let conditions = span
        var truth = MatchResult.yes
        for index in conditions.indices {
            truth = truth && conditions[index].test(&subject)
        }
        return truth
    }
}

extension MadeID {
    /// Parses the 128 bits of an id from its text form.
    init?(_ text: Span<UInt8>) {
        guard APNSID(text) != nil else { return nil }
        var words = (high: UInt64(0), low: UInt64(0))
        var digits = 0
        for index in 0..<text.count where text[index] != UInt8(ascii: "-") {
            let digit = UInt64(text[index] & 15) + (text[index] > UInt8(ascii: "9") ? 9 : 0)
            if digits < 16 { words.high = words.high << 4 | digit } else { words.low = words.low << 4 | digit }
            digits += 1
        }
        self.init(high: words.high, low: words.low)
    }
}
