/// Why bytes are not a frame.
package struct FrameMistake: Error, Sendable, Hashable, CustomStringConvertible {
    /// The offset of the mistake.
    package var offset: Int
    /// The mistake.
    package var message: String

    /// Creates a mistake.
    package init(offset: Int, message: String) { (self.offset, self.message) = (offset, message) }

    /// The message with the offset.
    package var description: String { "\(message) (at byte \(offset))" }
}

/// Reads the binary form of a frame. Everything is checked: bytes from elsewhere lead to an error, never to a trap.
struct FrameInput: ~Escapable {
    /// Maximum length of a single text, other than the bytes of a record.
    static let textLimit = 1 << 20
    /// The times that can be written as text.
    static let times: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    private let bytes: Span<UInt8>
    private(set) var offset = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    func mistake(_ message: String) -> FrameMistake { FrameMistake(offset: offset, message: message) }

    func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws(FrameMistake) {
        if !isTrue { throw mistake("\(what()) is not possible") }
    }

    mutating func byte() throws(FrameMistake) -> UInt8 {
        guard offset < bytes.count else { throw mistake("the frame is cut off") }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Reads a number in its shortest form.
    mutating func number() throws(FrameMistake) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            guard shift < 63 || byte <= 1, shift == 0 || byte != 0 else { throw mistake("a number is malformed") }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }

    /// Reads a number of at most this value.
    mutating func number<Number: FixedWidthInteger>(
        atMost limit: Number = .max
    ) throws(FrameMistake) -> Number {
        guard let number = Number(exactly: try number()), number <= limit else {
            throw mistake("a number is out of range")
        }
        return number
    }

    /// Reads a number of at most this value, which may be absent.
    mutating func numberIfAny<Number: FixedWidthInteger>(
        atMost limit: Number = .max
    ) throws(FrameMistake) -> Number? {
        let number: UInt64 = try number()
        guard number > 0 else { return nil }
        guard let value = Number(exactly: number - 1), value <= limit else { throw mistake("a number is out of range") }
        return value
    }

    mutating func signed() throws(FrameMistake) -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// Reads a time relative to another one.
    mutating func time(after other: Int64) throws(FrameMistake) -> Timestamp {
        let (sum, isBeyond) = other.addingReportingOverflow(try signed())
        guard !isBeyond, Self.times ~= sum else { throw mistake("a time is out of range") }
        return Timestamp(milliseconds: sum)
    }

    mutating func word() throws(FrameMistake) -> UInt64 {
        guard bytes.count - offset >= 8 else { throw mistake("the frame is cut off") }
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        offset += 8
        return word
    }

    /// Reads this many bytes.
    mutating func bytes(_ count: Int) throws(FrameMistake) -> [UInt8] {
        guard count <= bytes.count - offset else { throw mistake("the frame is cut off") }
        defer { offset += count }
        return Array(copying: bytes.extracting(offset..<offset + count))
    }

    /// Reads a text with its length.
    mutating func text(atMost limit: Int) throws(FrameMistake) -> [UInt8] {
        try bytes(try number(atMost: limit))
    }

    /// Reads a text that may be absent.
    mutating func textIfAny() throws(FrameMistake) -> String? {
        let length: Int = try number(atMost: Self.textLimit + 1)
        guard length > 0 else { return nil }
        guard let text = String(validating: try bytes(length - 1), as: UTF8.self) else {
            throw mistake("a text is not UTF-8")
        }
        return text
    }

    /// Reads one of the cases of a type, by its raw value.
    mutating func word<Word: RawRepresentable<UInt8>>() throws(FrameMistake) -> Word {
        guard let word = Word(rawValue: try byte()) else { throw mistake("a word is unknown") }
        return word
    }

    /// Reads a case that may be absent.
    mutating func wordIfAny<Word: RawRepresentable<UInt8>>() throws(FrameMistake) -> Word? {
        let value = try byte()
        guard value > 0 else { return nil }
        guard let word = Word(rawValue: value - 1) else { throw mistake("a word is unknown") }
        return word
    }

    /// Reads a word by its code.
    mutating func word<Word: CodedWord>() throws(FrameMistake) -> Word {
        guard let word = Word(code: try byte()) else { throw mistake("a word is unknown") }
        return word
    }

    /// Reads a word that may be absent.
    mutating func wordIfAny<Word: CodedWord>() throws(FrameMistake) -> Word? {
        let value = try byte()
        guard value > 0 else { return nil }
        guard let word = Word(code: value - 1) else { throw mistake("a word is unknown") }
        return word
    }

    /// Reads a number that is 0 or 1.
    mutating func flag() throws(FrameMistake) -> Bool {
        let flag: UInt8 = try number(atMost: 1)
        return flag == 1
    }
}
