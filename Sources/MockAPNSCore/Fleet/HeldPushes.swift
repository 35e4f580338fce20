/// The pushes that replicas of a fleet have stored, as their collector knows them.
///
/// What becomes of a stored push, only the replica that received it says. Once that has ended, nobody knows whether the
/// push was delivered, unless nothing has happened that could settle it.
struct HeldPushes: Sendable {
    private struct Held: Sendable {
        /// The number of the replica that says what becomes of it.
        let replica: Int
        let device: DeviceToken
        let expiry: Timestamp
        /// Whether a later push may have replaced it.
        var mayBeReplaced = false
    }

    /// By sequence number in the collector.
    private var pushes: [Int: Held] = [:]
    /// How many changes of a device each replica has reported. All of them carry out the same ones, in one order.
    private var changes: [DeviceToken: [Int: Int]] = [:]

    /// Notes that a replica has stored a push.
    mutating func add(_ sequence: Int, by replica: Int, for device: DeviceToken, until expiry: Timestamp) {
        pushes[sequence] = Held(replica: replica, device: device, expiry: expiry)
    }

    /// Notes that its replica has said what has become of a push.
    mutating func settle(_ sequence: Int) { pushes[sequence] = nil }

    /// Notes that a later push may have replaced these.
    mutating func noteReplacement(of sequences: some Sequence<Int>) {
        for sequence in sequences { pushes[sequence]?.mayBeReplaced = true }
    }

    /// Notes that a replica has changed a device, and has said what became of its own pushes by that.
    mutating func noteChange(of device: DeviceToken, by replica: Int) {
        changes[device, default: [:]][replica, default: 0] += 1
    }

    /// Returns the number of pushes by replica that something has happened to of which the replica has not told.
    ///
    /// - Parameters:
    ///   - now: the time on the scenario's clock.
    ///   - isRegistered: whether a device is still registered then.
    func unsettled(at now: Timestamp, _ isRegistered: (DeviceToken) -> Bool) -> [Int: Int] {
        var counts: [Int: Int] = [:]
        for push in pushes.values {
            let changes = changes[push.device] ?? [:]
            let isUnsettled =
                push.mayBeReplaced || push.expiry <= now || changes[push.replica] ?? 0 < changes.values.max() ?? 0
                || !isRegistered(push.device)
            if isUnsettled { counts[push.replica, default: 0] += 1 }
        }
        return counts
    }
}
