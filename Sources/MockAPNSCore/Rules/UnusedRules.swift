/// The rules of a run that never applied, so that the run does not show what they are about.
package struct UnusedRules: Sendable, Hashable {
    /// What is made of them: `unusedRules` in a scenario.
    package enum Policy: String, Sendable, CaseIterable {
        /// Reports name them.
        case report
        /// They count as a failed expectation.
        case fail
        /// Nothing.
        case ignore
    }

    /// Names of rules, each once.
    struct Names: Sendable, Hashable {
        private(set) var all: [String] = []
        private var known: Set<String> = []
        private var omitted = 0

        var isEmpty: Bool { all.isEmpty }

        mutating func add(_ name: String) {
            guard !known.contains(name) else { return }
            guard all.count < UnusedRules.limit else { return omitted += 1 }
            all.append(name)
            known.insert(name)
        }

        mutating func add(_ others: Self, prefix: String = "") {
            for name in others.all { add(prefix + name) }
            omitted += others.omitted
        }

        /// `2 rules`, and the names.
        fileprivate var words: (count: String, names: String) {
            let count = all.count + omitted
            let shown = all.prefix(UnusedRules.shown).joined(separator: ", ")
            let more = count > UnusedRules.shown ? ", and \(count - UnusedRules.shown) more" : ""
            return (counted(count, "rule"), shown + more)
        }
    }

    /// Maximum number of names kept.
    static let limit = 10_000
    /// Maximum number of names in a sentence.
    private static let shown = 20
    /// The name of the result where they count as an expectation.
    private static let resultName = "unusedRules"

    /// The rules that never applied: those that reports name, and those that count as a failed expectation.
    private var reported = Names()
    private var failing = Names()
    /// Those of which it is not known whether they applied.
    private var unknown = Names()
    private var failingUnknown = Names()
    /// Whether rules that never apply count as a failed expectation.
    private(set) var isJudged = false

    /// Creates an empty list.
    package init() {}

    /// Creates the list of a scenario.
    ///
    /// - Parameters:
    ///   - never: the names of the rules that never applied.
    ///   - unknown: the names of those of which it is not known.
    init(never: [String], unknown: [String] = [], by policy: Policy) {
        isJudged = policy == .fail
        for name in policy == .ignore ? [] : never {
            if isJudged { failing.add(name) } else { reported.add(name) }
        }
        for name in policy == .ignore ? [] : unknown {
            if isJudged { failingUnknown.add(name) } else { self.unknown.add(name) }
        }
    }

    /// The names of the rules that never applied.
    package var names: [String] { failing.all + reported.all }

    /// The names of the rules of which it is not known whether they applied.
    package var unknownNames: [String] { failingUnknown.all + unknown.all }

    /// Whether there are none.
    package var isEmpty: Bool { names.isEmpty && unknownNames.isEmpty }

    /// Adds those of another part of the run.
    ///
    /// - Parameter session: the session, if the part is one.
    mutating func add(_ other: Self, session: String? = nil) {
        let prefix = session.map { "\($0): " } ?? ""
        reported.add(other.reported, prefix: prefix)
        failing.add(other.failing, prefix: prefix)
        unknown.add(other.unknown, prefix: prefix)
        failingUnknown.add(other.failingUnknown, prefix: prefix)
        isJudged = isJudged || other.isJudged
    }

    /// Returns the same where it is not known which of them applied after all.
    package var inDoubt: Self {
        var doubted = self
        doubted.unknown.add(reported)
        doubted.failingUnknown.add(failing)
        (doubted.reported, doubted.failing) = (Names(), Names())
        return doubted
    }

    /// Returns the same with another policy.
    package func by(_ policy: Policy) -> Self { Self(never: names, unknown: unknownNames, by: policy) }

    /// What is said of those that only have to be named, as parts of a sentence.
    var words: [String] { Self.words(reported, unknown) }

    /// The same, a sentence each.
    package var sentences: [String] { words.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." } }

    /// The result where they count as an expectation.
    package var result: ExpectationResult? {
        guard isJudged else { return nil }
        let words = Self.words(failing, failingUnknown)
        return ExpectationResult(
            name: Self.resultName, passed: words.isEmpty, expected: "every rule applies",
            seen: words.isEmpty ? "every rule has applied" : words.joined(separator: "; "))
    }

    private static func words(_ never: Names, _ unknown: Names) -> [String] {
        var words: [String] = []
        if !never.isEmpty { words.append("\(never.words.count) never applied: \(never.words.names)") }
        if !unknown.isEmpty {
            words.append("it is not known whether \(unknown.words.count) applied: \(unknown.words.names)")
        }
        return words
    }
}

extension UnusedRules {
    /// Appends the members `unusedRules` and, if there are any, `unknownRules`, each with a comma before it.
    func appendMembers(to json: inout [UInt8]) {
        for (key, names) in [("unusedRules", names), ("unknownRules", unknownNames)] {
            if names.isEmpty, key == "unknownRules" { continue }
            json.append(contentsOf: ",\"\(key)\":[".utf8)
            for (index, name) in names.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                json.appendJSON(name)
            }
            json.append(UInt8(ascii: "]"))
        }
    }

    /// Parses these members of an object.
    init(_ value: JSONText.Value) {
        func names(_ key: String) -> [String] { value[key]?.array?.compactMap(\.string) ?? [] }
        self.init(never: names("unusedRules"), unknown: names("unknownRules"), by: .report)
    }
}
