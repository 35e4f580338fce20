package import MockAPNSCore

/// The members of a JSON object, each read once; a member left unread is a mistake.
package struct Members {
    private let offset: Int
    private var left: [JSONText.Member]
    private var taken: [String] = []

    /// - Throws: unless it is an object.
    package init(_ value: JSONText.Value) throws(JSONText.Mistake) {
        guard let members = value.object else { throw value.mistake("expected an object") }
        offset = value.offset
        left = members
    }

    /// Takes a member; `nil` if there is none.
    package mutating func value(_ key: String) -> JSONText.Value? {
        taken.append(key)
        guard let index = left.firstIndex(where: { $0.key == key }) else { return nil }
        return left.remove(at: index).value
    }

    /// Takes a member that has to be there.
    package mutating func required(_ key: String) throws(JSONText.Mistake) -> JSONText.Value {
        guard let value = value(key) else {
            throw JSONText.Mistake(offset: offset, message: "expected an object with \"\(key)\"")
        }
        return value
    }

    package mutating func text(_ key: String) throws(JSONText.Mistake) -> String {
        try required(key).expectedText()
    }

    package mutating func optionalText(_ key: String) throws(JSONText.Mistake) -> String? {
        try value(key)?.expectedText()
    }

    /// Takes a list; an absent one is empty.
    package mutating func list(_ key: String) throws(JSONText.Mistake) -> [JSONText.Value] {
        guard let value = value(key) else { return [] }
        guard let list = value.array else { throw value.mistake("expected a list") }
        return list
    }

    /// Takes a truth value; `nil` if there is none.
    package mutating func bool(_ key: String) throws(JSONText.Mistake) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let bool = value.bool else { throw value.mistake("expected true or false") }
        return bool
    }

    /// Takes a whole number; `nil` if there is none.
    package mutating func number(_ key: String) throws(JSONText.Mistake) -> Int? {
        guard let value = value(key) else { return nil }
        guard let number = value.int64 else { throw value.mistake("expected a whole number") }
        return Int(number)
    }

    /// Takes one of the words of an enumeration.
    package mutating func word<Word: RawRepresentable & CaseIterable>(
        _ key: String, or usual: Word? = nil
    ) throws(JSONText.Mistake) -> Word where Word.RawValue == String {
        guard let value = value(key) else {
            if let usual { return usual }
            throw JSONText.Mistake(offset: offset, message: "expected an object with \"\(key)\"")
        }
        return try value.expectedWord()
    }

    /// - Throws: if a member was left unread.
    package func end() throws(JSONText.Mistake) {
        guard let member = left.first(where: { $0.key != "$comment" }) else { return }
        let near = nearestWord(to: member.key, among: taken).map { "; did you mean \"\($0)\"?" } ?? ""
        throw JSONText.Mistake(offset: member.keyOffset, message: "unknown key \"\(member.key)\"\(near)")
    }
}

extension JSONText.Value {
    func mistake(_ message: String) -> JSONText.Mistake { JSONText.Mistake(offset: offset, message: message) }

    func expectedText() throws(JSONText.Mistake) -> String {
        guard let string else { throw mistake("expected text") }
        return string
    }

    func expectedWord<Word: RawRepresentable & CaseIterable>() throws(JSONText.Mistake) -> Word
    where Word.RawValue == String {
        guard let word = Word(rawValue: try expectedText()) else {
            throw mistake("expected one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }
}

/// Values that are made, not read.
extension JSONText.Value {
    static func made(_ content: JSONText.Content) -> Self { Self(offset: 0, content: content) }
    package static func text(_ text: String) -> Self { made(.string(text)) }
    static func number(_ number: Int) -> Self { made(.number(.init(text: "\(number)"))) }
    static func bool(_ bool: Bool) -> Self { made(.bool(bool)) }
    static func list(_ values: [Self]) -> Self { made(.array(values)) }
    static func object(_ members: [(String, Self)]) -> Self {
        made(.object(members.map { .init(key: $0.0, keyOffset: 0, value: $0.1) }))
    }
    static var null: Self { made(.null) }
}
