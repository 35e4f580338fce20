/// The display of a device: the notifications its user has not dismissed, the badge on the app's icon, Live Activities, and
/// what has become of the pushes that have reached it.
///
/// According to
/// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns),
/// a notification replaces a displayed one with the same `apns-collapse-id`. A background push shows nothing.
///
/// Parsing a payload costs more than accepting a push; so payloads are parsed on demand, or when many have accumulated.
struct Display: Sendable {
    /// Maximum number of notifications kept; older ones are removed.
    static let limit = 100

    /// Maximum number of pushes waiting to be parsed.
    private static let unreadLimit = 400

    /// The displayed notifications, as far as pushes have been parsed.
    private var kept: [KeptPush] = []
    /// The pushes received since then.
    private var unread: [KeptPush] = []
    private var readBadge: Int32?
    private var readActivities = LiveActivities()
    private var readHistory = DeviceHistory()
    private var budgets = BudgetUse()
    /// The background push of each topic that is held until the budget allows to wake the app, and the time of that.
    private var held: [UInt16: (push: KeptPush, until: Timestamp)] = [:]
    /// The dismissed pushes among those that are only in the log.
    private var dismissed: Set<Int> = []

    /// Adds a push that has reached the device.
    ///
    /// - Parameter limit: the maximum number of notifications kept.
    /// - Returns: the growth of the stored data in bytes.
    @discardableResult
    mutating func add(_ push: consuming KeptPush, limit: Int = Self.limit) -> Int {
        let growth = push.byteCount
        unread.append(push)
        guard unread.count >= (limit < Self.limit ? limit : Self.unreadLimit) else { return growth }
        let before = byteCount
        read(limit: limit)
        return growth + byteCount - before
    }

    /// Appends later notifications, Live Activities and entries of the history, and takes over their badge if it was set.
    mutating func append(_ later: Display) {
        read(limit: Self.limit)
        let later = later.isRead
        kept.removeAll { later.dismissed.contains($0.sequence) }
        for push in later.kept { show(push, limit: Self.limit) }
        trim(to: Self.limit)
        if let badge = later.readBadge { readBadge = badge }
        readActivities.append(later.readActivities)
        readHistory.append(later.readHistory)
        (budgets, held) = (later.budgets, later.held)
    }

    /// The number of bytes kept: of payloads and collapse ids, and of the history.
    var byteCount: Int { pushByteCount + readHistory.entries.count * DeviceHistory.entrySize }

    /// The number of bytes of payloads and collapse ids.
    var pushByteCount: Int { kept.reduce(0) { $0 + $1.byteCount } + unread.reduce(0) { $0 + $1.byteCount } }

    /// The displayed notifications, newest last.
    var shown: [KeptPush] { isRead.kept }

    /// The badge on the icon, once a push has set it; 0 removes it.
    var badge: Int32? { isRead.readBadge }

    /// The topics of the pushes that are displayed or held, and of those that have not been parsed.
    var topics: Set<UInt16> { Set((kept + unread).map(\.topic)).union(readActivities.topics).union(held.keys) }

    /// The Live Activities, newest last.
    var activities: LiveActivities { isRead.readActivities }

    /// What has become of the pushes that have reached the device by a time of the scenario's clock.
    ///
    /// - Parameter removal: when the app was removed; `nil` if it is there.
    func history(at now: Timestamp, removal: Timestamp?) -> DeviceHistory {
        var display = isRead
        if let removal { display.dropHeld(at: removal) }
        display.releaseDue(at: now)
        return display.readHistory
    }

    private var isRead: Display {
        var display = self
        display.read(limit: Self.limit)
        return display
    }
}

// MARK: What the user does

extension Display {
    /// Removes a notification that the user dismissed, or opened.
    ///
    /// - Parameters:
    ///   - why: what the user did, as a sentence.
    ///   - isInHistory: whether the notification is only in the log.
    mutating func remove(_ sequence: Int, _ state: HistoryState, _ why: String, at now: Timestamp, isInHistory: Bool) {
        read(limit: Self.limit)
        if let push = kept.first(where: { $0.sequence == sequence }) {
            note(Reaction(state, why), to: push, at: now)
            kept.removeAll { $0.sequence == sequence }
        } else if isInHistory, dismissed.insert(sequence).inserted {
            readHistory.add(.init(sequence: sequence, clock: now, state: state, why: why))
        }
    }

    /// Lets held pushes follow the states of their apps, which have changed.
    ///
    /// - Parameter circumstances: returns what is the case now for a push.
    mutating func reconsiderHeld(at now: Timestamp, _ circumstances: (KeptPush) -> Circumstances) {
        read(limit: Self.limit)
        releaseDue(at: now)
        for (topic, (push, _)) in held.inOrder {
            let circumstances = circumstances(push)
            held[topic]?.push.circumstances = circumstances
            // An app that the user opens gets it at once, and one that may not be woken any more never.
            guard circumstances.mayWake, let budget = circumstances.budget,
                let next = budgets.admit(budget, topic, at: now)
            else {
                release(topic, circumstances.backgroundReaction, at: now)
                continue
            }
            if budget.limit.allowed > 0 { held[topic]?.until = next } else { release(topic, budget.drops, at: now) }
        }
    }

