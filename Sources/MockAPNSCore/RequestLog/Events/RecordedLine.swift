/// One line of a recorded log, with access to its members by name and type. Errors have their offset in the line.
package struct RecordedLine {
    package let bytes: [UInt8]
    let members: [JSONText.Member]
    /// The kind of event.
    package private(set) var event = ""

    /// - Parameter value: the bytes, parsed as JSON.
    package init(_ bytes: [UInt8], _ value: JSONText.Value) throws(JSONText.Mistake) {
        self.bytes = bytes
        if let mistake = Self.mistake(in: value) { throw mistake }
        members = value.object ?? []
        event = try text("event")
    }

    /// Returns why a value cannot be an event line; `nil` if it can.
    package static func mistake(in value: JSONText.Value) -> JSONText.Mistake? {
        guard let members = value.object else {
            return JSONText.Mistake(
                offset: value.offset, message: "expected a line of a log, a JSON object with the key \"event\"")
        }
        guard !members.contains(where: { $0.key == "event" }) else { return nil }
        return JSONText.Mistake(offset: 0, message: "the key \"event\" is missing; a line of a log has it")
    }

    /// Returns a member that the event always has.
    func member(_ key: String) throws(JSONText.Mistake) -> JSONText.Member {
        guard let member = memberIfAny(key) else { throw missing(key) }
        return member
    }

    /// Returns a member that the event may have.
    func memberIfAny(_ key: String) -> JSONText.Member? { members.last { $0.key == key } }

    func missing(_ key: String) -> JSONText.Mistake {
        JSONText.Mistake(offset: 0, message: "the key \"\(key)\" is missing; the event \"\(event)\" has it")
    }

    func text(_ key: String) throws(JSONText.Mistake) -> String { try member(key).text() }

    /// Returns a text; `nil` if the member is `null` or absent.
    package func textIfAny(_ key: String) throws(JSONText.Mistake) -> String? {
        try memberIfAny(key)?.textIfAny()
    }

    func count(_ key: String) throws(JSONText.Mistake) -> Int { try member(key).count() }

    func countIfAny(_ key: String) throws(JSONText.Mistake) -> Int? {
        try memberIfAny(key)?.countIfAny()
    }

    /// The seed, if the event has it.
    var seed: UInt64? { memberIfAny("seed")?.value.number.flatMap { UInt64($0.text) } }

    func time(_ key: String) throws(JSONText.Mistake) -> Timestamp { try member(key).time() }

    /// The real time, if the event has it.
    package var time: Timestamp? {
        get throws(JSONText.Mistake) { try memberIfAny("time")?.time() }
    }

    /// The time on the scenario's clock; in logs from before it existed, the real time. A line without either gets 1970.
    var clock: Timestamp {
        get throws(JSONText.Mistake) {
            if let clock = memberIfAny("clock") { return try clock.time() }
            return try time ?? Timestamp(milliseconds: 0)
        }
    }

    /// Returns the source text of a member's value.
    @_lifetime(borrow self)
    func source(of index: Int) -> Span<UInt8> {
        let start = members[index].value.offset
        var end = index + 1 < members.count ? members[index + 1].keyOffset : bytes.count
        // Go back over white space and the comma, or the brace at the end of the line.
        while end > start, bytes[end - 1].isJSONBlank { end -= 1 }
        end -= 1
        return bytes.span.extracting(start..<max(start, end))
    }
}

extension JSONText.Member {
    func text() throws(JSONText.Mistake) -> String {
        guard let text = value.string else { throw mistake("a text") }
        return text
    }

    func textIfAny() throws(JSONText.Mistake) -> String? {
        guard let text = value.string else {
            if value.isNull { return nil }
            throw mistake("a string or null")
        }
        return text
    }

    /// Returns a whole number that is not negative.
    func count() throws(JSONText.Mistake) -> Int {
        guard let number = value.int64, number >= 0 else { throw mistake("a whole number, not below 0") }
        return Int(number)
    }

    func countIfAny() throws(JSONText.Mistake) -> Int? { value.isNull ? nil : try count() }

    func time() throws(JSONText.Mistake) -> Timestamp {
        guard let time = value.string.flatMap({ Timestamp($0) }) else {
            throw mistake("a time such as \"2026-11-21T10:00:00.123Z\"")
        }
        return time
    }

    /// Returns one of the words of a type.
    func word<Word: MockAPNSWord>() throws(JSONText.Mistake) -> Word {
        if let word = value.string.flatMap({ Word(rawValue: $0) }) { return word }
        return try word(Word.allCases.map { ($0.name, $0) })
    }

    /// Returns one of a few words.
    func word<Word>(_ words: [(name: String, word: Word)]) throws(JSONText.Mistake) -> Word {
        let text = value.string
        if let word = words.first(where: { $0.name == text }) { return word.word }
        let nearest = text.flatMap { nearestWord(to: $0, among: words.lazy.map(\.name)) }
        throw mistake(nearest.map { "\"\($0)\"" } ?? "one of " + list(words.map { "\"\($0.name)\"" }, "or"))
    }

    func mistake(_ expected: String) -> JSONText.Mistake {
        JSONText.Mistake(
            offset: value.offset,
            message: "\"\(key)\" is \(RecordValue(value).json); expected \(expected)")
    }
}
