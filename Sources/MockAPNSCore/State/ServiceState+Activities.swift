/// Live Activities that listen to broadcast channels: what starting one comes to, and how they follow the log.
extension ServiceState {
    /// The consequences of an event, for the gateway to record.
    package struct Consequences: Sendable {
        /// The push that was delivered to a device from its storage.
        var delivered: KeptPush?
        /// The pushes that a device got from the storage of channels.
        var fromChannels: [Subscriptions.Delivery] = []
        /// The Live Activities that have left the screen.
        var dismissed: [LiveActivity] = []
    }

    /// One half of the start of a Live Activity by a push. Where logs are merged, either may come first.
    enum HalfStart: Sendable {
        case push(LiveActivityPush, at: Timestamp)
        case event(ActivityChange, on: DeviceIndex, isOnline: Bool)
    }

    /// Maximum number of starts that wait for their other half; more forget the earliest, which a log has lost.
    static let halfStartLimit = 10_000

    // MARK: Deciding

    /// Returns what becomes of a Live Activity that the app starts on a channel.
    func change(starting declared: DeclaredActivity, on device: DeviceIndex, at now: Timestamp) -> ActivityChange {
        var change = ActivityChange(.started, name: declared.name, channel: declared.channel)
        if let number = channels.existing(declared.channel), let channel = channels[number] {
            decide(&change, channel, device, at: now)
        } else {
            change.fail("No channel has the name or the id; the Live Activity does not start.")
        }
        return change
    }

    /// Returns what becomes of a Live Activity that a push to a device starts on a channel; `nil` if the push starts none.
    func change(startedBy sequence: Int, on device: DeviceIndex, at now: Timestamp) -> ActivityChange? {
        guard case .push(let content, _)? = halfStarts[sequence], let id = content.channel else { return nil }
        var change = ActivityChange(.started, name: nil, channel: id)
        change.sequence = sequence
        if let why = content.reasonNotToStart {
            change.fail(why)
        } else if let channel = channels.existing(id: id).flatMap({ channels[$0] }) {
            decide(&change, channel, device, at: now)
        } else {
            change.fail("\"input-push-channel\" is not the id of a channel; the Live Activity does not start.")
        }
        return change
    }

    private func decide(
        _ change: inout ActivityChange, _ channel: BroadcastChannel, _ device: DeviceIndex, at now: Timestamp
    ) {
        change.take(channel)
        let conditions = devices.conditions(of: device, at: now)
        guard conditions.isRegistered, conditions.allowsNotifications else {
            return change.fail("The app is not installed, or may not show notifications.")
        }
        let app = channel.topic
        guard devices.mayStart(app, device) else { return change.fail("The channel is of the app \"\(app)\".") }
        guard channel.isSandbox != devices.isSandbox(device) else { return }
        let (its, other) = channel.isSandbox ? ("sandbox", "production") : ("production", "sandbox")
        change.neverUpdates("It never updates: the channel is of \(its), and the device's token of \(other).")
    }

    // MARK: Following

    /// Starts the Live Activities that the scenario declares, which no event reports.
    package mutating func startDeclaredActivities(at now: Timestamp, _ declared: [DeclaredDevice]) {
        for device in declared where !device.activities.isEmpty {
            guard let index = devices.find(device.token) else { continue }
            let isOnline = devices.conditions(of: index, at: now).isOnline
            for activity in device.activities {
                let change = change(starting: activity, on: index, at: now)
                _ = follow(change, on: index, isOnline: isOnline, at: now)
            }
        }
    }

    /// Notes a push that reaches a device: it may start a Live Activity, about which an event follows.
    mutating func noteStart(by sequence: Int, _ payload: Span<UInt8>, at now: Timestamp) {
        guard followsActivities, payload.contains(LiveActivityPush.channelKey), let content = LiveActivityPush(payload),
            content.event == .start, content.channel != nil
        else { return }
        if case .event(let change, let device, let isOnline) = halfStarts.removeValue(forKey: sequence) {
            let activity = LiveActivity(content, sequence, at: now)
            _ = add(Subscription(activity, on: device, to: nil, isOnline: isOnline), change, at: now)
        } else {
            wait(.push(content, at: now), for: sequence)
        }
    }

