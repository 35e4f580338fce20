/// What is kept for devices, and what will happen by itself: mailboxes, due events, the clock, the timeline.
///
/// Only some devices have a mailbox: declared ones to which something was pushed, and those that registered themselves
/// and were changed since. For all others nothing is kept; what they show is read from the log.
///
/// It only remembers. What happens when, ``Gateway`` decides.
struct PostOffice: ~Copyable, Sendable {
    /// So many bytes of displayed notifications are kept; beyond that each device keeps its newest only.
    static let displayedByteLimit = 256 << 20

    /// Which clock drives the devices' time.
    var clock = DeviceClock.real
    /// What is due.
    var due = DueQueue()
    /// What the server has not fetched yet.
    var effects: [GatewayEffect] = []
    /// For each entry of the timeline, how many requests it still waits for; 0 for one that waits for none.
    var awaited: [Int] = []

    private var boxes = Pool(empty: Mailbox())
    private var places: [UInt32: UInt32] = [:]
    private var displayedBytes = 0
    /// At this length the queue is looked through for what is no longer of interest.
    private var dueLimit = Self.leastDueLimit
    private static let leastDueLimit = 1024

    init() {}

    func hasMailbox(_ device: DeviceIndex) -> Bool { places[device.rawValue] != nil }

    /// The devices with a mailbox, in the order of their numbers.
    var devices: [DeviceIndex] { places.keys.sorted().map { DeviceIndex(rawValue: $0) } }

    /// The mailbox of a device, if it has one.
    func mailbox(of device: DeviceIndex) -> Mailbox? { places[device.rawValue].map { boxes[$0] } }

    /// What is stored for a device, the oldest first.
    func stored(for device: DeviceIndex) -> [KeptPush] {
        guard let place = places[device.rawValue] else { return [] }
        return boxes[place].stored
    }

    /// Gives a device a mailbox that has none.
    mutating func open(_ device: DeviceIndex, historyEnd: Int) {
        places[device.rawValue] = boxes.insert(Mailbox(historyEnd: historyEnd))
    }

    /// Takes a device's mailbox away.
    mutating func close(_ device: DeviceIndex) {
        guard let place = places.removeValue(forKey: device.rawValue) else { return }
        displayedBytes -= boxes[place].display.byteCount
        boxes.remove(place)
    }

    /// Stores a push for a device that has a mailbox; see ``Mailbox/store(_:)``.
    mutating func store(_ push: consuming KeptPush, for device: DeviceIndex) -> (gone: KeptPush, isReplaced: Bool)? {
        guard let place = places[device.rawValue] else { return nil }
        due.insert(.expiry(device, sequence: push.sequence), at: push.time)
        return boxes[place].store(push)
    }

    mutating func removeStored(_ sequence: Int, for device: DeviceIndex) -> KeptPush? {
        guard let place = places[device.rawValue] else { return nil }
        return boxes[place].remove(sequence)
    }

    mutating func setDelivery(_ delivery: Delivery, of sequence: Int, for device: DeviceIndex) {
        guard let place = places[device.rawValue] else { return }
        boxes[place].setDelivery(delivery, of: sequence)
    }

    /// Gives a push to a device; does nothing and returns false when it has no mailbox.
    @discardableResult
    mutating func show(_ push: KeptPush, on device: DeviceIndex) -> Bool {
        guard let place = places[device.rawValue] else { return false }
        displayedBytes += boxes[place].display.take(
            push, limit: displayedBytes > Self.displayedByteLimit ? 1 : Display.limit)
        return true
    }

    /// Drops events that are no longer of interest, when there are many.
    mutating func tidy(_ devices: borrowing DeviceRegistry) {
        guard due.count > dueLimit else { return }
        var needed: Set<DueQueue.Event> = []
        for index in 0..<due.count {
            let event = due.event(at: index)
            if isOfInterest(event, devices) { needed.insert(event) }
        }
        due.filter { needed.contains($0) }
        dueLimit = max(Self.leastDueLimit, 2 * due.count)
    }

    /// What is due next that is still of interest, and when; what comes before it is dropped.
    mutating func nextOfInterest(_ devices: borrowing DeviceRegistry) -> (time: Timestamp, event: DueQueue.Event)? {
        while let next = due.first {
            var isOfInterest = isOfInterest(next.event, devices)
            if case .registration(let device) = next.event {
                isOfInterest = devices.registration(of: device).beginning == next.time
            }
            if isOfInterest { return next }
            _ = due.popDue(at: next.time)
        }
        return nil
    }

    private func isOfInterest(_ event: DueQueue.Event, _ devices: borrowing DeviceRegistry) -> Bool {
        switch event {
        case .entry: true
        case .registration(let device): devices.registration(of: device) != .registered
        case .expiry(let device, let sequence):
            places[device.rawValue].map { boxes[$0].stores(sequence) } ?? false
        }
    }
}
