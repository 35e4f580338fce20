/// What the devices of a scenario received, according to a log.
struct RecordedDevices: ~Copyable, Sendable {
    private let declared: [DeclaredDevice]
    private var state: ServiceState
    /// The broadcast channels, and the Live Activities that listen to them.
    private(set) var channels: RecordedChannels
    private var hasBegun = false
    /// The latest time in the log, on the scenario's clock.
    private var now = Timestamp(milliseconds: .min)

    /// Creates the devices of a scenario, with no pushes yet.
    init(of scenario: Scenario) {
        declared = scenario.devices
        channels = RecordedChannels(of: scenario)
        var devices = DeviceRegistry(hashSeed: 0)
        devices.declare(declared, at: Timestamp(milliseconds: 0), in: scenario.environment ?? .sandbox)
        state = ServiceState(devices, only: Set(declared.map(\.token)))
    }

    /// Starts the declared Live Activities at the first time of the scenario's clock that is known.
    mutating func begin(at clock: Timestamp) {
        now = max(now, clock)
        guard !hasBegun else { return }
        hasBegun = true
        for device in declared where !device.activities.isEmpty {
            guard let index = state.devices.find(device.token) else { continue }
            for activity in device.activities { channels.start(activity, on: index, state.devices, at: clock) }
        }
    }

    /// Returns the name by which the scenario declares the device of a request; `nil` if it does not.
    func name(of request: borrowing RequestLine) -> [UInt8]? {
        guard !declared.isEmpty, request.call == nil, let range = request.record.token,
            let token = DeviceToken(hex: request.bytes.span.extracting(range.range))
        else { return nil }
        return state.devices.find(token).flatMap { state.devices.name(of: $0) }
    }

    /// Processes a created or deleted broadcast channel.
    mutating func replay(_ event: ChannelEvent) { channels.replay(event) }

    /// Processes a decided request.
    mutating func replay(_ request: borrowing RequestLine) {
        begin(at: request.record.clock)
        if request.call != nil { return channels.replay(request) }
        let (topic, bytes) = (request.topic ?? [], request.bytes.span)
        let push = DecidedPush(
            request.record, as: request.sequence, fields: bytes,
            payload: bytes.extracting(droppingFirst: request.headerLength), topic: topic.span)
        state.apply(push)
        if request.record.delivery == .delivered {
            noteStart(by: push.sequence, push.screenPart, push.payload, at: request.record.clock)
        }
    }

    /// Notes that a push to a device, of which the scenario need not know, may start a Live Activity on a channel. The
    /// event that says so may come later.
    private mutating func noteStart(
        by sequence: Int, _ screenPart: ScreenPart, _ payload: Span<UInt8>, at now: Timestamp
    ) {
        guard screenPart == .liveActivities, payload.contains(LiveActivityPush.channelKey),
            let content = LiveActivityPush(payload)
        else { return }
        channels.replay(content, sequence, at: now)
    }

    /// The figures of broadcast channels by name.
    func figures(of name: String) -> ChannelFigures { channels.figures(of: name, at: now) }

    /// Processes a change to a stored push.
    mutating func replay(_ event: UpdateEvent) {
        now = max(now, event.clock)
        guard let push = state.apply(.update(event), after: 0) else { return }
        noteStart(by: push.sequence, push.screenPart, push.payload, at: push.time)
    }

    /// Processes a declared, changed or removed device.
    mutating func replay(_ event: DeviceEvent) {
        begin(at: event.clock)
        var event = event
        switch event.state {
        case .declared:
            // Logs of earlier versions do not say its topics.
            if event.topics.isEmpty { event.topics = declared.first { $0.token == event.token }?.topics ?? [] }
        case .changed:
            let known = state.devices.find(event.token) ?? (event.activity == nil ? nil : register(event.token))
            guard let known else { return }
            channels.replay(event, of: known, at: event.clock)
        case .removed: if let known = state.devices.find(event.token) { channels.remove(known, at: now) }
        }
        state.apply(.device(event), after: 0)
    }

    /// Registers a device that the scenario does not declare, since its Live Activity counts on a channel.
    private mutating func register(_ token: DeviceToken) -> DeviceIndex {
        state.register(token, topic: nil, isSandbox: true)
    }

    /// Returns what each device of the scenario shows and stores; removed devices are missing.
    func views(of scenario: Scenario) -> [Int: DeviceView] {
        var views: [Int: DeviceView] = [:]
        for (index, device) in scenario.devices.enumerated() {
            guard let known = state.devices.find(device.token) else { continue }
            views[index] = DeviceView(
                known, in: state.devices, state.mailboxes.mailbox(of: known) ?? Mailbox(), scenario.apps, at: now,
                latestSequence: 0
            ).adding(channels.subscriptions.activities(of: known, at: now))
        }
        return views
    }
}
