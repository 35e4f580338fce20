/// The clock of a fleet's order on a replica: the engine's. Due events happen when the order has reached their time, so
/// that on all replicas the same pushes come before and after them.
package struct FleetClock: Sendable, Hashable {
    /// The milliseconds to add to the time of day for the engine's clock.
    var offset: Int64
    /// The time of the latest entry.
    private var latest = Timestamp(milliseconds: .min)
    /// Whether that entry is being carried out: then the clock stands still.
    private var isInEntry = false

    init(offset: Int64) { self.offset = offset }

    /// The time of the entry that is being carried out; `nil` between entries.
    var entry: Timestamp? { isInEntry ? latest : nil }

    /// Begins an entry, or ends it.
    mutating func setEntry(_ time: Timestamp?) {
        isInEntry = time != nil
        if let time { latest = max(latest, time) }
    }

    /// Returns the engine's time. Between entries it is never before the latest one.
    func time(at real: Timestamp) -> Timestamp { entry ?? max(latest, real.advanced(by: offset)) }

    /// Returns the time of day on this machine when the engine's clock shows a time.
    func real(at time: Timestamp) -> Timestamp { time.advanced(by: -offset) }
}
