// MARK: The JSON line

extension ConnectionReference {
    /// Reads the reference from an event.
    init(_ line: RecordedLine) throws(JSONText.Mistake) {
        number = try line.member("connection").countIfAny()
        for member in line.members where member.key == "connectionID" { id = try member.count() }
        guard key > 0 else { throw line.missing("connectionID") }
    }
}

extension ConnectionEnd {
    fileprivate init(closedBy: ClosedBy?, explanation: String?, teamID: String?) {
        (self.closedBy, self.explanation, self.teamID) = (closedBy, explanation, teamID)
    }

    /// The numbers, in the order of both forms.
    fileprivate static var numbers: [(name: String, field: WritableKeyPath<Self, Int>)] {
        [
            ("providerTokens", \.providerTokens), ("requests", \.requests),
            ("settingsSent", \.counters.settingsSent), ("settingsReceived", \.counters.settingsReceived),
            ("inFlight", \.counters.inFlight), ("resetsSent", \.counters.resetsSent),
            ("resetsReceived", \.counters.resetsReceived), ("pings", \.counters.pings),
            ("goAwaysSent", \.counters.goAwaysSent), ("bytesReceived", \.counters.bytesReceived),
            ("bytesSent", \.counters.bytesSent),
        ]
    }
}

extension ConnectionEvent: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("connection", connection.number)
        line.appendMember("connectionID", connection.id)
        switch change {
        case .opened(let facts):
            line.appendMember("state", "opened")
            facts.appendMembers(to: &line)
        case .closed(let end):
            line.appendMember("state", "closed")
            end.appendMembers(to: &line)
        }
    }

    /// Fails for a state that only a later version knows.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        connection = try ConnectionReference(line)
        time = try line.time
        switch try line.text("state") {
        case "opened":
            _ = try line.member("time")
            change = .opened(try ConnectionFacts(line))
        case "closed": change = .closed(try ConnectionEnd(line))
        default: return nil
        }
    }
}

extension ConnectionFacts {
    fileprivate func appendMembers(to line: inout [UInt8]) {
        line.appendMember("remoteAddress", remoteAddress)
        line.appendMember("tlsVersion", tlsVersion)
        line.appendMember("cipher", cipher)
        line.appendMember("alpn", alpn)
        line.appendMember("serverName", serverName)
        line.appendKey("clientCertificate")
        guard let certificate = clientCertificate else { return line.append(contentsOf: "null".utf8) }
        line.append(contentsOf: #"{"subject":"#.utf8)
        line.appendJSON(certificate.subject)
        line.appendMember("serial", certificate.serial)
        line.appendKey("topics")
        line.appendList(certificate.topics.names) { $0.appendJSON($1) }
        line.appendKey("environments")
        line.appendList(certificate.environments) { $0.appendJSON($1) }
        line.append(UInt8(ascii: "}"))
    }

    fileprivate init(_ line: RecordedLine) throws(JSONText.Mistake) {
        self.init(
            remoteAddress: try line.textIfAny("remoteAddress") ?? "", tlsVersion: try line.textIfAny("tlsVersion"),
            cipher: try line.textIfAny("cipher"), alpn: try line.textIfAny("alpn"),
            serverName: try line.textIfAny("serverName"))
        guard let certificate = line.memberIfAny("clientCertificate")?.value, certificate.object != nil else { return }
        func texts(_ key: String) -> [String] { certificate[key]?.array?.compactMap(\.string) ?? [] }
        let environments = texts("environments")
        clientCertificate = ClientCertificate(
            subject: certificate["subject"]?.string ?? "", serial: certificate["serial"]?.string ?? "",
            topics: TopicList(texts("topics")), isForSandbox: environments.contains("sandbox"),
            isForProduction: environments.contains("production"))
    }
}

extension ConnectionEnd {
    fileprivate func appendMembers(to line: inout [UInt8]) {
        line.appendMember("closedBy", closedBy?.name)
        line.appendMember("explanation", explanation)
        line.appendMember("teamID", teamID)
        for (name, field) in Self.numbers { line.appendMember(name, self[keyPath: field]) }
    }

