import MockAPNSCore

/// The devices of a run: what is known of them, and which of their changes a scenario repeats.
struct RunDevices {
    private struct Known {
        /// The name in the scenario; `nil` if it cannot be named there.
        var name: String?
        /// The topic of a push to it that names none.
        var topic: String?
        var device = Device(topics: [])
        /// Whether the scenario has its token, and so may not have it again.
        var isDeclared = false
    }

    private var known: [DeviceToken: Known] = [:]
    private var names: Set<String> = []
    /// Whether answers say what is not known otherwise.
    private let infers: Bool

    init(of scenario: Scenario?) {
        infers = scenario == nil
        for declared in scenario?.devices ?? [] {
            known[declared.token] = Known(
                name: declared.name, topic: declared.topics.first, device: Device(as: declared), isDeclared: true)
            if let name = declared.name { names.insert(name) }
        }
    }

    // MARK: Pushes

    /// Returns the condition for pushes to the same device: its name, or else the token.
    func target(of subject: borrowing RecordSubject) -> ObjectText {
        var target = ObjectText()
        let hex = subject.text(.token).map { String(decoding: $0, as: UTF8.self) }
        if let hex, let name = DeviceToken(hex: hex).flatMap({ known[$0]?.name }) {
            target.add("device", name)
        } else {
            target.add("token", hex)
        }
        return target
    }

    /// Returns the topic that a push gets which names none.
    func topic(of subject: borrowing RecordSubject) -> String? {
        subject.deviceToken.flatMap { known[$0] }.flatMap { $0.name == nil ? nil : $0.topic }
    }

    /// Learns from the answer to a push what the device was like.
    mutating func take(_ subject: borrowing RecordSubject, before moment: RunMoment, into run: inout RunSteps) {
        guard infers, let token = subject.deviceToken else { return }
        let name = subject.text(.device).map { String(decoding: $0, as: UTF8.self) }
        var device = known[token]?.device ?? Device(topics: [])
        device.learn(from: subject)
        guard let before = known[token] else {
            guard name != nil || !device.isOrdinary else { return known[token] = Known() }
            return declare(token, device, named: name, at: moment, into: &run)
        }
        guard !before.device.hasState(of: device) else { return }
        change(token, to: device, at: moment, into: &run)
    }

    // MARK: Events

    mutating func take(_ event: DeviceEvent, at moment: RunMoment, into run: inout RunSteps) {
        let who = known[event.token]?.name ?? event.device.name ?? event.token.hex
        switch event.state {
        case .declared:
            if isDeclared(event.token) {
                return change(event.token, to: event.device, at: moment, into: &run)
            }
            declare(event.token, event.device, named: event.device.name, event.topics ?? [], at: moment, into: &run)
        case .changed: change(event.token, to: event.device, at: moment, into: &run)
        case .removed: run.note("That \(who) was removed is left out: a timeline cannot do it.")
        case .renewed:
            if !isDeclared(event.token) {
                let device = known[event.token]?.device ?? Device(topics: [])
                declare(event.token, device, named: event.device.name, at: moment, into: &run)
            }
            change(event.token, to: nil, at: moment, into: &run)
            guard let token = event.newToken, var device = known[event.token] else { return }
            known[event.token]?.name = nil
            device.device = event.device
            known[token] = device
            if device.name != nil { run.note("\(who) gets the same new token again only by the same \"seed\".") }
        }
    }

    mutating func take(_ event: ActivityEvent, at moment: RunMoment, into run: inout RunSteps) {
        let change = event.change
        var activity = ObjectText()
        activity.add("name", change.name)
        let which = change.name ?? change.token?.hex
        let (key, json, text): (String, String?, String)
        switch change.state {
        case .started where change.sequence == nil && change.channel != nil:
            activity.add("channel", change.channelName ?? change.channel)
            (key, json, text) = ("subscribe", activity.text, "starts a Live Activity on a channel")
        case .started where change.sequence == nil:
            activity.add("topic", change.app)
            (key, json, text) = ("startActivity", activity.text, "starts a Live Activity")
        case .ended where change.sequence == nil && !change.isByItself:
            (key, json, text) = ("endActivity", which.map(ObjectText.json), "ends a Live Activity")
        case .dismissed where !change.isByItself:
            (key, json, text) = ("dismissActivity", which.map(ObjectText.json), "dismisses a Live Activity")
        default: return
        }
        guard let json else { return }
        var members = ObjectText()
        members.add(key, json: json)
        act(on: event.device, members, text, at: moment, into: &run)
    }

    // MARK: Steps

    private func isDeclared(_ token: DeviceToken) -> Bool { known[token]?.isDeclared ?? false }

    /// Adds the declaration of a device.
    private mutating func declare(
        _ token: DeviceToken, _ device: Device, named name: String?, _ topics: [String] = [], at moment: RunMoment,
        into run: inout RunSteps
    ) {
        var number = names.count
        var given = name ?? "device-\(number + 1)"
        while names.contains(given) {
            number += 1
            given = "device-\(number + 1)"
        }
        names.insert(given)
        known[token] = Known(name: given, topic: topics.first, device: device, isDeclared: true)
        var declaration = ObjectText()
        declaration.add("name", given)
        declaration.add("token", token.hex)
        if !topics.isEmpty {
            declaration.add("topics", json: "[\(topics.map(ObjectText.json).joined(separator: ", "))]")
        }
        if !device.isSandbox { declaration.add("environment", "production") }
        for (key, json, _) in Device(topics: []).changes(to: device) { declaration.add(key, json: json) }
        run.add(.devices, declaration, "\(given) is declared", moment.sequence)
    }

