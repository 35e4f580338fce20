/// A query for devices: which, and which page of them.
package struct DeviceQuery: Sendable {
    /// The query parameters.
    package enum Parameter: String, Sendable, CaseIterable {
        case name, topic, environment, online, registered, notifications, power, after, limit
    }

    /// The default number of devices in a result.
    package static let defaultLimit = 100
    /// Maximum number of devices in a result.
    package static let maximumLimit = 1000

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
    /// Only devices after this position, from a page's ``DevicePage/next``.
    package var after = 0
    /// Maximum number of devices, 1 to 1000.
    package var limit = Self.defaultLimit

    /// Creates a query for the first page of all devices.
    package init() {}

    /// Creates a query from URL parameters.
    ///
    /// - Throws: for an unknown or repeated parameter, or a value of the wrong type.
    package init(parameters: [(name: String, value: String)]) throws(QueryError) {
        var seen: Set<String> = []
        for (name, value) in parameters {
            guard seen.insert(name).inserted else { throw QueryError(repeated: name) }
            guard let parameter = Parameter(rawValue: name) else {
                throw QueryError(unknown: name, known: Parameter.allCases.map(\.rawValue))
            }
            switch parameter {
            case .name: self.name = value
            case .topic: topic = value
            case .environment:
                isSandbox = try Self.choice(
                    name, value, [("sandbox", true), ("production", false), ("development", true)])
            case .online: isOnline = try Self.bool(name, value)
            case .registered: isRegistered = try Self.bool(name, value)
            case .notifications: allowsNotifications = try Self.bool(name, value)
            case .power: savesPower = try Self.choice(name, value, [("normal", false), ("saving", true)])
            case .after: after = try Self.number(name, value, in: 0...Int(UInt32.max))
            case .limit: limit = try Self.number(name, value, in: 1...Self.maximumLimit)
            }
        }
    }

    private static func bool(_ name: String, _ value: String) throws(QueryError) -> Bool {
        try choice(name, value, [("true", true), ("false", false)])
    }

    private static func choice(
        _ name: String, _ value: String, _ words: [(word: String, meaning: Bool)]
    ) throws(QueryError) -> Bool {
        if let choice = words.first(where: { $0.word == value }) { return choice.meaning }
        let list = words.prefix(2).map { "\"\($0.word)\"" }.joined(separator: " or ")
        throw QueryError(key: name, message: "\(name) is \"\(value.shortened)\"; expected \(list).")
    }

    /// Reads a whole number within a range.
    static func number(_ name: String, _ value: String, in range: ClosedRange<Int>) throws(QueryError) -> Int {
        if let number = Int(value), range.contains(number) { return number }
        throw QueryError(
            key: name,
            message:
                "\(name) is \"\(value.shortened)\"; expected a whole number from \(range.lowerBound) to \(range.upperBound)."
        )
    }

}

/// The devices found for a ``DeviceQuery`` so far.
package struct DevicePage: Sendable {
    /// The devices, in an arbitrary but stable order; complete them with ``DeviceView/complete(_:from:)``.
    package var devices: [DeviceView] = []
    /// The start of the next page, for ``DeviceQuery/after``; `nil` after the last device.
    package var next: Int?

    /// Creates an empty page.
    package init() {}
}

extension Gateway {
    /// Continues a search where a page ends, so that many devices can be searched in several short steps. The page is
    /// complete when it has ``DeviceQuery/limit`` devices or ``DevicePage/next`` is `nil`.
    ///
    /// - Parameters:
    ///   - page: receives the devices found. Pass an empty page first; it starts where the query says.
    ///   - now: the time on the scenario's clock.
    ///   - count: the maximum number of devices to examine.
    package func look(for query: DeviceQuery, at now: Timestamp, count: Int = 1000, _ page: inout DevicePage) {
        // Position 1 is after device number 0.
        let after = page.next ?? query.after
        var device = devices.next(after: after == 0 ? nil : DeviceIndex(rawValue: UInt32(clamping: after - 1)))
        for _ in 0..<count {
            guard let known = device, page.devices.count < query.limit else { break }
            if query.isAbout(known, devices, at: now) { page.devices.append(view(of: known, at: now)) }
            page.next = Int(known.rawValue) + 1
            device = devices.next(after: known)
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
