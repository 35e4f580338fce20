/// The state of the service as far as it follows from its log: the connections, the devices, what APNs stores for them, what
/// they display, and the broadcast channels that their Live Activities listen to.
///
/// Its functions ``apply(_:after:)`` and ``apply(_:)`` say what an event, or a push, does to it. The live server, a fleet's
/// collector and a recorded log are their callers: the first decides what happens, the others are told.
package struct ServiceState: ~Copyable, Sendable {
    /// Open connections and closed ones.
    package var connections: Connections
    /// Devices, both declared and registered by a push.
    package var devices: DeviceRegistry
    /// Stored pushes, and what devices display.
    package var mailboxes = MailboxStore()
    /// Broadcast channels.
    package var channels = ChannelRegistry()
    /// The Live Activities that listen to broadcast channels, with what was published to those, and those with tokens of
    /// their own.
    package var subscriptions = Subscriptions()
    /// Starts of Live Activities with only one half known, by the sequence number of the push.
    var halfStarts: [Int: HalfStart] = [:]
    /// The environment that the server plays.
    package private(set) var environment = Environment.sandbox
    /// The declared devices whose Live Activities start once the scenario's clock is known.
    var awaitingClock: [DeclaredDevice] = []
    /// Whether a Live Activity that starts gets what is stored on its channel.
    var deliversToLateSubscribers = false
    /// The seed of the update tokens of Live Activities; the same on all replicas of a fleet.
    var tokenSeed: UInt64 = 0
    /// How many Live Activities with tokens of their own apps have started.
    var startedByApps = 0
    /// Whether it follows what becomes of Live Activities on channels; a collector does not, since each replica has
    /// subscribers of its own.
    var followsActivities = true
    /// Where only declared devices matter, the tokens that may come back: those of devices that were removed. `nil` if
    /// any device matters.
    private var removed: Set<DeviceToken>?

    /// - Parameter followsAll: whether pushes register devices that are not declared.
    package init(
        _ devices: consuming DeviceRegistry, _ connections: consuming Connections = Connections(),
        followsAll: Bool = true
    ) {
        self.devices = devices
        self.connections = connections
        removed = followsAll ? nil : []
    }

    /// Returns whether a device with this token matters, though there is none.
    private func mayRegister(_ token: DeviceToken) -> Bool { removed?.contains(token) ?? true }

    /// Whether there is no device that matters.
    private var hasNoDevices: Bool { removed?.isEmpty ?? false && devices.count == 0 }

    /// The values with which the state starts over.
    package struct Start: Sendable {
        let scenario: Scenario
        let ids: GeneratedIDs
        let environment: Environment
        /// See ``DeviceRegistry/init(hashSeed:limit:declaredLimit:)``.
        let hashSeed: UInt64
        /// The time of the scenario's clock.
        package let clock: Timestamp

        /// Creates the facts.
        package init(
            scenario: Scenario, ids: GeneratedIDs, environment: Environment, hashSeed: UInt64, clock: Timestamp
        ) {
            (self.scenario, self.ids, self.environment) = (scenario, ids, environment)
            (self.hashSeed, self.clock) = (hashSeed, clock)
        }
    }

    /// Why the state starts over.
    package enum Beginning: Sendable {
        /// The server was reset: numbers start again, and only open connections stay.
        case reset
        /// Another scenario is played: connections stay, and numbers go on.
        case scenario
    }

    /// Starts over, with what the scenario declares.
    ///
    /// - Parameter learnsClock: whether the time of the scenario's clock is not known yet. The declared Live Activities
    ///   start when ``learnClock(_:)`` tells it.
    package mutating func begin(_ beginning: Beginning, with start: Start, learnsClock: Bool = false) {
        switch beginning {
        case .reset:
            connections.beginRun()
            devices.removeAll(hashSeed: start.hashSeed)
        case .scenario: devices.removeAllDevices(hashSeed: start.hashSeed)
        }
        if removed != nil { removed = [] }
        let scenario = start.scenario
        environment = start.environment
        devices.declare(scenario.devices, at: start.clock, in: environment)
        mailboxes = MailboxStore()
        channels = ChannelRegistry(scenario.channels, start.ids, in: environment, at: start.clock)
        subscriptions = Subscriptions()
        for device in scenario.devices where !device.startTokens.isEmpty {
            if let index = devices.find(device.token) { subscriptions.add(device.startTokens, of: index) }
        }
        (halfStarts, startedByApps) = ([:], 0)
        deliversToLateSubscribers = scenario.broadcast.deliversToLateSubscribers
        awaitingClock = scenario.devices
        if !learnsClock { learnClock(start.clock) }
    }
}

