import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario

extension FuzzTarget {
    /// The reader of JSON in both dialects, and ``JSONText/minify(_:into:)``, which has a scanner of its own.
    static let json = FuzzTarget(
        name: "json", longestInput: 4096,
        seeds: [
            #"{"aps": {"alert": {"title": "Hi", "loc-args": ["a", null, true, false]}, "badge": 3}}"#,
            #"[0, -0, 1.5e-3, 1E+400, 12345678901234567890, 0.1e1]"#, #""é😀\ud83d\ude00\u00e9\"\\\/\b\f\n\r\t""#,
            #"{"a": 1, "a": 2}"#, #""\ud800""#, "[[[[[[[[]]]]]]]]", " \t\r\nnull \n", "",
            String(repeating: "[", count: 501) + String(repeating: "]", count: 501),
        ].map { Array($0.utf8) }
    ) { bytes throws(Finding) in
        let strict = read(bytes, .strict)
        let recorded = read(bytes, .recorded)
        try checkMinify(bytes, recorded)
        for case .failure(let mistake) in [strict, recorded] {
            try require(0...bytes.count ~= mistake.offset, "a mistake lies in the text, not \(mistake)")
            try require(
                !mistake.message.isEmpty && !mistake.message.contains { $0.isNewline },
                "a message is one line: \(mistake.message)")
            try checkPosition(of: mistake.offset, in: bytes)
        }
        guard case .success(let value) = recorded else {
            if case .success = strict { throw Finding(description: "what is strict JSON can be recorded") }
            return
        }
        var last = -1
        try checkOffsets(of: value, in: bytes, after: &last)
        guard case .success(let value) = strict else { return }
        var count = 64
        try checkPointers(in: value, root: value, path: [], &count)
    }

    private static func read(
        _ bytes: [UInt8], _ dialect: JSONText.Dialect
    ) -> Result<JSONText.Value, JSONText.Mistake> {
        Result { () throws(JSONText.Mistake) in try JSONText.read(bytes, dialect) }
    }

    /// Both scanners accept the same texts, and the shorter text says the same.
    private static func checkMinify(
        _ bytes: [UInt8], _ recorded: Result<JSONText.Value, JSONText.Mistake>
    ) throws(Finding) {
        var output: [UInt8] = [0x2A]
        let isJSON = JSONText.minify(bytes.span, into: &output)
        try require(isJSON == JSONText.isValid(bytes.span), "minify and isValid agree")
        try require(output.first == 0x2A, "minify only appends")
        output.removeFirst()
        guard case .success(let value) = recorded else {
            return try require(!isJSON && output.isEmpty, "minify takes no text that cannot be read")
        }
        guard isJSON else {
            try require(output.isEmpty, "minify appends nothing of what it refuses")
            return try require(
                value.depth > JSONText.maximumMinifiedDepth, "minify takes what can be read and is not too deep")
        }
        try require(output.count <= bytes.count, "minify makes nothing longer")
        var again: [UInt8] = []
        try require(JSONText.minify(output.span, into: &again) && again == output, "minify twice is minify once")
        guard case .success(let short) = read(output, .recorded) else {
            throw Finding(description: "what minify made can be read")
        }
        try require(short.isSame(as: value), "minify changes no value")
    }

    /// Values and keys stand where they say, in the order of the text.
    private static func checkOffsets(
        of value: JSONText.Value, in bytes: [UInt8], after last: inout Int
    ) throws(Finding) {
        try require(value.offset > last && value.offset < bytes.count, "a value lies behind what comes before it")
        last = value.offset
        let first = bytes[value.offset]
        switch value.content {
        case .object(let members):
            try require(first == UInt8(ascii: "{"), "an object begins with a brace")
            for member in members {
                try require(
                    member.keyOffset > last && member.keyOffset < bytes.count, "a key lies behind what comes before it")
                try require(bytes[member.keyOffset] == UInt8(ascii: "\""), "a key begins with a quotation mark")
                last = member.keyOffset
                try checkOffsets(of: member.value, in: bytes, after: &last)
            }
        case .array(let elements):
            try require(first == UInt8(ascii: "["), "an array begins with a bracket")
            for element in elements { try checkOffsets(of: element, in: bytes, after: &last) }
        case .string: try require(first == UInt8(ascii: "\""), "a string begins with a quotation mark")
        case .number(let number):
            try require(bytes[value.offset...].starts(with: number.text.utf8), "a number keeps its digits")
            if let whole = number.int64, abs(Double(whole)) < 0x1p53 {
                try require(number.double == Double(whole), "a whole number is the same as both types")
            }
        case .bool(let bool): try require(first == UInt8(ascii: bool ? "t" : "f"), "true and false begin so")
        case .null: try require(first == UInt8(ascii: "n"), "null begins so")
        }
    }

    /// The pointer to a value leads to it, and reads as it is written; tried with so many values.
    private static func checkPointers(
        in value: JSONText.Value, root: JSONText.Value, path: [String], _ count: inout Int
    ) throws(Finding) {
        guard count > 0 else { return }
        count -= 1
        let pointer = JSONPointer(path)
        try require(root[pointer]?.offset == value.offset, "\(pointer) leads to its value")
        try require(JSONPointer(pointer.description) == pointer, "\(pointer) reads as it is written")
        for member in value.object ?? [] {
            try checkPointers(in: member.value, root: root, path: path + [member.key], &count)
        }
        for (index, element) in (value.array ?? []).enumerated() {
            try checkPointers(in: element, root: root, path: path + ["\(index)"], &count)
        }
    }

    /// Line and column are those that a reader would count.
    static func checkPosition(of offset: Int, in bytes: [UInt8]) throws(Finding) {
        let before = bytes[..<offset]
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let expected = JSONText.Position(
            line: 1 + before.count { $0 == 0x0A }, column: 1 + before[start...].count { $0 & 0xC0 != 0x80 })
        let position = JSONText.position(of: offset, in: bytes.span)
        try require(position == expected, "byte \(offset) is at \(expected), not \(position)")
    }
}

extension JSONText.Value {
    /// How many objects and arrays lie in each other.
    fileprivate var depth: Int {
        switch content {
        case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        default: 0
        }
    }

    /// Whether both have the same texts in the same order, wherever they stand.
    fileprivate func isSame(as other: Self) -> Bool {
        switch (content, other.content) {
        case (.object(let one), .object(let other)):
            one.count == other.count
                && zip(one, other).allSatisfy {
                    $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.isSame(as: $1.value)
                }
        case (.array(let one), .array(let other)):
            one.count == other.count && zip(one, other).allSatisfy { $0.isSame(as: $1) }
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.number(let one), .number(let other)): one.text == other.text
        case (.bool(let one), .bool(let other)): one == other
        case (.null, .null): true
        default: false
        }
    }
}
