import MockAPNSCore

/// A value that can be written as JSON.
protocol JSONRepresentable {
    var json: String { get }
}

/// A JSON object with its members in the order they are written; absent values are `null`.
///
/// Foundation's encoder would sort or reorder them, and omit absent ones.
struct JSONObject: JSONRepresentable, ExpressibleByDictionaryLiteral {
    let json: String

    /// Creates the object from its text.
    init(written json: String) { self.json = json }

    /// Returns the object with another member at its end.
    func adding(_ name: String, _ value: any JSONRepresentable) -> JSONObject {
        JSONObject(written: "\(json.dropLast()),\(name.json):\(value.json)}")
    }

    init(dictionaryLiteral members: (String, any JSONRepresentable)...) { self.init(members) }

    init(_ members: [(String, any JSONRepresentable)]) {
        json = "{" + members.map { "\($0.json):\($1.json)" }.joined(separator: ",") + "}"
    }
}

extension String: JSONRepresentable {
    var json: String {
        var bytes: [UInt8] = []
        bytes.appendJSON(self as String?)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Int: JSONRepresentable {
    var json: String { String(self) }
}

extension Bool: JSONRepresentable {
    var json: String { self ? "true" : "false" }
}

extension UInt64: JSONRepresentable {
    var json: String { String(self) }
}

extension Timestamp: JSONRepresentable {
    var json: String { "\"\(text)\"" }
}

extension Optional: JSONRepresentable where Wrapped: JSONRepresentable {
    var json: String { self?.json ?? "null" }
}

extension Array: JSONRepresentable where Element: JSONRepresentable {
    var json: String { "[" + map(\.json).joined(separator: ",") + "]" }
}
