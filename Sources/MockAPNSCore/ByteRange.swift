/// A stretch of a byte buffer: where it starts and how long it is. Empty is a value, `nil` is absence.
///
/// Eight bytes, so that a parsed push and a logged one are flat and trivially copied.
public struct ByteRange: Sendable, Hashable {
    public var start: UInt32
    public var count: UInt32

    public init(start: Int, count: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    public var isEmpty: Bool { count == 0 }
    public var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
