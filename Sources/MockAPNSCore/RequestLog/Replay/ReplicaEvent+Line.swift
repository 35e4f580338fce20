// The events of a frame, read back from the log of the replica.

extension ReplicaEvent {
    /// Reads a line; fails for events that concern nobody else.
    ///
    /// - Parameter sequence: the latest request before it.
    init?(_ line: RecordedLine, after sequence: Int) throws(JSONText.Mistake) {
        let content: Content
        switch line.event {
        case "update":
            let update = try UpdateLine(line)
            let clock = if let clock = update.clock { clock } else { try line.time("time") }
            content = .update(sequence: update.sequence, update.change, clock: clock)
        case "connection":
            let reference = try ConnectionReference(line)
            switch try line.text("state") {
            case "opened": content = .opened(id: reference.key, try ConnectionFacts(line))
            case "closed": content = .closed(try ClosedConnection(line, id: reference.key))
            default: return nil
            }
        case "device": content = .device(try DeviceEvent(line))
        default: return nil
        }
        self.init(after: sequence, time: try line.time("time"), content)
    }
}

extension ConnectionFacts {
    fileprivate init(_ line: RecordedLine) throws(JSONText.Mistake) {
        self.init(
            remoteAddress: try line.textIfAny("remoteAddress") ?? "", tlsVersion: try line.textIfAny("tlsVersion"),
            cipher: try line.textIfAny("cipher"), alpn: try line.textIfAny("alpn"),
            serverName: try line.textIfAny("serverName"))
        guard let certificate = line.members.last(where: { $0.key == "clientCertificate" })?.value,
            certificate.object != nil
        else { return }
        func texts(_ key: String) -> [String] { certificate[key]?.array?.compactMap(\.string) ?? [] }
        let environments = texts("environments")
        clientCertificate = ClientCertificate(
            subject: certificate["subject"]?.string ?? "", serial: certificate["serial"]?.string ?? "",
            topics: TopicList(texts("topics")), isForSandbox: environments.contains("sandbox"),
            isForProduction: environments.contains("production"))
    }
}

extension ReplicaEvent.ClosedConnection {
    fileprivate init(_ line: RecordedLine, id: Int) throws(JSONText.Mistake) {
        self.init(
            id: id, closedBy: try line.textIfAny("closedBy").flatMap { ClosedBy(rawValue: $0) } ?? .server,
            explanation: try line.textIfAny("explanation"), teamID: try line.textIfAny("teamID"),
            counters: ConnectionCounters())
        for (name, field) in ConnectionCounters.members { counters[keyPath: field] = try line.countIfAny(name) ?? 0 }
    }
}

extension DeviceEvent {
    fileprivate init(_ line: RecordedLine) throws(JSONText.Mistake) {
        let change = try DeviceLine(line)
        var device = Device(topics: [])
        device.name = try line.textIfAny("device")
        device.isOnline = change.isOnline ?? true
        device.savesPower = try line.textIfAny("power") == "saving"
        for member in line.members {
            switch member.key {
            case "notifications": device.allowsNotifications = member.value.bool ?? true
            case "registered": device.registration = try Device.Registration(member)
            default: break
            }
        }
        self.init(
            state: change.state, clock: try line.time("clock"), token: change.token, device: device,
            dismissed: change.dismissed)
        isOfActivity = change.activity != nil
    }
}

extension Device.Registration {
    fileprivate init(_ member: JSONText.Member) throws(JSONText.Mistake) {
        func time(_ key: String) -> Timestamp? { member.value[key]?.string.flatMap { Timestamp($0) } }
        if let expired = time("expiredAt") {
            self = .expired(at: expired)
        } else if let removed = time("unregisteredAt") {
            let acceptFor = member.value["acceptFor"]?.string.flatMap { DurationText.milliseconds($0) }
            self = .unregistered(at: removed, acceptFor: acceptFor ?? 0)
        } else {
            guard member.value.bool == true else { throw member.mistake("true, or since when it is not") }
            self = .registered
        }
    }
}
