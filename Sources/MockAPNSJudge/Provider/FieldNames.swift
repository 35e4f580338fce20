import MockAPNSCore

/// The findings in the names of a request's header fields, all of them together: most requests of a provider have the
/// same.
struct FieldNames: Sendable {
    /// The findings.
    struct Facts: Sendable {
        /// Whether it has neither `:authority` nor `host`.
        var lacksHost = false
        /// The fields that APNs ignores although they seem to be meant for it, as the message lists them.
        var unknown: [String] = []
    }

    /// Maximum number of unknown fields that one message lists.
    private static let limit = 3

    private var known = RecentTable<Facts>(limit: 1024)

    /// Returns what the names of a request's fields say.
    mutating func facts(of subject: borrowing RecordSubject) -> Facts {
        var hash = PushHash()
        var fields = HeaderFields(length: Int(subject.record.headerCount))
        while let field = fields.next(in: subject.bytes) { hash.mix(subject.bytes.extracting(field.name.range)) }
        if let facts = known[hash.value] { return facts }
        let facts = Self.read(subject)
        known.insert(facts, for: hash.value)
        return facts
    }

    private static func read(_ subject: borrowing RecordSubject) -> Facts {
        var fields = HeaderFields(length: Int(subject.record.headerCount))
        // `:scheme` tells records with all fields from those of other origin.
        var (hasScheme, hasHost) = (false, false)
        var facts = Facts()
        while let field = fields.next(in: subject.bytes) {
            let name = String(decoding: Array(copying: subject.bytes.extracting(field.name.range)), as: UTF8.self)
            switch name {
            case ":scheme": hasScheme = true
            case ":authority", "host": hasHost = true
            default:
                guard facts.unknown.count < limit, let mistake = UnknownField(name) else { continue }
                facts.unknown.append(mistake.text)
            }
        }
        facts.lacksHost = hasScheme && !hasHost
        return facts
    }
}
