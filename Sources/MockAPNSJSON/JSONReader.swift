/// Parses a JSON text into a tree.
///
/// Open containers are kept on separate stacks, not on the thread's stack, so that no text can exhaust it. The elements
/// and members of all open containers share one array each; a container takes out its part when it is closed.
struct JSONReader {
    let bytes: [UInt8]
    private let dialect: JSONText.Dialect
    var offset = 0
    /// Tolerated mistakes, see `JSONReader+Forgiving.swift`; `nil` if none are tolerated.
    var forgiven: [JSONText.Mistake]?
    private var open: [Container] = []
    private var elements: [JSONText.Value] = []
    private var members: [JSONText.Member] = []
    private var keys: [(text: String, offset: Int)] = []
    private var count = 0
    private let maximumValues: Int
    private var stop: CancellationCheck
    /// Where the latest string is.
    private(set) var latestString = 0..<0

    private struct Container {
        var isObject: Bool
        var offset: Int
        /// The number of members or elements before its own.
        var base: Int
    }

    private typealias Mistake = JSONText.Mistake

    /// - Parameter stop: checked regularly; ends reading with a mistake.
    init(
        _ bytes: [UInt8], _ dialect: JSONText.Dialect, maximumValues: Int = JSONText.maximumValues,
        stop: CancellationCheck = .never
    ) {
        self.bytes = bytes
        self.stop = stop
        self.maximumValues = maximumValues
        self.dialect = dialect
    }

