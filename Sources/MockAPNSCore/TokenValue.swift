/// A member's value in a provider token's header or claims.
struct TokenValue {
    /// The value of a JSON string; `nil` for a value of another kind.
    let string: String?
    /// What to show of the value: a string's value, or else its JSON text.
    let text: String

    /// The value as a moment: a number of seconds since 1970, whole or with a fraction, or a string that holds one.
    var seconds: Timestamp? {
        let bytes = Array(text.utf8)
        guard JSONScanner.isNumber(bytes) else { return nil }
        // Beyond this nobody counts; it is out of date either way.
        let furthest: Int64 = 9_000_000_000_000_000
        if let whole = Int64(text) { return Timestamp(seconds: max(-furthest, min(furthest, whole))) }
        guard let seconds = Double(text), !seconds.isNaN else { return nil }
        let limit = Double(furthest) * 1000
        return Timestamp(milliseconds: Int64(max(-limit, min(limit, seconds * 1000))))
    }

    /// The members of a JSON object.
    static func members(
        of json: [UInt8], name: String
    ) throws(ParsedProviderToken.Malformed) -> [(name: String, value: TokenValue)] {
        var scanner = JSONScanner(json)
        guard let members = scanner.members() else {
            throw .init("The provider token's \(name) part says \(quoted: json.span), which is not a JSON object (RFC 8259).")
        }
        for (index, member) in members.enumerated() where members[..<index].contains(where: { $0.name == member.name }) {
            throw .init("The provider token's \(name) part has the member \(quoted: member.name) more than once.")
        }
        return members
    }
}

/// Reads the text of one JSON object.
private struct JSONScanner {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether this is a JSON number and nothing else.
    static func isNumber(_ bytes: [UInt8]) -> Bool {
        var scanner = Self(bytes)
        return scanner.number() && scanner.place == bytes.count
    }

    /// The members of the object that is the whole text.
    mutating func members() -> [(name: String, value: TokenValue)]? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        blanks()
        guard let members = object(depth: 0) else { return nil }
        blanks()
        return place == bytes.count ? members : nil
    }

    private mutating func object(depth: Int) -> [(name: String, value: TokenValue)]? {
        guard depth < 32, take("{") else { return nil }
        var members: [(name: String, value: TokenValue)] = []
        blanks()
        if take("}") { return members }
        repeat {
            blanks()
            guard let name = string() else { return nil }
            blanks()
            guard take(":") else { return nil }
            blanks()
            guard let value = value(depth: depth) else { return nil }
            members.append((name, value))
            blanks()
        } while take(",")
        return take("}") ? members : nil
    }

    private mutating func array(depth: Int) -> Bool {
        guard depth < 32, take("[") else { return false }
        blanks()
        if take("]") { return true }
        repeat {
            blanks()
            guard value(depth: depth) != nil else { return false }
            blanks()
        } while take(",")
        return take("]")
    }

    private mutating func value(depth: Int) -> TokenValue? {
        let start = place
        guard place < bytes.count else { return nil }
        switch bytes[place] {
        case UInt8(ascii: "\""):
            guard let string = string() else { return nil }
            return TokenValue(string: string, text: string)
        case UInt8(ascii: "{"):
            guard object(depth: depth + 1) != nil else { return nil }
        case UInt8(ascii: "["):
            guard array(depth: depth + 1) else { return nil }
        default:
            guard take("true") || take("false") || take("null") || number() else { return nil }
        }
        return TokenValue(string: nil, text: String(decoding: bytes[start..<place], as: UTF8.self))
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") { guard digits() else { return false } }
        if take(".") { guard digits() else { return false } }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            guard digits() else { return false }
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = place
        while place < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[place] { place += 1 }
        return place > start
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var text = [UInt16]()
        var plain = place
        func flushed(_ end: Int) -> String.UTF16View { String(decoding: bytes[plain..<end], as: UTF8.self).utf16 }
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                text.append(contentsOf: flushed(place))
                place += 1
                return String(decoding: text, as: UTF16.self)
            case UInt8(ascii: "\\"):
                text.append(contentsOf: flushed(place))
                place += 1
                guard let unit = escape() else { return nil }
                text.append(unit)
                plain = place
            case 0..<0x20:
                return nil
            default:
                place += 1
            }
        }
        return nil
    }

    private mutating func escape() -> UInt16? {
        guard place < bytes.count else { return nil }
        let letter = bytes[place]
        place += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(letter)
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "f"): return 12
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "u"):
            guard place + 4 <= bytes.count, bytes[place..<place + 4].allSatisfy(\.isHexDigit) else { return nil }
            place += 4
            return UInt16(String(decoding: bytes[place - 4..<place], as: UTF8.self), radix: 16)
        default: return nil
        }
    }

    private mutating func blanks() {
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }
}
