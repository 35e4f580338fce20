/// What the devices of a scenario received, according to a log.
struct RecordedDevices: ~Copyable, Sendable {
    private let declared: [DeclaredDevice]
    private let environment: GatewayConfiguration.Environment
    private var registry: DeviceRegistry
    private var mailboxes: [DeviceIndex: Mailbox] = [:]
    /// The device that stores a push, by the sequence number of the push.
    private var storedFor: [Int: DeviceIndex] = [:]
    private let storagePerTopic: Int
    /// The broadcast channels, and the Live Activities that listen to them.
    private(set) var channels: RecordedChannels
    private var hasBegun = false
    /// The latest time in the log, on the scenario's clock.
    private var now = Timestamp(milliseconds: .min)

    /// Creates the devices of a scenario, with no pushes yet.
    init(of scenario: Scenario) {
        declared = scenario.devices
        environment = scenario.environment ?? .sandbox
        storagePerTopic = scenario.storagePerTopic
        channels = RecordedChannels(of: scenario)
        registry = DeviceRegistry(hashSeed: 0)
        registry.declare(declared, at: Timestamp(milliseconds: 0), in: environment)
    }

    /// Starts the declared Live Activities at the first time of the scenario's clock that is known.
    mutating func begin(at clock: Timestamp) {
        now = max(now, clock)
        guard !hasBegun else { return }
        hasBegun = true
        for device in declared where !device.activities.isEmpty {
            guard let index = registry.find(device.token) else { continue }
            for activity in device.activities { channels.start(activity, on: index, registry, at: clock) }
        }
    }

    /// Returns the name by which the scenario declares the device of a request; `nil` if it does not.
    func name(of request: borrowing RequestLine) -> [UInt8]? {
        guard !declared.isEmpty, request.call == nil, let range = request.record.token,
            let token = DeviceToken(hex: request.bytes.span.extracting(range.range))
        else { return nil }
        return registry.find(token).flatMap { registry.name(of: $0) }
    }

    /// Processes a created or deleted broadcast channel.
    mutating func replay(_ event: ChannelEvent) { channels.replay(event) }

    /// Processes a decided request.
    mutating func replay(_ request: borrowing RequestLine) {
        begin(at: request.record.clock)
        if request.call != nil { return channels.replay(request) }
        guard let delivery = request.record.delivery, let range = request.record.token,
            let token = DeviceToken(hex: request.bytes.span.extracting(range.range))
        else { return }
        let topic = request.topic.flatMap { registry.topics.intern(pushed: $0.span) ?? .unlisted }
        let now = request.record.clock
        guard let device = registry.find(token) ?? register(token, topic) else {
            // It may start a Live Activity, of which the event comes later.
            let type = request.record.pushType.flatMap { PushType(request.bytes.span.extracting($0.range)) }
            if delivery == .delivered, type == .liveactivity { noteStart(by: request, at: now) }
            return
        }
        if delivery == .delivered { registry.countDelivery(to: device) }
        guard !delivery.isFinal || delivery == .delivered else { return }
        let pushType = request.record.pushType.flatMap { PushType(request.bytes.span.extracting($0.range)) }
        let isStored = delivery != .delivered
        var push = KeptPush(
            sequence: request.sequence,
            time: isStored ? DeliveryPolicy.expiry(request.record.expiration, at: now) : now, topic: topic,
            collapseID: request.bytes.span.extracting(request.record.collapseID?.range ?? 0..<0),
            payload: request.bytes.span.extracting(droppingFirst: request.headerLength))
        push.priority = request.record.priority.flatMap(Priority.init(rawValue:)) ?? .immediate
        push.delivery = delivery
        push.screenPart = request.record.pushType == nil ? .notifications : pushType.map { ScreenPart($0) } ?? .none
        if isStored {
            if let (gone, _) = mailboxes[device, default: Mailbox()].store(push, perTopic: storagePerTopic) {
                storedFor[gone.sequence] = nil
            }
            storedFor[request.sequence] = device
        } else {
            mailboxes[device, default: Mailbox()].display.add(push)
            noteStart(by: push, at: now)
        }
    }

    private mutating func noteStart(by request: borrowing RequestLine, at now: Timestamp) {
        let payload = request.bytes.span.extracting(droppingFirst: request.headerLength)
        guard payload.contains(LiveActivityPush.channelKey), let content = LiveActivityPush(payload) else { return }
        channels.replay(content, request.sequence, at: now)
    }

    private mutating func noteStart(by push: borrowing KeptPush, at now: Timestamp) {
        guard push.screenPart == .liveActivities, let content = LiveActivityPush(push.payload) else { return }
        channels.replay(content, push.sequence, at: now)
    }

    /// Registers a declared device that was removed and pushed to again. Undeclared devices do not matter here.
    private mutating func register(_ token: DeviceToken, _ topic: TopicIndex?) -> DeviceIndex? {
        guard declared.contains(where: { $0.token == token }) else { return nil }
        return registry.register(token, topic: topic, isSandbox: true)
    }

    /// Registers a device that registered itself, since its Live Activity counts on a channel.
    private mutating func register(_ token: DeviceToken) -> DeviceIndex {
        registry.register(token, topic: nil, isSandbox: true)
    }

    /// The figures of broadcast channels by name.
    func figures(of name: String) -> ChannelFigures { channels.figures(of: name, at: now) }

    /// Processes a change to a stored push.
    mutating func replay(_ update: UpdateEvent) {
        now = max(now, update.clock)
        guard let device = storedFor[update.sequence] else { return }
        guard update.change.replacedBy == nil, let delivery = update.change.delivery, delivery.isFinal else {
            if update.change.replacedBy != nil { _ = remove(update.sequence, from: device) }
            if let delivery = update.change.delivery {
                mailboxes[device]?.setDelivery(delivery, of: update.sequence)
            }
            return
        }
        guard var push = remove(update.sequence, from: device), delivery.reachedDevice else { return }
        registry.countDelivery(to: device)
        push.delivery = delivery
        push.time = update.clock
        mailboxes[device]?.display.add(push)
        noteStart(by: push, at: push.time)
    }

    private mutating func remove(_ sequence: Int, from device: DeviceIndex) -> KeptPush? {
        storedFor[sequence] = nil
        return mailboxes[device]?.remove(sequence)
    }

    /// Processes a declared, changed or removed device.
    mutating func replay(_ event: DeviceEvent) {
        begin(at: event.clock)
        let known = registry.find(event.token) ?? (event.activity == nil ? nil : register(event.token))
        switch event.state {
        case .removed:
            guard let known else { return }
            mailboxes[known] = nil
            channels.remove(known, at: now)
            registry.remove(known)
        case .declared:
            guard known == nil, let device = declared.first(where: { $0.token == event.token }) else { return }
            _ = registry.declare(device, at: Timestamp(milliseconds: 0), in: environment)
        case .changed:
            guard let known else { return }
            channels.replay(event, of: known, at: event.clock)
            if let dismissed = event.dismissed {
                mailboxes[known]?.display.dismiss(dismissed, isInHistory: false)
            }
        }
    }

    /// Returns what each device of the scenario shows and stores; removed devices are missing.
    func views(of scenario: Scenario) -> [Int: DeviceView] {
        var views: [Int: DeviceView] = [:]
        for (index, device) in scenario.devices.enumerated() {
            guard let known = registry.find(device.token) else { continue }
            views[index] = DeviceView(
                known, in: registry, mailboxes[known] ?? Mailbox(), scenario.apps, at: now, latestSequence: 0
            ).adding(channels.subscriptions.activities(of: known, at: now))
        }
        return views
    }
}