    /// Drops the pushes that were still held when the app was removed.
    mutating func dropHeld(at removal: Timestamp) {
        read(limit: Self.limit)
        releaseDue(at: removal)
        for (topic, (push, _)) in held.inOrder {
            let reaction = Reaction(.dropped, "The app is no longer on the device, so the push does not wake it.")
            release(topic, reaction, at: max(removal, push.time))
        }
    }

    /// Notes what the device has done with a push that it does not show itself.
    mutating func note(_ reaction: Reaction, to push: KeptPush, at now: Timestamp? = nil) {
        read(limit: Self.limit)
        readHistory.add(reaction, to: push, at: now)
    }

    /// Notes that the user dismissed the Live Activity that a push had changed last.
    mutating func noteDismissal(of sequence: Int, at now: Timestamp) {
        read(limit: Self.limit)
        let why = "The user dismissed the Live Activity."
        readHistory.add(.init(sequence: sequence, clock: now, state: .dismissed, why: why))
    }

    /// Says of a push, once more is known, that it had no effect.
    mutating func ignore(_ sequence: Int, _ why: String) {
        read(limit: Self.limit)
        readHistory.ignore(sequence, why)
    }
}

// MARK: Reading

extension Display {
    /// Parses the pushes that have come since the last time.
    private mutating func read(limit: Int) {
        guard !unread.isEmpty else { return }
        for push in unread { take(push, limit: limit) }
        unread.removeAll(keepingCapacity: true)
        trim(to: limit)
        if limit < Self.limit { readHistory.trim(to: limit) }
    }

    private mutating func take(_ push: KeptPush, limit: Int) {
        releaseDue(at: push.time)
        if let refusal = refusal(of: push) { return readHistory.add(refusal, to: push) }
        if push.pushType == .liveactivity { return readHistory.add(readActivities.apply(push), to: push) }
        let content = NotificationContent(push.payload)
        let reaction = push.circumstances.reaction(to: push.pushType, content)
        if !held.isEmpty, content.onlyWakesApp(as: push.pushType) { replaceHeld(by: push) }
        readHistory.add(reaction, to: push)
        guard reaction.state == .shown else { return }
        if push.circumstances.setsBadge, let badge = content.badge { readBadge = badge }
        if reaction.shows == .notification { show(push, limit: limit) }
    }

    /// Counts a push to a Live Activity that others show against its budget.
    ///
    /// - Returns: what becomes of it if they may not show it.
    mutating func refuse(_ push: KeptPush) -> Reaction? {
        read(limit: Self.limit)
        return refusal(of: push)
    }

    /// Counts a push against its budget.
    ///
    /// - Returns: what becomes of it if that is exceeded, or the device cannot do anything with it.
    private mutating func refusal(of push: KeptPush) -> Reaction? {
        if push.pushType == .liveactivity, let why = push.circumstances.platform.reasonWithoutActivities {
            return Reaction(.ignored, why)
        }
        guard let budget = push.circumstances.budget, budget.kind != .background || push.circumstances.mayWake,
            let next = budgets.admit(budget, push.topic, at: push.time)
        else { return nil }
        guard budget.kind == .background, budget.limit.allowed > 0 else { return budget.drops }
        replaceHeld(by: push)
        held[push.topic] = (push, next)
        return Reaction(.heldByBudget, budget.exceeded("so the device holds this one until \(next.text)."))
    }

    /// Wakes the apps with the pushes that are held, where the budget allows that by now.
    private mutating func releaseDue(at now: Timestamp) {
        guard !held.isEmpty else { return }
        for (topic, (push, until)) in held.inOrder where until <= now {
            if let budget = push.circumstances.budget { _ = budgets.admit(budget, topic, at: until) }
            release(topic, push.circumstances.backgroundReaction, at: until)
        }
    }

    private mutating func replaceHeld(by push: KeptPush) {
        let why = "Push \(push.sequence) has taken its place: a device holds only the newest."
        release(push.topic, Reaction(.replaced, why), at: push.time)
    }

    /// Releases the held push of a topic, with this reaction.
    private mutating func release(_ topic: UInt16, _ reaction: Reaction, at now: Timestamp) {
        guard let push = held.removeValue(forKey: topic)?.push else { return }
        readHistory.add(reaction, to: push, at: now)
    }

    private mutating func show(_ push: KeptPush, limit: Int) {
        if push.hasCollapseID {
            trim(to: limit)
            if let index = kept.firstIndex(where: { push.collapses(into: $0) }) {
                let why = "Push \(push.sequence) has the same collapse id, and took its place."
                readHistory.add(Reaction(.replaced, why), to: kept[index], at: push.time)
                kept[index] = push
                return
            }
        }
        kept.append(push)
        // Many at a time, so that the others are moved once on average.
        if kept.count >= 2 * limit { trim(to: limit) }
    }

    private mutating func trim(to limit: Int) { kept.removeFirst(max(0, kept.count - limit)) }
}

extension [UInt16: (push: KeptPush, until: Timestamp)] {
    /// The held pushes, in the order in which their apps may be woken.
    fileprivate var inOrder: [(key: UInt16, value: (push: KeptPush, until: Timestamp))] {
        sorted { ($0.value.until, $0.value.push.sequence) < ($1.value.until, $1.value.push.sequence) }
    }
}

extension Circumstances {
    /// Whether a background push wakes the app, if its budget allows it.
    fileprivate var mayWake: Bool { app.state != .foreground && backgroundReaction.state == .woke }
}
