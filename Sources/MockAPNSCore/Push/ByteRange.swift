/// A stretch of a byte buffer: where it starts and how long it is. Empty is a value, `nil` is absence.
///
/// Eight bytes, so that a parsed push and a logged one are flat and trivially copied.
public struct ByteRange: Sendable, Hashable {
    /// Where it starts.
    public var start: UInt32
    /// How long it is.
    public var count: UInt32

    /// A stretch of less than 4 GB.
    public init(start: Int, count: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    /// Whether it has no bytes.
    public var isEmpty: Bool { count == 0 }
    /// The same as a range.
    public var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
