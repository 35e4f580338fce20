extension RequestField {
    /// The type of a field's value.
    package enum Kind {
        case text
        /// Hexadecimal digits in either case.
        case foldedText
        case number
        /// One of a few words.
        case word
    }

    package var kind: Kind {
        switch self {
        case .device, .topic, .pushType, .collapseID, .keyID, .teamID, .body, .serverName, .channel: .text
        case .token, .apnsID, .uniqueID, .requestID: .foldedText
        case .priority, .expiration, .payloadBytes, .connection, .requestOnConnection, .providerToken, .inFlight,
            .status:
            .number
        case .sentBy, .call, .reason, .outcome, .decidedBy, .delivery: .word
        }
    }

    /// The possible words of the field, in the order of their codes.
    package var words: [String] {
        switch self {
        case .sentBy: Sender.allCases.map(\.name)
        case .call: BroadcastCall.allCases.map(\.name)
        case .reason: Reason.allCases.map(\.name)
        case .outcome: Outcome.allCases.map(\.name)
        case .decidedBy: DecidedBy.allCases.map(\.name)
        case .delivery: Delivery.allCases.map(\.name)
        default: []
        }
    }

    /// Parses the field's value from a URL parameter.
    func matcher(parameter value: String) throws(QueryError) -> ValueMatcher {
        switch kind {
        case .text: return .equals(value)
        case .foldedText: return ValueMatcher.equals(value).lowercased
        case .number:
            guard let number = Int64(value) else {
                throw QueryError(
                    key: rawValue, message: "\(rawValue) is \"\(value.shortened)\"; expected a whole number.")
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

/// An error in a log query.
package struct QueryError: Error, Sendable, Hashable {
    /// The parameter concerned.
    package var key: String
    /// One sentence that names the key, with the nearest valid name for a misspelling.
    package var message: String

    /// Creates an error for a key.
    package init(key: String, message: String) {
        self.key = key
        self.message = message
    }

    /// Creates an error for a repeated parameter.
    package init(repeated name: String) {
        self.init(key: name, message: "\(name.shortened) is given more than once.")
    }

    /// Creates an error for an unknown parameter, given the known ones.
    package init(unknown name: String, known: [String]) {
        key = name
        let nearest = MeantWord(name, among: known).map { " Did you mean \"\($0.word)\"?" }
        let others = known.isEmpty ? " This call takes none." : " Known are \(known.joined(separator: ", "))."
        message = "There is no parameter \"\(name.shortened)\"." + (nearest ?? others)
    }
}
