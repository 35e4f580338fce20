/// A strict reader of JSON texts (RFC 8259) that knows where everything stands.
///
/// It is for texts that people write, scenario files and requests to the API: every value and every key keeps its
/// offset, so that a mistake found later, such as an unknown key, can still be shown by line and column. It accepts
/// nothing that the RFC does not, and less where texts are not interoperable: keys that come twice in an object,
/// surrogates without their other half and a byte order mark are mistakes, as is nesting deeper than
/// ``maximumDepth``.
///
/// ```swift
/// let value = try JSONText.read(Array(#"{"aps": {"badge": 3}}"#.utf8))
/// value["aps"]?["badge"]?.int64    // 3
/// value["aps"]?.offset             // 8
/// ```
package enum JSONText {
    /// Maximum depth of objects and arrays in each other.
    package static let maximumDepth = 512

    /// Maximum number of values in a text, each key counting as one: a short text could take much memory otherwise.
    package static let maximumValues = 4_000_000

    /// How strict the reader is beyond the grammar.
    package enum Dialect: Sendable {
        /// For texts that somebody writes for us: a key that comes twice and a lone surrogate are mistakes.
        case strict
        /// For lines of the log, which hold payloads as providers sent them: each of two equal keys is kept, a lone
        /// surrogate becomes U+FFFD.
        case recorded
    }

    /// Reads one value with nothing but white space around it.
    ///
    /// - Parameter stop: called now and then; when it says that the value is no longer wanted, reading ends with a mistake.
    package static func read(
        _ bytes: [UInt8], _ dialect: Dialect = .strict, stop: StopCheck = .never
    ) throws(Mistake) -> Value {
        var reader = JSONReader(bytes, dialect, stop: stop)
        return try reader.document()
    }

    /// As ``read(_:_:stop:)``, from a span, whose bytes are copied first.
    package static func read(_ bytes: Span<UInt8>, _ dialect: Dialect = .strict) throws(Mistake) -> Value {
        var copy: [UInt8] = []
        copy.append(addingCapacity: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
        return try read(copy, dialect)
    }

    /// Why a text is not JSON.
    package struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        /// The byte at which it was noticed, 0 for the first; the text's length when the text ends too soon.
        package var offset: Int
        /// What was expected and what was found, in one sentence without a full stop.
        package var message: String

        /// A mistake at an offset.
        package init(offset: Int, message: String) {
            self.offset = offset
            self.message = message
        }

        /// For a developer; people get line and column by ``JSONText/position(of:in:)``.
        package var description: String { "at byte \(offset): \(message)" }
    }

    /// A position in a text as editors count it.
    package struct Position: Hashable, Sendable {
        /// 1 for the first line. A line ends with a line feed.
        package var line: Int
        /// 1 for the first character of a line. Counted in Unicode scalars, as most editors do for most texts, not in
        /// bytes; a tab counts one.
        package var column: Int

        /// A position by line and column.
        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    /// The line and column of an offset; of one beyond the end, those of the end.
    package static func position(of offset: Int, in bytes: Span<UInt8>) -> Position {
        var position = Position(line: 1, column: 1)
        for index in 0..<min(max(offset, 0), bytes.count) {
            if bytes[index] == UInt8(ascii: "\n") {
                position.line += 1
                position.column = 1
            } else if bytes[index] & 0xC0 != 0x80 {
                // A continuation byte belongs to the scalar before it.
                position.column += 1
            }
        }
        return position
    }
}

extension JSONText {
    /// A value and where it stands.
    package struct Value: Sendable {
        /// The byte at which it begins.
        package var offset: Int
        /// What it is.
        package var content: Content

        /// A value at an offset.
        package init(offset: Int, content: Content) {
            self.offset = offset
            self.content = content
        }
    }

    /// What a value is.
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
        /// The key, its escapes resolved.
        package var key: String
        /// The byte at which the key begins, that of its quotation mark.
        package var keyOffset: Int
        /// The value.
        package var value: Value

        /// A member whose key stands at an offset.
        package init(key: String, keyOffset: Int, value: Value) {
            self.key = key
            self.keyOffset = keyOffset
            self.value = value
        }
    }

    /// A number as it is written, so that none of its digits is lost.
    package struct Number: Sendable {
        /// The text, `-1.50e3`.
        package var text: String

        /// A number of that text.
        package init(text: String) { self.text = text }

        /// The number, if it is whole and fits, however it is written: `3`, `3.0` and `0.3e1` are 3. Beyond 2^53 only
        /// one without point and exponent is exact, and any other is refused.
        package var int64: Int64? {
            if let plain = Int64(text) { return plain }
            guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }),
                let double, abs(double) <= 0x1p53
            else { return nil }
            let whole = Int64(double)
            return Double(whole) == double ? whole : nil
        }

        /// The nearest number of 64 bits; `nil` for one that is too large for it.
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
    /// The number, if it is one, whole and of 64 bits.
    package var int64: Int64? { number?.int64 }
    /// The number, if it is one.
    package var double: Double? { number?.double }
    /// True or false, if it is that.
    package var bool: Bool? { if case .bool(let bool) = content { bool } else { nil } }
    /// Whether it is `null`.
    package var isNull: Bool { if case .null = content { true } else { false } }

    /// The value of a member, the last one of that key; `nil` for none, or when this is no object.
    package subscript(key: String) -> JSONText.Value? {
        guard case .object(let members) = content else { return nil }
        return members.last { $0.key.isSameText(as: key) }?.value
    }

    /// An element; `nil` beyond the end, or when this is no array.
    package subscript(index: Int) -> JSONText.Value? {
        guard case .array(let elements) = content, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Whether both mean the same: numbers are compared by what they are worth, members in any order; offsets do not
    /// matter.
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
    /// Whether both have the same scalars. `==` also holds for different spellings of one character, such as é as one
    /// scalar and as two, which are different keys in JSON.
    func isSameText(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