    mutating func document() throws(JSONText.Mistake) -> JSONText.Value {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            try forgive(
                Mistake(offset: 0, message: "expected a value, found a byte order mark, which JSON does not have"))
            offset = 3
        }
        while true {
            guard var value = try valueOrOpening() else { continue }
            // The value may be the last one of its container, which may in turn be the last one of the next.
            while true {
                guard let container = open.last else {
                    skipBlanks()
                    guard offset == bytes.count else { throw unexpected("nothing after the value") }
                    return value
                }
                if container.isObject {
                    let key = keys.removeLast()
                    members.append(JSONText.Member(key: key.text, keyOffset: key.offset, value: value))
                } else {
                    elements.append(value)
                }
                guard let closed = try commaOrEnd(of: container) else { break }
                value = closed
            }
        }
    }

    /// Reads a whole value, or returns `nil` if a container was opened whose first element is next.
    private mutating func valueOrOpening() throws(JSONText.Mistake) -> JSONText.Value? {
        skipBlanks()
        let start = offset
        guard offset < bytes.count else { throw unexpected("a value") }
        try countOne()
        switch bytes[offset] {
        case UInt8(ascii: "\""):
            return JSONText.Value(offset: start, content: .string(try string()))
        case UInt8(ascii: "{"):
            try begin(isObject: true)
            if take("}") {
                open.removeLast()
                return JSONText.Value(offset: start, content: .object([]))
            }
            try key("a key or }")
            return nil
        case UInt8(ascii: "["):
            try begin(isObject: false)
            if take("]") {
                open.removeLast()
                return JSONText.Value(offset: start, content: .array([]))
            }
            return nil
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return JSONText.Value(offset: start, content: .number(try number()))
        case UInt8(ascii: "t"): return JSONText.Value(offset: start, content: try word("true", .bool(true)))
        case UInt8(ascii: "f"): return JSONText.Value(offset: start, content: try word("false", .bool(false)))
        case UInt8(ascii: "n"): return JSONText.Value(offset: start, content: try word("null", .null))
        case UInt8(ascii: "'") where forgiven != nil:
            return JSONText.Value(offset: start, content: .string(try singleQuotedString()))
        case 0xC2... where forgiven != nil && typographicQuote != nil:
            return JSONText.Value(offset: start, content: .string(try typographicallyQuotedString()))
        default:
            let isFirst = open.last.map { $0.isObject || $0.base == elements.count } ?? true
            throw unexpected(isFirst ? "a value" : "another value after the comma")
        }
    }

    private mutating func begin(isObject: Bool) throws(JSONText.Mistake) {
        guard open.count < JSONText.maximumDepth else {
            throw Mistake(
                offset: offset,
                message: "expected no more than \(JSONText.maximumDepth) nested objects and arrays")
        }
        open.append(
            Container(isObject: isObject, offset: offset, base: isObject ? members.count : elements.count))
        offset += 1
        skipBlanks()
    }

    private mutating func key(_ expected: String) throws(JSONText.Mistake) {
        try countOne()
        let start = offset
        if let key = try forgivenKey() {
            keys.append((key, start))
        } else {
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { throw unexpected(expected) }
            keys.append((try string(), start))
        }
        skipBlanks()
        guard take(":") else { throw stringClosedTypographically ?? unexpected("a colon after the key") }
    }

    /// Counts a value or a key, and enforces the maximum.
    private mutating func countOne() throws(JSONText.Mistake) {
        try checkStop()
        count += 1
        guard count <= maximumValues else {
            throw Mistake(
                offset: offset, message: "expected no more than \(maximumValues) keys and values in one text")
        }
    }

    /// Stops reading if the result is no longer wanted.
    private mutating func checkStop() throws(JSONText.Mistake) {
        if stop.step() { throw Mistake(offset: offset, message: "expected to be read to its end, which was stopped") }
    }

    /// Returns the container as a value if it ends here, or `nil` after a comma and, in an object, the next key.
    private mutating func commaOrEnd(of container: Container) throws(JSONText.Mistake) -> JSONText.Value? {
        skipBlanks()
        if try takeComma(in: container.isObject) {
            guard container.isObject else { return nil }
            skipBlanks()
            try key("another key after the comma")
            return nil
        }
        guard take(container.isObject ? "}" : "]") else {
            throw stringClosedTypographically
                ?? unexpected(container.isObject ? "a comma or } after the member" : "a comma or ] after the element")
        }
        open.removeLast()
        if container.isObject {
            let own = Array(members[container.base...])
            members.removeLast(own.count)
            if dialect == .strict { try rejectDuplicates(own) }
            return JSONText.Value(offset: container.offset, content: .object(own))
        }
        let own = Array(elements[container.base...])
        elements.removeLast(own.count)
        return JSONText.Value(offset: container.offset, content: .array(own))
    }

    private mutating func rejectDuplicates(_ members: [JSONText.Member]) throws(JSONText.Mistake) {
        if members.count > 8 {
            var seen = Set<ExactText>(minimumCapacity: members.count)
            for member in members {
                try checkStop()
                if !seen.insert(ExactText(text: member.key)).inserted { try forgive(duplicateKey(member)) }
            }
        } else {
            for index in members.indices.dropFirst() {
                let key = members[index].key
                if members[..<index].contains(where: { $0.key.isSameText(as: key) }) {
                    try forgive(duplicateKey(members[index]))
                }
            }
        }
    }

    private func duplicateKey(_ member: JSONText.Member) -> JSONText.Mistake {
        var mistake = Mistake(
            offset: member.keyOffset, message: "expected each key once, found \(member.key.quotedForPeople) again")
        mistake.isDuplicateKey = true
        return mistake
    }

    /// A key that equals only the exact same text; see `isSameText`.
    private struct ExactText: Hashable {
        var text: String
        static func == (one: Self, other: Self) -> Bool { one.text.isSameText(as: other.text) }
        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }
}

extension JSONReader {
    @inline(__always)
    mutating func skipBlanks() {
        skipOnlyBlanks()
        if forgiven != nil { skipComments() }
    }

    @inline(__always)
    mutating func skipOnlyBlanks() {
        var offset = offset
        while offset < bytes.count, bytes[offset].isJSONBlank { offset += 1 }
        self.offset = offset
    }

