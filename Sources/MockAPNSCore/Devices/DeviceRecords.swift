/// The stored form of a device: flat and small, because there may be a million.
struct DeviceRecord: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8

        static let inUse = Self(rawValue: 1)
        static let online = Self(rawValue: 2)
        static let notifications = Self(rawValue: 4)
        static let savesPower = Self(rawValue: 8)
        static let sandbox = Self(rawValue: 16)
        static let selfRegistered = Self(rawValue: 32)
        static let holding = Self(rawValue: 64)
        /// The details may refuse a push: the device is not simply registered, or has a rate limit.
        static let restricted = Self(rawValue: 128)
        /// All flags that affect how pushes are handled.
        static let treatment: Self = [inUse, online, notifications, savesPower, selfRegistered, holding, restricted]
    }

    static let none = UInt32.max
    static let noTopic = UInt16.max

    /// The first 32 bytes of the token.
    var head = DeviceToken.Head(a: 0, b: 0, c: 0, d: 0)
    var received: UInt32 = 0
    /// The neighbors in the order of the last push; `older` also links the free records.
    var older = none
    var newer = none
    /// The slot of the rest of a longer token.
    var tail = none
    /// The slot of data that few devices have.
    var details = none
    var topic = noTopic
    var tokenCount: UInt8 = 0
    var storedFlags: UInt8 = 0

    /// The flags without ``Flags/inUse``, which the records manage themselves.
    var flags: Flags {
        get { Flags(rawValue: storedFlags) }
        set { storedFlags = newValue.rawValue | Flags.inUse.rawValue }
    }
}

/// Data that few devices have.
struct DeviceDetails: Sendable {
    /// UTF-8, as written to records.
    var name: [UInt8]?
    /// The second and further topics.
    var moreTopics: [TopicIndex] = []
    var registration = Device.Registration.registered
    var rate: PushRate?
    /// `nil` if it differs from other devices at most by ``DeviceRecord/Flags/notifications``.
    var phone: Phone?

    var isEmpty: Bool {
        name == nil && moreTopics.isEmpty && registration == .registered && rate == nil && phone == nil
    }
}

/// The records of all devices, in chunks of a thousand, so that growing neither copies them nor leaves half of the
/// memory unused.
struct DeviceRecords: ~Copyable, Sendable {
    /// Devices in the order of their last push.
    struct Queue: Sendable {
        var oldest: DeviceIndex?
        var newest: DeviceIndex?
    }

    private static let pieceBits: UInt32 = 10
    private static let pieceLength = 1 << Int(pieceBits)

    private var pieces: [[DeviceRecord]] = []
    private var count: UInt32 = 0
    private var free = DeviceRecord.none
    private var tails = SlotPool(empty: DeviceToken.Tail())
    private var details = SlotPool(empty: DeviceDetails())

    subscript(device: DeviceIndex) -> DeviceRecord {
        @inline(__always) _read {
            yield pieces[Int(device.rawValue >> Self.pieceBits)][Int(device.rawValue) & (Self.pieceLength - 1)]
        }
        @inline(__always) _modify {
            yield &pieces[Int(device.rawValue >> Self.pieceBits)][Int(device.rawValue) & (Self.pieceLength - 1)]
        }
    }

    /// Creates a record for this token, otherwise empty.
    mutating func insert(_ token: DeviceToken) -> DeviceIndex {
        let device: DeviceIndex
        if free == DeviceRecord.none {
            if Int(count) % Self.pieceLength == 0 {
                pieces.append([DeviceRecord](repeating: DeviceRecord(), count: Self.pieceLength))
            }
            device = DeviceIndex(rawValue: count)
            count += 1
        } else {
            device = DeviceIndex(rawValue: free)
            free = self[device].older
        }
        var record = DeviceRecord()
        record.head = token.head
        record.tokenCount = UInt8(token.count)
        if token.count > 32 { record.tail = tails.insert(token.tail) }
        record.flags = []
        self[device] = record
        return device
    }

    mutating func remove(_ device: DeviceIndex) {
        let record = self[device]
        if record.tail != DeviceRecord.none { tails.remove(record.tail) }
        if record.details != DeviceRecord.none { details.remove(record.details) }
        self[device] = DeviceRecord()
        self[device].older = free
        free = device.rawValue
    }

    func token(of device: DeviceIndex) -> DeviceToken {
        let record = self[device]
        let tail = record.tail == DeviceRecord.none ? DeviceToken.Tail() : tails[record.tail]
        return DeviceToken(head: record.head, tail: tail, count: Int(record.tokenCount))
    }

    @inline(__always)
    func isToken(_ token: DeviceToken, of device: DeviceIndex) -> Bool {
        let record = self[device]
        guard record.head == token.head, Int(record.tokenCount) == token.count else { return false }
        return record.tail == DeviceRecord.none || tails[record.tail] == token.tail
    }

    func next(after device: DeviceIndex?) -> DeviceIndex? {
        var slot = device.map { $0.rawValue + 1 } ?? 0
        while slot < count {
            let next = DeviceIndex(rawValue: slot)
            if self[next].storedFlags != 0 { return next }
            slot += 1
        }
        return nil
    }

