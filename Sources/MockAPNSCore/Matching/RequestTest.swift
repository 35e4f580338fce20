/// A ``RequestMatch`` that is ready to be asked of records.
///
/// Its conditions stand in three groups: what the provider has sent, what was decided about that, and `outcome` and
/// `delivery`, which may change while the record stands. A class, so that it is asked without copying their lists.
final class RequestTest {
    fileprivate enum Condition {
        case number(RequestField, ValueTest)
        /// The field's words that are good, by raw value, and in bit 63 whether absence is.
        case word(RequestField, UInt64)
        /// As before; what is good as `rule:NAME` is asked each time.
        case decider(UInt64, ValueTest)
        /// A text that stands among the record's bytes as it is compared.
        case bytes(RequestField, ValueTest)
        /// Any other text.
        case text(RequestField, ValueTest)
        /// Hexadecimal digits that were asked for as a whole, in lower case.
        case digits(RequestField, [UInt8])
        /// An `apns-id`, compared as a number where the server made it.
        case id(RequestRecord.MadeID, [UInt8])
        case header([UInt8], ValueTest)
        case payload(JSONPointer, ValueTest)
    }

    fileprivate static let absence = StateTest.absence

    let match: RequestMatch
    /// All conditions, in the order of the match.
    private let conditions: [Condition]
    private let sent: [Condition]
    private let decided: [Condition]
    /// What it asks of that which may change.
    let state: StateTest

    private let patterns: PatternContext
    /// How many records were undecided when they were asked for by ``holds(_:)``.
    private(set) var undecided = 0

    /// - Parameter patterns: where regular expressions are tried.
    init(_ match: RequestMatch, _ patterns: PatternContext = PatternContext()) {
        self.match = match
        self.patterns = patterns
        conditions = match.conditions.map { Condition($0, patterns) }
        var (sent, decided, state) = ([Condition](), [Condition](), StateTest())
        for condition in conditions {
            switch condition {
            case .word(.outcome, let mask): state.outcomes &= mask
            case .word(.delivery, let mask): state.deliveries &= mask
            case .word, .decider, .number(.status, _): decided.append(condition)
            default: sent.append(condition)
            }
        }
        self.sent = sent.sorted { $0.cost < $1.cost }
        (self.decided, self.state) = (decided, state)
    }

    /// Whether all conditions hold; what is undecided is counted.
    func holds(_ subject: inout RecordSubject) -> Bool {
        switch test(&subject) {
        case .yes: return true
        case .no: return false
        case .undecided:
            undecided += 1
            return false
        }
    }

    /// Whether all conditions hold.
    func test(_ subject: inout RecordSubject) -> Truth {
        guard state.holds(for: RecordState(subject.record)) else { return .no }
        return testDecision(&subject) && testSent(&subject)
    }

    /// Whether the conditions hold for what the provider has sent.
    func testSent(_ subject: inout RecordSubject) -> Truth {
        patterns.request = subject.sequence
        return Self.test(sent, &subject)
    }

    /// Whether the conditions hold for what was decided and does not change.
    func testDecision(_ subject: inout RecordSubject) -> Truth { Self.test(decided, &subject) }

    private static func test(_ conditions: [Condition], _ subject: inout RecordSubject) -> Truth {
        // By a span, whose elements are not copied.
        let conditions = conditions.span
        var truth = Truth.yes
        for index in conditions.indices {
            truth = truth && conditions[index].test(&subject)
            if truth.isFalse { break }
        }
        return truth
    }

    /// The words of a field that are good.
    fileprivate static func words(_ field: RequestField, _ test: ValueTest) -> UInt64 {
        var mask = test.holdsForAbsence ? absence : 0
        for (value, word) in field.words.enumerated() {
            let text = Array(word.utf8)
            if test.test(text.span).isTrue { mask |= 1 << UInt64(value) }
        }
        return mask
    }
}

