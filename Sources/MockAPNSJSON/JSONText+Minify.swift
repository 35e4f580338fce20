extension JSONText {
    /// Maximum depth of objects and arrays accepted by ``minify(_:into:)``: somewhat less than ``maximumDepth``, so
    /// that ``read(_:_:)`` can read the text that includes the result.
    package static let maximumMinifiedDepth = 500

    /// The limits of a text beyond the grammar.
    package enum Reach: Sendable {
        /// Nothing: duplicate keys, lone surrogates in escapes and numbers of any size are accepted;
        /// ``Dialect/recorded`` reads them.
        case grammar
        /// The limits of every strict reader: no lone surrogates, and no numbers beyond a 64-bit floating-point number.
        case everyReader
    }

    /// Appends a JSON text without insignificant white space, otherwise unchanged.
    ///
    /// - Returns: whether it is JSON according to RFC 8259 and in UTF-8; if not, nothing is appended.
    package static func minify(
        _ text: Span<UInt8>, into output: inout [UInt8], for reach: Reach = .grammar
    ) -> Bool {
        guard let blanks = blanks(in: text, for: reach) else { return false }
        if blanks == 0 {
            output.append(addingCapacity: text.count) { output in
                for index in text.indices { output.append(text[index]) }
            }
            return true
        }
        output.append(addingCapacity: text.count - blanks) { output in
            var index = 0
            var isInString = false
            while index < text.count {
                let byte = text[index]
                index += 1
                if !isInString {
                    if byte.isJSONBlank { continue }
                    isInString = byte == UInt8(ascii: "\"")
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                } else if byte == UInt8(ascii: "\\") {
                    output.append(byte)
                    output.append(text[index])
                    index += 1
                    continue
                }
                output.append(byte)
            }
        }
        return true
    }

    /// Returns whether ``minify(_:into:for:)`` would accept the text.
    package static func isValid(_ text: Span<UInt8>, for reach: Reach = .grammar) -> Bool {
        blanks(in: text, for: reach) != nil
    }

    /// Returns the number of bytes of insignificant white space in a JSON text; `nil` if it is not JSON.
    private static func blanks(in text: Span<UInt8>, for reach: Reach) -> Int? {
        let isStrict = reach == .everyReader
        var blanks = 0
        var offset = 0
        var nesting = Nesting()
        while true {
            // A value is expected here.
            offset.skipBlanks(in: text, &blanks)
            guard offset < text.count else { return nil }
            switch text[offset] {
            case UInt8(ascii: "\""):
                guard offset.skipString(in: text, isStrict) else { return nil }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = text[offset] == UInt8(ascii: "{")
                guard nesting.depth < maximumMinifiedDepth else { return nil }
                offset += 1
                offset.skipBlanks(in: text, &blanks)
                guard offset < text.count else { return nil }
                if text[offset] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    offset += 1
                    break
                }
                nesting.enter(isObject: isObject)
                if isObject { guard offset.skipKey(in: text, &blanks, isStrict) else { return nil } }
                continue
            case UInt8(ascii: "t"): guard offset.skipWord("r", "u", "e", in: text) else { return nil }
            case UInt8(ascii: "n"): guard offset.skipWord("u", "l", "l", in: text) else { return nil }
            case UInt8(ascii: "f"):
                guard offset.skipWord("a", "l", "s", in: text), offset < text.count, text[offset] == UInt8(ascii: "e")
                else { return nil }
                offset += 1
            default:
                guard offset.skipNumber(in: text, isStrict) else { return nil }
            }
            // A value has ended here.
            while true {
                offset.skipBlanks(in: text, &blanks)
                guard nesting.depth > 0 else { return offset == text.count ? blanks : nil }
                guard offset < text.count else { return nil }
                let byte = text[offset]
                offset += 1
                if byte == UInt8(ascii: ",") {
                    if nesting.isInObject {
                        offset.skipBlanks(in: text, &blanks)
                        guard offset.skipKey(in: text, &blanks, isStrict) else { return nil }
                    }
                    break
                }
                guard byte == (nesting.isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return nil }
                nesting.leave()
            }
        }
    }

    /// A bit for each open container that says whether it is an object, the innermost last. An array is needed only
    /// from the 65th on, so that an ordinary text allocates nothing.
    private struct Nesting {
        private(set) var depth = 0
        private var bits: UInt64 = 0
        private var outer: [UInt64] = []

        var isInObject: Bool { bits & 1 == 1 }

        mutating func enter(isObject: Bool) {
            if depth > 0, depth % 64 == 0 { outer.append(bits) }
            bits = bits << 1 | (isObject ? 1 : 0)
            depth += 1
        }

        mutating func leave() {
            depth -= 1
            bits = depth > 0 && depth % 64 == 0 ? outer.removeLast() : bits >> 1
        }
    }
}

