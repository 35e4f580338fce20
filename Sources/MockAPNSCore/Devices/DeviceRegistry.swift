/// All devices, found by their tokens.
///
/// Devices are declared, by the scenario or the API, or register themselves with the first push to their token. There
/// are at most ``selfRegisteredLimit`` of the latter: one more replaces the one with the oldest last push, preferring
/// devices without stored or displayed pushes.
///
/// A self-registered device takes 56 bytes and its share of the index: some 65 bytes, and 72 more if its token is
/// longer than 32 bytes. The registry cannot be copied, so that a million devices are never copied by accident. Lookups
/// never allocate; registering allocates only to grow.
package struct DeviceRegistry: ~Copyable, Sendable {
    /// Maximum number of devices that register themselves.
    package static let selfRegisteredLimit = 1_000_000
    /// Maximum number of declared devices, so that the number of any device fits into 24 bits.
    package static let declaredLimit = 1 << 24 - 2 - selfRegisteredLimit

    /// The topics of the devices.
    package var topics: TopicTable
    /// The number of devices evicted to make room.
    package private(set) var evicted = 0
    /// The number of declared devices refused because there was no room.
    private(set) var refused = 0
    /// The number of devices that registered themselves.
    package private(set) var selfRegisteredCount = 0

    private let selfRegisteredLimit: Int
    private let declaredLimit: Int
    var records = DeviceRecords()
    private var index: DeviceTokenIndex
    private var names: [String: DeviceIndex] = [:] { didSet { namesVersion &+= 1 } }
    /// Changes whenever the meaning of a name changes.
    private(set) var namesVersion = 0
    /// The self-registered devices by their last push: those without stored or displayed pushes, and the others.
    private var idle = DeviceRecords.Queue()
    private var holding = DeviceRecords.Queue()

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - hashSeed: a number that clients cannot guess, so that none can choose tokens or topics that are slow to look
    ///     up.
    ///   - limit: the maximum number of self-registered devices, from 1 to ``selfRegisteredLimit``.
    ///   - declaredLimit: the maximum number of declared devices, at most ``declaredLimit``.
    package init(hashSeed: UInt64, limit: Int = selfRegisteredLimit, declaredLimit: Int = declaredLimit) {
        selfRegisteredLimit = max(1, min(limit, Self.selfRegisteredLimit))
        self.declaredLimit = declaredLimit
        topics = TopicTable(hashSeed: hashSeed)
        index = DeviceTokenIndex(key: HashKey(seed: ~hashSeed))
    }

    /// The number of devices.
    package var count: Int { index.count }

    /// Returns the device for a token, if known.
    @inline(__always)
    package func find(_ token: DeviceToken) -> DeviceIndex? { index.find(token, in: records) }

    /// Returns the device with this name in the scenario.
    package func find(name: String) -> DeviceIndex? { names[name] }

    /// All named devices, by name.
    package var named: [String: DeviceIndex] { names }

    /// Registers a new device for a token that ``find(_:)`` does not know. The oldest device may be evicted, and its
    /// number reused.
    ///
    /// - Parameter topic: the only topic of the device; `nil` makes it valid for all.
    package mutating func register(_ token: DeviceToken, topic: TopicIndex?, isSandbox: Bool) -> DeviceIndex {
        precondition(find(token) == nil, "a token stands for one device")
        if selfRegisteredCount >= selfRegisteredLimit, let oldest = idle.oldest ?? holding.oldest {
            remove(oldest)
            evicted += 1
        }
        let device = records.insert(token)
        records[device].topic = topic?.rawValue ?? DeviceRecord.noTopic
        records[device].flags = [.online, .notifications, .selfRegistered]
        if isSandbox { records[device].flags.insert(.sandbox) }
        index.insert(device, token, in: records)
        records.append(device, to: &idle)
        selfRegisteredCount += 1
        return device
    }

    /// Adds a declared device. Returns `nil` if the token or name is taken, or there is no room.
    package mutating func declare(_ device: Device, _ token: DeviceToken) -> DeviceIndex? {
        guard find(token) == nil else { return nil }
        guard hasRoomToDeclare() else { return nil }
        if let name = device.name, names[name] != nil { return nil }
        let added = records.insert(token)
        records[added].received = UInt32(clamping: device.received)
        index.insert(added, token, in: records)
        self[added] = device
        return added
    }

    /// Returns whether there is room for another declared device; if not, it counts as refused.
    mutating func hasRoomToDeclare() -> Bool {
        guard count - selfRegisteredCount >= declaredLimit else { return true }
        refused += 1
        return false
    }

    /// Removes a device.
    package mutating func remove(_ device: DeviceIndex) {
        if records[device].flags.contains(.selfRegistered) {
            unlink(device)
            selfRegisteredCount -= 1
        }
        if let name = self[device].name { names[name] = nil }
        index.remove(device, records.token(of: device), in: records)
        records.remove(device)
    }

    /// Removes all devices, topics and counts.
    package mutating func removeAll(hashSeed: UInt64) {
        self = Self(hashSeed: hashSeed, limit: selfRegisteredLimit, declaredLimit: declaredLimit)
    }

    /// Removes all devices, while topics keep their numbers.
    package mutating func removeAllDevices(hashSeed: UInt64) {
        var fresh = Self(hashSeed: hashSeed, limit: selfRegisteredLimit, declaredLimit: declaredLimit)
        swap(&fresh.topics, &topics)
        fresh.namesVersion = namesVersion + 1
        self = fresh
    }

    /// Counts a push that reaches its device as soon as it is accepted.
    @inline(__always)
    package mutating func countPush(to device: DeviceIndex) {
        let isOwn = records.countPush(to: device)
        if isOwn, device != idle.newest, device != holding.newest { moveToEnd(device) }
    }

    /// Records a push that was accepted but does not reach its device, at least for now.
    package mutating func notePush(to device: DeviceIndex) {
        if records[device].flags.contains(.selfRegistered) { moveToEnd(device) }
    }

    /// Counts a push that reaches its device from storage.
    mutating func countDelivery(to device: DeviceIndex) { _ = records.countPush(to: device) }

    /// The device that the next self-registered one evicts; `nil` while there is room.
    var nextToGo: DeviceIndex? { selfRegisteredCount >= selfRegisteredLimit ? idle.oldest ?? holding.oldest : nil }

    private mutating func moveToEnd(_ device: DeviceIndex) {
        unlink(device)
        link(device)
    }

    /// Records whether a device has stored or displayed pushes, for which it is kept longer.
    package mutating func setHoldsPushes(_ holdsPushes: Bool, _ device: DeviceIndex) {
        let isOwn = records[device].flags.contains(.selfRegistered)
        if isOwn { unlink(device) }
        if holdsPushes { records[device].flags.insert(.holding) } else { records[device].flags.remove(.holding) }
        if isOwn { link(device) }
    }

    private mutating func link(_ device: DeviceIndex) {
        if records[device].flags.contains(.holding) {
            records.append(device, to: &holding)
        } else {
            records.append(device, to: &idle)
        }
    }

    private mutating func unlink(_ device: DeviceIndex) {
        if records[device].flags.contains(.holding) {
            records.unlink(device, from: &holding)
        } else {
            records.unlink(device, from: &idle)
        }
    }
}

