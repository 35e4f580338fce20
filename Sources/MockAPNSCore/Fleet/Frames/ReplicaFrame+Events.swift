// The events of a frame.

extension ReplicaEvent {
    private enum Kind: UInt8 {
        case update, opened, closed, device
    }

    func append(to output: inout [UInt8], relativeTo frame: ReplicaFrame) {
        output.appendSigned(Int64(after - frame.firstSequence))
        output.appendSigned(time.milliseconds - frame.madeAt.milliseconds)
        switch content {
        case .update(let sequence, let update, let clock):
            output.append(Kind.update.rawValue)
            output.appendNumber(sequence)
            output.appendSigned(clock.milliseconds - time.milliseconds)
            output.append(update.delivery.map { $0.rawValue + 1 } ?? 0)
            output.append(update.outcome.map { $0.rawValue + 1 } ?? 0)
            output.appendNumber(update.replacedBy ?? 0)
            output.appendNumber(update.resetCode.map { UInt64($0) + 1 } ?? 0)
            output.appendNumber(update.latencyMicroseconds.map { UInt64($0) + 1 } ?? 0)
            output.appendNumber(update.delivered ?? 0)
            output.appendText(update.explanation.map { String(decoding: $0, as: UTF8.self) })
        case .opened(let id, let facts):
            output.append(Kind.opened.rawValue)
            output.appendNumber(id)
            facts.append(to: &output)
        case .closed(let connection):
            output.append(Kind.closed.rawValue)
            output.appendNumber(connection.id)
            output.append(UInt8(ClosedBy.allCases.firstIndex(of: connection.closedBy) ?? 0))
            output.appendText(connection.explanation)
            output.appendText(connection.teamID)
            for field in ConnectionCounters.fields { output.appendNumber(connection.counters[keyPath: field]) }
        case .device(let event):
            output.append(Kind.device.rawValue)
            event.append(to: &output, at: time)
        }
    }

    init(_ input: inout FrameInput, relativeTo frame: ReplicaFrame) throws(ReplicaFrame.Mistake) {
        let (after, isBeyond) = frame.firstSequence.addingReportingOverflow(Int(try input.signed()))
        try input.expect(!isBeyond && 0..<1 << 53 ~= after, "an event after request \(after)")
        self.after = after
        time = try input.time(after: frame.madeAt.milliseconds)
        switch try input.word() as Kind {
        case .update:
            let sequence: Int = try input.number(atMost: 1 << 52)
            let clock = try input.time(after: time.milliseconds)
            var update = RequestUpdate(delivery: try input.wordIfAny(), outcome: try input.wordIfAny())
            let replacedBy: Int = try input.number(atMost: 1 << 52)
            if replacedBy > 0 { update.replacedBy = replacedBy }
            let resetCode: UInt64 = try input.number(atMost: UInt64(UInt32.max) + 1)
            if resetCode > 0 { update.resetCode = UInt32(resetCode - 1) }
            let latency: UInt64 = try input.number(atMost: UInt64(UInt32.max) + 1)
            if latency > 0 { update.latencyMicroseconds = UInt32(latency - 1) }
            let delivered: Int = try input.number(atMost: 1 << 52)
            if delivered > 0 { update.delivered = delivered }
            update.explanation = try input.textIfAny().map { Array($0.utf8) }
            content = .update(sequence: sequence, update, clock: clock)
        case .opened: content = .opened(id: try input.number(atMost: Int(UInt32.max)), try ConnectionFacts(&input))
        case .closed:
            let id: Int = try input.number(atMost: Int(UInt32.max))
            let closedBy: Int = try input.number(atMost: ClosedBy.allCases.count - 1)
            var connection = ClosedConnection(
                id: id, closedBy: ClosedBy.allCases[closedBy], explanation: try input.textIfAny(),
                teamID: try input.textIfAny(), counters: ConnectionCounters())
            for field in ConnectionCounters.fields {
                connection.counters[keyPath: field] = try input.number(atMost: 1 << 60)
            }
            content = .closed(connection)
        case .device: content = .device(try DeviceEvent(&input, at: time))
        }
    }
}

