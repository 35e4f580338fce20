/// Live Activities that listen to broadcast channels or have tokens of their own: what starting one comes to, and how they
/// follow the log.
extension ServiceState {
    /// The consequences of an event, for the gateway to record.
    package struct Consequences: Sendable {
        /// The push that was delivered to a device from its storage.
        var delivered: KeptPush?
        /// The pushes that a device got from the storage of channels.
        var fromChannels: [Subscriptions.Delivery] = []
        /// The Live Activities that have left the screen with their app.
        var dismissed: [LiveActivity] = []
        /// The Live Activities that have made room for another.
        var evicted: [LiveActivity] = []

        mutating func take(_ addition: Subscriptions.Addition) {
            fromChannels += [addition.delivery].compactMap { $0 }
            evicted += addition.evicted
        }
    }

    /// One half of the start of a Live Activity by a push. Where logs are merged, either may come first.
    enum HalfStart: Sendable {
        case push(LiveActivityPush, at: Timestamp)
        case event(ActivityChange, on: DeviceIndex, isOnline: Bool)
    }

    /// Maximum number of starts that wait for their other half; more forget the earliest, which a log has lost.
    static let halfStartLimit = 10_000

    // MARK: Deciding

    /// Returns what becomes of a Live Activity that the app starts.
    func change(starting declared: DeclaredActivity, on device: DeviceIndex, at now: Timestamp) -> ActivityChange {
        var change = ActivityChange(.started, name: declared.name, channel: declared.channel)
        if let why = devices[device].phone.platform.reasonWithoutActivities {
            change.fail(why)
            return change
        }
        guard let wanted = declared.channel else {
            change.app = declared.app ?? devices[device].topics.first.map { Topic.app(of: devices.topics.text($0)) }
            change.token = declared.token ?? updateToken(of: "app \(startedByApps + 1)")
            if let token = declared.token, self.device(receiving: token) != nil {
                change.token = nil
                change.fail("Its token stands for a device or a Live Activity already.")
            } else if let app = declared.app, !devices.mayStart(app, device) {
                change.fail("The device has no topic of the app \"\(app)\".")
            } else if !hasApp(device, at: now) {
                change.fail(Self.isNotThere)
            }
            return change
        }
        if let number = channels.existing(wanted), let channel = channels[number] {
            decide(&change, channel, device, at: now)
        } else {
            change.fail("No channel has the name or the id; the Live Activity does not start.")
        }
        return change
    }

    /// Draws the update token of a Live Activity.
    ///
    /// - Parameter cause: what starts it, by a number that is the same on all replicas of a fleet.
    private func updateToken(of cause: String) -> DeviceToken {
        DeviceToken(seed: tokenSeed, for: "Live Activity of \(cause)")
    }

