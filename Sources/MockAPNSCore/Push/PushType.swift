/// What the project knows of the types of pushes.
///
/// See the table of push types and topics in
/// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
///
/// What the rest of the project has to know of every type is a property here. Elsewhere a type is named only for a rule
/// that others do not have.
extension PushType {
    /// Maximum payload size in bytes of every push but ``voip``.
    ///
    /// See [Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification).
    package static let payloadLimit = 4096
    /// Maximum payload size in bytes of a VoIP push.
    package static let payloadLimitForVoIP = 5120
    /// Maximum payload size in bytes of a push that is published to a broadcast channel.
    ///
    /// See [Sending broadcast push notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-broadcast-push-notification-requests-to-apns).
    package static let payloadLimitForBroadcast = 5120

    /// The topic suffix of such pushes; `nil` if the topic is the plain bundle id or (``mdm``) something else.
    package var topicSuffix: String? {
        switch self {
        case .alert, .background, .mdm: nil
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// What such a push is for.
    var purpose: Purpose {
        switch self {
        case .alert: .notify
        case .background: .wake
        case .complication: .handOver("The watch app updates its complication.")
        case .controls: .reload("The system reloads the app's controls.")
        case .fileprovider: .handOver("The File Provider extension looks for changes.")
        case .liveactivity: .changeActivity
        case .location: .handOver("The app's location extension reports where the device is.")
        case .mdm: .handOver("The device asks its management server for commands.")
        case .pushtotalk: .handOver("The app joins the conversation and plays what is said.")
        case .voip: .handOver("The app reports an incoming call.")
        case .widgets: .reload("The system reloads the app's widgets.")
        }
    }

    /// What a push is for. Two cases carry the sentence that says what the device does.
    enum Purpose: Sendable {
        /// To show a notification, set the badge or play a sound.
        case notify
        /// To wake the app, with `content-available`.
        case wake
        /// To start, update or end a Live Activity.
        case changeActivity
        /// To reload what the app displays, with `content-changed`.
        case reload(String)
        /// To reach the app or a part of the system, whatever the payload says.
        case handOver(String)
    }

    /// Whether the device does nothing with such a push that has no `aps`.
    package var needsAps: Bool {
        switch purpose {
        case .notify, .wake, .changeActivity, .reload: true
        case .handOver: false
        }
    }

    /// Whether such a push only says that it is time to do something, so that many have the same payload.
    package var isSignal: Bool {
        switch self {
        case .background, .complication, .controls, .fileprovider, .location, .mdm, .widgets: true
        case .alert, .liveactivity, .pushtotalk, .voip: false
        }
    }

    /// All types but alerts.
    private static let others = Array(coded.dropFirst())

    /// The type of a push that names none: what the suffix of its topic stands for, else an alert.
    package init(ofTopic topic: Span<UInt8>) {
        self = .alert
        for type in Self.others
        where type == .mdm ? Topic.isMDM(topic) : type.topicSuffix.map({ topic.ends(with: $0) }) ?? false {
            self = type
            return
        }
    }

    /// Parses the exact name on the wire; fails for one unknown to APNs.
    @inline(__always)
    package init?(_ text: Span<UInt8>) {
        if text.count == 5, text[0] == UInt8(ascii: "a"), text.word(at: 1) == letters("l", "e", "r", "t") {
            self = .alert  // by far the commonest
        } else if let type = Self.other(text) {
            self = type
        } else {
            return nil
        }
    }

    private static func other(_ text: Span<UInt8>) -> Self? {
        for type in others where text.equals(type.rawValue) { return type }
        return nil
    }
}

extension Span<UInt8> {
    /// Returns whether the bytes are this text in UTF-8.
    func equals(_ text: String) -> Bool { count == text.utf8.count && ends(with: text) }

    /// Returns whether the bytes start with this text in UTF-8.
    func begins(with text: String) -> Bool {
        var index = 0
        guard count >= text.utf8.count else { return false }
        for byte in text.utf8 {
            guard self[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// Returns whether the bytes end with this text in UTF-8.
    func ends(with text: String) -> Bool {
        var index = count - text.utf8.count
        guard index >= 0 else { return false }
        for byte in text.utf8 {
            guard self[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// Returns whether the bytes contain this text in UTF-8.
    func contains(_ text: String) -> Bool {
        guard let first = text.utf8.first, count >= text.utf8.count else { return false }
        for index in 0...count - text.utf8.count where self[index] == first {
            if extracting(droppingFirst: index).begins(with: text) { return true }
        }
        return false
    }

    /// Returns whether the bytes contain this one.
    func contains(_ byte: UInt8) -> Bool {
        for index in 0..<count where self[index] == byte { return true }
        return false
    }

    /// Returns whether both spans hold the same bytes.
    func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // Always to the end, so that the compiler can compare many bytes at a time.
        var difference: UInt8 = 0
        for index in 0..<count { difference |= self[index] ^ other[index] }
        return difference == 0
    }
}