// MARK: Pushes

extension ServiceState {
    /// Follows a decided push: registers its device if it has none, counts the push, and stores or displays it.
    ///
    /// - Returns: the device that it is stored for; `nil` if it is not stored.
    @discardableResult
    package mutating func apply(_ push: borrowing DecidedPush) -> DeviceIndex? {
        let own = activityAddress(of: push)
        if push.record.delivery == .delivered, push.screenPart == .liveActivities {
            noteStart(by: push.sequence, push.payload, isOwn: own?.isStart ?? false, at: push.record.clock)
        }
        guard let delivery = push.record.delivery, !hasNoDevices, let token = push.token,
            let device = devices.find(token) ?? own?.device ?? register(token, by: push)
        else { return nil }
        if delivery == .delivered { devices.countPush(to: device) } else { devices.notePush(to: device) }
        if delivery == .delivered, devices.needsNoMailbox(device), !push.mayStartActivity, own == nil { return nil }
        let isStored = push.isStored
        guard isStored || delivery == .delivered else { return nil }
        var kept = KeptPush(push, topic: push.topic.isEmpty ? nil : devices.topics.intern(pushed: push.topic))
        kept.activity = own?.activity ?? .ofDevice
        openMailbox(of: device, after: push.latest)
        if isStored { mailboxes.store(kept, for: device) } else { show(kept, on: device) }
        return isStored ? device : nil
    }

    /// Counts a delivered push if the state keeps nothing else of it, as is usual. The push must not concern a Live Activity.
    ///
    /// - Returns: whether it was counted; else ``apply(_:)`` has to follow it.
    @inline(__always)
    mutating func applyIfOnlyCounted(_ device: DeviceIndex) -> Bool {
        guard devices.needsNoMailbox(device) else { return false }
        devices.countPush(to: device)
        return true
    }

    /// Follows a decided push that a log tells of; its environment is that of its connection.
    ///
    /// - Parameter serverName: the server name for which the client of that connection asked, if it is known.
    /// - Returns: the device that it is stored for; `nil` if it is not stored.
    @discardableResult
    package mutating func apply(_ logged: consuming DecidedPush, onConnectionTo serverName: String?) -> DeviceIndex? {
        var push = logged
        push.isSandbox = environment.isSandbox(serverName: serverName)
        return apply(push)
    }

    /// Lets a device with a mailbox do what it does with a push that has reached it.
    private mutating func show(_ reached: KeptPush, on device: DeviceIndex) {
        var push = reached
        if let phone = devices.records.phone(of: device) {
            push.circumstances = push.circumstances(on: phone, for: devices.topic(of: push))
        }
        // The display does not know the Live Activities that have events.
        guard push.activity != .ofDevice || push.startsOnChannel else {
            mailboxes.show(push, on: device)
            return
        }
        var refusal: Reaction?
        mailboxes.change(device) { display, _ in refusal = display.refuse(push) }
        if let refusal { refuseStart(by: push.sequence, refusal.why) }
        let reaction = refusal ?? showOnActivity(push)
        mailboxes.change(device) { display, _ in display.note(reaction, to: push) }
    }

    /// Follows a push that was published to a channel.
    ///
    /// - Parameters:
    ///   - isStored: whether the channel stores it.
    ///   - expiration: `apns-expiration`.
    @discardableResult
    package mutating func apply(
        _ push: ChannelPush, to channel: Int, isStored: Bool, expiration: Int64?
    ) -> ChannelFeed.Outcome {
        let expiry = isStored ? DeliveryPolicy.expiry(expiration, at: push.time) : nil
        return subscriptions.publish(push, to: channel, storedUntil: expiry)
    }

    /// Follows a call about broadcast channels as the log tells of it: a push that was published to one.
    ///
    /// - Parameters:
    ///   - channel: the id and the name of its channel.
    ///   - push: what was published, if that is what the call does.
    ///   - expiration: `apns-expiration`.
    package mutating func apply(
        _ call: CallRecord, on channel: (id: [UInt8]?, name: [UInt8]?), _ push: ChannelPush, expiration: Int64?
    ) {
        // A push that was published has a number of subscribers, be it 0.
        guard call.call == .publish, call.subscribers != nil, let id = channel.id else { return }
        let name = channel.name.map { String(decoding: $0, as: UTF8.self) }
        let number = channels.resolve(String(decoding: id, as: UTF8.self), named: name)
        apply(push, to: number, isStored: call.isStored == true, expiration: expiration)
    }