    /// Returns what becomes of a Live Activity that a push to a device starts on a channel or with a token of its own; `nil`
    /// if the push starts none.
    ///
    /// - Parameter app: the bundle id of the app that the push is for.
    func change(
        startedBy sequence: Int, _ app: String, _ address: ActivityAddress, at now: Timestamp
    ) -> ActivityChange? {
        let device = address.device
        guard case .push(let content, _)? = halfStarts[sequence] else { return nil }
        var change = ActivityChange(.started, name: nil, channel: content.channel)
        change.app = app
        change.sequence = sequence
        if let why = content.reasonNotToStart {
            change.fail(why)
            return change
        }
        guard let id = content.channel else {
            if content.wantsToken {
                change.token = updateToken(of: "push \(address.number > 0 ? address.number : sequence)")
            }
            if !hasApp(device, at: now) { change.fail(Self.isNotThere) }
            return change
        }
        if let channel = channels.existing(id: id).flatMap({ channels[$0] }) {
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
        guard hasApp(device, at: now) else { return change.fail(Self.isNotThere) }
        let app = channel.topic
        guard devices.mayStart(app, device) else { return change.fail("The channel is of the app \"\(app)\".") }
        guard channel.isSandbox != devices.isSandbox(device) else { return }
        let (its, other) = channel.isSandbox ? ("sandbox", "production") : ("production", "sandbox")
        change.neverUpdates("It never updates: the channel is of \(its), and the device's token of \(other).")
    }

    private static let isNotThere = "The app is no longer on the device."

    private func hasApp(_ device: DeviceIndex, at now: Timestamp) -> Bool {
        devices.conditions(of: device, at: now).isRegistered
    }

    // MARK: Tokens of their own

    /// What a push that is addressed to a token of Live Activities does, and its device.
    struct ActivityAddress {
        var device: DeviceIndex
        var activity: KeptPush.Activity
        /// The number of the push in the order of a fleet; 0 for one that was decided without the others.
        var number = 0

        var isStart: Bool { activity == .starts }
    }

    /// Returns which Live Activity with events a push is addressed to, and how; `nil` for any other push.
    func activityAddress(of push: borrowing DecidedPush) -> ActivityAddress? {
        guard !subscriptions.tokens.isEmpty, let token = push.token else { return nil }
        guard let entry = subscriptions.tokens[token] else { return addressByDevice(of: push, to: token) }
        switch entry.use {
        case .start: return ActivityAddress(device: entry.device, activity: .starts)
        case .update(let id): return ActivityAddress(device: entry.device, activity: .updates(Int32(clamping: id)))
        case .expired: return ActivityAddress(device: entry.device, activity: .gone)
        }
    }

    /// Where one token does all, updates and the end of a Live Activity that the app has started go to the device token, too.
    private func addressByDevice(of push: borrowing DecidedPush, to token: DeviceToken) -> ActivityAddress? {
        guard push.screenPart == .liveActivities, let device = devices.find(token),
            !subscriptions.tokens.hasStartTokens(device), subscriptions.concern(device)
        else { return nil }
        let app = Topic.app(of: String(decoding: Array(copying: push.topic), as: UTF8.self))
        guard let id = subscriptions.latestActivity(of: device, app: app, at: push.record.clock),
            let event = LiveActivityPush(push.payload)?.event, event != .start
        else { return nil }
        return ActivityAddress(device: device, activity: .updates(Int32(clamping: id)))
    }

    /// Returns the device that gets the pushes to a token: its device token, or one of its Live Activities' tokens.
    package func device(receiving token: DeviceToken) -> DeviceIndex? {
        devices.find(token) ?? subscriptions.tokens[token]?.device
    }

    /// Lets a Live Activity that has events show a push that has reached its device.
    mutating func showOnActivity(_ push: borrowing KeptPush) -> Reaction {
        switch push.activity {
        case .updates(let id): subscriptions.update(Int(id), with: push.payload, push.sequence, at: push.time)
        case .gone: .activityGone
        // If it does not start, an event says so.
        case .starts, .ofDevice: LiveActivityPush(push.payload)?.reaction ?? .unknownEvent
        }
    }

    /// Keeps a push from starting a Live Activity.
    mutating func refuseStart(by sequence: Int, _ why: String) {
        guard case .push(var content, let time)? = halfStarts[sequence] else { return }
        content.refusal = why
        halfStarts[sequence] = .push(content, at: time)
    }

    // MARK: Following

    /// Learns the time of the scenario's clock. The declared Live Activities, which no event reports, start at the first
    /// that is known.
    package mutating func learnClock(_ now: Timestamp) {
        // A recorded log tells the time with every line.
        guard !awaitingClock.isEmpty else { return }
        let declared = awaitingClock
        awaitingClock = []
        for device in declared where !device.activities.isEmpty {
            guard let index = devices.find(device.token) else { continue }
            let isOnline = devices.conditions(of: index, at: now).isOnline
            for activity in device.activities {
                // The reader has drawn its token.
                let change = change(starting: activity, on: index, at: now)
                _ = follow(change, on: index, isOnline: isOnline, at: now)
            }
        }
    }

    /// Notes a push that reaches a device: it may start a Live Activity, about which an event follows.
    ///
    /// - Parameter isOwn: whether it was sent to a push-to-start token.
    mutating func noteStart(by sequence: Int, _ payload: Span<UInt8>, isOwn: Bool = false, at now: Timestamp) {
        guard isOwn || followsActivities && LiveActivityPush.mayNameChannel(payload),
            let content = LiveActivityPush(payload), content.event == .start,
            content.channel == nil ? isOwn : followsActivities
        else { return }
        if case .event(let change, let device, let isOnline) = halfStarts.removeValue(forKey: sequence) {
            let activity = LiveActivity(content, sequence, at: now)
            _ = add(Subscription(activity, on: device, to: nil, isOnline: isOnline), change, at: now)
        } else {
            wait(.push(content, at: now), for: sequence)
        }
    }

    /// Follows a Live Activity that started or ended.
    mutating func follow(
        _ change: ActivityChange, on device: DeviceIndex, isOnline: Bool, at now: Timestamp
    ) -> Subscriptions.Addition {
        switch change.state {
        case .failed: if let sequence = change.sequence { halfStarts[sequence] = nil }
        case .updated: break  // The push has changed it.
        case .ended where change.isByItself, .dismissed where change.isByItself:
            // One that made room for another has gone already.
            subscriptions.endOverdue(of: device, at: now)
        case .ended, .dismissed:
            let ended = hasApp(device, at: now) ? selection(of: change) : .all
            subscriptions.end(ended, of: device, isGone: change.state == .dismissed, at: now)
        case .started:
            // All replicas of a fleet say so.
            if let token = change.token, subscriptions.tokens[token] != nil { return Subscriptions.Addition() }
            guard let sequence = change.sequence else {
                if change.token != nil { startedByApps += 1 }
                let activity = LiveActivity(name: change.name, on: change.channel, at: now)
                return add(Subscription(activity, on: device, to: nil, isOnline: isOnline), change, at: now)
            }
            guard case .push(let content, let time) = halfStarts.removeValue(forKey: sequence) else {
                // The push that another replica has recorded is in its log alone.
                if sequence < FleetOrder.firstNumber {
                    wait(.event(change, on: device, isOnline: isOnline), for: sequence)
                }
                break
            }
            let activity = LiveActivity(content, sequence, at: time)
            return add(Subscription(activity, on: device, to: nil, isOnline: isOnline), change, at: time)
        }
        return Subscriptions.Addition()
    }

    /// Returns which Live Activities a change is about.
    private mutating func selection(of change: ActivityChange) -> Subscriptions.Selection {
        if let id = change.channel {
            return .one(name: change.name, channel: channels.resolve(id, named: change.channelName), id: id)
        }
        return change.token.map { .token($0) } ?? .name(change.name ?? "")
    }

    private mutating func add(
        _ subscription: consuming Subscription, _ change: ActivityChange, at now: Timestamp
    ) -> Subscriptions.Addition {
        (subscription.activity.app, subscription.activity.token) = (change.app, change.token)
        if change.updates, let id = change.channel {
            subscription.channel = channels.resolve(id, named: change.channelName)
        }
        return subscriptions.add(subscription, getsStored: deliversToLateSubscribers, at: now)
    }

    private mutating func wait(_ half: HalfStart, for sequence: Int) {
        halfStarts[sequence] = half
        guard halfStarts.count > Self.halfStartLimit, let earliest = halfStarts.keys.min() else { return }
        halfStarts[earliest] = nil
    }

    /// Lets the Live Activities of a device follow its state: without the app they leave the screen; online, they get what
    /// their channels store.
    mutating func followState(of device: DeviceIndex, at now: Timestamp) -> Consequences {
        var consequences = Consequences()
        guard followsActivities, subscriptions.concern(device) else { return consequences }
        let conditions = devices.conditions(of: device, at: now)
        if conditions.isRegistered {
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
        DeclaredActivity.mayStart(app, on: topics(of: device))
    }
}