extension RequestTest {
    /// The conditions that do not hold for a record, by their places in the match.
    func failing(_ subject: inout RecordSubject) -> [(place: Int, isUndecided: Bool)] {
        patterns.request = subject.sequence
        var failing: [(place: Int, isUndecided: Bool)] = []
        for (place, condition) in conditions.enumerated() {
            switch condition.test(&subject) {
            case .yes: break
            case .no: failing.append((place, false))
            case .undecided: failing.append((place, true))
            }
        }
        return failing
    }
}

extension RequestTest.Condition {
    fileprivate init(_ condition: MatchExpression.Condition, _ patterns: PatternContext) {
        switch condition {
        // A match has names instead of places.
        case .device: self = .text(.device, .anyOf([]))
        case .header(let name, let matcher): self = .header(Array(name.utf8), ValueTest(matcher, patterns))
        case .payload(let pointer, let matcher): self = .payload(pointer, ValueTest(matcher, patterns))
        case .field(let field, let matcher):
            let test = ValueTest(matcher, patterns)
            switch (field, field.kind) {
            case (.decidedBy, _): self = .decider(RequestTest.words(field, test), test)
            case (_, .word): self = .word(field, RequestTest.words(field, test))
            case (_, .number): self = .number(field, test)
            case (_, .foldedText):
                guard case .text(let text) = matcher else {
                    self = .text(field, test)
                    return
                }
                let id = field == .apnsID ? RequestRecord.MadeID(text.span) : nil
                self = id.map { .id($0, text) } ?? .digits(field, text)
            case (.keyID, _), (.teamID, _), (.serverName, _): self = .text(field, test)
            default: self = .bytes(field, test)
            }
        }
    }

    /// In which order conditions are asked: cheap ones first, for all must hold.
    fileprivate var cost: Int {
        switch self {
        case .number, .word, .decider: 0
        case .id, .digits: 1
        case .bytes(let field, let test): test.isSlow ? 4 : field == .body ? 3 : 1
        case .text(_, let test): test.isSlow ? 4 : 2
        case .header(_, let test): test.isSlow ? 4 : 3
        case .payload(_, let test): test.isSlow ? 6 : 5
        }
    }

    @inline(__always)
    fileprivate func test(_ subject: inout RecordSubject) -> Truth {
        switch self {
        case .number(let field, let test): return Truth(test.holds(subject.number(field)))
        case .word(let field, let mask):
            return Truth(mask & (subject.word(field).map { 1 << UInt64($0) } ?? RequestTest.absence) != 0)
        case .decider(let mask, let test):
            let decider = subject.record.decidedBy
            guard decider == .rule else { return Truth(mask & 1 << UInt64(decider.rawValue) != 0) }
            return test.test(subject.text(.decidedBy))
        case .bytes(let field, let test):
            let place = subject.place(field)
            if place.isAbsent { return Truth(test.holdsForAbsence) }
            return test.test(subject.bytes.extracting(place.indices))
        case .text(let field, let test): return test.test(subject.text(field))
        case .digits(let field, let digits): return Truth(subject.has(digits, at: subject.place(field)))
        case .id(let id, let digits):
            if case .made(let made) = subject.record.apnsID { return Truth(made == id) }
            return Truth(subject.has(digits, at: subject.place(.apnsID)))
        case .header(let name, let test):
            let values = subject.values(ofHeader: name)
            if values.isEmpty { return Truth(test.holdsForAbsence) }
            // A field that comes more than once fulfils what one of its values does.
            var truth = Truth.no
            for value in values {
                truth = truth || test.test(value.span)
                if truth.isTrue { break }
            }
            return truth
        case .payload(let pointer, let test): return test.test(subject.payload(pointer))
        }
    }
}

extension RecordSubject {
    /// Whether these digits, in lower case here, stand at a place.
    fileprivate func has(_ digits: [UInt8], at place: RequestRecord.Place) -> Bool {
        guard !place.isAbsent, Int(place.count) == digits.count else { return false }
        let start = Int(place.start)
        for index in 0..<digits.count where bytes[start + index].lowercased != digits[index] { return false }
        return true
    }
}

extension RequestRecord.MadeID {
    /// The 128 bits of an id in its text form.
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
