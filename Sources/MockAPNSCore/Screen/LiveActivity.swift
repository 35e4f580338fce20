/// A Live Activity on a device, as left by pushes of type `liveactivity`.
///
/// The keys are documented in
/// [Starting and updating Live Activities with ActivityKit push notifications](https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications).
/// According to
/// [Displaying live data with Live Activities](https://developer.apple.com/documentation/activitykit/displaying-live-data-with-live-activities),
/// it ends after 8 hours at the latest, and leaves the Lock Screen 4 hours after its end.
package struct LiveActivity: Sendable {
    /// The maximum active time in milliseconds.
    static let longestLife: Int64 = 8 * 3_600_000
    /// The time on the Lock Screen after its end in milliseconds.
    static let longestRest: Int64 = 4 * 3_600_000
    /// How far in the future the `timestamp` of an update may be, in milliseconds.
    static let furthestAhead: Int64 = 8 * 3_600_000
    /// How far ahead of the clock a `timestamp` is reported as a mistake, in milliseconds.
    private static let noticeable: Int64 = 60_000
    /// Maximum number of ignored pushes kept.
    private static let ignoredLimit = 20

    /// A push that had no effect.
    package struct Ignored: Sendable, Equatable {
        /// The sequence number of the push.
        package var sequence: Int
        /// The reason, as a sentence.
        package var why: String
    }

    /// The name in the scenario, if the app started it there.
    package private(set) var name: String?
    /// The bundle id of its app; `nil` if it is not known.
    package internal(set) var app: String?
    /// The number of the topic of the push that started it, where ``app`` is not known.
    fileprivate(set) var topic = DeviceRecord.noTopic
    /// Its update token; `nil` if it has none of its own.
    package internal(set) var token: DeviceToken?
    /// The sequence number of the push that last changed it; `nil` if none has since the app started it.
    package private(set) var sequence: Int?
    /// The event of that push, or `end` if it ended on its own.
    package private(set) var event: LiveActivityEvent
    /// The type of its attributes; `nil` if the app started it.
    package private(set) var attributesType: String?
    /// The attributes.
    package private(set) var attributes: JSONText.Value?
    /// The displayed state: `content-state`.
    package private(set) var state: JSONText.Value?
    /// When it began, on the scenario's clock; if the app started it, the time of the first push.
    package private(set) var startedAt: Timestamp
    /// When it becomes stale.
    package private(set) var staleDate: Timestamp?
    /// When it ends on its own or, after its end, when it leaves the screen.
    package private(set) var endsAt: Timestamp
    /// When it ended.
    private(set) var endedAt: Timestamp?
    /// The broadcast channel it listens to.
    package private(set) var channel: String?
    /// What the push that last changed it told the user beside: `alert`.
    private(set) var alert: JSONText.Value?
    /// The same as a person reads it.
    package internal(set) var shownAlert: LiveActivityAlert?
    /// Which Live Activity of the app comes first; `nil` if the push that last changed it does not say.
    package private(set) var relevanceScore: JSONText.Value?
    /// The latest pushes without effect, newest last.
    package private(set) var ignored: [Ignored] = []
    /// The latest `timestamp` applied.
    private(set) var timestamp: Timestamp?

    /// Creates a Live Activity started by a push, or by the app if the push has another event.
    init(_ push: LiveActivityPush, _ sequence: Int, at now: Timestamp) {
        self.sequence = sequence
        event = push.event
        attributesType = push.attributesType
        attributes = push.attributes
        state = push.state
        startedAt = now
        endsAt = now.advanced(by: Self.longestLife)
        channel = push.channel
        staleDate = push.staleDate
        timestamp = push.timestamp
        (alert, relevanceScore) = (push.alert, push.relevanceScore)
        if push.event == .end { end(push, at: now) }
    }

    /// Creates a Live Activity that the app started.
    ///
    /// - Parameter channel: the id of the broadcast channel that it listens to.
    init(name: String?, on channel: String?, at now: Timestamp) {
        self.name = name
        self.channel = channel
        event = .start
        startedAt = now
        endsAt = now.advanced(by: Self.longestLife)
        // Providers send whole seconds, rounded down.
        timestamp = Timestamp(seconds: now.seconds)
    }

    /// Why an update without a `timestamp` is ignored.
    static let withoutTimestamp = "It has no \"timestamp\", the time in seconds since 1970."
    /// Why an update without a state is ignored.
    static let withoutState = "Its \"content-state\" is missing or is no object."
    /// Why an update with a `timestamp` far in the future is ignored.
    static let tooFarAhead = "Its \"timestamp\" is more than 8 hours ahead; it is a time in seconds since 1970."

    /// What a device's history says of an ignored push.
    static func ignored(_ why: String) -> String { "The device ignored the push. \(why)" }

    var hasEnded: Bool { event == .end }

    /// Applies a push, or records why it has no effect.
    ///
    /// - Returns: what the device does.
    @discardableResult
    mutating func apply(_ push: LiveActivityPush, _ sequence: Int, at now: Timestamp) -> Reaction {
        endIfDue(at: now)
        if let why = reasonToIgnore(push, at: now) {
            ignore(sequence, why)
            return Reaction(.ignored, Self.ignored(why))
        }
        self.sequence = sequence
        event = push.event
        if let newest = push.timestamp { timestamp = newest }
        if let state = push.state { self.state = state }
        (staleDate, alert, relevanceScore) = (push.staleDate, push.alert, push.relevanceScore)
        if push.event == .end { end(push, at: now) }
        return push.reaction
    }

    /// Notes a push without effect.
    mutating func ignore(_ sequence: Int, _ why: String) {
        ignored.append(Ignored(sequence: sequence, why: why))
        if ignored.count > Self.ignoredLimit { ignored.removeFirst() }
    }

    /// Ends it, as the app does.
    mutating func end(at now: Timestamp) {
        endIfDue(at: now)
        guard !hasEnded else { return }
        event = .end
        endedAt = now
        endsAt = now.advanced(by: Self.longestRest)
    }

    private mutating func end(_ push: LiveActivityPush, at now: Timestamp) {
        endedAt = now
        let latest = now.advanced(by: Self.longestRest)
        endsAt = min(push.dismissalDate ?? latest, latest)
    }

    /// Returns why a push of this kind is ignored. `end` applies regardless of its `timestamp`.
    private func reasonToIgnore(_ push: LiveActivityPush, at now: Timestamp) -> String? {
        if hasEnded { return "The Live Activity had ended." }
        guard push.event == .update else { return nil }
        guard let sent = push.timestamp else { return Self.withoutTimestamp }
        if push.state == nil { return Self.withoutState }
        if let timestamp, sent < timestamp {
            // The mistake may have been the push before.
            let isAhead = timestamp > now.advanced(by: Self.noticeable)
            return "Its \"timestamp\" is before that of what is shown\(isAhead ? ", which is ahead of the clock" : "")."
        }
        return sent > now.advanced(by: Self.furthestAhead) ? Self.tooFarAhead : nil
    }

    /// Ends the Live Activity if its time is up.
    mutating func endIfDue(at now: Timestamp) {
        guard !hasEnded, now >= endsAt else { return }
        event = .end
        endedAt = endsAt
        endsAt = endsAt.advanced(by: Self.longestRest)
    }

    /// Returns whether it has left the screen.
    func isGone(at now: Timestamp) -> Bool { now >= endsAt }

    /// Returns whether it is stale at a given time.
    package func isStale(at now: Timestamp) -> Bool { staleDate.map { now >= $0 } ?? false }
}

