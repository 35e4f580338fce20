/// The value of a member in the header or claims of a provider token.
struct TokenValue {
    private let value: JSONText.Value

    /// Returns the members of a JSON object.
    static func members(
        of json: [UInt8], name: String
    ) throws(ParsedProviderToken.Malformed) -> [(name: String, value: TokenValue)] {
        let value: JSONText.Value
        do throws(JSONText.Mistake) {
            value = try JSONText.read(json)
        } catch {
            throw .init(
                "The provider token's \(name) part says \(quoted: json.span), which is not JSON \(error.description).")
        }
        guard let members = value.object else {
            throw .init("The provider token's \(name) part says \(quoted: json.span), which is not a JSON object.")
        }
        return members.map { ($0.key, TokenValue(value: $0.value)) }
    }

    /// The value of a JSON string; `nil` for other types.
    var string: String? { value.string }

    /// The text to show for the value: the value of a string, otherwise its JSON.
    var text: String {
        switch value.content {
        case .string(let string): string
        case .number(let number): number.text
        case .bool(let bool): bool ? "true" : "false"
        case .null: "null"
        case .array: "[…]"
        case .object: "{…}"
        }
    }

    /// The value as a time: seconds since 1970, whole or with a fraction, as a number or a string.
    var seconds: Timestamp? {
        var number = value.number
        if let string { number = (try? JSONText.read(Array(string.utf8)))?.number }
        guard let number else { return nil }
        // Anything beyond that is out of date in any case.
        let possible = Timestamp.countableSeconds
        if let whole = number.int64 {
            return Timestamp(seconds: max(possible.lowerBound, min(possible.upperBound, whole)))
        }
        guard let seconds = Double(number.text) else { return nil }
        let limit = Double(possible.upperBound) * 1000
        return Timestamp(milliseconds: Int64(max(-limit, min(limit, seconds * 1000))))
    }
}
