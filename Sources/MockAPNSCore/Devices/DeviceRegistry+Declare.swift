extension DeviceRegistry {
    /// Adds the devices of a scenario.
    mutating func declare(
        _ devices: [DeclaredDevice], at now: Timestamp, in environment: Environment
    ) {
        for device in devices { _ = declare(device, at: now, in: environment) }
    }

    /// Adds a declared device at a time of the scenario's clock. Returns `nil` if the token or name is taken, or there
    /// is no room. Ask ``TopicTable/hasRoom(for:)`` first: a topic without room never makes a device accept
    /// all topics.
    ///
    /// - Parameter environment: the environment of the server.
    package mutating func declare(
        _ declared: DeclaredDevice, at now: Timestamp, in environment: Environment
    ) -> DeviceIndex? {
        var device = declared.device(at: now, in: environment)
        device.topics = declared.topics.map { topics.intern($0) ?? .unlisted }
        return declare(device, declared.token)
    }
}

extension DeclaredDevice {
    /// Returns the device that is declared at a time of the scenario's clock, without its topics.
    func device(at now: Timestamp, in environment: Environment) -> Device {
        var device = Device(topics: [], isSandbox: isSandbox ?? (environment != .production))
        device.name = name
        device.isOnline = isOnline
        device.phone = phone
        device.savesPower = savesPower
        device.registration = registration.taken(at: now)
        device.rate = rate
        return device
    }
}

extension Scenario {
    /// Returns the time of the scenario's clock when it begins at a real time.
    package func start(at now: Timestamp) -> Timestamp {
        if case .manual(let start?) = clock { start } else { now }
    }
}
