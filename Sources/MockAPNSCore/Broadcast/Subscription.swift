/// A Live Activity on a device that listens to a channel.
struct Subscription: Sendable {
    let device: DeviceIndex
    /// The number of the channel; `nil` if it receives no pushes, for example because its channel is in the other
    /// environment.
    var channel: Int?
    /// The Live Activity as the device shows it.
    var activity: LiveActivity
    /// When it ends at the latest.
    let endsAt: Timestamp
    /// The number of the latest push that was considered; while the device is offline, of the latest before that.
    var considered = 0
    /// Whether its device is online.
    var isOnline: Bool
    /// Whether it listens: it has not ended.
    var isActive = true

    /// Creates the subscription of a Live Activity that begins now.
    init(_ activity: LiveActivity, on device: DeviceIndex, to channel: Int?, isOnline: Bool = true) {
        (self.device, self.channel, self.isOnline) = (device, channel, isOnline)
        (self.activity, endsAt) = (activity, activity.endsAt)
    }

    /// Returns it with everything applied that it has received from the channel meanwhile.
    ///
    /// One that ended with a push from the channel is no longer counted there: all that were online ended at once.
    func caughtUp(with feed: ChannelFeed) -> Subscription {
        guard isActive, isOnline, considered < feed.figures.published else { return self }
        var caughtUp = self
        caughtUp.considered = feed.figures.published
        let end = feed.end(after: considered)
        // From the newest back, since most have been considered.
        var first = feed.pushes.count
        while first > 0, feed.pushes[first - 1].number > considered { first -= 1 }
        for push in feed.pushes[first...] {
            if let end, push.number > end.number { break }
            caughtUp.take(push, at: push.time)
        }
        if let end {
            caughtUp.take(end, at: end.time)
            caughtUp.isActive = false
        }
        return caughtUp
    }

    /// Returns whether it has left the screen.
    func hasLeft(at now: Timestamp) -> Bool {
        var activity = activity
        activity.endIfDue(at: now)
        return activity.isGone(at: now)
    }

    /// Applies a push, or notes why it has no effect.
    mutating func take(_ push: ChannelPush, at now: Timestamp) {
        if let content = push.content, content.event != .start {
            activity.apply(content, push.sequence, at: now)
        } else if let why = push.reasonToIgnore(after: nil) {
            activity.ignore(push.sequence, why)
        }
    }
}