/// An offset in a text being read; each method moves it past what its name says, or returns false.
extension Int {
    @inline(__always)
    fileprivate mutating func skipBlanks(in text: Span<UInt8>, _ blanks: inout Int) {
        while self < text.count, text[self].isJSONBlank {
            self += 1
            blanks += 1
        }
    }

    @inline(__always)
    fileprivate mutating func skipKey(in text: Span<UInt8>, _ blanks: inout Int, _ isStrict: Bool) -> Bool {
        guard self < text.count, text[self] == UInt8(ascii: "\""), skipString(in: text, isStrict) else {
            return false
        }
        skipBlanks(in: text, &blanks)
        guard self < text.count, text[self] == UInt8(ascii: ":") else { return false }
        self += 1
        return true
    }

    @inline(__always)
    fileprivate mutating func skipString(in text: Span<UInt8>, _ isStrict: Bool) -> Bool {
        self += 1
        while true {
            self = text.endOfPlainString(from: self)
            guard self < text.count else { return false }
            if text[self] == UInt8(ascii: "\"") {
                self += 1
                return true
            }
            guard text[self] == UInt8(ascii: "\\"), self + 1 < text.count else { return false }
            switch text[self + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                self += 2
            case UInt8(ascii: "u"):
                guard self + 6 <= text.count, text[self + 2].isHexDigit, text[self + 3].isHexDigit,
                    text[self + 4].isHexDigit, text[self + 5].isHexDigit
                else { return false }
                guard isStrict else {
                    self += 6
                    continue
                }
                switch text.surrogate(at: self) {
                case .none: self += 6
                case .pair: self += 12
                case .half: return false
                }
            default:
                return false
            }
        }
    }

    fileprivate mutating func skipWord(
        _ second: Unicode.Scalar, _ third: Unicode.Scalar, _ fourth: Unicode.Scalar, in text: Span<UInt8>
    ) -> Bool {
        guard self + 4 <= text.count, text[self + 1] == UInt8(ascii: second), text[self + 2] == UInt8(ascii: third),
            text[self + 3] == UInt8(ascii: fourth)
        else { return false }
        self += 4
        return true
    }

    fileprivate mutating func skipNumber(in text: Span<UInt8>, _ isStrict: Bool) -> Bool {
        let start = self
        if text[self] == UInt8(ascii: "-") { self += 1 }
        let whole = self
        guard skipDigits(in: text), text[whole] != UInt8(ascii: "0") || self == whole + 1 else { return false }
        if self < text.count, text[self] == UInt8(ascii: ".") {
            self += 1
            guard skipDigits(in: text) else { return false }
        }
        if self < text.count, text[self] | 0x20 == UInt8(ascii: "e") {
            self += 1
            if self < text.count, text[self] == UInt8(ascii: "+") || text[self] == UInt8(ascii: "-") { self += 1 }
            guard skipDigits(in: text) else { return false }
            return !isStrict || text.isInRange(start..<self)
        }
        return !isStrict || self - start <= 308 || text.isInRange(start..<self)
    }

    private mutating func skipDigits(in text: Span<UInt8>) -> Bool {
        let start = self
        while self < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[self] { self += 1 }
        return self > start
    }
}

extension Span<UInt8> {
    /// Returns whether a 64-bit floating-point number can hold the number in these bytes.
    fileprivate func isInRange(_ range: Range<Int>) -> Bool {
        let text = range.map { self[$0] }
        return JSONText.Number(text: String(decoding: text, as: UTF8.self)).double != nil
    }
}
