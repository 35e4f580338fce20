/// A JSON Pointer (RFC 6901), such as `/aps/alert/title`: the path to a value inside another.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The parts, unescaped: keys of objects or indices of arrays. Empty means the whole value.
    package let parts: [String]

    /// Creates a pointer from its parts.
    package init(_ parts: [String]) { self.parts = parts }

    /// Parses a pointer: empty, or parts that each start with a slash, with `~1` for a slash and `~0` for a tilde.
    /// Fails for anything else.
    package init?(_ text: String) {
        guard !text.isEmpty else {
            parts = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var parts: [String] = []
        var part: [UInt8] = []
        var isEscape = false
        for byte in text.utf8.dropFirst() {
            if isEscape {
                guard byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return nil }
                part.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
                isEscape = false
            } else if byte == UInt8(ascii: "~") {
                isEscape = true
            } else if byte == UInt8(ascii: "/") {
                parts.append(String(decoding: part, as: UTF8.self))
                part.removeAll(keepingCapacity: true)
            } else {
                part.append(byte)
            }
        }
        guard !isEscape else { return nil }
        self.parts = parts + [String(decoding: part, as: UTF8.self)]
    }

    /// The text with escapes.
    package var description: String {
        var text: [UInt8] = []
        for part in parts {
            text.append(UInt8(ascii: "/"))
            for byte in part.utf8 {
                switch byte {
                case UInt8(ascii: "~"): text.append(contentsOf: "~0".utf8)
                case UInt8(ascii: "/"): text.append(contentsOf: "~1".utf8)
                default: text.append(byte)
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the array index of a part: digits without a leading zero. `-`, the element after the last, is not one.
    package static func index(_ part: String) -> Int? {
        guard part.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            part == "0" || part.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(part)
    }
}

extension JSONText.Value {
    /// Returns the value at a pointer, if there is one.
    package subscript(pointer: JSONPointer) -> JSONText.Value? {
        var value = self
        for part in pointer.parts {
            switch value.content {
            case .object:
                guard let member = value[part] else { return nil }
                value = member
            case .array:
                guard let index = JSONPointer.index(part), let element = value[index] else { return nil }
                value = element
            default:
                return nil
            }
        }
        return value
    }
}
