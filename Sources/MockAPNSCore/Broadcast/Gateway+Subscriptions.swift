/// Devices and the broadcast channels that their Live Activities listen to.
extension Gateway {
    // MARK: Publishing

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
        return subscriptions.publish(push, to: number, storedUntil: until)
    }

    // MARK: Subscribing

    /// Starts the Live Activities that the scenario declares.
    mutating func startDeclaredActivities(at now: Timestamp) {
        for device in scenario.devices where !device.activities.isEmpty {
            guard let index = state.devices.find(device.token) else { continue }
            for activity in device.activities { _ = start(activity, on: index, at: now) }
        }
    }

    /// Starts the Live Activities of a device that is declared while the server runs.
    mutating func startActivities(_ activities: [DeclaredActivity], on device: DeviceIndex, at now: Timestamp) {
        noteActivities(activities.map { start($0, on: device, at: now) }, of: device, at: now)
    }

    /// Starts a Live Activity of the app on a channel.
    mutating func start(_ declared: DeclaredActivity, on device: DeviceIndex, at now: Timestamp) -> ActivityChange {
        var change = ActivityChange(.started, name: declared.name, channel: declared.channel)
        guard let number = channels.existing(declared.channel), let channel = channels[number] else {
            change.fail("No channel has the name or the id; the Live Activity does not start.")
            return change
        }
        change.take(channel)
        let activity = LiveActivity(name: declared.name, on: channel.id.description, at: now)
        listen(Subscription(activity, on: device, to: number), &change, at: now)
        return change
    }

    /// Starts the Live Activity that a push to a device starts on a channel, if it does.
    mutating func startActivity(
        by sequence: Int, _ payload: Span<UInt8>, on device: DeviceIndex, at now: Timestamp
    ) {
        guard let content = LiveActivityPush(payload), content.event == .start, let id = content.channel else {
            return
        }
        var change = ActivityChange(.started, name: nil, channel: id)
        change.sequence = sequence
        if let why = content.reasonNotToStart {
            change.fail(why)
        } else if let number = channels.existing(id: id), let channel = channels[number] {
            change.take(channel)
            let activity = LiveActivity(content, sequence, at: now)
            listen(Subscription(activity, on: device, to: number), &change, at: now)
        } else {
            change.fail("\"input-push-channel\" is not the id of a channel; the Live Activity does not start.")
        }
        noteActivities([change], of: device, at: now)
    }

    private mutating func listen(
        _ subscription: consuming Subscription, _ change: inout ActivityChange, at now: Timestamp
    ) {
        guard let channel = subscription.channel.flatMap({ channels[$0] }) else { return }
        let device = subscription.device
        let conditions = state.devices.conditions(of: device, at: now)
        guard conditions.isRegistered, conditions.allowsNotifications else {
            return change.fail("The app is not installed, or may not show notifications.")
        }
        let app = channel.topic
        let isOfTheApp = state.devices.mayStart(app, device)
        guard isOfTheApp else { return change.fail("The channel is of the app \"\(app)\".") }
        if channel.isSandbox != state.devices.isSandbox(device) {
            subscription.channel = nil
            let (its, other) = channel.isSandbox ? ("sandbox", "production") : ("production", "sandbox")
            change.explanation = "It never updates: the channel is of \(its), and the device's token of \(other)."
        }
        subscription.isOnline = conditions.isOnline
        let delivery = subscriptions.add(
            subscription, getsStored: configuration.broadcast.deliversToLateSubscribers, at: now)
        if let delivery { note(delivery, at: now) }
    }

    // MARK: Changes

    /// Lets the Live Activities of a device follow a change of its state.
    mutating func updateSubscriptions(of device: DeviceIndex, at now: Timestamp) {
        let conditions = state.devices.conditions(of: device, at: now)
        guard conditions.isRegistered, conditions.allowsNotifications else {
            let ended = subscriptions.end(.all, of: device, isGone: true, at: now)
            return noteActivities(ended.map { ActivityChange(.dismissed, $0) }, of: device, at: now)
        }
        for delivery in subscriptions.setOnline(conditions.isOnline, device, at: now) { note(delivery, at: now) }
    }

    /// Carries out what a change of a device says about Live Activities.
    mutating func changeActivities(of device: DeviceIndex, _ change: DeviceChange, at now: Timestamp) {
        var changes: [ActivityChange] = []
        if let name = change.endActivity {
            changes += subscriptions.end(.name(name), of: device, isGone: false, at: now)
                .map { ActivityChange(.ended, $0) }
        }
        if let channel = change.unsubscribe, let number = channels.number(channel) {
            changes += subscriptions.end(.channel(number), of: device, isGone: true, at: now)
                .map { ActivityChange(.dismissed, $0) }
        }
        if let activity = change.subscribe { changes.append(start(activity, on: device, at: now)) }
        noteActivities(changes, of: device, at: now)
    }

    private mutating func noteActivities(_ changes: [ActivityChange], of device: DeviceIndex, at now: Timestamp) {
        for var change in changes {
            change.channelName = change.channelName ?? channels.number(change.channel).flatMap { channels[$0]?.name }
            noteDevice(device, .changed, activity: change, at: now)
        }
    }

    /// Notes in the record of a push that it reached one more device.
    private mutating func note(_ delivery: Subscriptions.Delivery, at now: Timestamp) {
        guard let delivered = log.call(of: delivery.sequence)?.delivered else { return }
        changeRecord(delivery.sequence, RequestUpdate(delivered: delivered + 1), at: now)
    }
}

extension DeviceRegistry {
    /// Returns whether the app with this bundle id may have a Live Activity on a device.
    func mayStart(_ app: String, _ device: DeviceIndex) -> Bool {
        DeclaredActivity.mayStart(app, on: self[device].topics.map { topics.text($0) })
    }
}
