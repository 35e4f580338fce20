/// One change to one decision.
struct Mutant: Codable, Sendable {
    /// What tells a mutant from all others, whatever moves around it: no file, no line.
    struct Key: Codable, Sendable, Hashable {
        /// The function or property it is in, with its types: `Mailbox.store(_:)`.
        var function: String
        /// The changed part of the source, in one line.
        var original: String
        /// What it is changed to.
        var mutated: String
        /// Which of those that are the same in all of that, from 1 on.
        var occurrence: Int
    }

    /// Kinds of operators. The one whose mutants the compiler is likelier to refuse comes first: `+` also joins strings, and
    /// `-` does not part them.
    enum OperatorKind: Int, Codable, Comparable {
        case arithmetic, comparison

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// Its place in the list of all.
    var number: Int
    /// The source file, relative to `Sources`.
    var file: String
    /// Where the change is, from 1 on.
    var line: Int
    var column: Int
    var key: Key
    /// Which kind of operator it changes for another one, if any.
    var operatorKind: OperatorKind?

    /// Two lines to look at.
    var description: String {
        """
        \(file):\(line):\(column) in \(key.function)
            \(key.original)
            \(key.mutated)
        """
    }
}
