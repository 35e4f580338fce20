import CMockPCRE2

/// A regular expression in PCRE2 syntax that is matched against whole values, with a limited amount of work.
///
/// Values are UTF-8, and classes such as `\d` and `\w` are those of Unicode. Values that are not UTF-8 match no
/// pattern.
///
/// ```swift
/// let pattern = try Pattern(#"com\.example\.(app|game)"#)
/// pattern.match(topic, in: PatternMemory())  // .matches, .differs or .undecided
/// ```
@safe package final class Pattern: @unchecked Sendable {
    /// Maximum length of a pattern in Unicode scalars.
    package static let longest = 1000
    /// Maximum nesting depth of groups.
    static let deepest: UInt32 = 50

    // Both are immutable after creation, so threads may share them.
    private let code: OpaquePointer
    private let costs: UnsafeMutableBufferPointer<ItemCost>
    private let longestLookbehind: Int
    /// Whether `\X` occurs, for which regional indicators are counted repeatedly.
    private let hasClusters: Bool

    /// Compiles a pattern.
    package init(_ text: String) throws(PatternError) {
        // With an extra byte at the end, so that an empty pattern has an address too.
        let bytes = Array(text.utf8) + [0]
        let code = unsafe try Self.compile(bytes, text)
        unsafe self.code = code
        var captures: UInt32 = 0
        var lookbehind: UInt32 = 0
        unsafe pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_CAPTURECOUNT), &captures)
        unsafe pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_MAXLOOKBEHIND), &lookbehind)
        longestLookbehind = Int(lookbehind)
        let items = unsafe Self.items(of: code, in: bytes.count - 1)
        let table = ItemCost.table(for: bytes.dropLast(), items: items, captures: Int(captures))
        hasClusters = table.contains { $0.kind == .cluster || $0.kind == .clusters }
        unsafe costs = .allocate(capacity: table.count)
        _ = unsafe costs.initialize(from: table)
    }

    deinit {
        unsafe pcre2_code_free_8(code)
        unsafe costs.deallocate()
    }

    /// Matches a whole value. Allocates nothing unless there is much to backtrack.
    ///
    /// - Parameter memory: PCRE2's working memory.
    package func match(_ value: Span<UInt8>, in memory: PatternMemory) -> PatternResult {
        var work = unsafe Work(costs: costs, longestLookbehind: longestLookbehind)
        if hasClusters { unsafe work.regionalIndicators = value.regionalIndicators }
        unsafe memory.work.pointee = work
        let result = unsafe value.withUnsafeBufferPointer { bytes in
            // An empty value may have no address.
            unsafe pcre2_match_8(
                code, bytes.baseAddress ?? UnsafePointer(memory.nothing), bytes.count, 0, 0, memory.data,
                memory.context)
        }
        switch result {
        case 0...: return .matches
        case PCRE2_ERROR_NOMATCH, PCRE2_ERROR_UTF8_ERR21...PCRE2_ERROR_UTF8_ERR1: return .differs
        default: return .undecided
        }
    }

    private static func compile(_ bytes: [UInt8], _ text: String) throws(PatternError) -> OpaquePointer {
        let context = unsafe pcre2_compile_context_create_8(nil)
        defer { unsafe pcre2_compile_context_free_8(context) }
        // Independent of how the library was built.
        unsafe pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_LF))
        unsafe pcre2_set_bsr_8(context, UInt32(PCRE2_BSR_UNICODE))
        unsafe pcre2_set_parens_nest_limit_8(context, deepest)
        // \C would split characters, after which PCRE2's behavior is undefined.
        let options =
            PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT
        var error: Int32 = 0
        var offset = 0
        let code = unsafe bytes.withUnsafeBufferPointer {
            unsafe pcre2_compile_8($0.baseAddress, $0.count - 1, options, &error, &offset, context)
        }
        if let code = unsafe code { return unsafe code }
        let before = bytes.prefix(min(max(offset, 0), bytes.count - 1))
        throw PatternError(reason: reason(error), offset: String(decoding: before, as: UTF8.self).unicodeScalars.count)
    }

    private static func reason(_ error: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let length = unsafe pcre2_get_error_message_8(error, &buffer, buffer.count)
        return length < 0 ? "error \(error)" : String(decoding: buffer.prefix(Int(length)), as: UTF8.self)
    }

    /// Returns the ranges of the items in a pattern of this length.
    private static func items(of code: OpaquePointer, in count: Int) -> [Range<Int>] {
        // By offset; copies of a repeated group are reported repeatedly.
        var lengths = [Int?](repeating: nil, count: count + 1)
        unsafe lengths.withUnsafeMutableBufferPointer { lengths in
            unsafe withUnsafeMutablePointer(to: &lengths) { list in
                _ = unsafe pcre2_callout_enumerate_8(
                    code,
                    { block, list in
                        guard let block = unsafe block?.pointee,
                            let lengths = unsafe list?.assumingMemoryBound(to: UnsafeMutableBufferPointer<Int?>.self)
                        else { return 0 }
                        let offset = unsafe block.pattern_position
                        guard unsafe offset < lengths.pointee.count else { return 0 }
                        unsafe lengths.pointee[offset] = max(lengths.pointee[offset] ?? 0, block.next_item_length)
                        return 0
                    }, list)
            }
        }
        return lengths.indices.compactMap { offset in
            lengths[offset].map { offset..<offset + min($0, count - offset) }
        }
    }
}

