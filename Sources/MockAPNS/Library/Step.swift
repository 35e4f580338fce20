import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// The effect of a rule that matches: an outcome and its options, described as in a scenario's `then`.
    ///
    /// ```swift
    /// try apns.addRule(.reject(.tooManyRequests).retryAfter(.seconds(2)), when: .device("alice"), times: 1)
    /// try apns.addRule(.reject(.serviceUnavailable).deliver())  // the answer is lost, the notification is not
    /// try apns.addRule(.tlsAlert(.certificateExpired), on: .connect)
    /// ```
    ///
    /// It is validated when its rule is added.
    public struct Step: Sendable, CustomStringConvertible {
        private var members: [JSONText.Member]

        private init(_ members: [JSONText.Member?]) { self.members = members.compactMap(\.self) }

        private init(_ key: String, _ value: JSONText.Value = JSONText.Value(true)) {
            members = [JSONText.Member(key, value)]
        }

        var json: JSONText.Value { JSONText.Value(members) }

        /// The JSON that a scenario would contain, `{"reject":"TooManyRequests"}`.
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

    /// A rejection for that reason, with Apple's status and body.
    ///
    /// - Parameters:
    ///   - reason: the reason.
    ///   - status: a status other than Apple's.
    ///   - timestamp: the `timestamp` of an answer with status 410; `nil` for the current time.
    public static func reject(
        _ reason: MockAPNSServer.Reason, status: Int? = nil, timestamp: Date? = nil
    ) -> Self {
        Self([
            JSONText.Member("reject", JSONText.Value(reason.rawValue)),
            JSONText.Member("status", status.map { JSONText.Value($0) }),
            JSONText.Member("timestamp", timestamp.map { JSONText.Value($0) }),
        ])
    }

    /// An answer with custom content.
    ///
    /// - Parameters:
    ///   - status: 200 to 599.
    ///   - headers: its header fields.
    ///   - body: a string is sent unchanged, an object or array as JSON; `nil` for none.
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

    /// No answer at all; the stream stays open.
    public static let stall = Self("stall")

    /// RST_STREAM frames (RFC 9113, section 6.4).
    public static func resetStream(_ codes: MockAPNSServer.ErrorCode...) -> Self {
        Self("resetStream", JSONText.Value(oneOrMore: codes.map { JSONText.Value($0.rawValue) }))
    }

    /// GOAWAY frames, one after another.
    public static func goAway(_ frames: MockAPNSServer.GoAway...) -> Self {
        Self("goAway", JSONText.Value(oneOrMore: frames.map(\.json)))
    }

    /// The end of the connection.
    public static func close(_ ending: MockAPNSServer.Ending) -> Self {
        Self("close", JSONText.Value(ending.rawValue))
    }

    /// Rejects every push for that reason, for this duration on the scenario's clock.
    public static func outage(_ reason: MockAPNSServer.Reason, for duration: Duration) -> Self {
        Self("outage", .outage(reason, for: duration))
    }

    /// The normal decision, sent in a way that HTTP/2 allows but that was never observed from APNs.
    public static func hostile(_ way: MockAPNSServer.Hostility) -> Self {
        Self("hostile", JSONText.Value(way.rawValue))
    }

    /// On ``MockAPNSWords/RuleTrigger/connect``: the TLS handshake fails with that alert.
    public static func tlsAlert(_ alert: MockAPNSServer.TLSAlert) -> Self {
        Self("tlsAlert", JSONText.Value(alert.rawValue))
    }

    /// On ``MockAPNSWords/RuleTrigger/connect``: the server presents a certificate that no client should trust.
    public static func serverCertificate(_ fault: MockAPNSServer.ServerCertificateFault) -> Self {
        Self("serverCertificate", JSONText.Value(fault.rawValue))
    }

    /// On ``MockAPNSWords/RuleTrigger/ping``: the PING is not acknowledged.
    public static let ignore = Self("ignore")
}

// Options of an outcome on a push
extension MockAPNSServer.Step {
    /// Delays the answer by this duration, in real time.
    public func delay(_ duration: Duration) -> Self { adding("delay", JSONText.Value(duration)) }

    /// Delays the answer by a duration drawn from the seed, uniformly distributed over the range.
    public func delay(uniform range: ClosedRange<Duration>) -> Self {
        let bounds = JSONText.Value([JSONText.Value(range.lowerBound), JSONText.Value(range.upperBound)])
        return adding("delay", JSONText.Value([JSONText.Member("uniform", bounds)]))
    }

    /// Delays the answer by a duration drawn from the seed, with a log-normal distribution of that median and 99th
    /// percentile.
    public func delay(median: Duration, p99: Duration) -> Self {
        let members = [
            JSONText.Member("median", JSONText.Value(median)), JSONText.Member("p99", JSONText.Value(p99)),
        ]
        return adding("delay", JSONText.Value([JSONText.Member("lognormal", JSONText.Value(members))]))
    }

    /// Sends the answer in pieces of this many bytes, with that interval between them.
    public func drip(bytes: Int, every interval: Duration) -> Self {
        let members = [
            JSONText.Member("bytes", JSONText.Value(bytes)), JSONText.Member("every", JSONText.Value(interval)),
        ]
        return adding("drip", JSONText.Value(members))
    }

    /// Accepts and delivers the notification although the answer is an error, as when a response is lost.
    public func deliver() -> Self { adding("deliver", JSONText.Value(true)) }

    /// Adds `retry-after`, in whole seconds (RFC 9110, section 10.2.3).
    public func retryAfter(_ duration: Duration) -> Self {
        adding("retryAfter", JSONText.Value(Int(duration.components.seconds)))
    }

    /// Sends SETTINGS before the answer.
    ///
    /// - Parameters:
    ///   - maxConcurrentStreams: the new limit of streams.
    ///   - duration: the time, in real time, after which the old limit is restored; `nil` for never.
    public func settings(maxConcurrentStreams: Int, for duration: Duration? = nil) -> Self {
        adding("settings", .settings(maxConcurrentStreams, for: duration))
    }

    /// Changes the push's device after the decision.
    public func device(_ change: MockAPNSServer.DeviceChange) -> Self { adding("device", change.json) }
}
