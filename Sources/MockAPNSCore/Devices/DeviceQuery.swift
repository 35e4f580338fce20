/// A question for devices: which, and which page of them.
package struct DeviceQuery: Sendable {
    /// What can be asked of a device.
    package enum Parameter: String, Sendable, CaseIterable {
        case name, topic, environment, online, registered, notifications, power, after, limit
    }

    /// How many devices an answer has unless told otherwise.
    package static let defaultLimit = 100
    /// How many it has at most.
    package static let maximumLimit = 1000

    /// The device of that name.
    package var name: String?
    /// One of its topics is that; a device for every topic has each.
    package var topic: String?
    /// It is one of the sandbox, or one of production.
    package var isSandbox: Bool?
    /// Whether it can be reached.
    package var isOnline: Bool?
    /// Whether its token stands for it now.
    package var isRegistered: Bool?
    /// Whether the user lets the app show notifications.
    package var allowsNotifications: Bool?
    /// Whether it spares its battery.
    package var savesPower: Bool?
    /// Only devices that come after that position; a page's ``DevicePage/next``.
    package var after = 0
    /// At most so many, 1 to 1000.
    package var limit = Self.defaultLimit

    /// A question for the first of all devices.
    package init() {}

    /// A question as the parameters of a URL have it.
    ///
    /// - Throws: for an unknown parameter, one that comes twice, and a value of the wrong type.
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
        throw QueryError(key: name, message: "\(name) is \"\(value.shortened)\"; it takes \(list).")
    }

    private static func number(_ name: String, _ value: String, in range: ClosedRange<Int>) throws(QueryError) -> Int {
        if let number = Int(value), range.contains(number) { return number }
        throw QueryError(
            key: name,
            message:
                "\(name) is \"\(value.shortened)\"; it takes a whole number from \(range.lowerBound) to \(range.upperBound)."
        )
    }

}

/// Devices that a ``DeviceQuery`` is about, as far as they were looked through.
package struct DevicePage: Sendable {
    /// The devices, in an order that has no meaning but stays; to be completed by ``DeviceView/complete(_:from:)``.
    package var devices: [DeviceView] = []
    /// Where the next page begins, ``DeviceQuery/after``; `nil` after the last device.
    package var next: Int?

    /// A page with nothing on it.
    package init() {}
}

extension Gateway {
    /// Goes on to look for devices where a page ends, so that many of them can be looked through in several pieces, each
    /// soon done. When the page has ``DeviceQuery/limit`` devices, or ``DevicePage/next`` is `nil`, it is complete.
    ///
    /// - Parameters:
    ///   - page: gets what is found; the first time it is empty and begins where the question says.
    ///   - now: the time by the scenario's clock.
    ///   - count: at most so many devices are looked at.
    package func look(for query: DeviceQuery, at now: Timestamp, count: Int = 1000, _ page: inout DevicePage) {
        // Position 1 is that after the device of number 0.
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
    /// Whether a device is one that was asked for.
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
