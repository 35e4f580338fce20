/// A range in a byte buffer. Empty is a value; `nil` means absent.
///
/// It takes eight bytes, so that parsed pushes and log records are flat and trivially copied.
package struct ByteRange: Sendable, Hashable {
    /// The start offset.
    package var start: UInt32
    /// The length.
    package var count: UInt32

    /// Creates a range of less than 4 GB.
    package init(start: Int, count: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    /// Whether the range is empty.
    package var isEmpty: Bool { count == 0 }
    /// The same as a Swift range.
    package var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
