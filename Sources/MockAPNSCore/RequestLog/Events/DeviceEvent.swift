/// The log event `device`: the state of a device after a change.
package struct DeviceEvent: Sendable {
    /// The kind of change.
    package enum State: String, Sendable, CaseIterable {
        /// The device was declared.
        case declared
        /// Some of its state changed.
        case changed
        /// The device was removed, or evicted to make room.
        case removed
        /// The device got a new token; the old one is unregistered from now on.
        case renewed
    }

    /// The kind of change.
    package var state: State
    /// The time on the scenario's clock.
    package var clock: Timestamp
    /// The device token; if it got a new one, the old one.
    package var token: DeviceToken
    /// The new token of a device that got one.
    package var newToken: DeviceToken?
    /// The device; if it was removed, its last state.
    package var device: Device
    /// The topics of a device that is declared: the only ones of its token, or none if it is valid for all. The log has only
    /// as many as fit in ``topicByteLimit`` bytes. `nil` for other changes, and in logs of earlier versions.
    package var topics: [String]?
    /// The push-to-start tokens of a device that is declared or got a new token, if its Live Activities have tokens of their own.
    package var startTokens: [StartToken] = []

    /// Maximum number of bytes of the topics in the log.
    static let topicByteLimit = 4096

    /// The event as it is logged, with as many topics as are allowed.
    var logged: Self {
        var (event, room) = (self, Self.topicByteLimit)
        event.topics = topics.map { topics in
            Array(
                topics.prefix { topic in
                    room -= max(1, topic.utf8.count)
                    return room >= 0
                })
        }
        guard event.topics?.count != topics?.count else { return event }
        let apps = Set(StartToken.apps(of: event.topics ?? []))
        event.startTokens = startTokens.filter { apps.contains($0.app) }
        return event
    }
}

// MARK: The JSON line

extension DeviceEvent: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("clock", clock)
        line.appendMember("device", device.name)
        line.append(contentsOf: #","token":""#.utf8)
        token.appendHex(to: &line)
        line.append(UInt8(ascii: "\""))
        line.appendMember("state", state.rawValue)
        if let newToken { line.appendMember("newToken", newToken.hex) }
        device.appendState(to: &line, isWhole: false)
        if let topics {
            line.appendMember("environment", device.isSandbox ? "sandbox" : "production")
            line.appendKey("topics")
            line.appendList(topics) { $0.appendJSON($1) }
        }
        if !startTokens.isEmpty {
            line.appendKey("pushToStartToken")
            startTokens.appendJSON(to: &line)
        }
    }

    init(_ line: RecordedLine) throws(JSONText.Mistake) {
        let member = try line.member("token")
        guard let token = DeviceToken(hex: try member.text()) else { throw member.mistake("a device token") }
        var device = Device(topics: [])
        device.name = try line.textIfAny("device")
        device.isSandbox = try line.textIfAny("environment") != "production"
        device.savesPower = try line.textIfAny("power") == "saving"
        device.phone = Phone { line.memberIfAny($0)?.value }
        if let isOnline = line.memberIfAny("online")?.value.bool { device.isOnline = isOnline }
        if let member = line.memberIfAny("registered") { device.registration = try Device.Registration(member) }
        self.init(
            state: State(rawValue: try line.text("state")) ?? .changed, clock: try line.clock, token: token,
            device: device)
        topics = line.memberIfAny("topics")?.value.array?.compactMap(\.string)
        newToken = try line.textIfAny("newToken").flatMap { DeviceToken(hex: $0) }
        startTokens = [StartToken](line.memberIfAny("pushToStartToken")?.value, topics ?? [])
    }
}

