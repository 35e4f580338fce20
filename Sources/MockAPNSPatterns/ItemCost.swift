/// The maximum amount of work for the next item of a pattern, in steps of about a nanosecond.
///
/// PCRE2's own limits count backtracking points, and there may be a scan of the whole value between two of them. So a
/// pattern is compiled with a callout before each item, and each callout charges the item's maximum cost. The charges
/// were measured with PCRE2 10.42; they differ between kinds of items by less than a factor of ten.
struct ItemCost {
    /// The cause of the item's work, in addition to ``ItemCost/fixed``.
    enum Kind: UInt8 {
        /// Nothing that grows with the value.
        case plain
        /// The bytes that follow, at most ``ItemCost/most``.
        case scan
        /// The text of a captured group (back reference).
        case reference
        /// The characters before, up to the length of the pattern's longest lookbehind.
        case lookbehind
        /// One grapheme cluster, charged when its length is known.
        case cluster
        /// Any number of grapheme clusters.
        case clusters
        /// A call of a group, which searches the calls before it.
        case call
        /// The end of a group whose characters have to be of one script.
        case scriptRun
    }

    var kind = Kind.plain
    /// The cost each time.
    var fixed: Int
    /// The cost per byte.
    var each = 0
    /// Maximum number of bytes.
    var most = Int.max
}

extension ItemCost {
    /// Returns the cost of each item by its offset in the pattern, and of the end of the pattern.
    ///
    /// - Parameters:
    ///   - pattern: the bytes of the pattern.
    ///   - items: the ranges of its items, as reported by PCRE2's callouts.
    ///   - captures: the number of capturing groups, which are copied at each backtracking point.
    static func table(for pattern: [UInt8], items: [Range<Int>], captures: Int) -> [ItemCost] {
        let alternatives = pattern.count { $0 == UInt8(ascii: "|") }
        let hasScriptRuns = pattern.contains("sr:") || pattern.contains("script_run:")
        // Copies of a repeated group end one after the other, without an item in between.
        let repeats = longestRepeat(in: pattern, items: items)
        var table = [ItemCost](repeating: ItemCost(fixed: 16), count: pattern.count + 1)
        for item in items {
            var cost = ItemCost(PatternItem(pattern[item]), hasScriptRuns: hasScriptRuns)
            cost.fixed += 16 + item.count + captures + 5 * repeats
            if cost.passesAlternatives { cost.fixed += 2 * alternatives }
            table[item.lowerBound] = cost
        }
        return table
    }

    /// Whether the item may skip alternatives one after the other: only those with parentheses and bars do.
    private var passesAlternatives: Bool {
        kind == .plain || kind == .scriptRun || kind == .lookbehind || kind == .call
    }

    private init(_ item: PatternItem, hasScriptRuns: Bool) {
        fixed = 0
        switch item.token {
        case .end, .assertion, .group: break
        case .bar, .closing:
            if hasScriptRuns { (kind, each) = (.scriptRun, 50) }
        case .lookbehind: (kind, each) = (.lookbehind, 1)
        case .call: kind = .call
        case .reference:
            (kind, each) = (item.isRepeated ? .scan : .reference, 12)
        case .cluster:
            (kind, each) = (item.isQuantified ? .clusters : .cluster, 12)
        case .any: (kind, each, most) = (.scan, 3, item.most)
        case .character: (kind, each, most) = (.scan, 4, item.most)
        case .escape: (kind, each, most) = (.scan, 8, item.most)
        case .asciiClass: (kind, each, most) = (.scan, 4, item.most)
        case .largeClass(let length): (kind, each, most) = (.scan, 4 + 2 * length, item.most)
        }
    }

    /// Returns the highest number in a quantifier `{m,n}` of a group or of a group call.
    private static func longestRepeat(in pattern: [UInt8], items: [Range<Int>]) -> Int {
        var rest = pattern
        for item in items where !PatternItem(pattern[item]).isAboutGroup {
            for index in item { rest[index] = 0 }
        }
        var highest = 0
        for index in rest.indices where rest[index] == UInt8(ascii: "{") {
            if let bounds = PatternItem.bounds(rest[index...]) { highest = max(highest, min(bounds.highest, 65_535)) }
        }
        return highest
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: StaticString) -> Bool {
        let text = Array("\(text)".utf8)
        return indices.contains { self[$0...].starts(with: text) }
    }
}