    /// Adds the change of a device.
    ///
    /// - Parameter device: its state from then on; `nil` if it gets a new token.
    private mutating func change(
        _ token: DeviceToken, to device: Device?, at moment: RunMoment, into run: inout RunSteps
    ) {
        let before = known[token]?.device ?? Device(topics: [])
        if !isDeclared(token) { declare(token, before, named: device?.name, at: moment, into: &run) }
        var members = ObjectText()
        guard let device else {
            members.add("newToken", json: "true")
            return act(on: token, members, "gets a new token", at: moment, into: &run)
        }
        known[token]?.device = device
        let changes = before.changes(to: device)
        for (key, json, _) in changes { members.add(key, json: json) }
        if !members.isEmpty { act(on: token, members, list(changes.map(\.text), "and"), at: moment, into: &run) }
    }

    private mutating func act(
        on token: DeviceToken, _ members: ObjectText, _ text: String, at moment: RunMoment, into run: inout RunSteps
    ) {
        if !isDeclared(token) {
            declare(token, known[token]?.device ?? Device(topics: []), named: nil, at: moment, into: &run)
        }
        guard let name = known[token]?.name else {
            return run.note(
                "What happened to the device with the token \(token.hex) is left out: the scenario has no name for that token."
            )
        }
        var action = ObjectText()
        action.add("device", name)
        action.add(members)
        moment.add(action, "\(name) \(text)", to: &run)
    }
}

extension RecordSubject {
    /// The device token in the path, if it is one.
    var deviceToken: DeviceToken? {
        text(.token).flatMap { DeviceToken(hex: String(decoding: $0, as: UTF8.self)) }
    }
}

extension Device {
    fileprivate init(as declared: DeclaredDevice) {
        // Its topics and its environment never change.
        self.init(topics: [])
        (isOnline, savesPower, phone, name) = (declared.isOnline, declared.savesPower, declared.phone, declared.name)
        registration = declared.registration.taken(at: Timestamp(milliseconds: 0))
    }

    fileprivate var isOrdinary: Bool { hasState(of: Device(topics: [])) }

    fileprivate func hasState(of other: Device) -> Bool {
        (isOnline, savesPower) == (other.isOnline, other.savesPower) && phone == other.phone
            && registration.isSame(as: other.registration)
    }

    /// Learns from the answer to a push, and from what became of it.
    fileprivate mutating func learn(from subject: borrowing RecordSubject) {
        let record = subject.record
        switch (record.reason, record.decidedBy) {
        case (.unregistered, .device):
            if case .unregistered = registration { break }
            registration = .unregistered(at: record.clock, acceptFor: 0)
        case (.expiredToken, .device): registration = .expired(at: record.clock)
        default: break
        }
        switch subject.deliveries.first?.state {
        case .delivered:
            // While it saves power, it gets nothing but what has priority 10.
            (isOnline, savesPower, registration) = (true, savesPower && record.priority ?? 10 == 10, .registered)
        case .storedOffline: (isOnline, registration) = (false, .registered)
        case .storedPower: (isOnline, savesPower, registration) = (true, true, .registered)
        case .discardedDisabled: (allowsNotifications, registration) = (false, .registered)
        default: break
        }
    }

    /// Returns the members that change this state into another, and what happens, as the rest of a sentence.
    fileprivate func changes(to other: Device) -> [(key: String, json: String, text: String)] {
        var changes: [(key: String, json: String, text: String)] = []
        if isOnline != other.isOnline {
            changes.append(("online", "\(other.isOnline)", other.isOnline ? "comes online" : "goes offline"))
        }
        if !registration.isSame(as: other.registration) {
            let (json, text) = other.registration.change
            changes.append(("registered", json, text))
        }
        if savesPower != other.savesPower {
            let word = other.savesPower ? "saving" : "normal"
            changes.append(("power", "\"\(word)\"", other.savesPower ? "saves power" : "no longer saves power"))
        }
        guard let before = phone.members(isWhole: true), let after = other.phone.members(isWhole: true) else {
            return changes
        }
        for member in after.object ?? [] {
            guard let old = before[member.key], !old.means(member.value) else { continue }
            let text =
                switch member.value.bool {
                case false: "switches notifications off"
                case true: "switches notifications on"
                case nil: "changes \"\(member.key)\""
                }
            // What is no longer there is taken away by `null`.
            let gone = old.object?.filter { member.value[$0.key] == nil }
            var json = ObjectText()
            for kept in member.value.object ?? [] { json.add(kept.key, kept.value) }
            for lost in gone ?? [] { json.add(lost.key, json: "null") }
            changes.append((member.key, member.value.object == nil ? ObjectText.json(member.value) : json.text, text))
        }
        return changes
    }
}

extension Device.Registration {
    /// Whether pushes are answered in the same way, whenever that began.
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.registered, .registered), (.expired, .expired): true
        case (.unregistered(_, let ours), .unregistered(_, let theirs)): ours == theirs
        default: false
        }
    }

    /// The value that changes a registration into this one, and what happens, as the rest of a sentence.
    fileprivate var change: (json: String, text: String) {
        switch self {
        case .registered: ("true", "has the app again")
        case .unregistered(_, 0): ("false", "removes the app")
        case .unregistered(let time, let acceptFor):
            (
                #"{"unregisteredAt": "\#(time.text)", "acceptFor": "\#(DurationText.text(acceptFor))"}"#,
                "removes the app"
            )
        case .expired(let time): (#"{"expiredAt": "\#(time.text)"}"#, "has a token that has expired")
        }
    }
}
