/// Reads a scenario out of JSON, and notes every mistake instead of stopping at the first.
///
/// A part that cannot be read is left out of the result; the caller uses the result only when there is no mistake.
/// This file has what all parts need: the position of the reader, mistakes and objects. Scalars are in
/// `ScenarioReader+Scalars.swift`, each part of the format has a file of its own.
struct ScenarioReader {
    typealias Value = JSONText.Value

    /// A part of the way to a value.
    private enum PathPart {
        case key(String)
        case index(Int)
    }

    /// What was found so far, at most ``ScenarioMistake/limit`` of them.
    private(set) var mistakes: [ScenarioMistake] = []
    /// Whether there are more, of which only the first is known: nothing more is read then.
    private(set) var next: ScenarioMistake?
    /// What is declared, and can be named by what is read later.
    var names = DeclaredNames()
    /// Whether the clock is moved by hand.
    var clockIsManual = false
    /// Whether strings may be in files of their own.
    var allowsFiles = true
    /// What unknown keys were probably meant to be, by the offsets of the keys; so that a misspelled key is not missing
    /// as well.
    private var meanings: [Int: String] = [:]
    /// How many rules were read.
    var ruleCount = 0
    private var path: [PathPart] = []
    private var stop: StopCheck

    /// - Parameter stop: asked now and then whether to go on; what was read is of no use when it was stopped.
    init(stop: StopCheck = .never) { self.stop = stop }

    /// Whether something was left out because reading was stopped.
    var isStopped: Bool { stop.hasStopped }

    /// Whether nothing more is to be read, since there are mistakes enough, or nobody wants to know any more. To be asked
    /// before each of what may be many.
    var isOver: Bool { mutating get { next != nil || stop.step() } }

    /// The way to the value that is being read, as in `rules[0].then.delay`.
    var pathText: String {
        var text = ""
        for step in path {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key) where key.utf8.count <= 80 && key.isPlainKey: text += text.isEmpty ? key : ".\(key)"
            case .key(let key): text += "[\(key.quotedForPeople)]"
            }
        }
        return text.isEmpty ? "the scenario" : text
    }

    private var pointer: String {
        JSONPointer(
            // A key of a million letters is not repeated for each mistake in what it has.
            path.prefix { if case .key(let key) = $0 { key.utf8.count <= 1000 } else { true } }.map { step in
                switch step {
                case .key(let key): key
                case .index(let index): String(index)
                }
            }
        ).description
    }

    /// Reads a value as that of a key.
    mutating func at<Result>(_ key: String, _ read: (inout Self) -> Result) -> Result {
        path.append(.key(key))
        defer { path.removeLast() }
        return read(&self)
    }

    /// Reads a value as an element of a list.
    mutating func at<Result>(index: Int, _ read: (inout Self) -> Result) -> Result {
        path.append(.index(index))
        defer { path.removeLast() }
        return read(&self)
    }
}

// Mistakes
extension ScenarioReader {
    /// Notes a mistake. What the message says comes after the way to the value.
    mutating func note(_ offset: Int, _ message: String, isCrossReference: Bool = false) {
        guard next == nil else { return }
        let mistake = ScenarioMistake(
            offset: offset, pointer: pointer, message: "\(pathText) \(message)", isCrossReference: isCrossReference)
        if mistakes.count < ScenarioMistake.limit { mistakes.append(mistake) } else { next = mistake }
    }

    /// Notes that a value is not what was expected.
    mutating func wrong(_ value: Value, expected: String, isCrossReference: Bool = false) {
        note(value.offset, "is \(value.forPeople); expected \(expected)", isCrossReference: isCrossReference)
    }

    /// Notes a mistake of one key of an object, if it has that key, else of the object.
    mutating func noteKey(_ key: String, of object: Value, _ message: String, isCrossReference: Bool = false) {
        guard let member = object.object?.last(where: { $0.key == key }) else {
            return note(object.offset, message, isCrossReference: isCrossReference)
        }
        at(key) { $0.note(member.keyOffset, message, isCrossReference: isCrossReference) }
    }

    /// Notes that keys of an object contradict each other, when it has both.
    mutating func contradiction(_ one: String, _ other: String, in object: Value, _ why: String) {
        guard object[one] != nil, object[other] != nil else { return }
        noteKey(other, of: object, "contradicts \"\(one)\": \(why)")
    }

    /// Notes that an object lacks a key.
    mutating func missing(_ key: String, in object: Value, expected: String) {
        guard !isMeant([key], in: object) else { return }
        note(object.offset, "has no \"\(key)\"; expected \(expected)")
    }
}

