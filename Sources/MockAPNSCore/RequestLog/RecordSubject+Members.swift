// Members of a record whose values are not a column each, as RecordWriter writes them.

extension RecordSubject {
    /// Returns a text of the record; `nil` if it is absent. Invalid UTF-8 becomes U+FFFD.
    package func text(_ range: RequestRecord.StoredRange?) -> String? { bytes.text(range ?? .absent) }

    /// The members `apnsID` and `uniqueID`.
    package var ids: (apns: String?, unique: String?) {
        let unique = record.uniqueID?.text(uppercase: false)
        if case .made(let id) = record.apnsID { return (id.text(uppercase: true), unique) }
        return (text(record.sentIDRange), unique)
    }

    /// The header fields of the member `headers`.
    package var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        let token = token
        var fields = ListedFields(record, hasToken: token != nil)
        while let field = fields.next(in: bytes) {
            switch field {
            case .authorization:
                if let token { headers.append(("authorization", String(decoding: token.cut, as: UTF8.self))) }
            case .received(let field):
                headers.append((bytes.text(field.name), bytes.text(field.value)))
            }
        }
        return headers
    }

    /// The members `payload` and `payloadText`, of which at most one has a value.
    package var shownBody: (json: JSONText.Value?, text: String?) {
        if body.isEmpty { return (nil, nil) }
        if record.hasWholeBody, JSONText.isValid(body, for: .everyReader),
            let json = try? JSONText.read(body, .recorded)
        {
            return (json, nil)
        }
        return (nil, body.text(isWhole: record.hasWholeBody))
    }
}

extension Span<UInt8> {
    /// Returns a text among the bytes of a record; `nil` if it is absent. Invalid UTF-8 becomes U+FFFD.
    func text(_ range: RequestRecord.StoredRange) -> String? {
        guard let range = range.range else { return nil }
        return text(range)
    }

    /// Returns the text in a range. Invalid UTF-8 becomes U+FFFD.
    func text(_ range: ByteRange) -> String {
        String(decoding: Array(copying: extracting(range.range)), as: UTF8.self)
    }

    /// Returns a body that is not JSON as text; `nil` if it is not UTF-8.
    ///
    /// - Parameter isWhole: whether no character can be cut at its end.
    func text(isWhole: Bool) -> String? {
        String(
            validating: Array(copying: isWhole ? self : extracting(first: countWithoutCutCharacter)), as: UTF8.self)
    }
}

extension MadeID {
    /// Returns the id as it is on the wire.
    func text(uppercase: Bool) -> String {
        let id = APNSID(high: high, low: low, uppercase: uppercase)
        return String(decoding: Array(copying: id.bytes.span), as: UTF8.self)
    }
}

extension ProviderToken {
    /// The value of its field without the signature, but with the dot before that.
    var cut: [UInt8] {
        let cut = authorization.prefix(lengthWithoutSignature)
        return cut.count < authorization.count ? cut + [UInt8(ascii: ".")] : Array(cut)
    }
}
