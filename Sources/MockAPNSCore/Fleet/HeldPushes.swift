/// The pushes that replicas of a fleet have stored, as their collector knows them.
///
/// What becomes of a stored push, only the replica that received it says. Of one that lives no more, nobody knows
/// whether its pushes have been delivered since, unless nothing has happened to their devices.
struct HeldPushes: Sendable {
    private struct Held: Sendable {
        /// The number of the replica that says what becomes of it.
        let replica: Int
        let device: DeviceIndex
        let expiry: Timestamp
        /// Whether something has happened that may have changed what becomes of it.
        var isDoubtful = false
    }

    /// By sequence number in the collector.
    private var pushes: [Int: Held] = [:]

    /// Notes that a push is stored.
    mutating func add(_ sequence: Int, by replica: Int, for device: DeviceIndex, until expiry: Timestamp) {
        pushes[sequence] = Held(replica: replica, device: device, expiry: expiry)
    }

    /// Notes that its replica has said what has become of a push.
    mutating func settle(_ sequence: Int) { pushes[sequence] = nil }

    /// Notes that something has happened that may have changed what becomes of pushes.
    mutating func doubt(_ sequences: some Sequence<Int>) {
        for sequence in sequences { pushes[sequence]?.isDoubtful = true }
    }

    /// Returns the number of pushes that have been settled by now if their replicas decide as they would, by replica.
    ///
    /// - Parameters:
    ///   - now: the time on the scenario's clock.
    ///   - isRegistered: whether a device is still registered then.
    func unsettled(at now: Timestamp, _ isRegistered: (DeviceIndex) -> Bool) -> [Int: Int] {
        var counts: [Int: Int] = [:]
        for push in pushes.values where push.isDoubtful || push.expiry <= now || !isRegistered(push.device) {
            counts[push.replica, default: 0] += 1
        }
        return counts
    }
}
