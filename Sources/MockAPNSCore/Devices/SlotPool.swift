/// Values under small, reusable numbers. They are stored in chunks of 256, so that growing does not copy them.
struct SlotPool<Element: Sendable>: ~Copyable, Sendable {
    private static var pieceBits: UInt32 { 8 }

    private let empty: Element
    private var pieces: [[Element]] = []
    private var count: UInt32 = 0
    private var free: [UInt32] = []

    /// - Parameter empty: the value of a free slot, so that the slot keeps nothing alive.
    init(empty: Element) { self.empty = empty }

    subscript(slot: UInt32) -> Element {
        _read { yield pieces[Int(slot >> Self.pieceBits)][Int(slot & 0xFF)] }
        _modify { yield &pieces[Int(slot >> Self.pieceBits)][Int(slot & 0xFF)] }
    }

    mutating func insert(_ element: Element) -> UInt32 {
        let slot: UInt32
        if let last = free.popLast() {
            slot = last
        } else {
            if count & 0xFF == 0 { pieces.append([Element](repeating: empty, count: 256)) }
            slot = count
            count += 1
        }
        self[slot] = element
        return slot
    }

    mutating func remove(_ slot: UInt32) {
        self[slot] = empty
        free.append(slot)
    }
}
