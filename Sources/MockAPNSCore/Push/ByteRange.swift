/// A stretch of a byte buffer: where it starts and how long it is. Empty is a value, `nil` is absence.
///
/// Eight bytes, so that a parsed push and a logged one are flat and trivially copied.
package struct ByteRange: Sendable, Hashable {
    /// Where it starts.
    package var start: UInt32
    /// How long it is.
    package var count: UInt32

    /// A stretch of less than 4 GB.
    package init(start: Int, count: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    /// Whether it has no bytes.
    package var isEmpty: Bool { count == 0 }
    /// The same as a range.
    package var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