/// PCRE2's working memory: created once for many matches, one at a time.
@safe package final class PatternMemory {
    /// Maximum number of steps per match; about a millisecond, never more than two.
    package static let steps = 1_500_000
    /// The number of steps of the latest match; the one that ended it may have been large.
    package var latestSteps: Int { unsafe Self.steps - work.pointee.left }
    /// Maximum size of backtracking points in KiB: enough for a value of 5 KB and a group repeated for each character.
    private static let heap: UInt32 = 2560
    /// Maximum number of backtracking points. The step limit ends nearly all matches first.
    private static let backtracks: UInt32 = 1_000_000
    private static let depth: UInt32 = 100_000

    fileprivate let data: OpaquePointer?
    fileprivate let context: OpaquePointer?
    fileprivate let work = UnsafeMutablePointer<Work>.allocate(capacity: 1)
    fileprivate let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)

    /// Creates the memory for an ordinary match.
    package init() {
        unsafe data = pcre2_match_data_create_8(1, nil)
        unsafe context = pcre2_match_context_create_8(nil)
        unsafe work.initialize(to: Work(costs: UnsafeMutableBufferPointer(start: nil, count: 0), longestLookbehind: 0))
        unsafe nothing.initialize(to: 0)
        unsafe precondition(data != nil && context != nil, "no memory is left")
        unsafe pcre2_set_heap_limit_8(context, Self.heap)
        unsafe pcre2_set_match_limit_8(context, Self.backtracks)
        unsafe pcre2_set_depth_limit_8(context, Self.depth)
        unsafe pcre2_set_callout_8(context, { unsafe charge($0, $1) }, work)
    }

    deinit {
        unsafe pcre2_match_data_free_8(data)
        unsafe pcre2_match_context_free_8(context)
        unsafe work.deallocate()
        unsafe nothing.deallocate()
    }
}

@available(*, unavailable)
extension PatternMemory: Sendable {}

/// The progress of a match.
@unsafe private struct Work {
    /// The costs by offset in the pattern.
    var costs: UnsafeMutableBufferPointer<ItemCost>
    var longestLookbehind: Int
    /// The number of regional indicators in the value, if the pattern has `\X`.
    var regionalIndicators = 0
    /// The number of steps left.
    var left = PatternMemory.steps
    /// The number of items so far.
    var items = 0
    /// The start of a grapheme cluster still to be charged.
    var clusterStart: Int?

    init(costs: UnsafeMutableBufferPointer<ItemCost>, longestLookbehind: Int) {
        unsafe self.costs = unsafe costs
        unsafe self.longestLookbehind = longestLookbehind
    }
}

/// Charges for the item PCRE2 is about to try; ends the match when no steps are left.
private func charge(_ block: UnsafeMutablePointer<pcre2_callout_block_8>?, _ data: UnsafeMutableRawPointer?) -> Int32 {
    guard let block = unsafe block, let work = unsafe data?.assumingMemoryBound(to: Work.self) else {
        return PCRE2_ERROR_CALLOUT
    }
    let costs = unsafe work.pointee.costs
    let cost = unsafe costs[min(block.pointee.pattern_position, costs.count - 1)]
    let position = unsafe block.pointee.current_position
    let rest = unsafe block.pointee.subject_length - position
    unsafe work.pointee.items += 1
    var steps = cost.fixed
    if let start = unsafe work.pointee.clusterStart {
        steps += max(0, position - start) * 12
        unsafe work.pointee.clusterStart = nil
    }
    switch cost.kind {
    case .plain: break
    case .scan: steps += cost.each * min(rest, cost.most)
    case .reference: steps += unsafe cost.each * min(rest, longestCapture(block))
    case .lookbehind: steps += unsafe cost.each * min(position, work.pointee.longestLookbehind)
    case .cluster:
        unsafe work.pointee.clusterStart = position
        steps += unsafe work.pointee.regionalIndicators * 5
    case .clusters: steps += unsafe rest * (cost.each + work.pointee.regionalIndicators / 2)
    case .call: steps += unsafe work.pointee.items
    case .scriptRun: steps += cost.each * position
    }
    unsafe work.pointee.left -= steps
    return unsafe work.pointee.left < 0 ? PCRE2_ERROR_CALLOUT : 0
}

/// Returns the length of the longest text captured by a group.
private func longestCapture(_ block: UnsafeMutablePointer<pcre2_callout_block_8>) -> Int {
    var longest = 0
    guard let offsets = unsafe block.pointee.offset_vector else { return longest }
    for group in unsafe 1..<max(1, Int(block.pointee.capture_top)) {
        let (start, end) = unsafe (offsets[2 * group], offsets[2 * group + 1])
        // Both are the highest possible number if the group has captured nothing.
        if start < end { longest = max(longest, end - start) }
    }
    return longest
}

extension Span<UInt8> {
    /// The number of regional indicators, which form flags in pairs.
    fileprivate var regionalIndicators: Int {
        var count = 0
        for index in 0..<Swift.max(0, self.count - 2)
        where self[index] == 0xF0 && self[index + 1] == 0x9F && self[index + 2] == 0x87 {
            count += 1
        }
        return count
    }
}