/// The Live Activities of a device, newest last.
package struct LiveActivities: Sendable {
    /// Maximum number of Live Activities kept; older ones are removed.
    package static let limit = 20

    private var all: [LiveActivity] = []

    /// Applies a push of type `liveactivity` that has reached the device. It applies to the newest one that has not
    /// ended; if there is none, the app is assumed to have started one.
    ///
    /// - Returns: what the device does.
    @discardableResult
    mutating func apply(_ push: borrowing KeptPush) -> Reaction {
        let now = push.time
        guard let content = LiveActivityPush(push.payload) else { return .unknownEvent }
        guard content.reasonNotToStart == nil else { return content.reactionOfAny }
        // One on a broadcast channel is started as soon as its push arrives, since it is counted there.
        if content.event == .start, content.channel != nil { return content.reaction }
        for index in all.indices { all[index].endIfDue(at: now) }
        if content.event == .update, content.state == nil, all.isEmpty {
            return Reaction(.ignored, LiveActivity.ignored(LiveActivity.withoutState))
        }
        if content.event == .start || all.isEmpty {
            var activity = LiveActivity(content, push.sequence, at: now)
            activity.topic = push.topic
            all.append(activity)
            if all.count > Self.limit { all.removeFirst() }
            return content.reaction
        }
        // That of the app that the push is for, if there is one.
        let index =
            all.lastIndex { !$0.hasEnded && $0.topic == push.topic } ?? all.lastIndex { !$0.hasEnded }
            ?? all.count - 1
        return all[index].apply(content, push.sequence, at: now)
    }

    /// Returns those on the screen at a given time.
    func shown(at now: Timestamp) -> [LiveActivity] {
        all.compactMap { activity in
            var activity = activity
            activity.endIfDue(at: now)
            return now < activity.endsAt ? activity : nil
        }
    }

    mutating func append(_ later: LiveActivities) { all += later.all }

    /// The numbers of the topics of the pushes that started them.
    var topics: Set<UInt16> { Set(all.map(\.topic)) }
}
