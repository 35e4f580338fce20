extension RecordSubject {
    /// The stored part of the body; `nil` if there is none.
    var storedBody: String? {
        record.bodyCount == 0 ? nil : text(ByteRange(start: Int(record.headerCount), count: Int(record.bodyCount)))
    }

    /// Returns a value without the signature of a provider token, and not too long.
    func shortened(_ found: String?) -> String? {
        found.map { TokenSignature.removed(from: $0).cut(to: Self.foundLength) }
    }

    /// Maximum length of a returned value, in characters.
    private static let foundLength = 200

    /// Returns how the request authenticated itself: the readable parts of its provider token, or else the field
    /// without the signature.
    func sender(_ push: borrowing Push) -> String? {
        if record.authentication == .certificate { return "client certificate" }
        guard let token else { return text(push.authorization) }
        let parts = [
            token.keyID.map { "kid \($0)" }, token.teamID.map { "iss \($0)" },
            token.issuedAt.map { "iat \($0.seconds) (\($0.text))" },
        ].compactMap { $0 }
        if !parts.isEmpty { return parts.joined(separator: ", ") }
        return String(decoding: token.authorization.prefix(token.lengthWithoutSignature), as: UTF8.self)
    }

    /// Returns several fields with their names; `nil` if all are absent.
    func fields(_ fields: (name: String, range: ByteRange?)...) -> String? {
        let found = fields.compactMap { field in text(field.range).map { "\(field.name): \($0)" } }
        return found.isEmpty ? nil : found.joined(separator: ", ")
    }

    func text(_ range: ByteRange?) -> String? { range.map { text($0) } }

    func text(_ range: ByteRange) -> String {
        String(decoding: Array(copying: bytes.extracting(range.range)), as: UTF8.self)
    }
}

extension String {
    /// Returns the text, cut to this length with an ellipsis if it is longer. The length counts Unicode scalars,
    /// because a character can have any number of them, but the text is not cut within a character if possible.
    func cut(to length: Int) -> String {
        let scalars = unicodeScalars
        guard let end = scalars.index(startIndex, offsetBy: length, limitedBy: endIndex), end < endIndex else {
            return self
        }
        let last = scalars.index(before: end)
        var boundary = last
        while boundary.samePosition(in: self) == nil { boundary = scalars.index(before: boundary) }
        return String(unicodeScalars[..<(boundary > startIndex ? boundary : last)]) + "…"
    }
}