extension DeviceRegistry {
    /// The state of a device. Setting it ignores whether the device registered itself and how many pushes it received.
    package subscript(device: DeviceIndex) -> Device {
        get { records.device(device) }
        set {
            let oldName = records.device(device).name
            if oldName != newValue.name {
                if let oldName { names[oldName] = nil }
                if let name = newValue.name { names[name] = device }
            }
            records.update(device, with: newValue)
        }
    }

    /// Returns whether a device's token is valid for a topic. Pass `nil` for a topic without a number.
    @inline(__always)
    package func accepts(_ topic: TopicIndex?, _ device: DeviceIndex) -> Bool {
        records.accepts((topic ?? .unlisted).rawValue, device)
    }

    /// Returns whether no state of the device can refuse a push or prevent its delivery: it is registered, online,
    /// allows notifications, does not save power, and has no rate limit.
    @inline(__always)
    package func hasDefaultState(_ device: DeviceIndex) -> Bool {
        records[device].flags.intersection([.online, .notifications, .savesPower, .restricted])
            == [.online, .notifications]
    }

    /// Returns whether pushes to a device are delivered without keeping anything: it registered itself and has not been
    /// changed.
    @inline(__always)
    func needsNoMailbox(_ device: DeviceIndex) -> Bool {
        records[device].flags.intersection(.treatment) == [.inUse, .online, .notifications, .selfRegistered]
    }

    /// Returns the topics of a device; empty if it is for all of them.
    package func topics(of device: DeviceIndex) -> [String] { self[device].topics.map { topics.text($0) } }

    /// Returns the text of the topic of a push; empty for none.
    func topic(of push: borrowing KeptPush) -> String { topic(push.topic) }

    /// Returns the text of a topic by its number; empty for none.
    func topic(_ number: UInt16) -> String {
        number == DeviceRecord.noTopic ? "" : topics.text(TopicIndex(rawValue: number))
    }

    /// Returns whether a device changes with each push to it, apart from what it displays: it stores pushes, or has a
    /// rate limit.
    func isChangedByPushes(_ device: DeviceIndex) -> Bool {
        let flags = records[device].flags
        return !flags.contains(.online) || flags.contains(.savesPower) || records.details(of: device)?.rate != nil
    }

    /// Returns the registration of a device; the same as in ``Device``, but without creating one.
    package func registration(of device: DeviceIndex) -> Device.Registration { records.registration(of: device) }

    /// Returns whether a device's token belongs to the sandbox.
    @inline(__always)
    package func isSandbox(_ device: DeviceIndex) -> Bool { records[device].flags.contains(.sandbox) }

    /// Returns whether a push is within the device's rate limit, and counts it if so.
    package mutating func admitPush(to device: DeviceIndex, at now: Timestamp) -> Bool {
        records.admitPush(to: device, at: now)
    }

    /// Returns the token of a device.
    package func token(of device: DeviceIndex) -> DeviceToken { records.token(of: device) }

    /// Returns the device after another one, in an arbitrary order that is stable until one is added or removed; the
    /// first after `nil`, and `nil` after the last.
    package func next(after device: DeviceIndex?) -> DeviceIndex? { records.next(after: device) }

    /// The self-registered devices in the order of eviction. Slow; for tests.
    var evictionOrder: [DeviceIndex] { records.all(in: idle) + records.all(in: holding) }
}

/// The number of a device in a ``DeviceRegistry``. It may be reused after the device is removed.
package struct DeviceIndex: Sendable, Hashable {
    /// The raw number, 0 for the first device.
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }
}
