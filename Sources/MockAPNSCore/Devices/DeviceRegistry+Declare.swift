extension DeviceRegistry {
    /// Adds the devices of a scenario.
    mutating func declare(
        _ devices: [DeclaredDevice], at now: Timestamp, in environment: GatewayConfiguration.Environment
    ) {
        for device in devices { _ = declare(device, at: now, in: environment) }
    }

    /// Adds a declared device at a time of the scenario's clock. Returns `nil` if the token or name is taken, or there
    /// is no room. Ask ``TopicTable/hasRoom(for:)`` first: a topic without room never makes a device accept
    /// all topics.
    ///
    /// - Parameter environment: the environment of the server.
    package mutating func declare(
        _ declared: DeclaredDevice, at now: Timestamp, in environment: GatewayConfiguration.Environment
    ) -> DeviceIndex? {
        var device = Device(
            topics: declared.topics.map { topics.intern($0) ?? .unlisted },
            isSandbox: declared.isSandbox ?? (environment != .production))
        device.name = declared.name
        device.isOnline = declared.isOnline
        device.allowsNotifications = declared.allowsNotifications
        device.savesPower = declared.savesPower
        device.registration = declared.registration.taken(at: now)
        device.rate = declared.rate
        return declare(device, declared.token)
    }
}

extension Scenario {
    /// Returns the time of the scenario's clock when it begins at a real time.
    package func start(at now: Timestamp) -> Timestamp {
        if case .manual(let start?) = clock { start } else { now }
    }
}
