/// Devices and the broadcast channels that their Live Activities listen to.
extension Gateway {
    /// Publishes a push to a channel.
    mutating func publish(
        _ request: inout RequestContext, to number: Int, _ channel: BroadcastChannel
    ) -> ChannelFeed.Outcome {
        let push = ChannelPush(
            sequence: log.latestSequence + 1, time: request.now.clock,
            content: request.payloadValue.flatMap { LiveActivityPush($0) }, byteCount: request.facts.bodyLength)
        var until: Timestamp?
        if channel.policy == .mostRecent, let expiration = request.push.expiration.value {
            until = DeliveryPolicy.expiry(expiration, at: push.time)
        }
        return state.apply(push, to: number, storedUntil: until)
    }

    /// Starts the Live Activities of a device that is declared while the server runs.
    mutating func startActivities(_ activities: [DeclaredActivity], on device: DeviceIndex, at now: Timestamp) {
        for activity in activities {
            record(state.change(starting: activity, on: device, at: now), of: device, at: now)
        }
    }

    /// Starts the Live Activity that a push to a device starts on a channel, if it does.
    mutating func startActivity(by sequence: Int, on device: DeviceIndex, at now: Timestamp) {
        guard let change = state.change(startedBy: sequence, on: device, at: now) else { return }
        record(change, of: device, at: now)
    }

    /// Carries out what a change of a device says about Live Activities.
    mutating func changeActivities(of device: DeviceIndex, _ change: DeviceChange, at now: Timestamp) {
        if let name = change.endActivity {
            for activity in state.subscriptions.shown(.name(name), on: device, at: now) where !activity.hasEnded {
                record(ActivityChange(.ended, activity), of: device, at: now)
            }
        }
        if let channel = change.unsubscribe, let number = state.channels.number(channel) {
            dismiss(state.subscriptions.shown(.channel(number), on: device, at: now), on: device, at: now)
        }
        if let activity = change.subscribe { startActivities([activity], on: device, at: now) }
    }

    /// Records what following an event has led to on a device.
    mutating func record(_ consequences: ServiceState.Consequences, on device: DeviceIndex, at now: Timestamp) {
        for delivery in consequences.fromChannels {
            // It has reached one more device.
            guard let delivered = log.call(of: delivery.sequence)?.delivered else { continue }
            changeRecord(delivery.sequence, RequestUpdate(delivered: delivered + 1), at: now)
        }
        dismiss(consequences.dismissed, on: device, at: now)
    }

    private mutating func dismiss(_ activities: [LiveActivity], on device: DeviceIndex, at now: Timestamp) {
        for activity in activities { record(ActivityChange(.dismissed, activity), of: device, at: now) }
    }

    private mutating func record(_ change: ActivityChange, of device: DeviceIndex, at now: Timestamp) {
        var change = change
        if change.channelName == nil {
            change.channelName = state.channels.number(change.channel).flatMap { state.channels[$0]?.name }
        }
        noteDevice(device, .changed, activity: change, at: now)
    }
}
