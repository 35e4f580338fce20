/// A field of a record that can be asked about: the scalar fields of the contract's MATCH.
package enum RequestField: String, Sendable, CaseIterable {
    case device, token, topic, pushType, priority, collapseID, apnsID, expiration, keyID, teamID
    case body, payloadBytes, connection, requestOnConnection, providerToken, inFlight, serverName
    case sentBy
    case status, reason, outcome, decidedBy, delivery

    /// What a field's value is.
    enum Kind {
        case text
        /// Hexadecimal digits, in either case.
        case foldedText
        case number
        /// One of a few words.
        case word
    }

    var kind: Kind {
        switch self {
        case .device, .topic, .pushType, .collapseID, .keyID, .teamID, .body, .serverName: .text
        case .token, .apnsID: .foldedText
        case .priority, .expiration, .payloadBytes, .connection, .requestOnConnection, .providerToken, .inFlight,
            .status:
            .number
        case .sentBy, .reason, .outcome, .decidedBy, .delivery: .word
        }
    }

    /// The words that the field can have, in the order of their raw values.
    var words: [String] {
        switch self {
        case .sentBy: Sender.allCases.map(\.name)
        case .reason: Reason.allCases.map(\.name)
        case .outcome: Outcome.allCases.map(\.name)
        case .decidedBy: DecidedBy.allCases.map(\.name)
        case .delivery: Delivery.allCases.map(\.name)
        default: []
        }
    }

    /// Reads the field's value as a parameter of a URL has it.
    func matcher(parameter value: String) throws(QueryError) -> ValueMatcher {
        switch kind {
        case .text: return .equals(value)
        case .foldedText: return ValueMatcher.equals(value).lowercased
        case .number:
            guard let number = Int64(value) else {
                throw QueryError(
                    key: rawValue, message: "\(rawValue) is \"\(value.shortened)\"; it takes a whole number.")
            }
            return .number(number)
        case .word:
            let isRule = self == .decidedBy && value.hasPrefix("rule:")
            guard isRule || words.contains(value) else {
                throw QueryError(
                    key: rawValue,
                    message: "\(rawValue) is \"\(value.shortened)\", which no record has."
                        + (nearestWord(to: value, among: words).map { " Did you mean \"\($0)\"?" } ?? ""))
            }
            return .equals(value)
        }
    }
}

/// What is wrong with a question to the log.
package struct QueryError: Error, Sendable, Hashable {
    /// The parameter that it is about.
    package var key: String
    /// One sentence that names the key, and for a misspelling the nearest valid one.
    package var message: String

    /// That key is wrong for this reason.
    package init(key: String, message: String) {
        self.key = key
        self.message = message
    }

    /// A parameter of that name comes more than once.
    package init(repeated name: String) {
        self.init(key: name, message: "\(name.shortened) is given more than once.")
    }

    /// An unknown parameter, and the names of those that exist.
    package init(unknown name: String, known: [String]) {
        key = name
        let nearest = nearestWord(to: name, among: known).map { " Did you mean \"\($0)\"?" }
        let others = known.isEmpty ? " This call takes none." : " Known are \(known.joined(separator: ", "))."
        message = "There is no parameter \"\(name.shortened)\"." + (nearest ?? others)
    }
}

extension String {
    /// The text, cut at 80 characters. However long it is, only its beginning is looked at.
    var shortened: String {
        if utf8.count <= 80 { return self }
        let start = String(unicodeScalars.prefix(400)).prefix(80)
        return start.utf8.count == utf8.count ? self : start + "…"
    }
}