    fileprivate init(_ line: RecordedLine) throws(JSONText.Mistake) {
        self.init(
            closedBy: try line.textIfAny("closedBy").flatMap { ClosedBy(rawValue: $0) },
            explanation: try line.textIfAny("explanation"), teamID: try line.textIfAny("teamID"))
        _ = try line.member("pings")
        for (name, field) in Self.numbers { self[keyPath: field] = try line.countIfAny(name) ?? 0 }
    }
}

// MARK: The frame

extension ConnectionEvent {
    private enum Kind: UInt8 {
        case opened, closed
    }

    func append(to frame: inout [UInt8], at time: Timestamp) {
        frame.appendSigned((self.time ?? time).milliseconds - time.milliseconds)
        frame.appendNumber(connection.id ?? 0)
        frame.appendNumber(ifAny: connection.number)
        switch change {
        case .opened(let facts):
            frame.append(Kind.opened.rawValue)
            facts.append(to: &frame)
        case .closed(let end):
            frame.append(Kind.closed.rawValue)
            end.append(to: &frame)
        }
    }

    init(_ frame: inout FrameInput, at time: Timestamp) throws(FrameMistake) {
        self.time = try frame.time(after: time.milliseconds)
        connection = ConnectionReference()
        connection.id = try frame.number(atMost: Int(UInt32.max))
        connection.number = try frame.numberIfAny(atMost: Int(UInt32.max))
        switch try frame.word() as Kind {
        case .opened: change = .opened(try ConnectionFacts(&frame))
        case .closed: change = .closed(try ConnectionEnd(&frame))
        }
    }
}

extension ConnectionFacts {
    fileprivate func append(to frame: inout [UInt8]) {
        for text in [remoteAddress, tlsVersion, cipher, alpn, serverName] { frame.appendText(text) }
        guard let certificate = clientCertificate else { return frame.append(0) }
        frame.append(
            1 | (certificate.isForSandbox ? 2 : 0) | (certificate.isForProduction ? 4 : 0)
                | (certificate.isPush ? 8 : 0))
        frame.appendText(certificate.subject)
        frame.appendText(certificate.serial)
        frame.appendNumber(certificate.topics.count)
        for topic in certificate.topics.names { frame.appendText(topic) }
    }

    fileprivate init(_ frame: inout FrameInput) throws(FrameMistake) {
        self.init(
            remoteAddress: try frame.textIfAny() ?? "", tlsVersion: try frame.textIfAny(),
            cipher: try frame.textIfAny(), alpn: try frame.textIfAny(), serverName: try frame.textIfAny())
        let flags: UInt8 = try frame.number(atMost: 15)
        guard flags > 0 else { return }
        let (subject, serial) = (try frame.textIfAny() ?? "", try frame.textIfAny() ?? "")
        let count: Int = try frame.number(atMost: 10_000)
        var topics: [String] = []
        for _ in 0..<count { topics.append(try frame.textIfAny() ?? "") }
        clientCertificate = ClientCertificate(
            subject: subject, serial: serial, topics: TopicList(topics), isForSandbox: flags & 2 != 0,
            isForProduction: flags & 4 != 0, isPush: flags & 8 != 0)
    }
}

extension ConnectionEnd {
    fileprivate func append(to frame: inout [UInt8]) {
        frame.appendNumber(ifAny: closedBy.flatMap { ClosedBy.allCases.firstIndex(of: $0) })
        frame.appendText(explanation)
        frame.appendText(teamID)
        for (_, field) in Self.numbers { frame.appendNumber(self[keyPath: field]) }
    }

    fileprivate init(_ frame: inout FrameInput) throws(FrameMistake) {
        let closedBy = try frame.numberIfAny(atMost: ClosedBy.allCases.count - 1)
        self.init(
            closedBy: closedBy.map { ClosedBy.allCases[$0] }, explanation: try frame.textIfAny(),
            teamID: try frame.textIfAny())
        for (_, field) in Self.numbers { self[keyPath: field] = try frame.number(atMost: 1 << 60) }
    }
}
