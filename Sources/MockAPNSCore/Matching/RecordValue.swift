/// The value of a record's field or of its payload, for comparing with others.
package enum RecordValue: Sendable, Hashable {
    case number(Int64)
    case text([UInt8])
    /// Any other JSON value, in a canonical form.
    case json([UInt8])

    /// Creates the value from a payload.
    package init(_ value: JSONText.Value) {
        if let number = value.int64 {
            self = .number(number)
        } else if let text = value.string {
            self = .text(Array(text.utf8))
        } else {
            var json: [UInt8] = []
            json.appendJSON(value.canonical)
            self = .json(json)
        }
    }

    /// The value as JSON, cut if it is long.
    package var json: String {
        var json: [UInt8] = []
        switch self {
        case .number(let number): json.append(contentsOf: "\(number)".utf8)
        case .text(let text): json.appendJSON(String(decoding: text, as: UTF8.self).shortened)
        case .json(let text):
            if text.count <= 80 { return String(decoding: text, as: UTF8.self) }
            json.appendJSON(String(decoding: text, as: UTF8.self).shortened)
        }
        return String(decoding: json, as: UTF8.self)
    }
}

extension JSONText.Value {
    /// The value with members sorted by key and numbers in a uniform format.
    fileprivate var canonical: Self {
        var value = self
        switch content {
        case .object(let members):
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            value.content = .object(
                sorted.map { JSONText.Member(key: $0.key, keyOffset: 0, value: $0.value.canonical) })
        case .array(let elements): value.content = .array(elements.map(\.canonical))
        case .number(let number):
            let text = number.int64.map { "\($0)" } ?? number.double.map { "\($0)" } ?? number.text
            value.content = .number(JSONText.Number(text: text))
        default: break
        }
        return value
    }
}