    /// Follows a Live Activity on a channel that started or ended.
    mutating func follow(
        _ change: ActivityChange, on device: DeviceIndex, isOnline: Bool, at now: Timestamp
    ) -> Subscriptions.Delivery? {
        switch change.state {
        case .failed: if let sequence = change.sequence { halfStarts[sequence] = nil }
        case .ended, .dismissed:
            let conditions = devices.conditions(of: device, at: now)
            let isOff = !conditions.isRegistered || !conditions.allowsNotifications
            let channel = channels.resolve(change.channel, named: change.channelName)
            subscriptions.end(
                isOff ? .all : .one(name: change.name, channel: channel, id: change.channel), of: device,
                isGone: change.state == .dismissed, at: now)
        case .started:
            guard let sequence = change.sequence else {
                let activity = LiveActivity(name: change.name, on: change.channel, at: now)
                return add(Subscription(activity, on: device, to: nil, isOnline: isOnline), change, at: now)
            }
            guard case .push(let content, let time) = halfStarts.removeValue(forKey: sequence) else {
                // The push that another replica has recorded is in its log alone.
                if sequence < FleetOrder.firstNumber {
                    wait(.event(change, on: device, isOnline: isOnline), for: sequence)
                }
                return nil
            }
            let activity = LiveActivity(content, sequence, at: time)
            return add(Subscription(activity, on: device, to: nil, isOnline: isOnline), change, at: time)
        }
        return nil
    }

    private mutating func add(
        _ subscription: consuming Subscription, _ change: ActivityChange, at now: Timestamp
    ) -> Subscriptions.Delivery? {
        if change.updates {
            subscription.channel = channels.resolve(change.channel, named: change.channelName)
        }
        return subscriptions.add(subscription, getsStored: deliversToLateSubscribers, at: now)
    }

    private mutating func wait(_ half: HalfStart, for sequence: Int) {
        halfStarts[sequence] = half
        guard halfStarts.count > Self.halfStartLimit, let earliest = halfStarts.keys.min() else { return }
        halfStarts[earliest] = nil
    }

    /// Lets the Live Activities of a device follow its state: without the app, or its notifications, they leave the
    /// screen; online, they get what their channels store.
    mutating func followState(of device: DeviceIndex, at now: Timestamp) -> Consequences {
        var consequences = Consequences()
        guard followsActivities, subscriptions.concern(device) else { return consequences }
        let conditions = devices.conditions(of: device, at: now)
        if conditions.isRegistered, conditions.allowsNotifications {
            consequences.fromChannels = subscriptions.setOnline(conditions.isOnline, device, at: now)
        } else {
            consequences.dismissed = subscriptions.shown(.all, on: device, at: now)
            subscriptions.end(.all, of: device, isGone: true, at: now)
        }
        return consequences
    }

    // MARK: Channels

    /// Follows a channel that was created or deleted.
    mutating func apply(_ event: ChannelEvent) {
        switch event.state {
        case .created: channels.follow(event.channel)
        case .deleted:
            var number = channels.resolve(event.channel.id.description, named: event.channel.name)
            if !channels.exists(number) { number = channels.another(with: event.channel.id) ?? number }
            subscriptions.close(number)
            if let forgotten = channels.delete(number, at: event.clock) { subscriptions.forget(forgotten) }
        }
    }
}

extension DeviceRegistry {
    /// Returns whether the app with this bundle id may have a Live Activity on a device.
    func mayStart(_ app: String, _ device: DeviceIndex) -> Bool {
        DeclaredActivity.mayStart(app, on: self[device].topics.map { topics.text($0) })
    }
}