extension Device {
    /// Appends the state that can change, as members.
    ///
    /// - Parameter isWhole: whether to write of its phone what is as on any other, too.
    func appendState(to line: inout [UInt8], isWhole: Bool) {
        line.append(contentsOf: #","online":\#(isOnline),"registered":"#.utf8)
        registration.appendJSON(to: &line)
        phone.appendMembers(to: &line, isWhole: isWhole)
        line.appendMember("power", savesPower ? "saving" : "normal")
    }
}

extension Device.Registration {
    /// Appends the registration in the form scenario files use.
    func appendJSON(to line: inout [UInt8]) {
        switch self {
        case .registered: line.append(contentsOf: "true".utf8)
        case .unregistered(let time, let acceptFor):
            line.append(contentsOf: #"{"unregisteredAt":"#.utf8)
            line.appendJSON(time)
            if acceptFor > 0 { line.appendMember("acceptFor", DurationText.text(acceptFor)) }
            line.append(UInt8(ascii: "}"))
        case .expired(let time):
            line.append(contentsOf: #"{"expiredAt":"#.utf8)
            line.appendJSON(time)
            line.append(UInt8(ascii: "}"))
        }
    }

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

// MARK: The frame

extension DeviceEvent {
    func append(to frame: inout [UInt8], at time: Timestamp) {
        frame.append(UInt8(State.allCases.firstIndex(of: state) ?? 0))
        frame.appendSigned(clock.milliseconds - time.milliseconds)
        frame.appendText(token.hex)
        frame.appendText(device.name)
        frame.append(
            (device.isSandbox ? 1 : 0) | (device.isOnline ? 2 : 0) | (device.allowsNotifications ? 4 : 0)
                | (device.savesPower ? 8 : 0) | (device.phone.isOrdinary ? 0 : 16))
        if !device.phone.isOrdinary { device.phone.append(to: &frame) }
        device.registration.append(to: &frame, at: time)
        frame.appendNumber(ifAny: topics?.count)
        for topic in topics ?? [] { frame.appendText(topic) }
        frame.appendText(newToken?.hex)
        frame.appendNumber(startTokens.count)
        for start in startTokens {
            frame.appendText(start.app)
            frame.appendText(start.token.hex)
        }
    }

    init(_ frame: inout FrameInput, at time: Timestamp) throws(FrameMistake) {
        let state: Int = try frame.number(atMost: State.allCases.count - 1)
        let clock = try frame.time(after: time.milliseconds)
        guard let token = DeviceToken(hex: try frame.textIfAny() ?? "") else {
            throw frame.mistake("a device token is malformed")
        }
        var device = Device(topics: [])
        device.name = try frame.textIfAny()
        let flags: UInt8 = try frame.number(atMost: 31)
        device.isSandbox = flags & 1 != 0
        device.isOnline = flags & 2 != 0
        device.allowsNotifications = flags & 4 != 0
        if flags & 16 != 0 { device.phone = try Phone(&frame) }
        device.savesPower = flags & 8 != 0
        device.registration = try Device.Registration(&frame, at: time)
        self.init(state: State.allCases[state], clock: clock, token: token, device: device)
        if let count = try frame.numberIfAny(atMost: Self.topicByteLimit) {
            var texts: [String] = []
            for _ in 0..<count { texts.append(try frame.textIfAny() ?? "") }
            topics = texts
        }
        newToken = try frame.textIfAny().flatMap { DeviceToken(hex: $0) }
        for _ in 0..<(try frame.number(atMost: Self.topicByteLimit) as Int) {
            guard let app = try frame.textIfAny(), let token = DeviceToken(hex: try frame.textIfAny() ?? "") else {
                throw frame.mistake("a push-to-start token is malformed")
            }
            startTokens.append(StartToken(app: app, token: token))
        }
    }
}

extension Device.Registration {
    fileprivate func append(to frame: inout [UInt8], at time: Timestamp) {
        switch self {
        case .registered: frame.append(0)
        case .unregistered(let since, let acceptFor):
            frame.append(1)
            frame.appendSigned(since.milliseconds - time.milliseconds)
            frame.appendNumber(max(0, acceptFor))
        case .expired(let since):
            frame.append(2)
            frame.appendSigned(since.milliseconds - time.milliseconds)
        }
    }

    fileprivate init(_ frame: inout FrameInput, at time: Timestamp) throws(FrameMistake) {
        switch try frame.byte() {
        case 0: self = .registered
        case 1:
            let since = try frame.time(after: time.milliseconds)
            self = .unregistered(at: since, acceptFor: try frame.number(atMost: 1 << 60))
        case 2: self = .expired(at: try frame.time(after: time.milliseconds))
        default: throw frame.mistake("a registration is unknown")
        }
    }
}

extension Phone {
    /// Appends it as the members of a JSON object: it is rare, and its members are not counted.
    fileprivate func append(to frame: inout [UInt8]) {
        var members: [UInt8] = []
        appendMembers(to: &members, isWhole: false)
        frame.appendText(String(decoding: members.dropFirst(), as: UTF8.self))
    }

    fileprivate init(_ frame: inout FrameInput) throws(FrameMistake) {
        let text = try frame.textIfAny() ?? ""
        guard let members = try? JSONText.read(Array("{\(text)}".utf8), .recorded) else {
            throw frame.mistake("the phone of a device is malformed")
        }
        self.init { members[$0] }
    }
}
