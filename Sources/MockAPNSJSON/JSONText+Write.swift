extension [UInt8] {
    /// Appends a JSON value without insignificant white space; numbers keep their digits, members their order.
    package mutating func appendJSON(_ value: JSONText.Value) {
        switch value.content {
        case .null: append(contentsOf: "null".utf8)
        case .bool(let bool): append(contentsOf: (bool ? "true" : "false").utf8)
        case .number(let number): append(contentsOf: number.text.utf8)
        case .string(let text): appendJSON(text)
        case .array(let elements):
            append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                appendJSON(element)
            }
            append(UInt8(ascii: "]"))
        case .object(let members):
            append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                appendJSON(member.key)
                append(UInt8(ascii: ":"))
                appendJSON(member.value)
            }
            append(UInt8(ascii: "}"))
        }
    }
}

extension JSONText.Value {
    /// The JSON text without insignificant white space.
    package var text: String {
        var bytes: [UInt8] = []
        bytes.appendJSON(self)
        return String(decoding: bytes, as: UTF8.self)
    }
}

// Objects and arrays written part by part.
extension [UInt8] {
    /// Appends a JSON value, or `null` if there is none.
    package mutating func appendJSON(_ value: JSONText.Value?) {
        if let value { appendJSON(value) } else { append(contentsOf: "null".utf8) }
    }

    /// Appends a further member of an object.
    package mutating func appendMember(_ name: String, _ text: String?) {
        appendKey(name)
        appendJSON(text)
    }

    /// Appends a further member of an object.
    package mutating func appendMember(_ name: String, _ time: Timestamp?) {
        appendKey(name)
        appendJSON(time)
    }

    /// Appends a further member of an object.
    package mutating func appendMember(_ name: String, _ number: Int?) {
        appendKey(name)
        if let number { appendJSON(number) } else { append(contentsOf: "null".utf8) }
    }

    /// Appends a further member of an object.
    package mutating func appendMember(_ name: String, _ value: JSONText.Value?) {
        appendKey(name)
        appendJSON(value)
    }

    /// Appends a further member of an object.
    package mutating func appendMember(_ name: String, _ texts: [String]) {
        appendKey(name)
        appendList(texts) { $0.appendJSON($1) }
    }

    /// Appends the key of a further member of an object.
    package mutating func appendKey(_ name: String) { append(contentsOf: #","\#(name)":"#.utf8) }

    /// Appends a JSON array.
    package mutating func appendList<Item>(_ elements: [Item], _ append: (inout Self, Item) -> Void) {
        self.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { self.append(UInt8(ascii: ",")) }
            append(&self, element)
        }
        self.append(UInt8(ascii: "]"))
    }
}
