/// A member's value in a provider token's header or claims.
struct TokenValue {
    /// The value of a JSON string; `nil` for a value of another kind.
    let string: String?
    /// What to show of the value: a string's value, or else its JSON text.
    let text: String
    /// The value as seconds since 1970: a number, or a string that holds one.
    let seconds: Timestamp?

    /// The members of a JSON object.
    static func members(of json: [UInt8], name: String) throws(ParsedProviderToken.Malformed) -> [(
        name: String, value: TokenValue
    )] { [] }
}