    mutating func take(_ wanted: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: wanted) else { return false }
        offset += 1
        return true
    }

    private mutating func word(
        _ word: StaticString, _ content: JSONText.Content
    ) throws(JSONText.Mistake) -> JSONText.Content {
        let start = offset
        for scalar in word.description.unicodeScalars where !take(scalar) {
            offset = start
            throw unexpected("a value, perhaps \(word)")
        }
        return content
    }

    private mutating func number() throws(JSONText.Mistake) -> JSONText.Number {
        let start = offset
        _ = take("-")
        let whole = offset
        try digits("a digit after the minus sign")
        if bytes[whole] == UInt8(ascii: "0"), offset > whole + 1 {
            throw Mistake(offset: whole, message: "expected a number without leading zeros")
        }
        if take(".") { try digits("a digit after the decimal point") }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits("a digit of the exponent")
        }
        return JSONText.Number(text: String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private mutating func digits(_ expected: String) throws(JSONText.Mistake) {
        let start = offset
        while offset < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[offset] { offset += 1 }
        if offset == start { throw unexpected(expected) }
    }

    /// Reads the string that starts here; its bytes are used directly if there are no escapes.
    private mutating func string() throws(JSONText.Mistake) -> String {
        let start = offset + 1
        defer { latestString = start..<offset }
        let end = bytes.span.endOfPlainString(from: start)
        offset = end
        if end < bytes.count, bytes[end] == UInt8(ascii: "\"") {
            offset += 1
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
        var text = Array(bytes[start..<end])
        while true {
            try checkStop()
            guard offset < bytes.count else {
                throw closedTypographically(start..<offset)
                    ?? Mistake(
                        offset: offset,
                        message: "expected the string's closing quotation mark, found the end of the text")
            }
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &text)
            case 0..<0x20:
                throw closedTypographically(start..<offset)
                    ?? Mistake(
                        offset: offset,
                        message: "expected control characters in a string to be escaped, found \(describeByte())")
            default:
                throw Mistake(offset: offset, message: "expected UTF-8, found the byte \(bytes[offset].hexText)")
            }
            let more = bytes.span.endOfPlainString(from: offset)
            text.append(contentsOf: bytes[offset..<more])
            offset = more
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONText.Mistake) {
        let start = offset
        offset += 1
        guard offset < bytes.count else { throw unexpected("an escaped character") }
        let byte = bytes[offset]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "u"):
            offset += 1
            try escapedScalar(from: start, into: &text)
            return
        default:
            throw unexpected(#"one of " \ / b f n r t u after the backslash"#)
        }
        offset += 1
    }

    private mutating func escapedScalar(from start: Int, into text: inout [UInt8]) throws(JSONText.Mistake) {
        var code = try unit()
        if 0xD800...0xDBFF ~= code, offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
            bytes[offset + 1] == UInt8(ascii: "u")
        {
            let second = offset
            offset += 2
            let low = try unit()
            if 0xDC00...0xDFFF ~= low {
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            } else {
                offset = second
            }
        }
        if let scalar = Unicode.Scalar(code) {
            text.append(contentsOf: Character(scalar).utf8)
        } else if dialect == .recorded {
            text.append(contentsOf: [0xEF, 0xBF, 0xBD])
        } else {
            throw Mistake(offset: start, message: "expected both halves of a surrogate pair, found only one")
        }
    }

    /// Reads four hexadecimal digits.
    private mutating func unit() throws(JSONText.Mistake) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard offset < bytes.count, let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue,
                bytes[offset].isHexDigit
            else { throw unexpected(#"four hexadecimal digits after \u"#) }
            code = code << 4 | UInt32(digit)
            offset += 1
        }
        return code
    }

    func unexpected(_ expected: String) -> JSONText.Mistake {
        JSONText.Mistake(offset: offset, message: "expected \(expected), found \(describeByte())")
    }

    /// Returns a description of what is found here, for people.
    private func describeByte() -> String {
        guard offset < bytes.count else { return "the end of the text" }
        let byte = bytes[offset]
        if let comment = commentSign { return "\"\(comment)\": JSON has no comments" }
        if 0x21..<0x7F ~= byte {
            return byte == UInt8(ascii: "\"") ? "a quotation mark" : "\"\(Character(Unicode.Scalar(byte)))\""
        }
        if byte < 0x80 { return "the character U+00" + byte.hexText }
        if let quote = typographicQuote {
            return "the \(quote.name); JSON has only the straight one, \""
        }
        let length = bytes.span.lengthOfScalar(at: offset)
        return length == 0
            ? "the byte \(byte.hexText), which is not UTF-8"
            : String(decoding: bytes[offset..<offset + length], as: UTF8.self).quotedForPeople
    }
}
