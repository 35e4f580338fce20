/// Values under small numbers that are used again. They lie in pieces of 256, so that growing does not copy them.
struct Pool<Element: Sendable>: ~Copyable, Sendable {
    private static var pieceBits: UInt32 { 8 }

    private let empty: Element
    private var pieces: [[Element]] = []
    private var count: UInt32 = 0
    private var free: [UInt32] = []

    /// - Parameter empty: what a place holds that is free, so that nothing is kept alive by it.
    init(empty: Element) { self.empty = empty }

    subscript(place: UInt32) -> Element {
        _read { yield pieces[Int(place >> Self.pieceBits)][Int(place & 0xFF)] }
        _modify { yield &pieces[Int(place >> Self.pieceBits)][Int(place & 0xFF)] }
    }

    mutating func insert(_ element: Element) -> UInt32 {
        let place: UInt32
        if let last = free.popLast() {
            place = last
        } else {
            if count & 0xFF == 0 { pieces.append([Element](repeating: empty, count: 256)) }
            place = count
            count += 1
        }
        self[place] = element
        return place
    }

    mutating func remove(_ place: UInt32) {
        self[place] = empty
        free.append(place)
    }
}
