/// What the server did with a request: the member `outcome` of its record.
package enum Outcome: UInt8, Sendable, CaseIterable {
    /// An answer was sent.
    case responded
    /// The answer will be sent later.
    case delayed
    /// No answer will be sent; the stream stays open.
    case stalled
    /// The server reset the stream.
    case reset
    /// The request was not processed because of a GOAWAY sent in response.
    case goAway
    /// The connection was closed instead of answering.
    case closed
    /// The request arrived on a stream above the last stream of a GOAWAY and was not processed.
    case ignored
    /// The client canceled the request before it was answered.
    case cancelled

    /// The value in the record.
    package var name: String {
        switch self {
        case .responded: "responded"
        case .delayed: "delayed"
        case .stalled: "stalled"
        case .reset: "reset"
        case .goAway: "goAway"
        case .closed: "closed"
        case .ignored: "ignored"
        case .cancelled: "cancelled"
        }
    }
}

/// What decided about a request: the member `decidedBy` of its record.
package enum DecidedBy: UInt8, Sendable, CaseIterable {
    /// The ordered list of checks.
    case checks
    /// The state of the device: unregistered, too many pushes.
    case device
    /// The state of the connection: its streams, its GOAWAY, malformed input.
    case connection
    /// A scripted outage.
    case outage
    /// A rule of the scenario. The record has its name too, as `rule:NAME`.
    case rule

    /// The value in the record, without the name of a rule.
    package var name: String {
        switch self {
        case .checks: "checks"
        case .device: "device"
        case .connection: "connection"
        case .outage: "outage"
        case .rule: "rule"
        }
    }
}

/// What happened to an accepted push: the member `delivery` of its record.
///
/// The ten names are those shown in Apple's Push Notifications Console. `Stored - Device Offline` and
/// `Discarded - Disabled` are documented in
/// [Viewing the status of push notifications using Metrics and APNs](https://developer.apple.com/documentation/usernotifications/viewing-the-status-of-push-notifications-using-metrics-and-apns).
package enum Delivery: UInt8, Sendable, CaseIterable {
    case received
    case delivered
    case deliveredFromStorage
    case storedOffline
    case storedPower
    case discardedUnregistered
    case discardedUnregisteredFromStorage
    case discardedExpired
    case discardedDisabled
    case discardedDisabledFromStorage

    /// The name in the console, for example `Delivered to Device (From Storage)`.
    package var name: String {
        switch self {
        case .received: "Received by APNs"
        case .delivered: "Delivered to Device"
        case .deliveredFromStorage: "Delivered to Device (From Storage)"
        case .storedOffline: "Stored - Device Offline"
        case .storedPower: "Stored - Power Considerations"
        case .discardedUnregistered: "Discarded - Token Unregistered"
        case .discardedUnregisteredFromStorage: "Discarded - Token Unregistered (From Storage)"
        case .discardedExpired: "Discarded - Expired"
        case .discardedDisabled: "Discarded - Disabled"
        case .discardedDisabledFromStorage: "Discarded - Disabled (From Storage)"
        }
    }
}

/// Who sent a push: the member `sentBy` of its record.
package enum Sender: UInt8, Sendable, CaseIterable {
    /// A provider, on a connection.
    case provider
    /// The admin API of this server.
    case admin

    /// The value in the record.
    package var name: String {
        switch self {
        case .provider: "provider"
        case .admin: "admin"
        }
    }
}

/// How a request authenticated itself: the member `authentication.method` of its record.
package enum AuthenticationMethod: UInt8, Sendable, CaseIterable {
    /// Neither a token nor a certificate.
    case none
    /// A provider token in `authorization`, valid or not.
    case token
    /// The client certificate of the connection.
    case certificate

    /// The value in the record.
    package var name: String {
        switch self {
        case .none: "none"
        case .token: "token"
        case .certificate: "certificate"
        }
    }
}

/// The result of checking a request's token or certificate: the member `authentication.verdict` of its record.
package enum Verdict: Sendable, Hashable {
    /// Not checked; written as `null`.
    case notJudged
    case valid
    /// Refused. The reason is recorded even if something else decided about the request.
    case refused(Reason)
}
