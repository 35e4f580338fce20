/// A strict reader of JSON texts (RFC 8259) that keeps track of positions.
///
/// It is for texts written by people, such as scenario files and API requests: every value and key keeps its offset, so
/// that a mistake found later, such as an unknown key, can still be reported with line and column. It accepts nothing
/// beyond the RFC, and less where texts are not interoperable: duplicate keys in an object, lone surrogates and a byte
/// order mark are mistakes, as is nesting deeper than ``maximumDepth``.
///
/// ```swift
/// let value = try JSONText.read(Array(#"{"aps": {"badge": 3}}"#.utf8))
/// value["aps"]?["badge"]?.int64    // 3
/// value["aps"]?.offset             // 8
/// ```
package enum JSONText {
    /// Maximum nesting depth of objects and arrays.
    package static let maximumDepth = 512

    /// Maximum number of values in a text, with each key counting as one: otherwise a short text could take a lot of
    /// memory.
    package static let maximumValues = 4_000_000

    /// How strict the reader is beyond the grammar.
    package enum Dialect: Sendable {
        /// For texts written for this program: duplicate keys and lone surrogates are mistakes.
        case strict
        /// For log lines, which hold payloads as sent by providers: duplicate keys are kept, and a lone surrogate
        /// becomes U+FFFD.
        case recorded
    }

    /// Reads one value, with nothing but white space around it.
    ///
    /// - Parameter stop: checked regularly; ends reading with a mistake if the value is no longer wanted.
    package static func read(
        _ bytes: [UInt8], _ dialect: Dialect = .strict, stop: CancellationCheck = .never
    ) throws(Mistake) -> Value {
        var reader = JSONReader(bytes, dialect, stop: stop)
        return try reader.document()
    }

    /// Like ``read(_:_:stop:)``, from a span whose bytes are copied first.
    package static func read(_ bytes: Span<UInt8>, _ dialect: Dialect = .strict) throws(Mistake) -> Value {
        var copy: [UInt8] = []
        copy.append(addingCapacity: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
        return try read(copy, dialect)
    }

    /// Why a text is not JSON.
    package struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        /// The offset of the byte where it was noticed, starting at 0; the length of the text if it ends too early.
        package var offset: Int
        /// The expected and the actual text, in one sentence without a full stop.
        package var message: String
        /// Whether an object has a key twice.
        package var isDuplicateKey = false

        /// Creates a mistake at an offset.
        package init(offset: Int, message: String) {
            self.offset = offset
            self.message = message
        }

        /// For developers; users get line and column from ``JSONText/position(of:in:)``.
        package var description: String { "at byte \(offset): \(message)" }
    }

    /// A position in a text as editors show it.
    package struct Position: Hashable, Sendable {
        /// The line, starting at 1. A line ends with a line feed.
        package var line: Int
        /// The column, starting at 1. Counted in Unicode scalars, as most editors do for most texts, not in bytes; a
        /// tab counts as one.
        package var column: Int

        /// Creates a position.
        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    /// Returns the line and column of an offset; beyond the end, those of the end.
    package static func position(of offset: Int, in bytes: Span<UInt8>) -> Position {
        var position = Position(line: 1, column: 1)
        for index in 0..<min(max(offset, 0), bytes.count) {
            if bytes[index] == UInt8(ascii: "\n") {
                position.line += 1
                position.column = 1
            } else if bytes[index] & 0xC0 != 0x80 {
                // A continuation byte belongs to the preceding scalar.
                position.column += 1
            }
        }
        return position
    }
}

extension JSONText {
    /// A value and its position.
    package struct Value: Sendable {
        /// The offset of its first byte.
        package var offset: Int
        /// The content.
        package var content: Content

        /// Creates a value at an offset.
        package init(offset: Int, content: Content) {
            self.offset = offset
            self.content = content
        }
    }

    /// The content of a value.
    package enum Content: Sendable {
        /// The members in the order of the text.
        case object([Member])
        case array([Value])
        case string(String)
        case number(Number)
        case bool(Bool)
        case null
    }

    /// A member of an object.
    package struct Member: Sendable {
        /// The unescaped key.
        package var key: String
        /// The offset of the key's opening quotation mark.
        package var keyOffset: Int
        /// The value.
        package var value: Value

        /// Creates a member with the offset of its key.
        package init(key: String, keyOffset: Int, value: Value) {
            self.key = key
            self.keyOffset = keyOffset
            self.value = value
        }
    }

    /// A number as written, so that no digits are lost.
    package struct Number: Sendable {
        /// The text, for example `-1.50e3`.
        package var text: String

        /// Creates a number from its text.
        package init(text: String) { self.text = text }

        /// The number if it is whole and fits, in any notation: `3`, `3.0` and `0.3e1` are 3. Beyond 2^53 only a
        /// notation without point and exponent is exact; others are refused.
        package var int64: Int64? {
            if let plain = Int64(text) { return plain }
            guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }),
                let double, abs(double) <= 0x1p53
            else { return nil }
            let whole = Int64(double)
            return Double(whole) == double ? whole : nil
        }

        /// The nearest 64-bit floating-point number; `nil` if it is out of range.
        package var double: Double? {
            guard let double = Double(text), double.isFinite else { return nil }
            return double
        }
    }
}

