import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// What a rule does when it matches: an outcome, and what goes with it, in the words of a scenario's `then`.
    ///
    /// ```swift
    /// try apns.addRule(.reject(.tooManyRequests).retryAfter(.seconds(2)), when: .device("alice"), times: 1)
    /// try apns.addRule(.reject(.serviceUnavailable).deliver())  // the answer is lost, the notification is not
    /// try apns.addRule(.tlsAlert(.certificateExpired), on: .connect)
    /// ```
    ///
    /// It is checked when its rule is added.
    public struct Step: Sendable, CustomStringConvertible {
        private var members: [JSONText.Member]

        private init(_ members: [JSONText.Member?]) { self.members = members.compactMap(\.self) }

        private init(_ key: String, _ value: JSONText.Value = JSONText.Value(true)) {
            members = [JSONText.Member(key, value)]
        }

        var json: JSONText.Value { JSONText.Value(members) }

        /// As in a scenario, `{"reject":"TooManyRequests"}`.
        public var description: String { json.text }

        private func adding(_ key: String, _ value: JSONText.Value) -> Step {
            var step = self
            step.members.append(JSONText.Member(key, value))
            return step
        }
    }
}

// Outcomes
extension MockAPNSServer.Step {
    /// The normal decision.
    public static let pass = Self("pass")

    /// That reason, with Apple's status and body.
    ///
    /// - Parameters:
    ///   - reason: why.
    ///   - status: another status than Apple's.
    ///   - timestamp: the `timestamp` of an answer with status 410; `nil`: the present.
    public static func reject(
        _ reason: MockAPNSServer.Reason, status: Int? = nil, timestamp: Date? = nil
    ) -> Self {
        Self([
            JSONText.Member("reject", JSONText.Value(reason.rawValue)),
            JSONText.Member("status", status.map { JSONText.Value($0) }),
            JSONText.Member("timestamp", timestamp.map { JSONText.Value($0) }),
        ])
    }

    /// An answer of that wording.
    ///
    /// - Parameters:
    ///   - status: 200 to 599.
    ///   - headers: its header fields.
    ///   - body: a string is sent as it is, an object or array as JSON; `nil`: none.
    public static func respond(
        status: Int, headers: KeyValuePairs<String, String> = [:], body: MockAPNSServer.JSONValue? = nil
    ) -> Self {
        let fields = headers.map { JSONText.Member($0.key, JSONText.Value($0.value)) }
        let members = [
            JSONText.Member("status", JSONText.Value(status)),
            JSONText.Member("headers", fields.isEmpty ? nil : JSONText.Value(fields)),
            JSONText.Member("body", body?.core),
        ]
        return Self("respond", JSONText.Value(members.compactMap(\.self)))
    }

    /// No answer, ever; the stream stays open.
    public static let stall = Self("stall")

    /// RST_STREAM frames (RFC 9113, section 6.4).
    public static func resetStream(_ codes: MockAPNSServer.ErrorCode...) -> Self {
        Self("resetStream", JSONText.Value(oneOrMore: codes.map { JSONText.Value($0.rawValue) }))
    }

    /// GOAWAY frames, one after the other.
    public static func goAway(_ frames: MockAPNSServer.GoAway...) -> Self {
        Self("goAway", JSONText.Value(oneOrMore: frames.map(\.json)))
    }

    /// The end of the connection.
    public static func close(_ ending: MockAPNSServer.Ending) -> Self {
        Self("close", JSONText.Value(ending.rawValue))
    }

    /// Every push is refused for that reason, for so long by the scenario's clock.
    public static func outage(_ reason: MockAPNSServer.Reason, for duration: Duration) -> Self {
        Self(
            "outage",
            JSONText.Value([
                JSONText.Member("reason", JSONText.Value(reason.rawValue)),
                JSONText.Member("for", JSONText.Value(duration)),
            ]))
    }

    /// The normal decision, sent in a way that is legal in HTTP/2 but was never seen from Apple.
    public static func hostile(_ way: MockAPNSServer.Hostility) -> Self {
        Self("hostile", JSONText.Value(way.rawValue))
    }

    /// On ``MockAPNSServer/Trigger/connect``: the TLS handshake fails with that alert.
    public static func tlsAlert(_ alert: MockAPNSServer.TLSAlert) -> Self {
        Self("tlsAlert", JSONText.Value(alert.rawValue))
    }

    /// On ``MockAPNSServer/Trigger/connect``: the server shows a certificate that no client should trust.
    public static func serverCertificate(_ fault: MockAPNSServer.ServerCertificateFault) -> Self {
        Self("serverCertificate", JSONText.Value(fault.rawValue))
    }

    /// On ``MockAPNSServer/Trigger/ping``: the PING is not acknowledged.
    public static let ignore = Self("ignore")
}

// What goes with an outcome on a push
extension MockAPNSServer.Step {
    /// After so long, in real time.
    public func delay(_ duration: Duration) -> Self { adding("delay", JSONText.Value(duration)) }

    /// After a time that is drawn from the seed, each in the range as likely.
    public func delay(uniform range: ClosedRange<Duration>) -> Self {
        let bounds = JSONText.Value([JSONText.Value(range.lowerBound), JSONText.Value(range.upperBound)])
        return adding("delay", JSONText.Value([JSONText.Member("uniform", bounds)]))
    }

    /// After a time that is drawn from the seed, by a log-normal distribution with that median and 99th percentile.
    public func delay(median: Duration, p99: Duration) -> Self {
        let members = [
            JSONText.Member("median", JSONText.Value(median)), JSONText.Member("p99", JSONText.Value(p99)),
        ]
        return adding("delay", JSONText.Value([JSONText.Member("lognormal", JSONText.Value(members))]))
    }

    /// The answer comes in drops of so many bytes, with that time between two.
    public func drip(bytes: Int, every interval: Duration) -> Self {
        let members = [
            JSONText.Member("bytes", JSONText.Value(bytes)), JSONText.Member("every", JSONText.Value(interval)),
        ]
        return adding("drip", JSONText.Value(members))
    }

    /// The notification is taken and delivered although the answer is a failure, as when a response is lost.
    public func deliver() -> Self { adding("deliver", JSONText.Value(true)) }

    /// With `retry-after`, in whole seconds (RFC 9110, section 10.2.3).
    public func retryAfter(_ duration: Duration) -> Self {
        adding("retryAfter", JSONText.Value(Int(duration.components.seconds)))
    }

    /// With SETTINGS before the answer.
    ///
    /// - Parameters:
    ///   - maxConcurrentStreams: the new limit of streams.
    ///   - duration: after so long, in real time, the old one is put back; `nil`: never.
    public func settings(maxConcurrentStreams: Int, for duration: Duration? = nil) -> Self {
        let members = [
            JSONText.Member("maxConcurrentStreams", JSONText.Value(maxConcurrentStreams)),
            JSONText.Member("for", duration.map { JSONText.Value($0) }),
        ]
        return adding("settings", JSONText.Value(members.compactMap(\.self)))
    }

    /// With a change of the push's device, after it was decided.
    public func device(_ change: MockAPNSServer.DeviceChange) -> Self { adding("device", change.json) }
}
