// Members of a record whose values are not a column each, as RecordWriter writes them.

extension RecordSubject {
    /// Returns a text of the record; `nil` if it is absent. What is not UTF-8 becomes U+FFFD.
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

/// Iterates over the header fields of a record's member `headers`: as received, with `authorization` in its place, but
/// without `:method` and `:path`, which are members of their own.
struct ListedFields {
    enum Field {
        /// The field that the log keeps as a provider token.
        case authorization
        case received(HeaderFields.Field)
    }

    private var fields: HeaderFields
    private let methodStart: UInt32
    private let pathStart: UInt32
    /// The position of the field after `authorization`; `nil` if that is not left out, or has been returned.
    private var authorization: UInt32?
    /// The field after `authorization`.
    private var held: HeaderFields.Field?

    init(_ record: RequestRecord, hasToken: Bool) {
        fields = HeaderFields(length: Int(record.headerCount))
        (methodStart, pathStart) = (UInt32(record.methodRange.start), UInt32(record.pathRange.start))
        if hasToken, record.authorizationOffset != RequestRecord.noAuthorization {
            authorization = UInt32(record.authorizationOffset)
        }
    }

    @inline(__always)
    mutating func next(in bytes: Span<UInt8>) -> Field? {
        while true {
            let field = held ?? fields.next(in: bytes)
            held = nil
            if let position = authorization, field.map({ $0.name.start - 4 == position }) ?? true {
                (authorization, held) = (nil, field)
                return .authorization
            }
            guard let field else { return nil }
            if field.value.start != methodStart, field.value.start != pathStart { return .received(field) }
        }
    }
}

extension Span<UInt8> {
    /// Returns a text among the bytes of a record; `nil` if it is absent. What is not UTF-8 becomes U+FFFD.
    func text(_ range: RequestRecord.StoredRange) -> String? {
        guard let range = range.range else { return nil }
        return text(range)
    }

    /// Returns the text in a range. What is not UTF-8 becomes U+FFFD.
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

extension RequestRecord.MadeID {
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
