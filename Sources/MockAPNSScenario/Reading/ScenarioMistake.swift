import MockAPNSCore

/// A mistake in a scenario file.
package struct ScenarioMistake: Error, Sendable, Hashable {
    /// Maximum number of mistakes reported per file; one more only says that there are more.
    package static let limit = 100

    /// The kind of a mistake, by the knowledge needed to see it.
    package enum Kind: Sendable, Hashable {
        /// The value alone.
        case value
        /// Something else too, such as a name declared elsewhere, the order of two values, or the grammar of regular
        /// expressions.
        case crossReference
        /// The rules before the one with this index: one of them decides everything that it could match.
        case idleRule(Int)
    }

    /// The offset of the byte where it occurs, starting at 0, at most the length of the file.
    package var offset: Int
    /// The JSON Pointer of the key or value, such as `/devices/0/onlin`; empty for the whole file.
    package var pointer: String
    /// One sentence without a full stop: the key, what is wrong with it and what was expected.
    package var message: String
    /// The kind, by the knowledge needed to see it.
    package var kind: Kind
    /// Whether it depends on something else: mistakes that a JSON Schema cannot describe.
    package var isCrossReference: Bool { kind != .value }

    /// Creates a mistake at an offset.
    package init(offset: Int, pointer: String, message: String, kind: Kind = .value) {
        self.offset = offset
        self.pointer = pointer
        self.message = message
        self.kind = kind
    }

    /// Returns the mistakes of a file as lines for people, `file:line:column: message`, in the order of the file.
    package static func lines(_ mistakes: [ScenarioMistake], file: String, _ bytes: [UInt8]) -> [String] {
        var counted = 0
        var position = JSONText.Position(line: 1, column: 1)
        return mistakes.sorted { $0.offset < $1.offset }.map { mistake in
            // Count only from one mistake to the next, so that many take no longer than one.
            let end = min(max(mistake.offset, counted), bytes.count)
            let step = JSONText.position(of: end - counted, in: bytes.span.extracting(counted..<end))
            position.column = step.line == 1 ? position.column + step.column - 1 : step.column
            position.line += step.line - 1
            counted = end
            return PrintableText.line("\(file):\(position.line):\(position.column): \(mistake.message)")
        }
    }
}
