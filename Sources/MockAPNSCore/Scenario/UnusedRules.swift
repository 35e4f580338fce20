/// The rules of a run that never applied, so that the run shows nothing about them.
package struct UnusedRules: Sendable, Hashable {
    /// How they are treated: `unusedRules` in a scenario.
    package enum Policy: String, Sendable, CaseIterable {
        /// Reports name them.
        case report
        /// They count as a failed expectation.
        case fail
        /// Reports leave them out.
        case ignore
    }

    /// Names of rules, each once.
    struct Names: Sendable, Hashable {
        private(set) var all: [String] = []
        private var known: Set<String> = []
        /// Whether there are more than are kept.
        private var isCut = false

        var isEmpty: Bool { all.isEmpty }

        mutating func add(_ name: String) {
            guard !known.contains(name) else { return }
            guard all.count < UnusedRules.limit else { return isCut = true }
            all.append(name)
            known.insert(name)
        }

        mutating func add(_ others: Self, prefix: String = "") {
            for name in others.all { add(prefix + name) }
            isCut = isCut || others.isCut
        }

        /// `2 rules`, and the names.
        fileprivate var words: (count: String, names: String) {
            let shown = all.prefix(UnusedRules.shown).joined(separator: ", ")
            if isCut { return ("more than \(counted(all.count, "rule"))", "\(shown), and others") }
            let more = all.count > UnusedRules.shown ? ", and \(all.count - UnusedRules.shown) more" : ""
            return (counted(all.count, "rule"), shown + more)
        }
    }

    /// Maximum number of names kept.
    static let limit = 10_000
    /// Maximum number of names in a sentence.
    private static let shown = 20

    /// The rules that never applied: those that reports name, and those that count as a failed expectation.
    private var reported = Names()
    private var failing = Names()
    /// The rules that may or may not have applied.
    private var unknown = Names()
    private var failingUnknown = Names()
    /// Whether rules that never apply count as a failed expectation.
    package private(set) var isJudged = false

    /// Creates an empty list.
    package init() {}

    /// Creates the list of a scenario.
    ///
    /// - Parameters:
    ///   - never: the names of the rules that never applied.
    ///   - unknown: the names of those that may or may not have applied.
    package init(never: [String], unknown: [String] = [], by policy: Policy) {
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

    /// The names of the rules that may or may not have applied.
    package var unknownNames: [String] { failingUnknown.all + unknown.all }

    /// Whether there are none.
    package var isEmpty: Bool { names.isEmpty && unknownNames.isEmpty }

    /// Adds the rules of another part of the run.
    ///
    /// - Parameter session: the session, if the part is one.
    package mutating func add(_ other: Self, session: String? = nil) {
        let prefix = session.map { "\($0): " } ?? ""
        reported.add(other.reported, prefix: prefix)
        failing.add(other.failing, prefix: prefix)
        unknown.add(other.unknown, prefix: prefix)
        failingUnknown.add(other.failingUnknown, prefix: prefix)
        isJudged = isJudged || other.isJudged
    }

    /// Returns the same rules as ones that may or may not have applied.
    package var inDoubt: Self {
        var doubted = self
        doubted.unknown.add(reported)
        doubted.failingUnknown.add(failing)
        (doubted.reported, doubted.failing) = (Names(), Names())
        return doubted
    }

    /// Returns the same rules with another policy.
    package func by(_ policy: Policy) -> Self { Self(never: names, unknown: unknownNames, by: policy) }

    /// The statements about rules that are only named, without a capital letter or a full stop.
    package var words: [String] { Self.words(reported, unknown) }

    /// The statements about rules that count as a failed expectation, likewise.
    package var failingWords: [String] { Self.words(failing, failingUnknown) }

    /// The statements about rules that are only named, as sentences.
    package var sentences: [String] { words.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." } }

    private static func words(_ never: Names, _ unknown: Names) -> [String] {
        var words: [String] = []
        if !never.isEmpty { words.append("\(never.words.count) never applied: \(never.words.names)") }
        if !unknown.isEmpty {
            words.append("it is not known whether \(unknown.words.count) applied: \(unknown.words.names)")
        }
        return words
    }
}
