/// A query for devices: which, and which page of them.
package struct DeviceQuery: PagedQuery {
    package enum Filter: String, Sendable, CaseIterable {
        case name, topic, environment, online, registered, notifications, power
    }

    /// The name of the device.
    package var name: String?
    /// A topic of the device; a device for every topic has all of them.
    package var topic: String?
    /// Whether the device belongs to the sandbox or to production.
    package var isSandbox: Bool?
    /// Whether the device is online.
    package var isOnline: Bool?
    /// Whether its token is valid now.
    package var isRegistered: Bool?
    /// Whether the user allows notifications of the app.
    package var allowsNotifications: Bool?
    /// Whether the device saves power.
    package var savesPower: Bool?
    package var page = PageRequest()

    package init() {}

    package mutating func select(by filter: Filter, _ parameter: QueryParameter) throws(QueryError) {
        switch filter {
        case .name: name = parameter.value
        case .topic: topic = parameter.value
        case .environment:
            isSandbox = try parameter.choice([("sandbox", true), ("production", false), ("development", true)])
        case .online: isOnline = try parameter.bool()
        case .registered: isRegistered = try parameter.bool()
        case .notifications: allowsNotifications = try parameter.bool()
        case .power: savesPower = try parameter.choice([("normal", false), ("saving", true)])
        }
    }
}

extension Gateway {
    /// Continues a search where a page ends, so that many devices can be searched in several short steps, until the page
    /// is complete (``Page/isComplete(_:)``).
    ///
    /// - Parameters:
    ///   - page: receives the devices, in an arbitrary but stable order; complete them with
    ///     ``DeviceView/complete(_:from:)``. Pass an empty page first; it starts where the query says.
    ///   - now: the time on the scenario's clock.
    ///   - count: the maximum number of devices to examine.
    package func look(for query: DeviceQuery, at now: Timestamp, count: Int = 1000, _ page: inout Page<DeviceView>) {
        // Position 1 is after device number 0.
        let after = min(page.next ?? query.page.after, Int(UInt32.max))
        var device = state.devices.next(after: after == 0 ? nil : DeviceIndex(rawValue: UInt32(after - 1)))
        for _ in 0..<count {
            guard let known = device, page.elements.count < query.page.limit else { break }
            if query.isAbout(known, state.devices, at: now) { page.elements.append(view(of: known, at: now)) }
            page.next = Int(known.rawValue) + 1
            device = state.devices.next(after: known)
        }
        if device == nil { page.next = nil }
    }
}

extension DeviceQuery {
    /// Returns whether a device matches the query.
    fileprivate func isAbout(_ index: DeviceIndex, _ devices: borrowing DeviceRegistry, at now: Timestamp) -> Bool {
        let device = devices[index]
        func agrees(_ value: Bool, with wanted: Bool?) -> Bool { wanted == nil || wanted == value }
        guard agrees(device.isOnline, with: isOnline), agrees(device.savesPower, with: savesPower),
            agrees(device.allowsNotifications, with: allowsNotifications), agrees(device.isSandbox, with: isSandbox),
            agrees(device.registration.status(at: now) == .registered, with: isRegistered),
            name == nil || name == device.name
        else { return false }
        guard let topic, !device.topics.isEmpty else { return true }
        for known in device.topics where devices.topics.text(known) == topic { return true }
        return false
    }
}
