import SwiftSyntax

/// A source file with its mutants, and what is to be written into it so that all of them are compiled in.
///
/// All edits keep the lines as they are, so that the compiler's errors lead back to the mutants.
struct MutatedFile {
    /// What is written over some bytes of the source; most edits only insert.
    private struct Edit {
        var range: Range<Int>
        var text: String
    }

    private(set) var mutants: [Mutant] = []
    /// Those that were not made, since the compiler does not take them.
    private(set) var omitted: Set<Mutant.Key> = []
    /// In the order of the source.
    private var edits: [Edit] = []

    private let name: String
    private let source: [UInt8]
    private let converter: SourceLocationConverter
    private let refused: Set<Mutant.Key>
    /// The lines of each, and those of the statement that it is in.
    private var spans: [(number: Int, lines: ClosedRange<Int>)] = []
    private var nextNumber: Int
    private var occurrences: [Mutant.Key: Int] = [:]

    /// - Parameters:
    ///   - tree: the same source, read.
    ///   - first: the number of the first mutant of this file.
    ///   - refused: the mutants that are not to be made, since the compiler does not take them.
    init(name: String, source: String, tree: some SyntaxProtocol, first: Int, refused: Set<Mutant.Key>) {
        self.name = name
        self.source = Array(source.utf8)
        converter = SourceLocationConverter(fileName: name, tree: tree)
        nextNumber = first
        self.refused = refused
    }

    /// The source with every mutant in it.
    var instrumented: String {
        if mutants.isEmpty { return String(decoding: source, as: UTF8.self) }
        // In the first line, so that the others keep their numbers.
        var bytes = Array("public import Mutation; ".utf8)
        var offset = 0
        for edit in edits {
            bytes += source[offset..<edit.range.lowerBound]
            bytes += Array(edit.text.utf8)
            offset = edit.range.upperBound
        }
        bytes += source[offset...]
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The mutants on a line, or else those of the smallest part of the source around it that has any.
    func mutants(nearLine line: Int) -> [Int] {
        let here = spans.filter { $0.lines.contains(line) }
        guard let shortest = here.map(\.lines.count).min() else { return [] }
        return here.filter { $0.lines.count == shortest }.map(\.number)
    }

    // MARK: Making mutants

    /// Makes a mutant out of a part of the source.
    ///
    /// - Returns: its number; `nil` when it is left out.
    mutating func mutant(
        of node: some SyntaxProtocol, is text: String, in scope: [String], kind: Mutant.OperatorKind? = nil
    ) -> Int? {
        let context = context(of: Syntax(node))
        let before = bytes(context.from, node.from)
        let after = bytes(node.to, context.to)
        return mutant(
            at: node, from: bytes(context.from, context.to), to: before + text + after, in: scope, kind: kind)
    }

    /// Makes a mutant that is told by other texts than the node's.
    mutating func mutant(
        at node: some SyntaxProtocol, from original: String, to mutated: String, in scope: [String],
        kind: Mutant.OperatorKind? = nil
    ) -> Int? {
        var key = Mutant.Key(
            function: scope.joined(separator: "."), original: oneLine(original), mutated: oneLine(mutated),
            occurrence: 0)
        occurrences[key, default: 0] += 1
        key.occurrence = occurrences[key, default: 1]
        if refused.contains(key) {
            omitted.insert(key)
            return nil
        }
        defer { nextNumber += 1 }
        let location = converter.location(for: node.positionAfterSkippingLeadingTrivia)
        let end = converter.location(for: node.endPositionBeforeTrailingTrivia)
        spans.append((nextNumber, location.line...end.line))
        if let statement = node.statement {
            let lines = [statement.positionAfterSkippingLeadingTrivia, statement.endPositionBeforeTrailingTrivia]
                .map { converter.location(for: $0).line }
            spans.append((nextNumber, lines[0]...lines[1]))
        }
        mutants.append(
            Mutant(
                number: nextNumber, file: name, line: location.line, column: location.column, key: key,
                operatorKind: kind))
        return nextNumber
    }

    /// The largest part around a node that says what it is about and is short enough to be shown.
    private func context(of node: Syntax) -> Syntax {
        var best = node
        while let parent = best.parent, parent.isContext, bytes(parent.from, parent.to).utf8.count <= 80 {
            best = parent
        }
        return best
    }

    /// The source between two places.
    func bytes(_ from: Int, _ to: Int) -> String { String(decoding: source[from..<to], as: UTF8.self) }

    private func oneLine(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    // MARK: Editing

    /// Writes something into the source. Edits come in the order of their places.
    mutating func insert(_ text: String, at offset: Int) { replace(offset, offset, by: text) }

    /// Writes something over a part of the source.
    mutating func replace(_ from: Int, _ to: Int, by text: String) {
        edits.append(Edit(range: from..<to, text: text))
    }
}
