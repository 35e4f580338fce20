/// Live Activities that listen to broadcast channels or have tokens of their own.
extension Gateway {
    /// Publishes a push to a channel.
    mutating func publish(
        _ request: inout RequestContext, to number: Int, _ channel: BroadcastChannel
    ) -> ChannelFeed.Outcome {
        let push = ChannelPush(
            sequence: log.latestSequence + 1, time: request.now.clock,
            content: request.payloadValue.flatMap { LiveActivityPush($0) }, byteCount: request.facts.bodyLength)
        let expiration = request.push.expiration.value
        let isStored = channel.policy == .mostRecent && expiration != nil
        return state.apply(push, to: number, isStored: isStored, expiration: expiration)
    }

    /// Starts the Live Activities of a device that is declared while the server runs.
    mutating func startActivities(_ activities: [DeclaredActivity], on device: DeviceIndex, at now: Timestamp) {
        for activity in activities {
            let change = state.change(starting: activity, on: device, at: now)
            record(change, of: device, at: now)
        }
    }

    /// Returns the Live Activity that a change would not start, because of the device as it is, and why.
    package func startInVain(
        _ change: DeviceChange, on device: DeviceIndex, at now: Timestamp
    ) -> (DeclaredActivity, why: String)? {
        // The change itself may make it possible.
        guard change.registration == nil, change.phone.platform == nil, !change.newToken else { return nil }
        for activity in [change.subscribe, change.startActivity].compactMap({ $0 }) {
            let start = state.change(starting: activity, on: device, at: now)
            if start.state == .failed { return (activity, start.explanation ?? "") }
        }
        return nil
    }

    /// Reports what a push that has reached a device does to Live Activities that have events: it may start one, or change
    /// the one whose update token it was sent to.
    ///
    /// - Parameters:
    ///   - address: what the push was sent to.
    ///   - topic: the topic of the push.
    mutating func noteActivity(
        _ address: ServiceState.ActivityAddress, changedBy sequence: Int, _ topic: Span<UInt8>, at now: Timestamp
    ) {
        let device = address.device
        watch.wakeActivityWaits()
        if case .updates(let id) = address.activity {
            guard let changed = state.subscriptions.activity(Int(id), at: now), changed.sequence == sequence else {
                return
            }
            var change = ActivityChange(changed.hasEnded ? .ended : .updated, changed)
            change.sequence = sequence
            record(change, of: device, at: now)
        } else {
            let app = Topic.app(of: String(decoding: Array(copying: topic), as: UTF8.self))
            let change = state.change(startedBy: sequence, app, address, at: now)
            if let change { record(change, of: device, at: now) }
        }
    }

    /// Carries out what a change of a device says about Live Activities.
    mutating func changeActivities(of device: DeviceIndex, _ change: DeviceChange, at now: Timestamp) {
        if let name = change.endActivity {
            for activity in state.subscriptions.shown(.nameOrToken(name), on: device, at: now) where !activity.hasEnded
            {
                record(ActivityChange(.ended, activity), of: device, at: now)
            }
        }
        if let channel = change.unsubscribe, let number = state.channels.number(channel) {
            let dismissed = state.subscriptions.shown(.channel(number), on: device, at: now)
            dismiss(dismissed, on: device, byUser: true, at: now)
        }
        if let name = change.dismissActivity {
            let dismissed = state.subscriptions.shown(.nameOrToken(name), on: device, at: now)
            dismiss(dismissed, on: device, byUser: true, at: now)
        }
        let started = [change.subscribe, change.startActivity].compactMap { $0 }
        startActivities(started, on: device, at: now)
    }

    /// Records what following an event has led to on a device.
    mutating func record(_ consequences: ServiceState.Consequences, on device: DeviceIndex, at now: Timestamp) {
        for delivery in consequences.fromChannels {
            // It has reached one more device.
            guard let delivered = log.call(of: delivery.sequence)?.delivered else { continue }
            changeRecord(delivery.sequence, RequestUpdate(delivered: delivered + 1), at: now)
        }
        dismiss(consequences.dismissed, on: device, at: now)
        for activity in consequences.evicted {
            let why = "A device has at most \(LiveActivities.limit) Live Activities here; it made room for the newest."
            record(ActivityChange(.dismissed, activity, byItself: why), of: device, at: now)
        }
    }

    /// Ends the Live Activities of a device whose time is over.
    mutating func endActivities(of device: DeviceIndex, at now: Timestamp) {
        for activity in state.subscriptions.ending(on: device, at: now) {
            let why = "A Live Activity ends after 8 hours at the latest."
            record(ActivityChange(.ended, activity, byItself: why), of: device, at: now)
        }
    }

    /// Schedules the ends of the Live Activities of a device that has some from the start.
    mutating func awaitEndsOfActivities(of device: DeviceIndex) {
        for end in state.subscriptions.ends(of: device) { scheduler.schedule(.endOfActivity(device), at: end) }
    }

    /// - Parameter isByUser: whether they leave the screen because the user says so, not because of their app.
    private mutating func dismiss(
        _ activities: [LiveActivity], on device: DeviceIndex, byUser isByUser: Bool = false, at now: Timestamp
    ) {
        for activity in activities {
            var change = ActivityChange(.dismissed, activity)
            if isByUser { change.sequence = activity.sequence }
            record(change, of: device, at: now)
        }
    }

    private mutating func record(_ change: ActivityChange, of device: DeviceIndex, at now: Timestamp) {
        var change = change
        if change.state == .started {
            scheduler.schedule(.endOfActivity(device), at: now.advanced(by: LiveActivity.longestLife))
            scheduler.tidy(state)
        }
        if change.channelName == nil, let id = change.channel {
            change.channelName = state.channels.number(id).flatMap { state.channels[$0]?.name }
        }
        record(
            .activity(
                ActivityEvent(
                    clock: now, device: state.devices.token(of: device), deviceName: state.devices[device].name,
                    isOnline: state.devices[device].isOnline, change: change)))
    }
}
