/// How broadcast channels behave: the key `broadcast` of a scenario.
package struct BroadcastSettings: Sendable {
    /// The apps with the broadcast capability.
    package enum Enabled: Sendable, Equatable {
        case all
        /// The apps with these bundle ids.
        case topics([String])
    }

    /// The expiration that a push to a channel without storage must have.
    package enum UnstoredExpiration: Sendable {
        /// 0, as Apple's page says.
        case zero
        /// Anything but 0, as one observation says.
        case nonZero
    }

    /// Maximum number of channels in all, whatever ``limit`` is, so that memory is bounded.
    package static let mostChannels = 1_000_000

    /// The apps with the broadcast capability.
    package var enabled = Enabled.all
    /// The apps whose capability was turned on or off since.
    var overrides: [String: Bool] = [:]
    /// Maximum number of channels of an app in one environment.
    package var limit = 10_000
    /// The reason if the app does not have the capability: ``Reason/broadcastFeatureNotEnabled`` as observed, or
    /// ``Reason/featureNotEnabled`` as in Apple's table.
    package var notEnabledReason = Reason.broadcastFeatureNotEnabled
    /// The reason for publishing to a channel that never existed: ``Reason/badChannelID`` or
    /// ``Reason/channelNotRegistered``.
    package var unknownChannel = Reason.badChannelID
    /// The reason for reading or deleting a channel that does not exist: ``Reason/badPath`` or
    /// ``Reason/channelNotRegistered``.
    package var deleteUnknown = Reason.badPath
    /// Whether channel management refuses bundle ids with capital letters, as seen in 2024.
    package var rejectsCapitals = false
    /// The expiration that a push to a channel without storage must have.
    package var unstoredExpiration = UnstoredExpiration.zero
    /// Whether a Live Activity that starts gets the push that its channel stores.
    package var deliversToLateSubscribers = false

    /// Creates the defaults, each as close to observed behavior as is known.
    package init() {}

    /// Returns whether an app has the broadcast capability.
    func isEnabled(for topic: Span<UInt8>) -> Bool {
        for (name, isOn) in overrides where topic.equals(name) { return isOn }
        guard case .topics(let topics) = enabled else { return true }
        for name in topics where topic.equals(name) { return true }
        return false
    }
}

/// A channel as a scenario declares it: an element of `channels`.
package struct DeclaredChannel: Sendable {
    /// The name.
    package var name: String
    /// The bundle id of the app.
    package var topic: String
    /// The id; `nil` to make one.
    package var id: ChannelID?
    /// Whether it belongs to the sandbox; `nil` means the environment of the server.
    package var isSandbox: Bool?
    /// Which of its pushes are stored.
    package var policy = ChannelStorage.mostRecent

    /// Creates a channel that stores the most recent push.
    package init(name: String, topic: String) {
        self.name = name
        self.topic = topic
    }
}