    /// Registers a device that is pushed to for the first time; the one that was pushed to longest ago may go for it.
    private mutating func register(_ token: DeviceToken, by push: borrowing DecidedPush) -> DeviceIndex? {
        guard mayRegister(token) else { return nil }
        let topic = push.topic.isEmpty ? nil : devices.topics.intern(pushed: push.topic) ?? .unlisted
        return register(token, topic: topic, isSandbox: push.isSandbox, at: push.record.clock)
    }

    /// Registers a device.
    ///
    /// - Parameter topic: its only topic; `nil` makes it valid for all.
    mutating func register(
        _ token: DeviceToken, topic: TopicIndex?, isSandbox: Bool, at now: Timestamp
    ) -> DeviceIndex {
        if let oldest = devices.nextToGo {
            mailboxes.close(oldest)
            subscriptions.remove(oldest, at: now)
        }
        return devices.register(token, topic: topic, isSandbox: isSandbox)
    }

    /// Creates a mailbox for a device without one. Until then, what a self-registered device displays is in the log.
    ///
    /// - Parameter latest: the latest request so far.
    mutating func openMailbox(of device: DeviceIndex, after latest: Int) {
        guard !mailboxes.hasMailbox(device) else { return }
        mailboxes.open(device, historyEnd: devices.isSelfRegistered(device) ? latest : 0)
        devices.setHoldsPushes(true, device)
    }
}

// MARK: Events

extension ServiceState {
    /// Follows an event.
    ///
    /// - Parameter latest: the latest request before it.
    @discardableResult
    package mutating func apply(_ event: LogEvent, after latest: Int) -> Consequences {
        switch event {
        case .update(let event): return Consequences(delivered: apply(event))
        case .device(let event): return apply(event, after: latest)
        case .activity(let event): return apply(event, after: latest)
        case .response(let event): apply(event, after: latest)
        case .channel(let event): apply(event)
        case .connection(let event): connections.apply(event)
        // A reset and a scenario start the state over: `begin`.
        case .rule, .scenario, .clock, .reset, .fleet, .log: break
        }
        return Consequences()
    }

    /// Applies a change of a stored push.
    private mutating func apply(_ event: UpdateEvent) -> KeptPush? {
        let change = event.change
        guard change.delivery != nil || change.replacedBy != nil,
            let device = mailboxes.device(storing: event.sequence)
        else { return nil }
        if let delivery = change.delivery, !delivery.isFinal, change.replacedBy == nil {
            mailboxes.setDelivery(delivery, of: event.sequence, for: device)
            return nil
        }
        guard var push = mailboxes.removeStored(event.sequence, for: device), let delivery = change.delivery,
            delivery.reachedDevice
        else { return nil }
        devices.countDelivery(to: device)
        (push.delivery, push.time) = (delivery, event.clock)
        if push.screenPart == .liveActivities {
            noteStart(by: push.sequence, push.payload, isOwn: push.activity == .starts, at: push.time)
        }
        show(push, on: device)
        return push
    }

    private mutating func apply(_ event: DeviceEvent, after latest: Int) -> Consequences {
        let known = devices.find(event.token)
        switch event.state {
        case .declared: declare(event, insteadOf: known, after: latest)
        case .changed:
            if let known { return change(known, as: event, after: latest) }
            declare(event, insteadOf: nil, after: latest)
        case .removed:
            guard let known else { break }
            mailboxes.close(known)
            subscriptions.remove(known, at: event.clock)
            devices.remove(known)
            removed?.insert(event.token)
        case .renewed: if let known { return renew(known, as: event, after: latest) }
        }
        return Consequences()
    }

