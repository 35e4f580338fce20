package import MockAPNSCore

/// A push as lint sees it: its payload, and its header fields as far as they are known.
package struct LintedPush: Sendable {
    /// The body of the request.
    package var body: [UInt8]
    /// The number of bytes sent, if ``body`` is not all of them, or lacks insignificant white space.
    var byteCount: Int?
    /// Whether ``body`` is the whole payload; only its size is judged otherwise.
    var isWhole = true
    /// Whether the push was accepted, so that later ones are compared with it.
    var isAccepted = true
    /// `apns-push-type`; `nil` when it is not there, or not known.
    package var pushType: String?
    /// `apns-topic`, or the certificate's only topic.
    package var topic: String?
    /// `apns-priority`.
    package var priority: String?
    /// `apns-expiration`.
    package var expiration: String?
    /// `content-encoding`.
    package var contentEncoding: String?
    /// Whether it is of a log, so that its header fields are judged with the run.
    var isOfLog = false
    /// Whether it goes to a broadcast channel.
    package var isBroadcast = false
    /// The device token or channel that it goes to.
    package var recipient: String?
    /// The header fields that APNs ignores although they seem to be meant for it, as messages list them.
    private(set) var unknownFields: [String] = []
    /// When it was sent; `nil` if that is not known, so that times before and after are not judged.
    package var clock: Timestamp?

    /// A push with that body and no other known facts.
    package init(body: [UInt8]) { self.body = body }

    /// Takes what a header field says; those that lint does not look at change nothing.
    package mutating func setHeader(_ name: String, _ value: String) {
        switch name.lowercased() {
        case HeaderName.pushType.name: pushType = value
        case HeaderName.topic.name: topic = value
        case HeaderName.priority.name: priority = value
        case HeaderName.expiration.name: expiration = value
        case "content-encoding": contentEncoding = value
        case "apns-channel-id":
            isBroadcast = true
            recipient = value
        case HeaderName.path.name:
            let parts = value.split(separator: "/", omittingEmptySubsequences: false)
            if parts.dropLast() == ["", "3", "device"] { recipient = parts.last.map(String.init) }
            if parts.dropLast(2) == ["", "4", "broadcasts"] { isBroadcast = true }
        default: if let field = UnknownField(name.lowercased()) { unknownFields.append(field.text) }
        }
    }
}