    /// Counts a push; returns whether the device registered itself.
    @inline(__always)
    mutating func countPush(to device: DeviceIndex) -> Bool {
        let piece = Int(device.rawValue >> Self.pieceBits)
        let slot = Int(device.rawValue) & (Self.pieceLength - 1)
        let received = pieces[piece][slot].received
        pieces[piece][slot].received = received == .max ? received : received + 1
        return pieces[piece][slot].flags.contains(.selfRegistered)
    }
}

// MARK: State of a device

extension DeviceRecords {
    func details(of device: DeviceIndex) -> DeviceDetails? {
        let slot = self[device].details
        return slot == DeviceRecord.none ? nil : details[slot]
    }

    @inline(__always)
    package func name(of device: DeviceIndex) -> [UInt8]? {
        let slot = self[device].details
        return slot == DeviceRecord.none ? nil : details[slot].name
    }

    /// The phone of a device, unless it is as any other.
    func phone(of device: DeviceIndex) -> Phone? {
        let slot = self[device].details
        return slot == DeviceRecord.none ? nil : details[slot].phone
    }

    func registration(of device: DeviceIndex) -> Device.Registration {
        let slot = self[device].details
        return slot == DeviceRecord.none ? .registered : details[slot].registration
    }

    func device(_ index: DeviceIndex) -> Device {
        let record = self[index]
        let details = details(of: index)
        var topics = details?.moreTopics ?? []
        if record.topic != DeviceRecord.noTopic { topics.insert(TopicIndex(rawValue: record.topic), at: 0) }
        var device = Device(topics: topics, isSandbox: record.flags.contains(.sandbox))
        device.isOnline = record.flags.contains(.online)
        device.allowsNotifications = record.flags.contains(.notifications)
        device.savesPower = record.flags.contains(.savesPower)
        device.received = Int(record.received)
        device.registeredItself = record.flags.contains(.selfRegistered)
        if let details {
            device.registration = details.registration
            device.name = details.name.map { String(decoding: $0, as: UTF8.self) }
            device.rate = details.rate
            if let phone = details.phone { device.phone = phone }
        }
        return device
    }

    mutating func update(_ index: DeviceIndex, with device: Device) {
        var flags = self[index].flags.intersection([.selfRegistered, .holding])
        if device.isOnline { flags.insert(.online) }
        if device.allowsNotifications { flags.insert(.notifications) }
        if device.savesPower { flags.insert(.savesPower) }
        if device.isSandbox { flags.insert(.sandbox) }
        if device.registration != .registered || device.rate != nil { flags.insert(.restricted) }
        self[index].flags = flags
        self[index].topic = device.topics.first?.rawValue ?? DeviceRecord.noTopic
        let rare = DeviceDetails(
            name: device.name.map { Array($0.utf8) }, moreTopics: Array(device.topics.dropFirst()),
            registration: device.registration, rate: device.rate, phone: device.phone.isOrdinary ? nil : device.phone)
        let slot = self[index].details
        if rare.isEmpty {
            if slot != DeviceRecord.none { details.remove(slot) }
            self[index].details = DeviceRecord.none
        } else if slot == DeviceRecord.none {
            self[index].details = details.insert(rare)
        } else {
            details[slot] = rare
        }
    }

    @inline(__always)
    func accepts(_ topic: UInt16, _ device: DeviceIndex) -> Bool {
        let record = self[device]
        if record.topic == topic || record.topic == DeviceRecord.noTopic { return true }
        return record.details != DeviceRecord.none
            && details[record.details].moreTopics.contains { $0.rawValue == topic }
    }

    mutating func admitPush(to device: DeviceIndex, at now: Timestamp) -> Bool {
        let slot = self[device].details
        guard slot != DeviceRecord.none else { return true }
        return details[slot].rate?.admit(at: now) ?? true
    }
}

// MARK: Order by last push

extension DeviceRecords {
    mutating func append(_ device: DeviceIndex, to queue: inout Queue) {
        self[device].older = queue.newest?.rawValue ?? DeviceRecord.none
        self[device].newer = DeviceRecord.none
        if let newest = queue.newest { self[newest].newer = device.rawValue } else { queue.oldest = device }
        queue.newest = device
    }

    mutating func unlink(_ device: DeviceIndex, from queue: inout Queue) {
        let older = self[device].older
        let newer = self[device].newer
        if older == DeviceRecord.none {
            queue.oldest = newer == DeviceRecord.none ? nil : DeviceIndex(rawValue: newer)
        } else {
            self[DeviceIndex(rawValue: older)].newer = newer
        }
        if newer == DeviceRecord.none {
            queue.newest = older == DeviceRecord.none ? nil : DeviceIndex(rawValue: older)
        } else {
            self[DeviceIndex(rawValue: newer)].older = older
        }
    }

    func all(in queue: Queue) -> [DeviceIndex] {
        var all: [DeviceIndex] = []
        var next = queue.oldest
        while let device = next {
            all.append(device)
            let newer = self[device].newer
            next = newer == DeviceRecord.none ? nil : DeviceIndex(rawValue: newer)
        }
        return all
    }
}
