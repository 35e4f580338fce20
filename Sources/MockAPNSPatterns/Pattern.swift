import CMockPCRE2

/// A regular expression in the syntax of PCRE2 that is compared with whole values, by a bounded amount of work.
///
/// Values are UTF-8, and classes such as `\d` and `\w` are those of Unicode. What is no UTF-8 differs from every pattern.
///
/// ```swift
/// let pattern = try Pattern(#"com\.example\.(app|game)"#)
/// pattern.match(topic, in: PatternMemory())  // .matches, .differs or .undecided
/// ```
@safe package final class Pattern: @unchecked Sendable {
    /// Maximum length of a pattern in Unicode scalars.
    package static let longest = 1000
    /// How deep groups may lie in each other.
    static let deepest: UInt32 = 50

    // Both are never changed once they are made, so threads may share them.
    private let code: OpaquePointer
    private let costs: UnsafeMutableBufferPointer<ItemCost>
    private let longestLookbehind: Int
    /// Whether `\X` occurs, for which regional indicators are counted again and again.
    private let hasClusters: Bool

    /// Compiles a pattern.
    package init(_ text: String) throws(PatternError) {
        // With a byte behind it, so that an empty one has an address, too.
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

    /// Compares a whole value with the pattern. It allocates nothing unless there is much to track back to.
    ///
    /// - Parameter memory: what PCRE2 works in.
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
        // Not what the library happens to be built with.
        unsafe pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_LF))
        unsafe pcre2_set_bsr_8(context, UInt32(PCRE2_BSR_UNICODE))
        unsafe pcre2_set_parens_nest_limit_8(context, deepest)
        // \C would split characters, after which PCRE2 may do anything.
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

    /// The ranges of the items in a pattern of that length.
    private static func items(of code: OpaquePointer, in count: Int) -> [Range<Int>] {
        // By offset; copies of a repeated group come again and again.
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

/// What PCRE2 works in: made once for many matches, one at a time.
@safe package final class PatternMemory {
    /// Steps that one match may take at most; about a millisecond, never more than two.
    package static let steps = 1_500_000
    /// Steps that the latest match took; the one that ended it may have been a large one.
    package var latestSteps: Int { unsafe Self.steps - work.pointee.left }
    /// KiB of backtracking points at most: for a value of 5 KB and a group that is repeated for each character.
    private static let heap: UInt32 = 2560
    /// Backtracking points at most. The steps end nearly all matches before.
    private static let backtracks: UInt32 = 1_000_000
    private static let depth: UInt32 = 100_000

    fileprivate let data: OpaquePointer?
    fileprivate let context: OpaquePointer?
    fileprivate let work = UnsafeMutablePointer<Work>.allocate(capacity: 1)
    fileprivate let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)

    /// Makes what an ordinary match needs.
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

/// How far one match has come.
@unsafe private struct Work {
    /// By offset in the pattern.
    var costs: UnsafeMutableBufferPointer<ItemCost>
    var longestLookbehind: Int
    /// How many the value has, where the pattern has `\X`.
    var regionalIndicators = 0
    /// Steps that are left.
    var left = PatternMemory.steps
    /// Items so far.
    var items = 0
    /// Where a grapheme cluster was begun that is to be charged for.
    var clusterStart: Int?

    init(costs: UnsafeMutableBufferPointer<ItemCost>, longestLookbehind: Int) {
        unsafe self.costs = unsafe costs
        unsafe self.longestLookbehind = longestLookbehind
    }
}

/// Charges for the item that PCRE2 is about to try; ends the match when no steps are left.
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

/// The length of the longest text that a group has captured.
private func longestCapture(_ block: UnsafeMutablePointer<pcre2_callout_block_8>) -> Int {
    var longest = 0
    guard let offsets = unsafe block.pointee.offset_vector else { return longest }
    for group in unsafe 1..<max(1, Int(block.pointee.capture_top)) {
        let (start, end) = unsafe (offsets[2 * group], offsets[2 * group + 1])
        // Both are the highest number there is where the group has captured nothing.
        if start < end { longest = max(longest, end - start) }
    }
    return longest
}

extension Span<UInt8> {
    /// How many regional indicators it has, which make flags in pairs.
    fileprivate var regionalIndicators: Int {
        var count = 0
        for index in 0..<Swift.max(0, self.count - 2)
        where self[index] == 0xF0 && self[index + 1] == 0x9F && self[index + 2] == 0x87 {
            count += 1
        }
        return count
    }
}
