import MockAPNSCore

// The conditions: the first is a static method, further ones are methods of what it returns.

extension MockAPNSServer.Match {
    /// Pushes to the device that the scenario calls so.
    public static func device(_ name: String) -> Self { all.device(name) }
    /// Pushes to a device token, in hexadecimal digits of either case.
    public static func token(_ token: String) -> Self { all.token(token) }
    /// Pushes with that `apns-topic`.
    public static func topic(_ topic: String) -> Self { all.topic(topic) }
    /// Pushes with that `apns-push-type`.
    public static func pushType(_ type: MockAPNSServer.PushType) -> Self { all.pushType(type) }
    /// Pushes with that `apns-collapse-id`.
    public static func collapseID(_ id: String) -> Self { all.collapseID(id) }
    /// Pushes with that `apns-id`, in either case.
    public static func apnsID(_ id: String) -> Self { all.apnsID(id) }
    /// Requests that were answered with that status.
    public static func status(_ status: Int) -> Self { all.status(status) }
    /// Requests that were refused for that reason.
    public static func reason(_ reason: MockAPNSServer.Reason) -> Self { all.reason(reason) }
    /// Pushes that became of that.
    public static func delivery(_ delivery: MockAPNSServer.Delivery) -> Self { all.delivery(delivery) }
    /// Requests with which the server did that.
    public static func outcome(_ outcome: MockAPNSServer.Outcome) -> Self { all.outcome(outcome) }
    /// Requests that this decided.
    public static func decidedBy(_ decider: MockAPNSServer.DecidedBy) -> Self { all.decidedBy(decider) }
    /// Requests that the rule of that name decided.
    public static func rule(_ name: String) -> Self { all.rule(name) }
    /// Requests of which a field fulfils something.
    public static func field(_ field: MockAPNSServer.Field, _ matcher: MockAPNSServer.Matcher) -> Self {
        all.field(field, matcher)
    }
    /// Requests with a header field of that name whose value fulfils something.
    public static func header(_ name: String, _ matcher: MockAPNSServer.Matcher) -> Self { all.header(name, matcher) }
    /// Requests in whose payload a JSON Pointer such as `/aps/alert/title` (RFC 6901) leads to something like that.
    public static func payload(_ pointer: String, _ matcher: MockAPNSServer.Matcher) -> Self {
        all.payload(pointer, matcher)
    }
}

extension MockAPNSServer.Match {
    /// And to the device that the scenario calls so.
    public func device(_ name: String) -> Self { field(.device, .equals(name)) }
    /// And to a device token, in hexadecimal digits of either case.
    public func token(_ token: String) -> Self { field(.token, .equals(token)) }
    /// And with that `apns-topic`.
    public func topic(_ topic: String) -> Self { field(.topic, .equals(topic)) }
    /// And with that `apns-push-type`.
    public func pushType(_ type: MockAPNSServer.PushType) -> Self { field(.pushType, .equals(type.rawValue)) }
    /// And with that `apns-collapse-id`.
    public func collapseID(_ id: String) -> Self { field(.collapseID, .equals(id)) }
    /// And with that `apns-id`, in either case.
    public func apnsID(_ id: String) -> Self { field(.apnsID, .equals(id)) }
    /// And answered with that status.
    public func status(_ status: Int) -> Self { field(.status, .equals(status)) }
    /// And refused for that reason.
    public func reason(_ reason: MockAPNSServer.Reason) -> Self { field(.reason, .equals(reason.rawValue)) }
    /// And become of that.
    public func delivery(_ delivery: MockAPNSServer.Delivery) -> Self { field(.delivery, .equals(delivery.rawValue)) }
    /// And the server did that.
    public func outcome(_ outcome: MockAPNSServer.Outcome) -> Self { field(.outcome, .equals(outcome.rawValue)) }
    /// And decided by this.
    public func decidedBy(_ decider: MockAPNSServer.DecidedBy) -> Self { field(.decidedBy, .equals(decider.rawValue)) }
    /// And decided by the rule of that name.
    public func rule(_ name: String) -> Self { field(.decidedBy, .equals("rule:" + name)) }
    /// And with a field that fulfils something.
    public func field(_ field: MockAPNSServer.Field, _ matcher: MockAPNSServer.Matcher) -> Self {
        adding(field.rawValue, matcher.json)
    }
    /// And with a header field of that name whose value fulfils something.
    public func header(_ name: String, _ matcher: MockAPNSServer.Matcher) -> Self {
        adding("header", JSONText.Value([JSONText.Member(name, matcher.json)]))
    }
    /// And with a payload in which a JSON Pointer such as `/aps/alert/title` (RFC 6901) leads to something like that.
    public func payload(_ pointer: String, _ matcher: MockAPNSServer.Matcher) -> Self {
        adding("payload", JSONText.Value([JSONText.Member(pointer, matcher.json)]))
    }
}
