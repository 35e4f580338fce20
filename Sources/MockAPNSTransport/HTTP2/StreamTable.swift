/// An open stream of a session.
struct OpenStream {
    enum Phase: UInt8 {
        /// Header fields or body are still to come.
        case receiving
        /// The request was handed over; the answer is pending.
        case waiting
        /// The answer was passed to nghttp2.
        case answered
        /// Above the limit, and reset.
        case refused
    }

    var id: Int32 = 0
    var phase = Phase.receiving
    /// Whether the client has sent END_STREAM or RST_STREAM.
    var isEndedByPeer = false
    var isResetByPeer = false
    /// Whether it is above the last stream that is answered.
    var isIgnored = false
    /// Whether the client asks for a tunnel, and may start sending its bytes.
    var isTunnel = false
    /// Body bytes not yet reported to nghttp2 as consumed.
    var unconsumed: Int32 = 0
    var bodyOffset: Int32 = 0
    /// While receiving: what has arrived.
    var request: ReceivedRequest?
    /// While answered: the body still to be sent.
    var body: [UInt8]?
}

/// The open streams of a session by id: open addressing with linear probing, at most half full. Ids increase by two;
/// multiplied by the golden ratio they are spread evenly, so that removing one hardly ever moves another.
@safe
struct StreamTable: ~Copyable {
    private var slots: UnsafeMutablePointer<OpenStream>
    private var mask: Int
    private(set) var count = 0

    private static let smallest = 8

    init() {
        unsafe slots = Self.makeSlots(Self.smallest)
        mask = Self.smallest - 1
    }

    deinit {
        unsafe slots.deinitialize(count: mask + 1)
        unsafe slots.deallocate()
    }

    private static func makeSlots(_ count: Int) -> UnsafeMutablePointer<OpenStream> {
        let slots = UnsafeMutablePointer<OpenStream>.allocate(capacity: count)
        unsafe slots.initialize(repeating: OpenStream(), count: count)
        return unsafe slots
    }

    /// Returns the stream; valid until the next ``insert(_:)`` or ``remove(_:)``.
    @inline(__always)
    func find(_ id: Int32) -> UnsafeMutablePointer<OpenStream>? {
        var index = home(of: id)
        while true {
            let slot = unsafe slots + index
            if unsafe slot.pointee.id == id { return unsafe slot }
            if unsafe slot.pointee.id == 0 { return nil }
            index = (index + 1) & mask
        }
    }

    /// Adds a stream that is not in the table.
    mutating func insert(_ id: Int32) -> UnsafeMutablePointer<OpenStream> {
        if (count + 1) * 2 > mask + 1 { resize(to: (mask + 1) * 2) }
        count += 1
        let slot = unsafe emptySlot(for: id)
        unsafe slot.pointee.id = id
        return unsafe slot
    }

    mutating func remove(_ slot: UnsafeMutablePointer<OpenStream>) {
        var hole = unsafe slot - slots
        count -= 1
        // Move up the followers that would not be found after the gap.
        var next = (hole + 1) & mask
        while unsafe slots[next].id != 0 {
            let home = unsafe home(of: slots[next].id)
            if (next - home) & mask >= (next - hole) & mask {
                unsafe (slots + hole).pointee = (slots + next).pointee
                hole = next
            }
            next = (next + 1) & mask
        }
        unsafe slots[hole] = OpenStream()
        if count == 0 && mask >= 256 { resize(to: Self.smallest) }
    }

    /// Calls `body` with each stream; `body` must not add or remove any.
    func forEach(_ body: (UnsafeMutablePointer<OpenStream>) -> Void) {
        for index in 0...mask where unsafe slots[index].id != 0 { unsafe body(slots + index) }
    }

    @inline(__always)
    private func home(of id: Int32) -> Int {
        Int((UInt32(bitPattern: id >> 1) &* 0x9E37_79B9) >> 16) & mask
    }

    private func emptySlot(for id: Int32) -> UnsafeMutablePointer<OpenStream> {
        var index = home(of: id)
        while unsafe slots[index].id != 0 { index = (index + 1) & mask }
        return unsafe slots + index
    }

    private mutating func resize(to capacity: Int) {
        let old = unsafe slots
        let oldCount = mask + 1
        unsafe slots = Self.makeSlots(capacity)
        mask = capacity - 1
        for index in 0..<oldCount where unsafe old[index].id != 0 {
            unsafe emptySlot(for: old[index].id).pointee = old[index]
        }
        unsafe old.deinitialize(count: oldCount)
        unsafe old.deallocate()
    }
}