    private mutating func apply(_ event: ActivityEvent, after latest: Int) -> Consequences {
        // It counts on its channel even if its device does not matter.
        let device =
            devices.find(event.device) ?? register(event.device, topic: nil, isSandbox: true, at: event.clock)
        if event.change.state == .started, devices.isSelfRegistered(device) { openMailbox(of: device, after: latest) }
        if event.change.state == .failed, let sequence = event.change.sequence {
            let why = event.change.explanation ?? "The Live Activity did not start."
            mailboxes.change(device) { display, _ in display.ignore(sequence, why) }
        }
        if event.change.state == .dismissed, let sequence = event.change.sequence {
            openMailbox(of: device, after: latest)
            mailboxes.change(device) { display, _ in display.noteDismissal(of: sequence, at: event.clock) }
        }
        // Of a fleet's devices, each replica has subscribers of its own.
        guard followsActivities || event.change.channel == nil else { return Consequences() }
        var consequences = Consequences()
        consequences.take(follow(event.change, on: device, isOnline: event.isOnline, at: event.clock))
        return consequences
    }

    private mutating func change(
        _ device: DeviceIndex, as event: DeviceEvent, after latest: Int
    ) -> Consequences {
        openMailbox(of: device, after: latest)
        if let removal = devices[device].registration.removal(by: event.clock) {
            mailboxes.change(device) { display, _ in display.dropHeld(at: removal) }
        }
        if devices[device].phone != event.device.phone { change(device, to: event.device.phone, at: event.clock) }
        devices[device].isOnline = event.device.isOnline
        devices[device].savesPower = event.device.savesPower
        devices[device].registration = event.device.registration
        return followState(of: device, at: event.clock)
    }

    private mutating func change(_ device: DeviceIndex, to phone: Phone, at now: Timestamp) {
        devices[device].phone = phone
        var topics: [UInt16: String] = [:]
        mailboxes.change(device) { display, _ in
            for topic in display.topics { topics[topic] = devices.topic(topic) }
            display.reconsiderHeld(at: now) { $0.circumstances(on: phone, for: topics[$0.topic] ?? "") }
        }
    }

    private mutating func apply(_ event: ResponseEvent, after latest: Int) {
        guard let device = devices.find(event.token) else { return }
        openMailbox(of: device, after: latest)
        let (state, why) = event.told
        mailboxes.change(device) { display, historyEnd in
            display.remove(
                event.sequence, state, why, at: event.clock,
                isInHistory: event.sequence > 0 && event.sequence <= historyEnd)
        }
    }

    /// Gives a device a new token: from now on, its name and state are those of another device, whose screen is empty.
    private mutating func renew(_ device: DeviceIndex, as event: DeviceEvent, after latest: Int) -> Consequences {
        openMailbox(of: device, after: latest)
        var renewed = devices[device]
        (renewed.registration, renewed.received) = (.registered, 0)
        devices[device].name = nil
        devices[device].registration = event.device.registration
        let consequences = followState(of: device, at: event.clock)
        if let new = event.newToken.flatMap({ devices.declare(renewed, $0) }) {
            var starts = event.startTokens
            // The line of a renewal lists no topics, so a single token does not say its app.
            if starts.count == 1, starts[0].app.isEmpty {
                starts[0].app = StartToken.apps(of: devices.topics(of: device))[0]
            }
            subscriptions.add(starts, of: new)
        }
        return consequences
    }

    /// Returns the device that a scenario declares. It may have got a new token since.
    package func device(_ declared: DeclaredDevice) -> DeviceIndex? {
        declared.name.flatMap { devices.find(name: $0) } ?? devices.find(declared.token)
    }

    /// Declares a device, unless one with its token is declared already, as another replica of a fleet may have said.
    ///
    /// - Parameter known: the device with its token, which may have registered itself.
    private mutating func declare(_ event: DeviceEvent, insteadOf known: DeviceIndex?, after latest: Int) {
        // One that the API declares with a name may be meant by that, like the one that had the name before.
        let isNamed = event.state == .declared && event.device.name != nil
        guard known != nil || isNamed || mayRegister(event.token) else { return }
        var device = event.device
        device.topics = (event.topics ?? []).map { devices.topics.intern($0) ?? .unlisted }
        guard let known else {
            if let declared = devices.declare(device, event.token) {
                subscriptions.add(event.startTokens, of: declared)
            }
            return
        }
        guard devices.isSelfRegistered(known) else { return }
        let received = devices.records[known].received
        mailboxes.close(known)
        subscriptions.remove(known, at: event.clock)
        devices.remove(known)
        guard let declared = devices.declare(device, event.token) else { return }
        devices.records[declared].received = received
        subscriptions.add(event.startTokens, of: declared)
        mailboxes.open(declared, historyEnd: latest)
    }
}
