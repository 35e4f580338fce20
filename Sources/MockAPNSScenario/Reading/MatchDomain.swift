import MockAPNSCore

/// The possible values of something that a matcher tests.
struct MatchDomain {
    /// The kind of values.
    enum Kind {
        /// Any text.
        case text
        /// The name of a declared device.
        case device
        /// One of these words, and never anything else.
        case words([String], what: String)
        /// One of these words when matched as a whole; other texts are possible.
        case texts([String], what: String)
        /// One of these words, or `rule:NAME`.
        case decider([String])
        /// A whole number in this range.
        case number(ClosedRange<Int64>)
        /// One of these numbers.
        case numbers([Int64])
        /// Any JSON value.
        case json
    }

    var kind: Kind
    /// Whether the value may be absent.
    var canBeAbsent: Bool

    static let text = MatchDomain(kind: .text, canBeAbsent: true)
    static let payload = MatchDomain(kind: .json, canBeAbsent: true)

    private init(kind: Kind, canBeAbsent: Bool) {
        self.kind = kind
        self.canBeAbsent = canBeAbsent
    }

    init(_ field: RequestField, _ use: MatchUse) {
        canBeAbsent = true
        switch field {
        case .requestOnConnection where use.isPing, .inFlight where use.isPing:
            (kind, canBeAbsent) = (.number(0...1_000_000_000), false)
        case .token, .topic, .collapseID, .apnsID, .uniqueID, .keyID, .teamID, .body, .serverName, .channel, .requestID:
            kind = .text
        case .call: kind = .words(field.words, what: "a call about broadcast channels")
        case .device: kind = .device
        case .pushType: kind = .texts(PushType.allCases.map(\.name), what: "a push type")
        case .sentBy: (kind, canBeAbsent) = (.words(field.words, what: "who sent it"), false)
        case .reason: kind = .words(field.words, what: "a reason of APNs")
        case .outcome: kind = .words(field.words, what: "an outcome")
        case .delivery: kind = .words(field.words, what: "a delivery status")
        case .decidedBy: (kind, canBeAbsent) = (.decider(DecidedBy.allCases.map(\.name)), false)
        case .priority: kind = .numbers([1, 5, 10])
        case .status: kind = .number(200...599)
        case .expiration: kind = .number(.min ... .max)
        case .providerToken: kind = .number(1...1_000_000_000)
        // A connection that was open at a reset has no number; a new one always has.
        case .connection: (kind, canBeAbsent) = (.number(1...1_000_000_000), !use.isConnect)
        case .requestOnConnection, .inFlight:
            (kind, canBeAbsent) = (.number(1...1_000_000_000), false)
        case .payloadBytes: (kind, canBeAbsent) = (.number(0...1_000_000_000), false)
        }
    }

    /// The words that a matcher is tested with in advance.
    var words: [String] {
        switch kind {
        case .words(let words, _), .decider(let words): words
        default: []
        }
    }

    /// Whether text matchers are allowed.
    var hasTexts: Bool {
        switch kind {
        case .number, .numbers: false
        default: true
        }
    }

    /// Whether number matchers are allowed.
    var hasNumbers: Bool {
        switch kind {
        case .number, .numbers, .json: true
        default: false
        }
    }

    /// Returns whether any value, or absence, can match; true if that cannot be determined.
    func canHold(_ matcher: ValueMatcher) -> Bool {
        let test = ValueTest(matcher)
        if canBeAbsent, test.holdsForAbsence { return true }
        switch kind {
        case .number(let range):
            return ([range.lowerBound, range.upperBound] + matcher.tellingNumbers).contains {
                range.contains($0) && test.holds($0)
            }
        case .numbers(let numbers): return numbers.contains { test.holds($0) }
        case .words(let words, _): return words.contains { test.mayHold(for: $0) }
        case .decider, .text, .texts, .device, .json: return someValueFulfils(matcher)
        }
    }

    /// Returns whether some present value matches; true if that cannot be determined.
    private func someValueFulfils(_ matcher: ValueMatcher) -> Bool {
        switch matcher {
        case .exists(let wanted): wanted
        case .anyOf(let matchers): matchers.contains { someValueFulfils($0) }
        case .not(let inner): !everyValueFulfils(inner)
        default: true
        }
    }

    /// Returns whether every present value matches; false if that cannot be determined.
    private func everyValueFulfils(_ matcher: ValueMatcher) -> Bool {
        switch matcher {
        case .exists(let wanted): wanted
        case .anyOf(let matchers): matchers.contains { everyValueFulfils($0) }
        case .not(let inner): !someValueFulfils(inner)
        default: false
        }
    }
}
