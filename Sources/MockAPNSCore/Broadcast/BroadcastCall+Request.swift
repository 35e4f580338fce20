extension BroadcastCall {
    /// The status of a successful answer.
    var status: UInt16 {
        switch self {
        case .create: 201
        case .delete: 204
        case .read, .list, .publish: 200
        }
    }

    /// The trigger of the rules that are tried on it.
    package var trigger: RuleTrigger { self == .publish ? .broadcast : .channels }

    /// Whether it names a channel in `apns-channel-id`.
    package var namesChannel: Bool {
        switch self {
        case .read, .delete, .publish: true
        case .create, .list: false
        }
    }

    /// Whether it has a body.
    var hasBody: Bool { self == .create || self == .publish }

    /// Returns the call of a method on a path; `nil` if the path does not take the method.
    init?(_ path: CallPath, method: Span<UInt8>) {
        switch path {
        case .channels:
            if method.equals("POST") {
                self = .create
            } else if method.equals("GET") {
                self = .read
            } else if method.equals("DELETE") {
                self = .delete
            } else {
                return nil
            }
        case .allChannels:
            guard method.equals("GET") else { return nil }
            self = .list
        case .broadcasts:
            guard method.equals("POST") else { return nil }
            self = .publish
        case .unknown: return nil
        }
    }
}
