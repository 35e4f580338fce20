/// A JSON Pointer (RFC 6901), `/aps/alert/title`: the way to one value inside another.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// Its parts with their escapes resolved: keys of objects, or indices of arrays. None: the whole value.
    package let parts: [String]

    /// A pointer of these parts.
    package init(_ parts: [String]) { self.parts = parts }

    /// Reads a pointer: empty, or parts that each begin with a slash, in which `~1` is a slash and `~0` a tilde. `nil`
    /// for anything else.
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

    /// The text, with escapes.
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

    /// The index that a part is for an array: digits without a leading zero. `-`, the element after the last, is none.
    fileprivate static func index(_ part: String) -> Int? {
        guard part.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            part == "0" || part.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(part)
    }
}

extension JSONText.Value {
    /// The value that a pointer leads to, if any.
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
