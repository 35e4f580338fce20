// The parts of an ordinary request.

extension ProbeCall {
    /// The fields of an ordinary request, without authorization.
    var usualFields: [(name: String, value: String)] {
        let start = [(":method", method), (":scheme", "https"), (":path", path), (":authority", "{authority}")]
        return switch self {
        case .push: start + [("apns-topic", "{topic}"), ("apns-push-type", "alert"), ("apns-expiration", "0")]
        case .publish:
            start + [
                ("apns-channel-id", "{channel:stored}"), ("apns-push-type", "liveactivity"), ("apns-expiration", "0"),
                ("apns-priority", "10"),
            ]
        case .read: start + [("apns-channel-id", "{channel:stored}")]
        case .delete: start + [("apns-channel-id", "{channel:fresh}")]
        case .create, .list: start
        }
    }

    private var method: String {
        switch self {
        case .push, .create, .publish: "POST"
        case .read, .list: "GET"
        case .delete: "DELETE"
        }
    }

    private var path: String {
        switch self {
        case .push: "/3/device/{device}"
        case .create, .read, .delete: "/1/apps/{topic}/channels"
        case .list: "/1/apps/{topic}/all-channels"
        case .publish: "/4/broadcasts/apps/{topic}"
        }
    }

    /// The body of an ordinary request.
    var usualBody: ProbeRequest.Body {
        switch self {
        case .push: .text(#"{"aps":{"alert":"mock-apns probe"}}"#)
        case .publish: .text(#"{"aps":{"timestamp":{now},"event":"update","content-state":{}}}"#)
        case .create: .text(Self.parameters(policy: 1))
        case .read, .delete, .list: .none
        }
    }

    /// The body of a call that makes a channel.
    static func parameters(policy: Int) -> String {
        #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
    }
}
