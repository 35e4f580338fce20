extension String {
    /// The text, cut at 80 characters. However long it is, only its beginning is examined.
    package var shortened: String {
        if utf8.count <= 80 { return self }
        let start = String(unicodeScalars.prefix(400)).prefix(80)
        return start.utf8.count == utf8.count ? self : start + "…"
    }

    /// The text in quotation marks, cut at 80 characters, on one line.
    package var quotedForPeople: String {
        "\"" + PrintableText.line(shortened) + "\""
    }
}

extension JSONText.Value {
    /// A short description of the value.
    package var forPeople: String {
        switch content {
        case .object: "an object"
        case .array: "a list"
        case .string(let text): text.quotedForPeople
        case .number(let number): number.text.shortened
        case .bool(let bool): bool ? "true" : "false"
        case .null: "null"
        }
    }
}
