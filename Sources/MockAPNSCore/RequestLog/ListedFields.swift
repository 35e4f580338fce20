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
