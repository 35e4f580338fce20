import MockAPNSCore

// Conditions: the first is a static method, and further ones are methods of its result.

extension MockAPNSServer.Match {
    /// Matches pushes to the device with that name.
    public static func device(_ name: String) -> Self { all.device(name) }
    /// Matches pushes to a device token, in hexadecimal digits of either case.
    public static func token(_ token: String) -> Self { all.token(token) }
    /// Matches pushes with that `apns-topic`.
    public static func topic(_ topic: String) -> Self { all.topic(topic) }
    /// Matches pushes with that `apns-push-type`. For one that APNs does not know, use
    /// `.header("apns-push-type", "…")`.
    public static func pushType(_ type: MockAPNSServer.PushType) -> Self { all.pushType(type) }
    /// Matches pushes with that `apns-collapse-id`.
    public static func collapseID(_ id: String) -> Self { all.collapseID(id) }
    /// Matches pushes with that `apns-id`, in either case.
    public static func apnsID(_ id: String) -> Self { all.apnsID(id) }
    /// Matches pushes with that `apns-unique-id`, in either case.
    public static func uniqueID(_ id: String) -> Self { all.uniqueID(id) }
    /// Matches requests answered with that status.
    public static func status(_ status: Int) -> Self { all.status(status) }
    /// Matches requests rejected for that reason.
    public static func reason(_ reason: MockAPNSServer.Reason) -> Self { all.reason(reason) }
    /// Matches pushes with that delivery status.
    public static func delivery(_ delivery: MockAPNSServer.Delivery) -> Self { all.delivery(delivery) }
    /// Matches requests with that outcome.
    public static func outcome(_ outcome: MockAPNSServer.Outcome) -> Self { all.outcome(outcome) }
    /// Matches requests decided by this; with `.rule`, by any rule.
    public static func decidedBy(_ decider: MockAPNSServer.DecidedBy) -> Self { all.decidedBy(decider) }
    /// Matches requests decided by the rule with that name.
    public static func rule(_ name: String) -> Self { all.rule(name) }
    /// Matches calls about broadcast channels of that kind; without it, only pushes to devices match.
    public static func call(_ call: MockAPNSServer.BroadcastCall) -> Self { all.call(call) }
    /// Matches requests by the value of a field.
    public static func field(_ field: MockAPNSServer.Field, _ matcher: MockAPNSServer.Matcher) -> Self {
        all.field(field, matcher)
    }
    /// Matches requests by the value of a header field.
    public static func header(_ name: String, _ matcher: MockAPNSServer.Matcher) -> Self { all.header(name, matcher) }
    /// Matches requests by what a JSON Pointer such as `/aps/alert/title` (RFC 6901) refers to in the payload.
    public static func payload(_ pointer: String, _ matcher: MockAPNSServer.Matcher) -> Self {
        all.payload(pointer, matcher)
    }
}

extension MockAPNSServer.Match {
    /// Adds the condition that the push is to the device with that name.
    public func device(_ name: String) -> Self { field(.device, .equals(name)) }
    /// Adds the condition that the push is to a device token, in hexadecimal digits of either case.
    public func token(_ token: String) -> Self { field(.token, .equals(token)) }
    /// Adds the condition that `apns-topic` has that value.
    public func topic(_ topic: String) -> Self { field(.topic, .equals(topic)) }
    /// Adds the condition that `apns-push-type` has that value. For one that APNs does not know, use
    /// `.header("apns-push-type", "…")`.
    public func pushType(_ type: MockAPNSServer.PushType) -> Self { field(.pushType, .equals(type.rawValue)) }
    /// Adds the condition that `apns-collapse-id` has that value.
    public func collapseID(_ id: String) -> Self { field(.collapseID, .equals(id)) }
    /// Adds the condition that `apns-id` has that value, in either case.
    public func apnsID(_ id: String) -> Self { field(.apnsID, .equals(id)) }
    /// Adds the condition that `apns-unique-id` of the answer has that value, in either case.
    public func uniqueID(_ id: String) -> Self { field(.uniqueID, .equals(id)) }
    /// Adds the condition that the request is a call about broadcast channels of that kind.
    public func call(_ call: MockAPNSServer.BroadcastCall) -> Self { field(.call, .equals(call.rawValue)) }
    /// Adds the condition that the call is about the broadcast channel with that id or name.
    public func channel(_ idOrName: String) -> Self { field(.channel, .equals(idOrName)) }
    /// Adds the condition that the answer has that status.
    public func status(_ status: Int) -> Self { field(.status, .equals(status)) }
    /// Adds the condition that the request was rejected for that reason.
    public func reason(_ reason: MockAPNSServer.Reason) -> Self { field(.reason, .equals(reason.rawValue)) }
    /// Adds the condition that the push has that delivery status.
    public func delivery(_ delivery: MockAPNSServer.Delivery) -> Self { field(.delivery, .equals(delivery.rawValue)) }
    /// Adds the condition that the request has that outcome.
    public func outcome(_ outcome: MockAPNSServer.Outcome) -> Self { field(.outcome, .equals(outcome.rawValue)) }
    /// Adds the condition that the request was decided by this; with `.rule`, by any rule.
    public func decidedBy(_ decider: MockAPNSServer.DecidedBy) -> Self {
        field(.decidedBy, decider == .rule ? .prefix("rule:") : .equals(decider.rawValue))
    }
    /// Adds the condition that the request was decided by the rule with that name.
    public func rule(_ name: String) -> Self { field(.decidedBy, .equals("rule:" + name)) }
    /// Adds a condition on the value of a field.
    public func field(_ field: MockAPNSServer.Field, _ matcher: MockAPNSServer.Matcher) -> Self {
        adding(field.rawValue, matcher.json)
    }
    /// Adds a condition on the value of a header field.
    public func header(_ name: String, _ matcher: MockAPNSServer.Matcher) -> Self {
        adding("header", JSONText.Value([JSONText.Member(name, matcher.json)]))
    }
    /// Adds a condition on what a JSON Pointer such as `/aps/alert/title` (RFC 6901) refers to in the payload.
    public func payload(_ pointer: String, _ matcher: MockAPNSServer.Matcher) -> Self {
        adding("payload", JSONText.Value([JSONText.Member(pointer, matcher.json)]))
    }
}
