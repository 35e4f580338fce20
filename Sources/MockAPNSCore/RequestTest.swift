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

    init(_ match: RequestMatch) {
        self.match = match
        conditions = match.conditions.map { Condition($0) }
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

    /// Whether all conditions hold.
    func holds(_ subject: inout RecordSubject) -> Bool {
        state.holds(for: RecordState(subject.record)) && holdsForDecision(&subject) && holdsForSent(&subject)
    }

    /// Whether the conditions hold for what the provider has sent.
    func holdsForSent(_ subject: inout RecordSubject) -> Bool { Self.hold(sent, &subject) }

    /// Whether the conditions hold for what was decided and does not change.
    func holdsForDecision(_ subject: inout RecordSubject) -> Bool { Self.hold(decided, &subject) }

    private static func hold(_ conditions: [Condition], _ subject: inout RecordSubject) -> Bool {
        // By a span, whose elements are not copied.
        let conditions = conditions.span
        for index in conditions.indices where !conditions[index].holds(&subject) { return false }
        return true
    }

    /// The words of a field that are good.
    fileprivate static func words(_ field: RequestField, _ test: ValueTest) -> UInt64 {
        var mask = test.holdsForAbsence ? absence : 0
        for (value, word) in field.words.enumerated() {
            let text = Array(word.utf8)
            if test.holds(text.span) { mask |= 1 << UInt64(value) }
        }
        return mask
    }
}

extension RequestTest {
    /// The conditions that do not hold for a record, by their places in the match.
    func failing(_ subject: inout RecordSubject) -> [Int] {
        var places: [Int] = []
        for (place, condition) in conditions.enumerated() where !condition.holds(&subject) {
            places.append(place)
        }
        return places
    }
}

extension RequestTest.Condition {
    fileprivate init(_ condition: MatchExpression.Condition) {
        switch condition {
        // A match has names instead of places.
        case .device: self = .text(.device, .anyOf([]))
        case .header(let name, let matcher): self = .header(Array(name.utf8), ValueTest(matcher))
        case .payload(let pointer, let matcher): self = .payload(pointer, ValueTest(matcher))
        case .field(let field, let matcher):
            let test = ValueTest(matcher)
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
    fileprivate func holds(_ subject: inout RecordSubject) -> Bool {
        switch self {
        case .number(let field, let test): return test.holds(subject.number(field))
        case .word(let field, let mask):
            return mask & (subject.word(field).map { 1 << UInt64($0) } ?? RequestTest.absence) != 0
        case .decider(let mask, let test):
            let decider = subject.record.decidedBy
            guard decider == .rule else { return mask & 1 << UInt64(decider.rawValue) != 0 }
            return test.holds(text: subject.text(.decidedBy))
        case .bytes(let field, let test):
            let place = subject.place(field)
            if place.isAbsent { return test.holdsForAbsence }
            return test.holds(subject.bytes.extracting(place.indices))
        case .text(let field, let test): return test.holds(text: subject.text(field))
        case .digits(let field, let digits): return subject.has(digits, at: subject.place(field))
        case .id(let id, let digits):
            if case .made(let made) = subject.record.apnsID { return made == id }
            return subject.has(digits, at: subject.place(.apnsID))
        case .header(let name, let test):
            let values = subject.values(ofHeader: name)
            if values.isEmpty { return test.holdsForAbsence }
            // A field that comes more than once fulfils what one of its values does.
            return values.contains { test.holds(text: $0) }
        case .payload(let pointer, let test): return test.holds(subject.payload(pointer))
        }
    }
}

extension ValueTest {
    fileprivate func holds(text: [UInt8]?) -> Bool {
        guard let text else { return holdsForAbsence }
        return holds(text.span)
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
