import MockAPNSCore

/// Reads a scenario from JSON, and reports every mistake instead of stopping at the first.
///
/// Unreadable parts are left out of the result; the caller uses the result only if there are no mistakes. This file has
/// what all parts need: the position of the reader, mistakes and objects. Scalars are in
/// `ScenarioReader+Scalars.swift`, and each part of the format has its own file.
struct ScenarioReader {
    typealias Value = JSONText.Value

    /// A part of the path to a value.
    private enum PathPart {
        case key(String)
        case index(Int)
    }

    /// The mistakes found so far, at most ``ScenarioMistake/limit``.
    private(set) var mistakes: [ScenarioMistake] = []
    /// The first mistake beyond the limit; nothing more is read then.
    private(set) var next: ScenarioMistake?
    /// The declared names, for later references.
    var names = DeclaredNames()
    /// Whether the clock is moved by hand.
    var clockIsManual = false
    /// Whether strings may be in separate files.
    var allowsFiles = true
    /// The probable meanings of unknown keys, by their offsets; `nil` for a key without one. So a key with another name
    /// is not also reported as missing.
    private var unknownKeys: [Int: String?] = [:]
    /// The name of the whole text, for mistakes that concern all of it.
    var root = "the scenario"
    /// The number of rules read.
    var ruleCount = 0
    /// The scenario's seed, or 0.
    var seed: UInt64 = 0
    /// Whether all Live Activities have tokens of their own.
    var hasOwnTokens = false
    private var path: [PathPart] = []
    private var stop: CancellationCheck

    /// - Parameter stop: checked regularly; once stopped, the result is of no use.
    init(stop: CancellationCheck = .never) { self.stop = stop }

    /// Whether something was left out because reading was stopped.
    var isStopped: Bool { stop.hasStopped }

    /// Whether to stop reading, because there are enough mistakes or the result is no longer wanted. Check this before
    /// each item of a potentially long list.
    var isOver: Bool { mutating get { next != nil || stop.step() } }

