extension DeviceRegistry {
    /// Takes in the devices of a scenario.
    mutating func declare(
        _ devices: [DeclaredDevice], at now: Timestamp, in environment: GatewayConfiguration.Environment
    ) {
        for device in devices { _ = declare(device, at: now, in: environment) }
    }

    /// Takes in a device as it is declared at a time of the scenario's clock. `nil` when there is one of that token or
    /// name, or no room for more.
    ///
    /// - Parameter environment: the one that is played.
    package mutating func declare(
        _ declared: DeclaredDevice, at now: Timestamp, in environment: GatewayConfiguration.Environment
    ) -> DeviceIndex? {
        var device = Device(
            topics: declared.topics.compactMap { topics.intern($0) },
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
    /// Where its clock stands when it begins at a real time.
    package func start(at now: Timestamp) -> Timestamp {
        if case .manual(let start?) = clock { start } else { now }
    }
}
