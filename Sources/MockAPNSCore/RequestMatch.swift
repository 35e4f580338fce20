/// Conditions that a record fulfils or not: all of them must hold, and none at all holds for every record.
public struct RequestMatch: Sendable {
    private enum Condition: Sendable {
        case text(RequestField, Matcher)
        case foldedText(RequestField, Matcher)
        case number(RequestField, Matcher)
        /// The field's words that are good, by raw value, and in bit 63 whether absence is.
        case word(RequestField, UInt64)
        /// As before; what is good as `rule:NAME` is asked each time.
        case decider(UInt64, Matcher)
        /// An `apns-id`, compared as a number where the server made it.
        case id(RequestRecord.MadeID, Matcher)
    }

    private static let absence: UInt64 = 1 << 63
    private var conditions: [Condition] = []

    /// Holds for every record.
    public init() {}

    /// Whether it holds for every record.
    public var isEmpty: Bool { conditions.isEmpty }

    /// Asks for more.
    public mutating func require(_ field: RequestField, _ matcher: Matcher) {
        switch field.kind {
        case .text: conditions.append(.text(field, matcher))
        case .number: conditions.append(.number(field, matcher))
        case .foldedText:
            let matcher = matcher.lowercased
            if field == .apnsID, case .text(let text) = matcher, let id = RequestRecord.MadeID(text.span) {
                conditions.append(.id(id, matcher))
            } else {
                conditions.append(.foldedText(field, matcher))
            }
        case .word:
            var mask = matcher.matchesAbsence ? Self.absence : 0
            for (value, word) in field.words.enumerated() where matcher.matches(Array(word.utf8).span) {
                mask |= 1 << UInt64(value)
            }
            conditions.append(field == .decidedBy ? .decider(mask, matcher) : .word(field, mask))
        }
    }

    /// Whether the record at `index` fulfils all conditions.
    func holds(for segment: borrowing RequestSegment, at index: Int, serverNames: [[UInt8]]) -> Bool {
        for condition in conditions {
            guard Self.holds(condition, for: segment, at: index, serverNames: serverNames) else { return false }
        }
        return true
    }

    @inline(__always)
    private static func holds(
        _ condition: Condition, for segment: borrowing RequestSegment, at index: Int, serverNames: [[UInt8]]
    ) -> Bool {
        let record = segment.records[index]
        switch condition {
        case .word(let field, let mask):
            return mask & (record.word(field).map { 1 << UInt64($0) } ?? absence) != 0
        case .number(let field, let matcher):
            return matcher.matches(record.number(field))
        case .decider(let mask, let matcher):
            guard record.decidedBy == .rule else { return mask & 1 << UInt64(record.decidedBy.rawValue) != 0 }
            var name = Array("rule:".utf8)
            if !record.rulePlace.isAbsent {
                name.append(segment.bytes(of: record, at: index).extracting(record.rulePlace.indices))
            }
            return matcher.matches(name.span)
        case .id(let id, let matcher):
            switch record.apnsID {
            case .made(let made): return made == id
            case .sent(let range):
                return matcher.matchesFolded(segment.bytes(of: record, at: index).extracting(range.range))
            case nil: return matcher.matchesAbsence
            }
        case .foldedText(let field, let matcher):
            if field == .apnsID, case .made(let id) = record.apnsID {
                let text = APNSID(high: id.high, low: id.low, uppercase: false)
                let bytes = text.bytes
                return matcher.matches(bytes.span)
            }
            let place = field == .token ? record.tokenPlace : record.sentIDPlace
            if place.isAbsent { return matcher.matchesAbsence }
            return matcher.matchesFolded(segment.bytes(of: record, at: index).extracting(place.indices))
        case .text(.keyID, let matcher): return matcher.matches(segment.token(of: record)?.keyID)
        case .text(.teamID, let matcher): return matcher.matches(segment.token(of: record)?.teamID)
        case .text(.serverName, let matcher):
            if record.serverName == 0 { return matcher.matchesAbsence }
            let name = serverNames[Int(record.serverName) - 1]
            return matcher.matches(name.span)
        case .text(let field, let matcher):
            let place = record.place(field)
            if place.isAbsent { return matcher.matchesAbsence }
            return matcher.matches(segment.bytes(of: record, at: index).extracting(place.indices))
        }
    }
}

extension Matcher {
    fileprivate func matches(_ text: String?) -> Bool {
        guard let text else { return matchesAbsence }
        return matches(Array(text.utf8).span)
    }

    /// As ``matches(_:)-(Span<UInt8>)`` for a text of either case.
    fileprivate func matchesFolded(_ text: Span<UInt8>) -> Bool {
        if case .text(let wanted) = self {
            guard text.count == wanted.count else { return false }
            for index in 0..<text.count where text[index].lowercased != wanted[index] { return false }
            return true
        }
        var folded: [UInt8] = []
        for index in 0..<text.count { folded.append(text[index].lowercased) }
        return matches(folded.span)
    }
}

extension RequestRecord {
    fileprivate func word(_ field: RequestField) -> UInt8? {
        switch field {
        case .reason: reason?.rawValue
        case .outcome: outcome.rawValue
        case .delivery: delivery?.rawValue
        default: nil
        }
    }

    fileprivate func number(_ field: RequestField) -> Int64? {
        switch field {
        case .priority: priority.map(Int64.init)
        case .expiration: expiration
        case .payloadBytes: Int64(payloadBytes)
        case .connection: Int64(connection)
        case .requestOnConnection: Int64(requestOnConnection)
        case .providerToken: providerToken == 0 ? nil : Int64(providerToken)
        case .inFlight: Int64(inFlight)
        case .status: status.map(Int64.init)
        default: nil
        }
    }

    fileprivate func place(_ field: RequestField) -> Place {
        switch field {
        case .device: devicePlace
        case .topic: topicPlace
        case .pushType: pushTypePlace
        case .collapseID: collapseIDPlace
        case .body: bodyCount == 0 ? .absent : Place(start: headerCount, count: bodyCount)
        default: .absent
        }
    }
}

extension RequestRecord.MadeID {
    /// The 128 bits of an id in its text form.
    fileprivate init?(_ text: Span<UInt8>) {
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