    /// The path to the value being read, such as `rules[0].then.delay`.
    var pathText: String {
        var text = ""
        for step in path {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key) where key.utf8.count <= 80 && key.isPlainKey: text += text.isEmpty ? key : ".\(key)"
            case .key(let key): text += "[\(key.quotedForPeople)]"
            }
        }
        return text.isEmpty ? root : text
    }

    private var pointer: String {
        JSONPointer(
            // A key of a million characters is not repeated for each mistake inside it.
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
    /// Reports a mistake. The message is preceded by the path to the value.
    mutating func note(_ offset: Int, _ message: String, isCrossReference: Bool = false) {
        note(offset, message, kind: isCrossReference ? .crossReference : .value)
    }

    /// Reports a mistake of a kind. The message is preceded by the path to the value.
    mutating func note(_ offset: Int, _ message: String, kind: ScenarioMistake.Kind) {
        guard next == nil else { return }
        let mistake = ScenarioMistake(
            offset: offset, pointer: pointer, message: "\(pathText) \(message)", kind: kind)
        if mistakes.count < ScenarioMistake.limit { mistakes.append(mistake) } else { next = mistake }
    }

    /// Reports a value that is not what was expected.
    mutating func wrong(_ value: Value, expected: String, isCrossReference: Bool = false) {
        note(value.offset, "is \(value.forPeople); expected \(expected)", isCrossReference: isCrossReference)
    }

    /// Reports a mistake at a key of an object if it has that key, otherwise at the object.
    mutating func noteKey(_ key: String, of object: Value, _ message: String, isCrossReference: Bool = false) {
        guard let member = object.object?.last(where: { $0.key == key }) else {
            return note(object.offset, message, isCrossReference: isCrossReference)
        }
        at(key) { $0.note(member.keyOffset, message, isCrossReference: isCrossReference) }
    }

    /// Reports two keys of an object that contradict each other, if it has both.
    mutating func contradiction(_ one: String, _ other: String, in object: Value, _ why: String) {
        guard object[one] != nil, object[other] != nil else { return }
        noteKey(other, of: object, "contradicts \"\(one)\": \(why)")
    }

    /// Reports a missing key of an object.
    mutating func missing(_ key: String, in object: Value, expected: String) {
        guard !isMeant([key], in: object) else { return }
        note(object.offset, "has no \"\(key)\"; expected \(expected)")
    }
}

// Objects and lists
extension ScenarioReader {
    /// Returns whether an object has an unknown key that probably means one of these, or may; that mistake is enough.
    func isMeant(_ keys: [String], in object: Value) -> Bool {
        let unknown = (object.object ?? []).lazy.compactMap { unknownKeys[$0.keyOffset] }
        return unknown.contains { $0.map(keys.contains) ?? true }
    }

    /// Returns whether the path, with which a message begins, already says what a value is: `rate` for a rate.
    private func pathNames(_ what: String) -> Bool {
        let noun = what.split(separator: " ").filter { !["a", "an", "the"].contains($0) }.joined(separator: " ")
        let name =
            switch path.last {
            case .key(let key)?: key
            case .index?: ""
            case nil: String(root.dropFirst("the ".count))
            }
        return noun.filter { $0 != "\"" }.lowercased() == name.lowercased()
    }

    /// Reads the members of an object whose keys are the cases of a type.
    ///
    /// - Parameters:
    ///   - what: what the object is, with an article.
    ///   - example: a valid one, for the message about an invalid one.
    /// - Returns: whether it is an object at all.
    @discardableResult
    mutating func object<Key: RawRepresentable<String> & CaseIterable>(
        _ value: Value, _ what: String, example: String, _ keys: Key.Type, _ take: (inout Self, Key, Value) -> Void
    ) -> Bool {
        guard value.object != nil else {
            wrong(value, expected: "\(pathNames(what) ? "" : "\(what), ")an object such as \(example)")
            return false
        }
        readMembers(of: value, what, keys, take)
        return true
    }

    /// Reads the members of a value that is known to be an object, like ``object(_:_:example:_:_:)``.
    mutating func readMembers<Key: RawRepresentable<String> & CaseIterable>(
        of object: Value, _ what: String, _ keys: Key.Type, _ take: (inout Self, Key, Value) -> Void
    ) {
        for member in object.object ?? [] where member.key != "$comment" {
            if isOver { break }
            path.append(.key(member.key))
            if let key = Key(rawValue: member.key) {
                take(&self, key, member.value)
            } else {
                unknownKey(member, what, keys.allCases.map(\.rawValue))
            }
            path.removeLast()
        }
    }

    private mutating func unknownKey(_ member: JSONText.Member, _ what: String, _ keys: [String]) {
        let meant = MeantWord(member.key, among: keys)
        unknownKeys[member.keyOffset] = .some(meant?.word)
        let hint = meant?.question ?? "expected \(Self.list(keys, "or"))"
        note(member.keyOffset, "is not a key of \(what); \(hint)")
    }

    /// Reads the members of an object with arbitrary keys, except comments.
    ///
    /// - Parameter what: what the object is, with an article and an example.
    mutating func freeObject(_ value: Value, _ what: String, _ take: (inout Self, JSONText.Member) -> Void) {
        guard let members = value.object else { return wrong(value, expected: what) }
        for member in members where member.key != "$comment" {
            if isOver { break }
            at(member.key) { take(&$0, member) }
        }
    }

    /// Reads the elements of a list; those that cannot be read are left out.
    mutating func list<Element>(
        _ value: Value, of what: String, atLeast least: Int = 0, atMost most: Int = .max,
        _ read: (inout Self, Value) -> Element?
    ) -> [Element] {
        guard let elements = value.array else {
            wrong(value, expected: "a list of \(what)")
            return []
        }
        if elements.count < least {
            let number = least == 1 ? "one element" : "\(least) elements"
            note(value.offset, "is a list of \(elements.count); expected at least \(number), because it lists \(what)")
        }
        if elements.count > most {
            note(value.offset, "lists \(elements.count.withCommas) \(what); expected at most \(most.withCommas)")
            return []
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

    /// Reports the first element of a list that is one too many.
    mutating func checkCount(_ value: Value, of what: String, atMost most: Int) {
        guard let elements = value.array, elements.count > most else { return }
        at(index: most) { $0.note(elements[most].offset, "is one too many; expected at most \(most) \(what)") }
    }

    /// Reads one value, or a list of at least one.
    mutating func oneOrMore<Element>(
        _ value: Value, of what: String, atMost most: Int = .max, _ read: (inout Self, Value) -> Element?
    ) -> [Element] {
        if value.array != nil { return list(value, of: what, atLeast: 1, atMost: most, read) }
        return read(&self, value).map { [$0] } ?? []
    }

    /// Returns a list such as `"a", "b" or "c"`.
    static func list(_ words: [String], _ conjunction: String) -> String {
        let quoted = words.map { "\"\($0)\"" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "nothing" }
        return "\(quoted.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}

/// The names declared in a scenario.
struct DeclaredNames {
    /// The indices of devices in the scenario, by name.
    var devices: [String: Int] = [:]
    /// The tokens of the devices, by index; `nil` if it could not be read.
    var tokens: [DeviceToken?] = []
    /// The topics of the devices, by index.
    var topics: [[String]] = []
    /// The declared tokens of Live Activities.
    var activityTokens: Set<DeviceToken> = []
    /// The names of the broadcast channels.
    var channels: Set<String> = []
    /// The ids of the broadcast channels that have one in the scenario.
    var channelIDs: Set<String> = []
    /// The bundle ids of the channels' apps, by the names and the ids of the channels.
    var channelApps: [String: String] = [:]
    /// The names of the Live Activities; `nil` if there may be others by now, so that any name may be right.
    var activities: Set<String>?
    /// Whether there may be other channels by now, so that any name and any id may be right.
    var hasOtherChannels = false
    /// The names of the rules.
    var rules: Set<String> = []
    /// The ids of the known keys.
    var keys: Set<String> = []
    /// Maximum number of signing keys: each has to be read or made before the scenario can be played.
    static let keyLimit = 1000

    /// Returns the nearest name for a misspelled one; searches only a limited number, so that it does not take long.
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
