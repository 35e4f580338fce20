/// The state of the service as far as it follows from its log: the devices, what APNs stores for them, and what they
/// display.
///
/// ``apply(_:after:)`` and ``apply(_:)`` are the only places where something that happened changes a device or a mailbox.
/// The live server, a fleet's collector and a recorded log are their callers: the first decides what happens, the others
/// are told.
struct ServiceState: ~Copyable, Sendable {
    /// Devices, both declared and registered by a push.
    var devices: DeviceRegistry
    /// Stored pushes, and what devices display.
    var mailboxes = MailboxStore()
    /// The tokens of the only devices that matter; `nil` if all do. Pushes to others register no device.
    var onlyDevices: Set<DeviceToken>?

    init(_ devices: consuming DeviceRegistry, only tokens: Set<DeviceToken>? = nil) {
        self.devices = devices
        onlyDevices = tokens
    }
}

// MARK: Pushes

/// A decided push as the state follows it: a view of its record, be it new or read back.
struct DecidedPush: ~Escapable {
    let record: RequestRecord
    /// Its sequence number; while all replicas of a fleet decide it, its number in the fleet's order if another has its
    /// record.
    let sequence: Int
    /// The latest request before it.
    var latest: Int
    /// The bytes that the record's ranges refer to.
    let fields: Span<UInt8>
    let payload: Span<UInt8>
    /// The topic, from the request or the certificate; empty for none.
    let topic: Span<UInt8>
    /// The environment of its connection.
    var isSandbox = true
    /// Whether another push has already replaced it.
    var isReplaced = false
    /// Its number in the order of a fleet; 0 for one that was decided without the others.
    var number = 0

    @_lifetime(copy fields, copy payload, copy topic)
    init(
        _ record: RequestRecord, as sequence: Int, fields: Span<UInt8>, payload: Span<UInt8>, topic: Span<UInt8>
    ) {
        self.record = record
        self.sequence = sequence
        latest = sequence - 1
        self.fields = fields
        self.payload = payload
        self.topic = topic
    }

    /// Creates the view of a record in the log.
    ///
    /// - Parameter bytes: the bytes of the record: its header fields, its body, and texts that were attached.
    @_lifetime(copy bytes)
    init(_ record: RequestRecord, as sequence: Int, in bytes: Span<UInt8>) {
        let body = Int(record.headerCount)..<Int(record.headerCount) + Int(record.bodyCount)
        self.init(
            record, as: sequence, fields: bytes, payload: bytes.extracting(body),
            topic: bytes.extracting(record.topic?.range ?? 0..<0))
    }

    /// Its device token.
    var token: DeviceToken? { record.token.flatMap { DeviceToken(hex: fields.extracting($0.range)) } }

    var collapseID: Span<UInt8> {
        @_lifetime(copy self)
        get { fields.extracting(record.collapseID?.range ?? 0..<0) }
    }

    /// What it may change on the screen.
    var screenPart: ScreenPart {
        guard let range = record.pushType else { return .notifications }
        return PushType(fields.extracting(range.range)).map { ScreenPart($0) } ?? .none
    }

    /// Whether it may start a Live Activity that listens to a broadcast channel.
    var mayStartActivity: Bool { screenPart == .liveActivities && payload.contains(LiveActivityPush.channelKey) }

    /// Whether it is stored. A record that is read back may already say that it was delivered from storage, before the
    /// event that says when.
    var isStored: Bool {
        guard let delivery = record.delivery, !isReplaced else { return false }
        return !delivery.isFinal || delivery == .deliveredFromStorage
    }
}

extension ServiceState {
    /// Follows a decided push: registers its device if it has none, counts the push, and stores or displays it.
    ///
    /// - Returns: the device that it is stored for; `nil` if it is not stored.
    @discardableResult
    mutating func apply(_ push: borrowing DecidedPush) -> DeviceIndex? {
        guard let delivery = push.record.delivery, let token = push.token,
            let device = devices.find(token) ?? register(token, by: push)
        else { return nil }
        if delivery == .delivered { devices.countPush(to: device) } else { devices.notePush(to: device) }
        if delivery == .delivered, devices.isUnattended(device), !push.mayStartActivity { return nil }
        let isStored = push.isStored
        guard isStored || delivery == .delivered && push.screenPart != .none else { return nil }
        let kept = KeptPush(push, topic: push.topic.isEmpty ? nil : devices.topics.intern(pushed: push.topic))
        if !isStored, mailboxes.show(kept, on: device) { return nil }
        openMailbox(of: device, after: push.latest)
        guard isStored else {
            mailboxes.show(kept, on: device)
            return nil
        }
        mailboxes.store(kept, for: device)
        return device
    }

