/// The payload of a push of type `liveactivity`.
package struct LiveActivityPush: Sendable {
    /// The key of the broadcast channel that a started Live Activity listens to.
    private static let channelKey = "input-push-channel"

    /// Its effect on the Live Activity: `event`.
    var event: LiveActivityEvent
    /// When it was created.
    var timestamp: Timestamp?
    var state: JSONText.Value?
    var staleDate: Timestamp?
    var dismissalDate: Timestamp?
    var attributesType: String?
    var attributes: JSONText.Value?
    var channel: String?
    /// Whether the Live Activity that it starts gets an update token: `input-push-token` is 1.
    var wantsToken: Bool
    /// What it tells the user beside: `alert`.
    var alert: JSONText.Value?
    /// What the user reads of ``alert``; `nil` until the app's strings are known.
    var shownAlert: LiveActivityAlert?
    /// Which Live Activity of the app comes first: `relevance-score`.
    var relevanceScore: JSONText.Value?

    /// Why the device does not start it, though the push is valid.
    var refusal: String?

    /// Fails for a payload that is not JSON or has no known event.
    package init?(_ payload: Span<UInt8>) {
        guard let payload = try? JSONText.read(payload, .recorded) else { return nil }
        self.init(payload)
    }

    init?(_ payload: JSONText.Value) {
        guard let aps = payload["aps"],
            let event = aps["event"]?.string.flatMap(LiveActivityEvent.init(rawValue:))
        else { return nil }
        self.event = event
        timestamp = aps["timestamp"]?.unixTime
        if let state = aps["content-state"], state.object != nil { self.state = state }
        staleDate = aps["stale-date"]?.unixTime
        dismissalDate = aps["dismissal-date"]?.unixTime
        attributesType = aps["attributes-type"]?.string
        attributes = aps["attributes"]
        channel = aps[Self.channelKey]?.string
        wantsToken = aps["input-push-token"]?.int64 == 1
        alert = aps["alert"].flatMap { LiveActivityAlert.isSomethingToRead($0) ? $0 : nil }
        relevanceScore = aps["relevance-score"].flatMap { $0.double == nil ? nil : $0 }
    }

    /// Whether a payload may name a channel that a Live Activity is to listen to: it contains the key, or an escape that may
    /// spell a part of it.
    static func mayNameChannel(_ payload: Span<UInt8>) -> Bool {
        if payload.contains(channelKey) { return true }
        for letters in [#"\u002"#, #"\u006"#, #"\u007"#] where payload.contains(letters) { return true }
        return false
    }

    /// Why a start has no effect, as a sentence; `nil` if it is valid or not a start.
    var reasonNotToStart: String? {
        guard event == .start else { return nil }
        if let refusal { return refusal }
        if timestamp == nil { return "The start has no \"timestamp\", the time in seconds since 1970." }
        if attributesType == nil { return "The start has no \"attributes-type\"." }
        if attributes?.object == nil { return "\"attributes\" of the start is missing or is no object." }
        if state == nil { return "\"content-state\" of the start is missing or is no object." }
        if alert == nil { return "The start has no \"alert\" with a text." }
        return nil
    }
}

extension Reaction {
    /// The push does not say what to do with a Live Activity.
    static let unknownEvent = Self(
        .ignored, "\"event\" of \"aps\" is not start, update or end, so no Live Activity changes.")
    static let activityGone = Self(.ignored, "The device ignored the push. The Live Activity has left the screen.")
}

extension LiveActivityPush {
    /// What a device does with the push, unless what it shows keeps it from that.
    var reactionOfAny: Reaction { reasonNotToStart.map { Reaction(.ignored, $0) } ?? reaction }

    /// What a device does with the push, unless it ignores it.
    var reaction: Reaction {
        let effect =
            switch event {
            case .start where channel != nil: "starts a Live Activity on the channel"
            case .start: "starts a Live Activity"
            case .update: "updates a Live Activity"
            case .end: "ends a Live Activity"
            }
        return Reaction(
            .shown, shows: .activity, "The device \(effect)\(alert != nil ? ", and lights its screen" : "").")
    }
}

extension JSONText.Value {
    /// The time in seconds since 1970, clamped to the valid range.
    fileprivate var unixTime: Timestamp? {
        guard let seconds = double else { return nil }
        let milliseconds = (seconds * 1000).rounded()
        return Timestamp(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds.sign == .minus ? .min : .max))
    }
}
