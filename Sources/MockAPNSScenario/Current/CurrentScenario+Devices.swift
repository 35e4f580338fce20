package import MockAPNSCore

// The current devices of a scenario, written as declared except for what has changed.

extension CurrentScenario {
    /// A declared device in its current state.
    package struct KnownDevice: Sendable {
        var token: DeviceToken
        var device: Device
        var topics: [String]
    }

    /// Returns a device declaration: the one in the scenario, except for what has changed.
    func declaration(of known: KnownDevice) -> String {
        if let index = declarations[known.token], let json = value["devices"]?[index],
            known.isDeclared(by: scenario.devices[index], in: environment)
        {
            return changed(json, scenario.devices[index], known.device)
        }
        var members = known.identity(in: environment)
        members += Self.states.compactMap { state(of: $0, known.device, as: nil) }
        return "{\(members.joined(separator: ", "))}"
    }

    private static let states = [
        "online", "registered", "notifications", "platform", "app", "apps", "budgets", "power",
    ]

    private func changed(_ json: JSONText.Value, _ declared: DeclaredDevice, _ device: Device) -> String {
        var members: [String] = []
        var hasChanged = false
        if json["token"] == nil {
            // Among other devices, another one might be drawn.
            members.append("\"token\": \"\(declared.token.hex)\"")
            hasChanged = true
        }
        for member in json.object ?? [] {
            let end = JSONText.range(of: member.value, in: text).upperBound
            let written = slice(member.keyOffset..<end)
            guard Self.states.contains(member.key) else {
                members.append(written)
                continue
            }
            let state = state(of: member.key, device, as: (declared, written))
            if state != written { hasChanged = true }
            if let state { members.append(state) }
        }
        for key in Self.states where json[key] == nil {
            guard let state = state(of: key, device, as: nil) else { continue }
            members.append(state)
            hasChanged = true
        }
        return hasChanged
            ? "{\(members.joined(separator: ", "))}" : slice(JSONText.range(of: json, in: text))
    }

    /// Returns the member for a state, as originally written if that means the same; `nil` if none is needed.
    private func state(
        of key: String, _ device: Device, as written: (device: DeclaredDevice, text: String)?
    ) -> String? {
        switch key {
        case "online":
            if device.isOnline == written?.device.isOnline { return written?.text }
            return device.isOnline ? nil : #""online": false"#
        case "notifications", "platform", "app", "apps", "budgets":
            let member = device.phone.member(key)
            if let written, written.device.phone.member(key)?.text == member?.text { return written.text }
            return member.map { "\"\(key)\": \($0.text)" }
        case "power":
            if device.savesPower == written?.device.savesPower { return written?.text }
            return device.savesPower ? #""power": "saving""# : nil
        default:
            if let written, written.device.registration.means(device.registration) { return written.text }
            return registration(device.registration).map { "\"registered\": \($0)" }
        }
    }

    /// Returns the text of a registration. If the scenario begins at a fixed time, past events are moved to that time
    /// at the latest.
    private func registration(_ registration: Device.Registration) -> String? {
        var start: Timestamp?
        if case .manual(let time?) = scenario.clock { start = time }
        func told(_ time: Timestamp) -> Timestamp {
            if let start, time > start, time <= now { start } else { time }
        }
        switch registration {
        case .registered: return nil
        case .expired(let time): return #"{"expiredAt": "\#(told(time).text)"}"#
        case .unregistered(let time, let acceptFor):
            // The rest of the time in which pushes are accepted.
            let passed = max(0, told(time) == time ? 0 : now.milliseconds - time.milliseconds)
            let left = max(0, acceptFor - passed)
            let accepts = left > 0 ? #", "acceptFor": "\#(DurationText.text(left))""# : ""
            return #"{"unregisteredAt": "\#(told(time).text)"\#(accepts)}"#
        }
    }
}

extension DeclaredDevice.Registration {
    /// Whether it is the registration of a device that has not changed since its declaration.
    fileprivate func means(_ registration: Device.Registration) -> Bool {
        switch (self, registration) {
        case (.unregistered(nil, let ours), .unregistered(_, let theirs)): ours == theirs
        default: taken(at: Timestamp(milliseconds: 0)) == registration
        }
    }
}

extension CurrentScenario.KnownDevice {
    /// Whether it is what the scenario declares, apart from its state.
    fileprivate func isDeclared(
        by declared: DeclaredDevice, in environment: Environment
    ) -> Bool {
        device.name == declared.name && topics == declared.topics && device.rate?.allowed == declared.rate?.allowed
            && device.rate?.per == declared.rate?.per
            && device.isSandbox == declared.isSandbox ?? (environment != .production)
    }

    /// Returns the members that never change.
    fileprivate func identity(in environment: Environment) -> [String] {
        func json(_ text: String) -> String {
            var json: [UInt8] = []
            json.appendJSON(text)
            return String(decoding: json, as: UTF8.self)
        }
        var members = device.name.map { ["\"name\": \(json($0))"] } ?? []
        members.append("\"token\": \"\(token.hex)\"")
        if topics.count == 1 { members.append("\"topic\": \(json(topics[0]))") }
        if topics.count > 1 { members.append("\"topics\": [\(topics.map(json).joined(separator: ", "))]") }
        if device.isSandbox != (environment != .production) {
            members.append("\"environment\": \"\(device.isSandbox ? "sandbox" : "production")\"")
        }
        if let rate = device.rate {
            members.append(#""rate": {"allowed": \#(rate.allowed), "per": "\#(DurationText.text(rate.per))"}"#)
        }
        return members
    }
}

extension Gateway {
    /// Returns some of the declared devices, and the position of the next ones; `nil` after the last.
    ///
    /// - Parameters:
    ///   - position: where to start, 0 for the first.
    ///   - count: the maximum number of devices to examine.
    package func declaredDevices(
        from position: Int, count: Int = 1000
    ) -> (devices: [CurrentScenario.KnownDevice], next: Int?) {
        var known: [CurrentScenario.KnownDevice] = []
        var last = position == 0 ? nil : DeviceIndex(rawValue: UInt32(clamping: position - 1))
        for _ in 0..<count {
            guard let index = state.devices.next(after: last) else { return (known, nil) }
            last = index
            let device = state.devices[index]
            guard !device.registeredItself else { continue }
            known.append(
                .init(token: state.devices.token(of: index), device: device, topics: state.devices.topics(of: index)))
        }
        return (known, last.map { Int($0.rawValue) + 1 })
    }
}
