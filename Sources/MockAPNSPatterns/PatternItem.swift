/// One item of a pattern, as reported by PCRE2: `a`, `[a-z]{2,3}`, `(?:` or `)*`. If its kind is not clear, its cost is
/// overestimated, never underestimated.
struct PatternItem {
    enum Token {
        /// The end of the pattern.
        case end
        /// `^` and `$`.
        case assertion
        /// The start of a group, a condition, or a verb such as `(*COMMIT)`.
        case group
        case lookbehind
        case closing
        case bar
        /// A group call.
        case call
        /// A back reference.
        case reference
        /// `\X`.
        case cluster
        /// `.`.
        case any
        /// A literal character.
        case character
        /// Any other escape, such as `\d` and `\p{Lu}`.
        case escape
        /// A class that is tested with a table of 256 bits.
        case asciiClass
        /// A class that may have to be searched member by member.
        case largeClass(length: Int)
    }

    let token: Token
    /// Whether it has a quantifier, and whether that lets the item match more than once.
    let isQuantified: Bool
    var isRepeated: Bool { isQuantified && most > 1 }
    /// Maximum number of bytes it can match; 1 for a single character.
    let most: Int

    private static let longestCharacter = 4

    /// Whether its quantifier applies to a group.
    var isAboutGroup: Bool {
        switch token {
        case .group, .lookbehind, .closing, .call: true
        default: false
        }
    }

    init(_ bytes: ArraySlice<UInt8>) {
        let (token, length) = Self.token(bytes)
        self.token = token
        let rest = bytes.dropFirst(length)
        var most = 1
        for index in rest.indices {
            switch rest[index] {
            case UInt8(ascii: "*"): most = .max
            case UInt8(ascii: "+"):
                // After another quantifier, it makes that one possessive.
                let isPossessive = index > rest.startIndex && "}?".utf8.contains(rest[index - 1])
                if !isPossessive { most = .max }
            case UInt8(ascii: "{"):
                guard let bounds = Self.bounds(rest[index...]) else { continue }
                most = bounds.isOpen ? .max : max(most, min(bounds.highest, 65_535) * Self.longestCharacter)
            default: break
            }
        }
        self.most = most
        isQuantified = !rest.isEmpty
    }

    /// Returns the kind of item, and the number of bytes before its quantifier.
    private static func token(_ bytes: ArraySlice<UInt8>) -> (Token, Int) {
        guard let first = bytes.first else { return (.end, 0) }
        switch first {
        case UInt8(ascii: "("): return (opening(bytes), bytes.count)
        case UInt8(ascii: ")"): return (.closing, bytes.count)
        case UInt8(ascii: "|"): return (.bar, bytes.count)
        case UInt8(ascii: "^"), UInt8(ascii: "$"): return (.assertion, bytes.count)
        case UInt8(ascii: "\\"): return escape(bytes)
        case UInt8(ascii: "["):
            let length = bytes.lastIndex(of: UInt8(ascii: "]")).map { $0 - bytes.startIndex + 1 } ?? bytes.count
            let members = bytes.prefix(length).dropFirst()
            let isLarge = members.contains { $0 >= 0x80 || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "[") }
            return (isLarge ? .largeClass(length: length) : .asciiClass, length)
        case UInt8(ascii: "."): return (.any, 1)
        default:
            let others = bytes.dropFirst().prefix { $0 & 0xC0 == 0x80 }.count
            return (.character, 1 + others)
        }
    }

    /// Returns the token for `(`, `(?:`, `(?<name>`, `(?<=`, `(?R)`, `(*napla:`, …
    private static func opening(_ bytes: ArraySlice<UInt8>) -> Token {
        let start = String(decoding: bytes.prefix(4), as: UTF8.self)
        if start.hasPrefix("(?<=") || start.hasPrefix("(?<!") || start.hasPrefix("(*") { return .lookbehind }
        if start.hasPrefix("(?P=") { return .reference }
        guard start.hasPrefix("(?"), let letter = start.dropFirst(2).first else { return .group }
        if start.hasPrefix("(?P<") { return .group }
        return "R&P+-0123456789".contains(letter) ? .call : .group
    }

    private static func escape(_ bytes: ArraySlice<UInt8>) -> (Token, Int) {
        guard bytes.count > 1 else { return (.character, 1) }
        let letter = bytes[bytes.startIndex + 1]
        let argument = bytes.dropFirst(2)
        switch letter {
        case UInt8(ascii: "X"): return (.cluster, 2)
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            return (.reference, 2 + argument.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count)
        case UInt8(ascii: "k"), UInt8(ascii: "g"):
            let length = 2 + self.length(ofArgument: argument)
            let isCall = letter == UInt8(ascii: "g") && argument.first.map { "<'".utf8.contains($0) } ?? false
            return (isCall ? .call : .reference, isCall ? bytes.count : length)
        case UInt8(ascii: "p"), UInt8(ascii: "P"):
            return (.escape, argument.first == UInt8(ascii: "{") ? 2 + length(ofArgument: argument) : 3)
        case UInt8(ascii: "x"), UInt8(ascii: "o"): return (.escape, 2 + length(ofArgument: argument))
        case UInt8(ascii: "N") where argument.starts(with: "{U".utf8):
            return (.escape, 2 + length(ofArgument: argument))
        default: return (.escape, 2)
        }
    }

    /// Returns the length of the `{…}`, `<…>`, `'…'` or number that an escape takes.
    private static func length(ofArgument bytes: ArraySlice<UInt8>) -> Int {
        let closing: UInt8
        switch bytes.first {
        case UInt8(ascii: "{"): closing = UInt8(ascii: "}")
        case UInt8(ascii: "<"): closing = UInt8(ascii: ">")
        case UInt8(ascii: "'"): closing = UInt8(ascii: "'")
        default: return bytes.prefix { "+-".utf8.contains($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
        }
        guard let end = bytes.dropFirst().firstIndex(of: closing) else { return bytes.count }
        return end - bytes.startIndex + 1
    }

    /// Returns the bounds of the quantifier `{m}`, `{m,}`, `{,n}` or `{m,n}` that starts here.
    static func bounds(_ bytes: ArraySlice<UInt8>) -> (highest: Int, isOpen: Bool)? {
        var numbers: [Int?] = [nil]
        for byte in bytes.dropFirst() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = Int(byte - UInt8(ascii: "0"))
                numbers[numbers.count - 1] = min((numbers[numbers.count - 1] ?? 0) * 10 + digit, 1_000_000)
            case UInt8(ascii: ",") where numbers.count == 1: numbers.append(nil)
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            case UInt8(ascii: "}"):
                guard numbers.contains(where: { $0 != nil }) else { return nil }
                return (numbers.compactMap(\.self).max() ?? 0, numbers.count == 2 && numbers[1] == nil)
            default: return nil
            }
        }
        return nil
    }
}