extension JSONText.Value {
    /// The members, if it is an object.
    package var object: [JSONText.Member]? { if case .object(let members) = content { members } else { nil } }
    /// The elements, if it is an array.
    package var array: [JSONText.Value]? { if case .array(let elements) = content { elements } else { nil } }
    /// The text, if it is a string.
    package var string: String? { if case .string(let string) = content { string } else { nil } }
    /// The number, if it is one.
    package var number: JSONText.Number? { if case .number(let number) = content { number } else { nil } }
    /// The number, if it is whole and fits into 64 bits.
    package var int64: Int64? { number?.int64 }
    /// The number, if it is one.
    package var double: Double? { number?.double }
    /// The boolean, if it is one.
    package var bool: Bool? { if case .bool(let bool) = content { bool } else { nil } }
    /// Whether it is `null`.
    package var isNull: Bool { if case .null = content { true } else { false } }

    /// Returns the value of a member, the last one with this key; `nil` if there is none or this is not an object.
    package subscript(key: String) -> JSONText.Value? {
        guard case .object(let members) = content else { return nil }
        return members.last { $0.key.isSameText(as: key) }?.value
    }

    /// Returns an element; `nil` beyond the end or if this is not an array.
    package subscript(index: Int) -> JSONText.Value? {
        guard case .array(let elements) = content, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Returns whether both are equivalent: numbers are compared by value, members in any order; offsets are ignored.
    package func means(_ other: Self) -> Bool {
        switch (content, other.content) {
        case (.object(let ours), .object(let theirs)):
            ours.count == theirs.count
                && ours.allSatisfy { member in
                    guard let mine = self[member.key], let others = other[member.key] else { return false }
                    return mine.means(others)
                }
        case (.array(let ours), .array(let theirs)):
            ours.count == theirs.count && zip(ours, theirs).allSatisfy { $0.means($1) }
        case (.string(let ours), .string(let theirs)): ours.isSameText(as: theirs)
        case (.number(let ours), .number(let theirs)): ours.means(theirs)
        case (.bool(let ours), .bool(let theirs)): ours == theirs
        case (.null, .null): true
        default: false
        }
    }
}

extension JSONText.Number {
    fileprivate func means(_ other: Self) -> Bool {
        if text == other.text { return true }
        if let ours = int64, let theirs = other.int64 { return ours == theirs }
        guard int64 == nil, other.int64 == nil, let ours = double, let theirs = other.double else { return false }
        return ours == theirs
    }
}

extension String {
    /// Returns whether both have the same scalars. `==` also holds for different spellings of a character, such as é as
    /// one scalar or two, which are different keys in JSON.
    package func isSameText(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