extension ConnectionCounters {
    /// The counters in the order of a frame.
    fileprivate static var fields: [WritableKeyPath<Self, Int>] {
        [
            \.inFlight, \.resetsSent, \.resetsReceived, \.pings, \.goAwaysSent, \.settingsSent, \.settingsReceived,
            \.bytesReceived, \.bytesSent,
        ]
    }
}

extension ConnectionFacts {
    fileprivate func append(to output: inout [UInt8]) {
        for text in [remoteAddress, tlsVersion, cipher, alpn, serverName] { output.appendText(text) }
        guard let certificate = clientCertificate else { return output.append(0) }
        output.append(
            1 | (certificate.isForSandbox ? 2 : 0) | (certificate.isForProduction ? 4 : 0)
                | (certificate.isPush ? 8 : 0))
        output.appendText(certificate.subject)
        output.appendText(certificate.serial)
        output.appendNumber(certificate.topics.count)
        for topic in certificate.topics.names { output.appendText(topic) }
    }

    fileprivate init(_ input: inout FrameInput) throws(ReplicaFrame.Mistake) {
        self.init(
            remoteAddress: try input.textIfAny() ?? "", tlsVersion: try input.textIfAny(),
            cipher: try input.textIfAny(), alpn: try input.textIfAny(), serverName: try input.textIfAny())
        let flags: UInt8 = try input.number(atMost: 15)
        guard flags > 0 else { return }
        let (subject, serial) = (try input.textIfAny() ?? "", try input.textIfAny() ?? "")
        let count: Int = try input.number(atMost: 10_000)
        var topics: [String] = []
        for _ in 0..<count { topics.append(try input.textIfAny() ?? "") }
        clientCertificate = ClientCertificate(
            subject: subject, serial: serial, topics: TopicList(topics), isForSandbox: flags & 2 != 0,
            isForProduction: flags & 4 != 0, isPush: flags & 8 != 0)
    }
}

extension DeviceEvent {
    private static let states: [State] = [.declared, .changed, .removed]

    fileprivate func append(to output: inout [UInt8], at time: Timestamp) {
        output.append(UInt8(Self.states.firstIndex(of: state) ?? 0))
        output.appendSigned(clock.milliseconds - time.milliseconds)
        output.appendText(token.hex)
        output.appendText(device.name)
        output.append(
            (device.isSandbox ? 1 : 0) | (device.isOnline ? 2 : 0) | (device.allowsNotifications ? 4 : 0)
                | (device.savesPower ? 8 : 0) | (isOfActivity ? 16 : 0))
        switch device.registration {
        case .registered: output.append(0)
        case .unregistered(let since, let acceptFor):
            output.append(1)
            output.appendSigned(since.milliseconds - time.milliseconds)
            output.appendNumber(max(0, acceptFor))
        case .expired(let since):
            output.append(2)
            output.appendSigned(since.milliseconds - time.milliseconds)
        }
        output.appendNumber(dismissed ?? 0)
    }

    fileprivate init(_ input: inout FrameInput, at time: Timestamp) throws(ReplicaFrame.Mistake) {
        let state: Int = try input.number(atMost: Self.states.count - 1)
        let clock = try input.time(after: time.milliseconds)
        guard let token = DeviceToken(hex: try input.textIfAny() ?? "") else {
            throw input.mistake("a device token is malformed")
        }
        var device = Device(topics: [])
        device.name = try input.textIfAny()
        let flags: UInt8 = try input.number(atMost: 31)
        device.isSandbox = flags & 1 != 0
        device.isOnline = flags & 2 != 0
        device.allowsNotifications = flags & 4 != 0
        device.savesPower = flags & 8 != 0
        switch try input.byte() {
        case 0: break
        case 1:
            let since = try input.time(after: time.milliseconds)
            device.registration = .unregistered(at: since, acceptFor: try input.number(atMost: 1 << 60))
        case 2: device.registration = .expired(at: try input.time(after: time.milliseconds))
        default: throw input.mistake("a registration is unknown")
        }
        let dismissed: Int = try input.number(atMost: 1 << 52)
        self.init(
            state: Self.states[state], clock: clock, token: token, device: device,
            dismissed: dismissed == 0 ? nil : dismissed)
        isOfActivity = flags & 16 != 0
    }
}
