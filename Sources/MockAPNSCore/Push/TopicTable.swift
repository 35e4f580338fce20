/// All topics known to devices and counters, each once, under a small number.
///
/// Its size is limited: 65,534 topics and 4 MB of text, of which three quarters are for the topics of pushes, since clients
/// may send any. Beyond that, topics get no number.
package struct TopicTable: ~Copyable, Sendable {
    /// Maximum number of topics.
    package static let limit = 65_534
    /// Maximum number of bytes of their texts.
    package static let byteLimit = 4 << 20
    /// The same for topics that are known from pushes only: the rest is for the devices of scenarios and the API.
    static let pushedLimit = 49_152
    static let pushedByteLimit = 3 << 20

    private var bytes: [UInt8] = []
    private var ranges: [ByteRange] = []
    /// The topic numbers plus one, in slots determined by their hashes; 0 means free. Never more than half full.
    private var slots = [UInt32](repeating: 0, count: 16)
    private let key: HashKey
    /// The topic looked up last, which is most likely the next one as well.
    private var last: TopicIndex?

    /// Creates an empty table. The seed has to be kept secret; see ``DeviceRegistry/init(hashSeed:limit:)``.
    package init(hashSeed: UInt64) { key = HashKey(seed: hashSeed) }

    /// The number of topics.
    package var count: Int { ranges.count }

    /// The number of bytes of their texts.
    var byteCount: Int { bytes.count }

    /// How often a topic got no number.
    private(set) var refused = 0

    /// Returns the number of a topic, adding it if necessary; `nil` if the table is full.
    package mutating func intern(_ topic: Span<UInt8>) -> TopicIndex? {
        intern(topic, atMost: Self.limit, bytes: Self.byteLimit)
    }

    /// Returns the number of a topic that was pushed to, adding it if necessary; `nil` if that part of the table is full.
    mutating func intern(pushed topic: Span<UInt8>) -> TopicIndex? {
        intern(topic, atMost: Self.pushedLimit, bytes: Self.pushedByteLimit)
    }

    /// Returns whether these topics have numbers, or can get them.
    package func hasRoom(for topics: [String]) -> Bool {
        var new: Set<String> = []
        var size = bytes.count
        for topic in topics {
            let text = Array(topic.utf8)
            guard find(text.span) == nil, new.insert(topic).inserted else { continue }
            size += text.count
        }
        return ranges.count + new.count <= Self.limit && size <= Self.byteLimit
    }

    private mutating func intern(_ topic: Span<UInt8>, atMost limit: Int, bytes byteLimit: Int) -> TopicIndex? {
        if let last, isTopic(Int(last.rawValue), topic) { return last }
        var slot = position(of: topic)
        if slots[slot] == 0 {
            guard ranges.count < limit, bytes.count + topic.count <= byteLimit else {
                refused += 1
                return nil
            }
            if (ranges.count + 1) * 2 > slots.count {
                grow()
                slot = position(of: topic)
            }
            ranges.append(ByteRange(start: bytes.count, count: topic.count))
            bytes.append(addingCapacity: topic.count) { output in
                for index in topic.indices { output.append(topic[index]) }
            }
            slots[slot] = UInt32(ranges.count)
        }
        last = TopicIndex(rawValue: UInt16(slots[slot] - 1))
        return last
    }

    /// Like ``intern(_:)``, for a string.
    package mutating func intern(_ topic: String) -> TopicIndex? {
        let bytes = Array(topic.utf8)
        return intern(bytes.span)
    }

    /// Returns the number of a topic, if it has one.
    package func find(_ topic: Span<UInt8>) -> TopicIndex? {
        if let last, isTopic(Int(last.rawValue), topic) { return last }
        let slot = slots[position(of: topic)]
        return slot == 0 ? nil : TopicIndex(rawValue: UInt16(slot - 1))
    }

    /// Returns the text of a topic.
    package func text(_ index: TopicIndex) -> String {
        if index == .unlisted { return "(beyond the limit of topics)" }
        return String(decoding: bytes[ranges[Int(index.rawValue)].range], as: UTF8.self)
    }

    /// Returns the slot of a topic, or the free slot for it.
    private func position(of topic: Span<UInt8>) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash(topic)) & mask
        while slots[slot] != 0, !isTopic(Int(slots[slot] - 1), topic) { slot = (slot + 1) & mask }
        return slot
    }

    @inline(__always)
    private func isTopic(_ number: Int, _ topic: Span<UInt8>) -> Bool {
        let range = ranges[number]
        guard Int(range.count) == topic.count else { return false }
        let known = bytes.span.extracting(range.range)
        var difference: UInt8 = 0
        for index in topic.indices { difference |= known[index] ^ topic[index] }
        return difference == 0
    }

    private func hash(_ topic: Span<UInt8>) -> UInt64 {
        var hash = key.d ^ UInt64(truncatingIfNeeded: topic.count)
        var offset = 0
        while offset + 8 <= topic.count {
            hash = HashKey.fold(hash ^ topic.word(at: offset, count: 8), key.a)
            offset += 8
        }
        hash = HashKey.fold(hash ^ topic.word(at: offset, count: topic.count - offset), key.b)
        return HashKey.fold(hash, key.c)
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 4)
        for number in ranges.indices {
            let slot = position(of: bytes.span.extracting(ranges[number].range))
            slots[slot] = UInt32(number + 1)
        }
    }
}

/// The number of a topic in a ``TopicTable``.
package struct TopicIndex: Sendable, Hashable {
    /// The raw number, 0 for the first topic.
    package let rawValue: UInt16

    /// Stands for all topics without a number. A device with it accepts these only, and no topic that has a number.
    static let unlisted = Self(rawValue: UInt16(TopicTable.limit))

    init(rawValue: UInt16) { self.rawValue = rawValue }
}

extension Span<UInt8> {
    /// Returns up to eight bytes as a word, the first one lowest.
    @inline(__always)
    fileprivate func word(at offset: Int, count: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<count { word |= UInt64(self[offset + index]) << UInt64(8 * index) }
        return word
    }
}
