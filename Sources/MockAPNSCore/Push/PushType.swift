/// The type of a push: the value of `apns-push-type`.
///
/// See the table of push types and topics in
/// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
package enum PushType: UInt8, Sendable, CaseIterable {
    case alert
    case background
    case complication
    case controls
    case fileprovider
    case liveactivity
    case location
    case mdm
    case pushtotalk
    case voip
    case widgets

    /// Maximum payload size in bytes of every push but ``voip``.
    ///
    /// See [Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification).
    package static let payloadLimit = 4096
    /// Maximum payload size in bytes of a VoIP push.
    package static let payloadLimitForVoIP = 5120

    /// The value on the wire.
    package var name: String {
        switch self {
        case .alert: "alert"
        case .background: "background"
        case .complication: "complication"
        case .controls: "controls"
        case .fileprovider: "fileprovider"
        case .liveactivity: "liveactivity"
        case .location: "location"
        case .mdm: "mdm"
        case .pushtotalk: "pushtotalk"
        case .voip: "voip"
        case .widgets: "widgets"
        }
    }

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

    /// The type of a push that names none: what the suffix of its topic stands for, else an alert.
    package init(ofTopic topic: Span<UInt8>) {
        self = .alert
        var value = Self.background.rawValue
        while let type = Self(rawValue: value) {
            if type == .mdm ? Topic.isMDM(topic) : type.topicSuffix.map({ topic.ends(with: $0) }) ?? false {
                self = type
                return
            }
            value += 1
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
        var value = background.rawValue
        while let type = Self(rawValue: value) {
            if text.equals(type.name) { return type }
            value += 1
        }
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
