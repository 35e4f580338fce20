extension JSONText {
    /// A range of a text, and its replacement.
    package struct Edit: Sendable {
        package var range: Range<Int>
        package var text: [UInt8]

        package init(_ range: Range<Int>, _ text: [UInt8]) { (self.range, self.text) = (range, text) }
    }

    /// Returns a text after edits that do not overlap, in any order.
    package static func applying(_ edits: [Edit], to text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += text[end..<edit.range.lowerBound]
            result += edit.text
            end = edit.range.upperBound
        }
        return result + text[end...]
    }

    /// Returns the range of a value in the text it was read from.
    package static func range(of value: Value, in text: [UInt8]) -> Range<Int> {
        var index = value.offset
        var depth = 0
        repeat {
            switch text[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                index += 1
                while text[index] != UInt8(ascii: "\"") { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
            default:
                // A number or a word ends before anything that cannot be part of it.
                if depth == 0 {
                    while index + 1 < text.count, text[index + 1].isPartOfWord { index += 1 }
                }
            }
            index += 1
        } while depth > 0 && index < text.count
        return value.offset..<index
    }
}

extension UInt8 {
    fileprivate var isPartOfWord: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
