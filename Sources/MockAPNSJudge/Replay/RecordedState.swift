import MockAPNSCore

/// The state of the server that wrote a log, as far as a scenario asks for it.
struct RecordedState: ~Copyable, Sendable {
    private var declared: [DeclaredDevice] = []
    private(set) var state: ServiceState
    /// The connections that are known; all of them are kept, since lint asks for them.
    var connections: Connections {
        _read { yield state.connections }
        _modify { yield &state.connections }
    }
    /// The latest time in the log, on the scenario's clock.
    private var now = Timestamp(milliseconds: .min)

    /// Creates the state at the beginning of a scenario.
    ///
    /// - Parameter room: how many devices register themselves; `nil` if only declared devices matter.
    init(of scenario: Scenario, roomForOthers room: Int? = nil) {
        let devices = DeviceRegistry(hashSeed: 0, limit: room ?? DeviceRegistry.selfRegisteredLimit)
        state = ServiceState(devices, Connections(closedLimit: .max), followsAll: room != nil)
        begin(.reset, scenario)
    }

    /// Starts over.
    mutating func begin(_ beginning: ServiceState.Beginning, _ scenario: Scenario) {
        (declared, now) = (scenario.devices, Timestamp(milliseconds: .min))
        state.begin(
            beginning,
            with: .init(
                scenario: scenario, ids: GeneratedIDs(seed: 0), environment: scenario.environment ?? .sandbox,
                hashSeed: 0, clock: Timestamp(milliseconds: 0)), learnsClock: true)
    }

    /// Notes a time of the scenario's clock.
    mutating func start(at clock: Timestamp) {
        now = max(now, clock)
        state.learnClock(clock)
    }

    /// Returns the name by which the scenario declares the device of a request; `nil` if it does not.
    func name(of request: borrowing RequestLine) -> [UInt8]? {
        guard !declared.isEmpty, request.call == nil, let range = request.record.token,
            let token = DeviceToken(hex: request.bytes.span.extracting(range.range))
        else { return nil }
        return state.device(receiving: token).flatMap { state.devices.name(of: $0) }
    }

    /// Processes a decided request.
    mutating func replay(_ request: borrowing RequestLine) {
        start(at: request.record.clock)
        state.apply(request)
    }

    /// The number of broadcast channels that exist.
    var channelCount: Int { state.channels.count }

    /// The figures of broadcast channels by name.
    func figures(of name: String) -> ChannelFigures {
        state.channels.number(named: name).map { state.subscriptions.figures(of: $0, at: now) } ?? ChannelFigures()
    }

    /// Processes an event.
    ///
    /// - Parameter latest: the latest request before it.
    package mutating func replay(_ event: LogEvent, after latest: Int) {
        if case .clock(let move) = event { start(at: move.start) }
        if let time = event.scenarioTime { start(at: time) }
        var event = event
        // Logs of earlier versions do not say its topics, and the scenario that judges may name it otherwise.
        if case .device(var device) = event, device.state == .declared,
            let own = declared.first(where: { $0.token == device.token })
        {
            (device.device.name, device.topics) = (own.name, device.topics ?? own.topics)
            event = .device(device)
        }
        state.apply(event, after: latest)
    }

    /// Returns what each device of the scenario shows and stores; removed devices are missing.
    ///
    /// - Parameter latest: the latest request.
    func views(of scenario: Scenario, after latest: Int) -> [Int: DeviceView] {
        var views: [Int: DeviceView] = [:]
        for (index, device) in scenario.devices.enumerated() {
            guard let known = state.device(device) else { continue }
            views[index] = DeviceView(
                known, in: state.devices, state.mailboxes.mailbox(of: known), scenario.apps, at: now,
                latestSequence: latest
            ).adding(state.subscriptions, of: known)
        }
        return views
    }
}
