/// A push published to a channel, as devices get it.
package struct ChannelPush: Sendable {
    /// Its number on the channel, 1 for the first.
    var number = 0
    /// The sequence number of the request.
    let sequence: Int
    /// When it was published, on the scenario's clock.
    let time: Timestamp
    /// Its content; `nil` if no device understands it.
    let content: LiveActivityPush?
    /// The size of its payload in bytes.
    let byteCount: Int

    /// Creates a push that has no number yet.
    package init(sequence: Int, time: Timestamp, content: LiveActivityPush?, byteCount: Int) {
        (self.sequence, self.time, self.content, self.byteCount) = (sequence, time, content, byteCount)
    }

    /// Whether it ends the Live Activities that get it.
    var isEnd: Bool { content?.event == .end }

    /// Returns why every device ignores it, as a sentence; `nil` if some may not.
    ///
    /// - Parameter latest: the newest `timestamp` on the channel, and the request that had it.
    func reasonToIgnore(after latest: (timestamp: Timestamp, sequence: Int)?) -> String? {
        guard let content else {
            return "The payload has no \"aps\" with an \"event\" of \"update\" or \"end\"."
        }
        switch content.event {
        case .start: return "A broadcast cannot start a Live Activity; the app or a push to the device does."
        case .end: return nil
        case .update: break
        }
        guard let sent = content.timestamp else { return LiveActivity.withoutTimestamp }
        if content.state == nil { return LiveActivity.withoutState }
        if sent > time.advanced(by: LiveActivity.furthestAhead) { return LiveActivity.tooFarAhead }
        if let latest, sent < latest.timestamp {
            return "Its \"timestamp\" is before that of request \(latest.sequence), which is shown."
        }
        return nil
    }

    /// Whether nothing of this push is seen once a later one has arrived: both are updates, the later one has a state of
    /// its own, and is not ignored where this one is not.
    func isCovered(by later: ChannelPush) -> Bool {
        guard let content, content.event == .update, let sent = content.timestamp,
            sent <= time.advanced(by: LiveActivity.furthestAhead)
        else { return true }
        guard let other = later.content, other.event == .update, other.state != nil, let timestamp = other.timestamp
        else { return false }
        return timestamp >= sent && timestamp <= later.time.advanced(by: LiveActivity.furthestAhead)
    }
}
