/// A Live Activity on a device, as pushes of type `liveactivity` have left it.
///
/// [Starting and updating Live Activities with ActivityKit push notifications](https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications)
/// has the keys; that it ends by itself after 8 hours, and leaves the Lock Screen 4 hours after its end, says
/// [Displaying live data with Live Activities](https://developer.apple.com/documentation/activitykit/displaying-live-data-with-live-activities).
package struct LiveActivity: Sendable {
    /// How long it is active at most, in milliseconds.
    static let longestLife: Int64 = 8 * 3_600_000
    /// How long it stays on the Lock Screen after its end, in milliseconds.
    static let longestRest: Int64 = 4 * 3_600_000
    /// How far ahead the `timestamp` of an update may be, in milliseconds.
    static let furthestAhead: Int64 = 8 * 3_600_000
    /// Maximum number of ignored pushes that are remembered.
    private static let ignoredLimit = 20

    /// A push that changed nothing.
    package struct Ignored: Sendable, Equatable {
        /// Its number in the log.
        package var sequence: Int
        /// Why it changed nothing, in a sentence.
        package var why: String
    }

    /// The push that changed it last, by its number in the log.
    package private(set) var sequence: Int
    /// What that push said, or `end` when it has ended by itself.
    package private(set) var event: LiveActivityPush.Event
    /// The type of its attributes; `nil` when the app has started it.
    package private(set) var attributesType: String?
    /// Its attributes.
    package private(set) var attributes: JSONText.Value?
    /// What it shows: `content-state`.
    package private(set) var state: JSONText.Value?
    /// When it began, by the scenario's clock; the first push to it, when the app has started it.
    package private(set) var startedAt: Timestamp
    /// From when on it is shown as outdated.
    package private(set) var staleDate: Timestamp?
    /// When it ends by itself or, once it has ended, when it leaves the screen.
    package private(set) var endsAt: Timestamp
    /// The broadcast channel that it listens to.
    package private(set) var channel: String?
    /// The latest pushes that changed nothing, the newest last.
    package private(set) var ignored: [Ignored] = []
    /// The latest `timestamp` that was applied.
    private var timestamp: Timestamp?

    /// One that a push starts, or, when it says something else, one that the app has started before.
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
        if push.event == .end { end(push, at: now) }
    }

    var hasEnded: Bool { event == .end }

    /// Lets a push that came at a time change it, or notes why it does not.
    mutating func take(_ push: LiveActivityPush, _ sequence: Int, at now: Timestamp) {
        settle(at: now)
        if let why = reasonToIgnore(push, at: now) {
            ignored.append(Ignored(sequence: sequence, why: why))
            if ignored.count > Self.ignoredLimit { ignored.removeFirst() }
            return
        }
        self.sequence = sequence
        event = push.event
        if let newest = push.timestamp { timestamp = newest }
        if let state = push.state { self.state = state }
        staleDate = push.staleDate
        if push.event == .end { end(push, at: now) }
    }

    private mutating func end(_ push: LiveActivityPush, at now: Timestamp) {
        let latest = now.advanced(by: Self.longestRest)
        endsAt = min(push.dismissalDate ?? latest, latest)
    }

    /// What a push of that kind is subject to. `end` counts whatever its `timestamp` says.
    private func reasonToIgnore(_ push: LiveActivityPush, at now: Timestamp) -> String? {
        if hasEnded { return "The Live Activity had ended." }
        guard push.event == .update else { return nil }
        guard let sent = push.timestamp else { return "It has no \"timestamp\", the time in seconds since 1970." }
        if let timestamp, sent < timestamp { return "Its \"timestamp\" is before that of what is shown." }
        if sent > now.advanced(by: Self.furthestAhead) {
            return "Its \"timestamp\" is more than 8 hours ahead; it is a time in seconds since 1970."
        }
        return nil
    }

    /// Ends it when its time has come.
    mutating func settle(at now: Timestamp) {
        guard !hasEnded, now >= endsAt else { return }
        event = .end
        endsAt = endsAt.advanced(by: Self.longestRest)
    }

    /// Whether what it shows is marked as outdated at a time.
    package func isStale(at now: Timestamp) -> Bool { staleDate.map { now >= $0 } ?? false }
}

/// The Live Activities of a device, the newest last.
struct LiveActivities: Sendable {
    /// Maximum number of Live Activities that are remembered; beyond it the oldest are forgotten.
    static let limit = 20

    private var all: [LiveActivity] = []

    /// A push of type `liveactivity` has come to the device. It is for the newest that has not ended; where there is
    /// none yet, the app has started one.
    mutating func take(_ push: borrowing KeptPush) {
        let now = push.time
        guard let content = LiveActivityPush(push.payload), content.reasonNotToStart == nil else { return }
        for index in all.indices { all[index].settle(at: now) }
        if content.event == .start || all.isEmpty {
            all.append(LiveActivity(content, push.sequence, at: now))
            if all.count > Self.limit { all.removeFirst() }
        } else {
            let index = all.lastIndex { !$0.hasEnded } ?? all.count - 1
            all[index].take(content, push.sequence, at: now)
        }
    }

    /// Those that are on the screen at a time.
    func shown(at now: Timestamp) -> [LiveActivity] {
        all.compactMap { activity in
            var activity = activity
            activity.settle(at: now)
            return activity.hasEnded && now >= activity.endsAt ? nil : activity
        }
    }

    mutating func append(_ later: LiveActivities) { all += later.all }
}
