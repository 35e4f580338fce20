/// A push that is stored for a device or displayed by it.
struct KeptPush: Sendable {
    /// The sequence number of the push.
    var sequence: Int
    /// For a stored push, when it expires; for a displayed one, when it was displayed.
    var time: Timestamp
    /// The collapse id, then the payload.
    private var bytes: [UInt8]
    private var collapseCount: UInt16
    /// The number of its topic. All topics beyond the limit of ``TopicTable`` have the same.
    var topic: UInt16
    var priority = Priority.immediate
    /// Its delivery.
    var delivery = Delivery.delivered
    /// Its number in the order of a fleet; 0 for one that was decided without the others.
    var number = 0
    /// Its push type; `nil` if that is unknown.
    var pushType: PushType? = .alert
    /// The circumstances in which it reached the device.
    var circumstances = Circumstances()
    /// The Live Activity that it is addressed to.
    var activity = Activity.ofDevice

    /// The part of the screen that it may change.
    var screenPart: ScreenPart { pushType.map { ScreenPart($0) } ?? .none }

    /// Whether it starts a Live Activity that listens to a broadcast channel.
    var startsOnChannel: Bool {
        guard pushType == .liveactivity, LiveActivityPush.mayNameChannel(payload) else { return false }
        let content = LiveActivityPush(payload)
        return content?.event == .start && content?.channel != nil
    }

    /// The Live Activity that a push is addressed to.
    enum Activity: Sendable, Hashable {
        /// That of the device, or none: the push was sent to a device token.
        case ofDevice
        /// It starts one: the push was sent to a push-to-start token.
        case starts
        /// The one with this number: the push was sent to its update token.
        case updates(Int32)
        /// One that has gone.
        case gone
    }

    init(sequence: Int, time: Timestamp, topic: TopicIndex?, collapseID: Span<UInt8>, payload: Span<UInt8>) {
        self.sequence = sequence
        self.time = time
        self.topic = topic?.rawValue ?? DeviceRecord.noTopic
        collapseCount = UInt16(clamping: collapseID.count)
        bytes = []
        bytes.reserveCapacity(collapseID.count + payload.count)
        bytes.append(collapseID)
        bytes.append(payload)
    }

    /// The collapse id; empty if absent.
    var collapseID: Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting(first: Int(collapseCount)) }
    }

    var hasCollapseID: Bool { collapseCount > 0 }

    var payload: Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting(droppingFirst: Int(collapseCount)) }
    }

    var byteCount: Int { bytes.count }

    /// Creates the push that a device stores or displays.
    ///
    /// - Parameter topic: the number of its topic.
    init(_ push: borrowing DecidedPush, topic: TopicIndex?) {
        let record = push.record
        self.init(
            sequence: push.sequence,
            time: push.isStored ? DeliveryPolicy.expiry(record.expiration, at: record.clock) : record.clock,
            topic: topic, collapseID: push.collapseID, payload: push.payload)
        priority = record.priority.flatMap(Priority.init(rawValue:)) ?? .immediate
        (delivery, pushType, number) = (record.delivery ?? .delivered, push.pushType, push.number)
    }

    /// Returns whether it replaces another push, on the screen or in storage with several pushes per topic.
    func collapses(into other: borrowing KeptPush) -> Bool {
        hasCollapseID && hasAddress(of: other) && collapseID.equals(other.collapseID)
    }

    /// Returns whether both are for the same token and topic, so that APNs stores one of them.
    func hasAddress(of other: borrowing KeptPush) -> Bool { topic == other.topic && activity == other.activity }
}

extension KeptPush {
    /// Returns the circumstances in which it reaches a device now.
    func circumstances(on phone: Phone, for topic: String) -> Circumstances {
        Circumstances(phone, topic, phone.budgets.isEmpty ? nil : budgeted)
    }

    /// The budget that it counts against.
    private var budgeted: DeviceBudget? {
        switch pushType {
        case .background, .alert: NotificationContent(payload).onlyWakesApp(as: pushType) ? .background : nil
        case .widgets: NotificationContent(payload).changesContent ? .widgets : nil
        case .liveactivity: activityBudget
        default: nil
        }
    }

    private var activityBudget: DeviceBudget? {
        let content = LiveActivityPush(payload)
        // One that starts nothing uses nothing up.
        if content?.event == .start { return content?.reasonNotToStart == nil ? .pushToStart : nil }
        return priority == .immediate ? .liveActivityPriority10 : nil
    }
}
