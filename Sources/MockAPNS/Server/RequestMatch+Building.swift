package import MockAPNSCore

/// Asking for requests in code, as MATCH does in scenario files: `.device("alice").status(200)`.
extension RequestMatch {
    /// Every request.
    package static var all: RequestMatch { RequestMatch() }

    /// Pushes to the device that the scenario calls so.
    package static func device(_ name: String) -> RequestMatch { all.device(name) }
    /// Pushes to a device token, in hexadecimal digits of either case.
    package static func token(_ token: String) -> RequestMatch { all.token(token) }
    /// Pushes with that `apns-topic`.
    package static func topic(_ topic: String) -> RequestMatch { all.topic(topic) }
    /// Pushes with that `apns-push-type`.
    package static func pushType(_ type: PushType) -> RequestMatch { all.pushType(type) }
    /// Pushes with that `apns-collapse-id`.
    package static func collapseID(_ id: String) -> RequestMatch { all.collapseID(id) }
    /// Pushes with that `apns-id`, in either case.
    package static func apnsID(_ id: String) -> RequestMatch { all.apnsID(id) }
    /// Requests that were answered with that status.
    package static func status(_ status: Int) -> RequestMatch { all.status(status) }
    /// Requests that were refused for that reason.
    package static func reason(_ reason: Reason) -> RequestMatch { all.reason(reason) }
    /// Pushes that became of that.
    package static func delivery(_ delivery: Delivery) -> RequestMatch { all.delivery(delivery) }
    /// Requests with which the server did that.
    package static func outcome(_ outcome: Outcome) -> RequestMatch { all.outcome(outcome) }
    /// Requests that the rule of that name decided.
    package static func rule(_ name: String) -> RequestMatch { all.rule(name) }
    /// Requests of which a field fulfils something.
    package static func field(_ field: RequestField, _ matcher: ValueMatcher) -> RequestMatch {
        all.field(field, matcher)
    }
    /// Requests with a header field of that name, in lower case, and value.
    package static func header(_ name: String, _ value: String) -> RequestMatch { all.header(name, value) }
    /// Requests in whose payload a JSON Pointer such as `/aps/alert/title` leads to that text.
    package static func payload(_ pointer: JSONPointer, _ value: String) -> RequestMatch { all.payload(pointer, value) }

    /// And pushes to the device that the scenario calls so.
    package func device(_ name: String) -> RequestMatch { field(.device, .equals(name)) }
    /// And pushes to a device token, in hexadecimal digits of either case.
    package func token(_ token: String) -> RequestMatch { field(.token, .equals(token)) }
    /// And with that `apns-topic`.
    package func topic(_ topic: String) -> RequestMatch { field(.topic, .equals(topic)) }
    /// And with that `apns-push-type`.
    package func pushType(_ type: PushType) -> RequestMatch { field(.pushType, .equals(type.name)) }
    /// And with that `apns-collapse-id`.
    package func collapseID(_ id: String) -> RequestMatch { field(.collapseID, .equals(id)) }
    /// And with that `apns-id`, in either case.
    package func apnsID(_ id: String) -> RequestMatch { field(.apnsID, .equals(id)) }
    /// And answered with that status.
    package func status(_ status: Int) -> RequestMatch { field(.status, .number(Int64(status))) }
    /// And refused for that reason.
    package func reason(_ reason: Reason) -> RequestMatch { field(.reason, .equals(reason.name)) }
    /// And become of that.
    package func delivery(_ delivery: Delivery) -> RequestMatch { field(.delivery, .equals(delivery.name)) }
    /// And the server did that.
    package func outcome(_ outcome: Outcome) -> RequestMatch { field(.outcome, .equals(outcome.name)) }
    /// And decided by the rule of that name.
    package func rule(_ name: String) -> RequestMatch { field(.decidedBy, .equals("rule:" + name)) }
    /// And with a field that fulfils something.
    package func field(_ field: RequestField, _ matcher: ValueMatcher) -> RequestMatch {
        var match = self
        match.require(field, matcher)
        return match
    }
    /// And with a header field of that name, in lower case, and value.
    package func header(_ name: String, _ value: String) -> RequestMatch {
        var match = self
        match.require(header: name, .equals(value))
        return match
    }
    /// And with a payload in which a JSON Pointer such as `/aps/alert/title` leads to that text.
    package func payload(_ pointer: JSONPointer, _ value: String) -> RequestMatch {
        var match = self
        match.require(payload: pointer, .equals(value))
        return match
    }
}
