/// The broadcast channels of a recorded run, and the Live Activities that listen to them.
struct RecordedChannels: Sendable {
    /// A start by a push, of which the request or the event may come first in the log.
    private enum Start: Sendable {
        case request(LiveActivityPush, at: Timestamp)
        case event(ActivityChange, DeviceIndex)
    }

    /// The number of channels that exist.
    private(set) var count: Int
    private(set) var subscriptions = Subscriptions()
    private var numbers: [String: Int] = [:]
    private var named: [String: Int] = [:]
    private var lastNumber = 0
    private var starts: [Int: Start] = [:]
    private let deliversToLateSubscribers: Bool
    private let declared: [DeclaredChannel]
    /// Whether channels belong to the sandbox by default.
    private let isSandbox: Bool

    init(of scenario: Scenario) {
        count = scenario.channels.count
        deliversToLateSubscribers = scenario.broadcast.deliversToLateSubscribers
        declared = scenario.channels
        isSandbox = (scenario.environment ?? .sandbox).isSandbox(serverName: nil)
        for channel in scenario.channels {
            lastNumber += 1
            named[channel.name] = lastNumber
            if let id = channel.id { numbers[id.description] = lastNumber }
        }
    }

    /// Returns the figures of a channel by its name.
    func figures(of name: String, at now: Timestamp) -> ChannelFigures {
        named[name].map { subscriptions.figures(of: $0, at: now) } ?? ChannelFigures()
    }

    /// Returns the number of a channel, which may be mentioned for the first time.
    private mutating func number(_ id: String, _ name: String?) -> Int {
        if let known = numbers[id] { return known }
        if let name, let known = named[name] {
            numbers[id] = known
            return known
        }
        lastNumber += 1
        numbers[id] = lastNumber
        if let name { named[name] = lastNumber }
        return lastNumber
    }

    // MARK: Lines

    mutating func replay(_ event: ChannelEvent) {
        let id = event.channel.id.description
        switch event.state {
        case .created:
            count += 1
            // A name may be given again after its channel is gone.
            lastNumber += 1
            numbers[id] = lastNumber
            if let name = event.channel.name { named[name] = lastNumber }
        case .deleted:
            count -= 1
            subscriptions.close(number(id, event.channel.name))
        }
    }

    /// Processes a call about channels.
    mutating func replay(_ request: borrowing RequestLine) {
        // A push that was published has subscribers, if none.
        guard let (call, texts) = request.call, call.call == .publish, call.subscribers != nil, let id = texts.channel
        else { return }
        let clock = request.record.clock
        let body = request.bytes.span.extracting(droppingFirst: request.headerLength)
        let push = ChannelPush(
            sequence: request.sequence, time: clock, content: LiveActivityPush(body),
            byteCount: Int(request.record.payloadBytes))
        let until = call.isStored ?? false ? DeliveryPolicy.expiry(request.record.expiration, at: clock) : nil
        let name = texts.channelName.map { String(decoding: $0, as: UTF8.self) }
        let number = number(String(decoding: id, as: UTF8.self), name)
        _ = subscriptions.publish(push, to: number, storedUntil: until)
    }

    // MARK: Devices

    /// Starts a Live Activity that the scenario declares, if it may start.
    mutating func start(
        _ activity: DeclaredActivity, on device: DeviceIndex, _ devices: borrowing DeviceRegistry, at now: Timestamp
    ) {
        let conditions = devices.conditions(of: device, at: now)
        guard let number = named[activity.channel] ?? numbers[activity.channel], conditions.isRegistered,
            conditions.allowsNotifications, devices.mayStart(declared[number - 1].topic, device)
        else { return }
        let hears = declared[number - 1].isSandbox ?? isSandbox == devices.isSandbox(device)
        let shown = LiveActivity(name: activity.name, on: activity.channel, at: now)
        _ = subscriptions.add(
            Subscription(shown, on: device, to: hears ? number : nil, isOnline: conditions.isOnline), getsStored: false,
            at: now)
    }

    /// Processes a push to a device that starts a Live Activity on a channel.
    mutating func replay(_ content: LiveActivityPush, _ sequence: Int, at now: Timestamp) {
        guard content.event == .start, content.channel != nil else { return }
        if case .event(let change, let device) = starts.removeValue(forKey: sequence) {
            add(LiveActivity(content, sequence, at: now), change, on: device, at: now)
        } else {
            starts[sequence] = .request(content, at: now)
        }
    }

    /// Processes the change of a device, and of a Live Activity on it.
    mutating func replay(_ event: DeviceEvent, of device: DeviceIndex, at now: Timestamp) {
        if let change = event.activity { return replay(change, on: device, at: now) }
        _ = subscriptions.setOnline(event.device.isOnline, device, at: now)
    }

    mutating func remove(_ device: DeviceIndex, at now: Timestamp) { subscriptions.remove(device, at: now) }

    private mutating func replay(_ change: ActivityChange, on device: DeviceIndex, at now: Timestamp) {
        switch change.state {
        case .failed: if let sequence = change.sequence { starts[sequence] = nil }
        case .ended, .dismissed:
            let selection: Subscriptions.Selection =
                change.name.map { .name($0) } ?? .channel(number(change.channel, change.channelName))
            _ = subscriptions.end(selection, of: device, isGone: change.state == .dismissed, at: now)
        case .started:
            guard let sequence = change.sequence else {
                return add(
                    LiveActivity(name: change.name, on: change.channel, at: now), change, on: device, at: now)
            }
            if case .request(let content, let time) = starts.removeValue(forKey: sequence) {
                add(LiveActivity(content, sequence, at: time), change, on: device, at: time)
            } else {
                starts[sequence] = .event(change, device)
            }
        }
    }

    private mutating func add(
        _ activity: LiveActivity, _ change: ActivityChange, on device: DeviceIndex, at now: Timestamp
    ) {
        // One that never updates says why.
        let channel = change.explanation == nil ? number(change.channel, change.channelName) : nil
        _ = subscriptions.add(
            Subscription(activity, on: device, to: channel, isOnline: change.isOnline),
            getsStored: deliversToLateSubscribers, at: now)
    }
}