// Objects and lists
extension ScenarioReader {
    /// Whether an object has a key that is a misspelling of one of these; such a mistake is enough.
    func isMeant(_ keys: [String], in object: Value) -> Bool {
        (object.object ?? []).contains { member in meanings[member.keyOffset].map(keys.contains) ?? false }
    }

    /// Goes through the members of an object whose keys are the cases of a type.
    ///
    /// - Parameter what: what the object is, with its article.
    /// - Returns: whether it is an object at all.
    @discardableResult
    mutating func object<Key: RawRepresentable<String> & CaseIterable>(
        _ value: Value, _ what: String, _ keys: Key.Type, _ take: (inout Self, Key, Value) -> Void
    ) -> Bool {
        guard let members = value.object else {
            wrong(value, expected: "\(what), which is an object")
            return false
        }
        for member in members where member.key != "$comment" {
            if isOver { break }
            path.append(.key(member.key))
            if let key = Key(rawValue: member.key) {
                take(&self, key, member.value)
            } else {
                unknownKey(member, what, keys.allCases.map(\.rawValue))
            }
            path.removeLast()
        }
        return true
    }

    private mutating func unknownKey(_ member: JSONText.Member, _ what: String, _ keys: [String]) {
        let near = nearestWord(to: member.key, among: keys)
        meanings[member.keyOffset] = near
        let hint = near.map { "did you mean \"\($0)\"?" } ?? "expected \(Self.list(keys, "or"))"
        note(member.keyOffset, "is not a key of \(what); \(hint)")
    }

    /// Goes through the members of an object whose keys are free; not those that are comments.
    mutating func freeObject(_ value: Value, _ what: String, _ take: (inout Self, JSONText.Member) -> Void) {
        guard let members = value.object else { return wrong(value, expected: what) }
        for member in members where member.key != "$comment" {
            if isOver { break }
            at(member.key) { take(&$0, member) }
        }
    }

    /// The elements of a list as they are read; those that cannot be are left out.
    mutating func list<Element>(
        _ value: Value, of what: String, atLeast least: Int = 0, _ read: (inout Self, Value) -> Element?
    ) -> [Element] {
        guard let elements = value.array else {
            wrong(value, expected: "a list of \(what)")
            return []
        }
        if elements.count < least {
            let number = least == 1 ? "one element" : "\(least) elements"
            note(value.offset, "is a list of \(elements.count); expected at least \(number), for it lists \(what)")
        }
        var result: [Element] = []
        result.reserveCapacity(min(elements.count, 1 << 17))
        for (index, element) in elements.enumerated() {
            if isOver { break }
            path.append(.index(index))
            if let element = read(&self, element) { result.append(element) }
            path.removeLast()
        }
        return result
    }

    /// One value, or a list of them with at least one.
    mutating func oneOrMore<Element>(
        _ value: Value, of what: String, _ read: (inout Self, Value) -> Element?
    ) -> [Element] {
        if value.array != nil { return list(value, of: what, atLeast: 1, read) }
        return read(&self, value).map { [$0] } ?? []
    }

    /// `"a", "b" or "c"`.
    static func list(_ words: [String], _ conjunction: String) -> String {
        let quoted = words.map { "\"\($0)\"" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "nothing" }
        return "\(quoted.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}

/// The names that a scenario declares, with their indices.
struct DeclaredNames {
    /// Devices by name: their indices in the scenario's list.
    var devices: [String: Int] = [:]
    /// The tokens of the devices, by index; `nil` of one that could not be read.
    var tokens: [DeviceToken?] = []
    /// The names of the rules.
    var rules: Set<String> = []
    /// The ids of the keys that are known.
    var keys: Set<String> = []
    /// Maximum number of signing keys: each has to be read or made before the scenario can be played.
    static let keyLimit = 1000

    /// A name for people who have misspelled one; only looked for among so many that it does not take long.
    func nearest(to name: String, among names: some Collection<String>) -> String? {
        names.count <= 1000 ? nearestWord(to: name, among: names.sorted()) : nil
    }
}

extension String {
    fileprivate var isPlainKey: Bool {
        !isEmpty
            && utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "$")
            }
    }
}

extension String {
    /// The text in quotation marks, cut at 80 characters, on one line.
    var quotedForPeople: String {
        var text = "\""
        for scalar in shortened.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

extension JSONText.Value {
    /// What it is, in a few words.
    var forPeople: String {
        switch content {
        case .object: "an object"
        case .array: "a list"
        case .string(let text): text.quotedForPeople
        case .number(let number): number.text.shortened
        case .bool(let bool): bool ? "true" : "false"
        case .null: "null"
        }
    }
}
