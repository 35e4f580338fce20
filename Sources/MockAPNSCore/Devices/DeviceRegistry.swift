/// All devices, found by their tokens.
///
/// Devices are declared (by the scenario or the API), or register themselves by the first push to their token. Of the
/// latter there are at most ``selfRegisteredLimit``: one more replaces the one that has been without a push
/// for the longest time, of those first that hold no stored or displayed push.
///
/// A device that registered itself takes 56 bytes and its share of the index: some 65 bytes, and 72 more when its
/// token is longer than 32 bytes. It cannot be copied, so that nobody copies a million devices unawares. Neither
/// looking up nor, but for growth, registering allocates.
package struct DeviceRegistry: ~Copyable, Sendable {
    /// The bound of the devices that register themselves.
    package static let selfRegisteredLimit = 1_000_000
    /// The bound of declared devices, so that a number for any device fits into 24 bits.
    package static let declaredLimit = 1 << 24 - 2 - selfRegisteredLimit

    /// The topics of the devices.
    package var topics: TopicTable
    /// How many devices had to go to make room.
    package private(set) var evicted = 0
    /// How many devices there are that registered themselves.
    package private(set) var selfRegisteredCount = 0

    private let selfRegisteredLimit: Int
    var records = DeviceRecords()
    private var index: DeviceTokenIndex
    private var names: [String: DeviceIndex] = [:] { didSet { namesVersion &+= 1 } }
    /// Another after each change of what a name stands for.
    private(set) var namesVersion = 0
    /// Those that registered themselves, by their last push: first the ones that hold nothing.
    private var idle = DeviceRecords.Queue()
    private var holding = DeviceRecords.Queue()

    /// A registry without devices.
    ///
    /// - Parameters:
    ///   - hashSeed: a number that no client can guess, so that none can make tokens or topics that are slow to find.
    ///   - limit: the bound of the devices that register themselves, from 1 to ``selfRegisteredLimit``.
    package init(hashSeed: UInt64, limit: Int = selfRegisteredLimit) {
        selfRegisteredLimit = max(1, min(limit, Self.selfRegisteredLimit))
        topics = TopicTable(hashSeed: hashSeed)
        index = DeviceTokenIndex(key: HashKey(seed: ~hashSeed))
    }

    /// How many devices there are.
    package var count: Int { index.count }

    /// The device of a token, if it is known.
    @inline(__always)
    package func find(_ token: DeviceToken) -> DeviceIndex? { index.find(token, in: records) }

    /// The device that the scenario calls by that name.
    package func find(name: String) -> DeviceIndex? { names[name] }

    /// All devices that have names, by these.
    package var named: [String: DeviceIndex] { names }

    /// Takes a new device in that nobody declared, for a token that ``find(_:)`` does not know. The oldest may have
    /// to go, and its number may become this one's.
    ///
    /// - Parameter topic: the only topic it is for; `nil`, because the table of topics was full, makes it one for
    ///   all.
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

    /// Takes a device in that somebody declares. `nil` when there is one of that token or name, or no room for more.
    package mutating func declare(_ device: Device, _ token: DeviceToken) -> DeviceIndex? {
        guard count - selfRegisteredCount < Self.declaredLimit, find(token) == nil else { return nil }
        if let name = device.name, names[name] != nil { return nil }
        let added = records.insert(token)
        records[added].received = UInt32(clamping: device.received)
        index.insert(added, token, in: records)
        self[added] = device
        return added
    }

    /// Forgets a device.
    package mutating func remove(_ device: DeviceIndex) {
        if records[device].flags.contains(.selfRegistered) {
            unlink(device)
            selfRegisteredCount -= 1
        }
        if let name = self[device].name { names[name] = nil }
        index.remove(device, records.token(of: device), in: records)
        records.remove(device)
    }

    /// Forgets every device and topic, and what was counted.
    package mutating func removeAll(hashSeed: UInt64) { self = Self(hashSeed: hashSeed, limit: selfRegisteredLimit) }

    /// Forgets every device, while topics keep their numbers.
    package mutating func removeAllDevices(hashSeed: UInt64) {
        var fresh = Self(hashSeed: hashSeed, limit: selfRegisteredLimit)
        swap(&fresh.topics, &topics)
        fresh.namesVersion = namesVersion + 1
        self = fresh
    }

    /// Takes note of a push that reaches a device as soon as it was accepted.
    @inline(__always)
    package mutating func countPush(to device: DeviceIndex) {
        let isOwn = records.countPush(to: device)
        if isOwn, device != idle.newest, device != holding.newest { moveToEnd(device) }
    }

    /// Takes note of a push that was accepted for a device but does not reach it, at least not now.
    package mutating func notePush(to device: DeviceIndex) {
        guard records[device].flags.contains(.selfRegistered), device != idle.newest, device != holding.newest
        else { return }
        moveToEnd(device)
    }

    /// Takes note of a push that reaches a device out of storage.
    mutating func countDelivery(to device: DeviceIndex) { _ = records.countPush(to: device) }

    /// The device that the next one to register itself will push out; `nil` as long as there is room.
    var nextToGo: DeviceIndex? { selfRegisteredCount >= selfRegisteredLimit ? idle.oldest ?? holding.oldest : nil }

    private mutating func moveToEnd(_ device: DeviceIndex) {
        unlink(device)
        link(device)
    }

    /// Says whether a device holds stored or displayed pushes, for which it is kept longer.
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
    /// What is known of a device. What is set on it is kept; whether it registered itself and what it received is not
    /// to be set.
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

    /// Whether a device's token is good for a topic. A topic that no device has is `nil`.
    @inline(__always)
    package func accepts(_ topic: TopicIndex?, _ device: DeviceIndex) -> Bool {
        records.accepts(topic?.rawValue ?? DeviceRecord.noTopic - 1, device)
    }

    /// The first topic of a device; `nil` when its token is good for all.
    package func topic(of device: DeviceIndex) -> TopicIndex? {
        let topic = records[device].topic
        return topic == DeviceRecord.noTopic ? nil : TopicIndex(rawValue: topic)
    }

    /// Whether nothing about a device can refuse a push or keep it from being delivered: it is registered, online,
    /// shows notifications, saves no power, and takes any number of pushes.
    @inline(__always)
    package func isPlain(_ device: DeviceIndex) -> Bool {
        records[device].flags.intersection([.online, .notifications, .savesPower, .restricted])
            == [.online, .notifications]
    }

    /// Whether a push to a device is delivered and nothing is kept of it: it registered itself, and nobody has
    /// changed it.
    @inline(__always)
    func isUnattended(_ device: DeviceIndex) -> Bool {
        records[device].flags.intersection(.treatment) == [.inUse, .online, .notifications, .selfRegistered]
    }

    /// Whether a device's token still stands for it; the same as in the whole ``Device``, but without making one.
    package func registration(of device: DeviceIndex) -> Device.Registration { records.registration(of: device) }

    /// Whether a device's token is one of the sandbox.
    @inline(__always)
    package func isSandbox(_ device: DeviceIndex) -> Bool { records[device].flags.contains(.sandbox) }

    /// Whether a push at a time is within a device's rate; if it is, it counts.
    package mutating func takePush(to device: DeviceIndex, at now: Timestamp) -> Bool {
        records.takePush(to: device, at: now)
    }

    /// The token of a device.
    package func token(of device: DeviceIndex) -> DeviceToken { records.token(of: device) }

    /// The device that comes after another in an order that has no meaning but is the same until one is added or
    /// removed; the first after `nil`, and `nil` after the last.
    package func next(after device: DeviceIndex?) -> DeviceIndex? { records.next(after: device) }

    /// The devices that registered themselves, those first that would have to go first. Slow; for tests.
    var evictionOrder: [DeviceIndex] { records.all(in: idle) + records.all(in: holding) }
}

/// The number of a device in a ``DeviceRegistry``, until it is removed; then it may be another's.
package struct DeviceIndex: Sendable, Hashable {
    /// 0 for the first.
    package let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }
}
