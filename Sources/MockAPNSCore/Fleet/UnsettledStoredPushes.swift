/// The pushes that replicas of a fleet have stored, as their collector knows them.
///
/// Only the replica that received a stored push reports what becomes of it. Once that replica has ended, it is
/// not known whether the push was delivered, unless nothing has happened that could settle it.
struct UnsettledStoredPushes: Sendable {
    /// A stored push.
    struct Held: Sendable {
        /// The number of the replica that received it.
        let replica: Int
        let device: DeviceToken
        /// When it was stored, and until when it is, on the scenario's clock.
        let time: Timestamp
        let expiry: Timestamp
        /// Whether a later push has replaced it.
        var isReplaced = false
    }

    /// By sequence number in the collector.
    private var pushes: [Int: Held] = [:]
    /// How many changes of a device each replica has reported. All of them carry out the same ones, in one order.
    private var changes: [DeviceToken: [Int: Int]] = [:]
    /// The latest time on the scenario's clock that a replica has reported.
    private var latestTime = Timestamp(milliseconds: .min)

    /// Notes a time on the scenario's clock that a replica has reported.
    mutating func note(_ time: Timestamp) { latestTime = max(latestTime, time) }

    /// Notes that a push is stored.
    ///
    /// - Parameter all: everything that is stored for the device, this push included.
    mutating func add(_ sequence: Int, _ push: Held, _ all: [KeptPush], perTopic: Int) {
        pushes[sequence] = push
        // Another replica's may have arrived in another order than they came; what replaces what follows from that.
        func key(_ push: KeptPush) -> (Timestamp, Int, Int) {
            (pushes[push.sequence]?.time ?? latestTime, push.number, push.sequence)
        }
        var mailbox = Mailbox()
        for push in all.sorted(by: { key($0) < key($1) }) {
            mailbox.store(push)
            guard let (gone, _) = mailbox.makesWay(within: (perTopic, true)) else { continue }
            _ = mailbox.remove(gone.sequence)
            pushes[gone.sequence]?.isReplaced = true
        }
    }

    /// Notes that its replica has said what has become of a push.
    mutating func settle(_ sequence: Int) { pushes[sequence] = nil }

    /// Notes that no push is stored any more, because another scenario begins.
    mutating func settleAll() { pushes = [:] }

    /// Notes that a replica has changed a device, and has reported the effect on its own pushes.
    mutating func noteChange(of device: DeviceToken, by replica: Int) {
        changes[device, default: [:]][replica, default: 0] += 1
    }

    /// Returns the number of pushes, by replica, whose outcome is unknown because something has happened that the
    /// replica has not reported.
    ///
    /// - Parameters:
    ///   - anyTime: whether the clock may have moved to any time since; else it is the latest one reported.
    ///   - isRegistered: whether a device is still registered at a time.
    func unsettled(atAnyTime anyTime: Bool, _ isRegistered: (DeviceToken, Timestamp) -> Bool) -> [Int: Int] {
        var counts: [Int: Int] = [:]
        for push in pushes.values {
            let changes = changes[push.device] ?? [:]
            let isUnsettled =
                anyTime || push.isReplaced || push.expiry <= latestTime || !isRegistered(push.device, latestTime)
                || changes[push.replica] ?? 0 < changes.values.max() ?? 0
            if isUnsettled { counts[push.replica, default: 0] += 1 }
        }
        return counts
    }
}
