/// What the devices of a scenario received, according to a log.
struct RecordedDevices: ~Copyable, Sendable {
    private let declared: [DeclaredDevice]
    private let environment: GatewayConfiguration.Environment
    private var registry: DeviceRegistry
    private var mailboxes: [DeviceIndex: Mailbox] = [:]
    /// The device that stores a push, by the sequence number of the push.
    private var storedFor: [Int: DeviceIndex] = [:]
    private let storagePerTopic: Int
    /// The latest time in the log, on the scenario's clock.
    private var now = Timestamp(milliseconds: .min)

    /// Creates the devices of a scenario, with no pushes yet.
    init(of scenario: Scenario) {
        declared = scenario.devices
        environment = scenario.environment ?? .sandbox
        storagePerTopic = scenario.storagePerTopic
        registry = DeviceRegistry(hashSeed: 0)
        registry.declare(declared, at: Timestamp(milliseconds: 0), in: environment)
    }

    /// Processes a decided push.
    mutating func take(_ request: borrowing RequestLine) {
        now = max(now, request.record.clock)
        guard let delivery = request.record.delivery, let range = request.record.token,
            let token = DeviceToken(hex: request.bytes.span.extracting(range.range))
        else { return }
        let topic = request.topic.flatMap { registry.topics.intern($0.span) }
        guard let device = registry.find(token) ?? register(token, topic) else { return }
        let now = request.record.clock
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
            mailboxes[device, default: Mailbox()].display.take(push)
        }
    }

    /// Registers a declared device that was removed and pushed to again. Undeclared devices do not matter here.
    private mutating func register(_ token: DeviceToken, _ topic: TopicIndex?) -> DeviceIndex? {
        guard declared.contains(where: { $0.token == token }) else { return nil }
        return registry.register(token, topic: topic, isSandbox: true)
    }

    /// Processes a change to a stored push.
    mutating func take(_ update: UpdateLine) {
        if let clock = update.clock { now = max(now, clock) }
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
        if let clock = update.clock { push.time = clock }
        mailboxes[device]?.display.take(push)
    }

    private mutating func remove(_ sequence: Int, from device: DeviceIndex) -> KeptPush? {
        storedFor[sequence] = nil
        return mailboxes[device]?.remove(sequence)
    }

    /// Processes a declared, changed or removed device.
    mutating func take(_ event: DeviceLine) {
        let known = registry.find(event.token)
        switch event.state {
        case .removed:
            guard let known else { return }
            mailboxes[known] = nil
            registry.remove(known)
        case .declared:
            guard known == nil, let device = declared.first(where: { $0.token == event.token }) else { return }
            _ = registry.declare(device, at: Timestamp(milliseconds: 0), in: environment)
        case .changed:
            guard let known, let dismissed = event.dismissed else { return }
            mailboxes[known]?.display.dismiss(dismissed, isInHistory: false)
        }
    }

    /// Returns what each device of the scenario shows and stores; removed devices are missing.
    func views(of scenario: Scenario) -> [Int: DeviceView] {
        var views: [Int: DeviceView] = [:]
        for (index, device) in scenario.devices.enumerated() {
            guard let known = registry.find(device.token) else { continue }
            views[index] = DeviceView(
                known, in: registry, mailboxes[known] ?? Mailbox(), scenario.apps, at: now, latestSequence: 0)
        }
        return views
    }
}