    /// Registers a device that is pushed to for the first time; the one that was pushed to longest ago may go for it.
    private mutating func register(_ token: DeviceToken, by push: borrowing DecidedPush) -> DeviceIndex? {
        if let onlyDevices, !onlyDevices.contains(token) { return nil }
        let topic = push.topic.isEmpty ? nil : devices.topics.intern(pushed: push.topic) ?? .unlisted
        return register(token, topic: topic, isSandbox: push.isSandbox)
    }

    /// Registers a device.
    ///
    /// - Parameter topic: its only topic; `nil` makes it valid for all.
    mutating func register(_ token: DeviceToken, topic: TopicIndex?, isSandbox: Bool) -> DeviceIndex {
        if let oldest = devices.nextToGo { mailboxes.close(oldest) }
        return devices.register(token, topic: topic, isSandbox: isSandbox)
    }

    /// Creates a mailbox for a device without one. Until then, what a self-registered device displays is in the log.
    ///
    /// - Parameter latest: the latest request so far.
    mutating func openMailbox(of device: DeviceIndex, after latest: Int) {
        guard !mailboxes.hasMailbox(device) else { return }
        mailboxes.open(device, historyEnd: devices.isSelfRegistered(device) ? latest : 0)
        devices.setHoldsPushes(true, device)
    }
}

// MARK: Events

extension ServiceState {
    /// Follows an event.
    ///
    /// - Parameter latest: the latest request before it.
    /// - Returns: the push that it delivers to a device from storage, if any.
    @discardableResult
    mutating func apply(_ event: LogEvent, after latest: Int) -> KeptPush? {
        switch event {
        case .update(let event): return apply(event)
        case .device(let event): apply(event, after: latest)
        case .connection, .channel, .rule, .scenario, .clock, .reset, .fleet, .log: break
        }
        return nil
    }

    /// Follows what became of a stored push.
    private mutating func apply(_ event: UpdateEvent) -> KeptPush? {
        let change = event.change
        guard change.delivery != nil || change.replacedBy != nil,
            let device = mailboxes.device(storing: event.sequence)
        else { return nil }
        if let delivery = change.delivery, !delivery.isFinal, change.replacedBy == nil {
            mailboxes.setDelivery(delivery, of: event.sequence, for: device)
            return nil
        }
        guard var push = mailboxes.removeStored(event.sequence, for: device), let delivery = change.delivery,
            delivery.reachedDevice
        else { return nil }
        devices.countDelivery(to: device)
        (push.delivery, push.time) = (delivery, event.clock)
        mailboxes.show(push, on: device)
        return push
    }

    private mutating func apply(_ event: DeviceEvent, after latest: Int) {
        let known = devices.find(event.token)
        switch event.state {
        case .declared: declare(event, insteadOf: known, after: latest)
        case .changed:
            guard let known else { return declare(event, insteadOf: nil, after: latest) }
            if let activity = event.activity {
                // Other Live Activities are in its subscriptions.
                if activity.state == .started, devices.isSelfRegistered(known) {
                    openMailbox(of: known, after: latest)
                }
                return
            }
            openMailbox(of: known, after: latest)
            if let dismissed = event.dismissed { return mailboxes.dismiss(dismissed, on: known) }
            devices[known].isOnline = event.device.isOnline
            devices[known].allowsNotifications = event.device.allowsNotifications
            devices[known].savesPower = event.device.savesPower
            devices[known].registration = event.device.registration
        case .removed:
            guard let known else { return }
            mailboxes.close(known)
            devices.remove(known)
        }
    }

    /// Declares a device, unless one with its token is declared already, as another replica of a fleet may have said.
    ///
    /// - Parameter known: the device with its token, which may have registered itself.
    private mutating func declare(_ event: DeviceEvent, insteadOf known: DeviceIndex?, after latest: Int) {
        if let onlyDevices, !onlyDevices.contains(event.token) { return }
        var device = event.device
        device.topics = event.topics.map { devices.topics.intern($0) ?? .unlisted }
        guard let known else {
            _ = devices.declare(device, event.token)
            return
        }
        guard devices.isSelfRegistered(known) else { return }
        let received = devices.records[known].received
        mailboxes.close(known)
        devices.remove(known)
        guard let declared = devices.declare(device, event.token) else { return }
        devices.records[declared].received = received
        mailboxes.open(declared, historyEnd: latest)
    }
}
