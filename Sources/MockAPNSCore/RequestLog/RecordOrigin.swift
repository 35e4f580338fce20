/// The replica that a record of a fleet's log comes from, and its number there.
struct RecordOrigin: Sendable, Hashable {
    /// The index of the replica's name.
    var replica: UInt16
    var sequence: Int
}
