import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// A request as the log recorded it: what the provider sent, and how it was answered.
    public struct LoggedRequest: Sendable {
        /// A header field.
        public struct Field: Sendable, Hashable {
            /// In lower case.
            public let name: String
            /// As it came; of a provider token the signature is left out.
            public let value: String
        }

        /// Who sent it, as far as that could be told.
        public struct Sender: Sendable, Hashable {
            /// `token`, `certificate` or `none`.
            public let method: String
            /// `kid` of the provider token.
            public let keyID: String?
            /// `iss` of the provider token.
            public let teamID: String?
            /// `iat` of the provider token.
            public let issuedAt: Date?
            /// Which different one on its connection the provider token was, 1 for the first.
            public let providerToken: Int?
            /// `valid`, or the reason why not; `nil` when nobody asked.
            public let verdict: String?
        }

        /// Its number in the log, 1 for the first.
        public let sequence: Int
        /// When it was decided, by the time of day.
        public let time: Date
        /// When it was decided, by the scenario's clock.
        public let clock: Date
        /// Which connection of the run it came on, 1 for the first since the start or the last reset; `nil` for one that was
        /// open at a reset.
        public let connection: Int?
        /// The id of its connection, which no other connection of the server has.
        public let connectionID: Int
        /// Its stream in HTTP/2.
        public let stream: Int
        /// `POST`, if all is well.
        public let method: String?
        /// `/3/device/` and the token.
        public let path: String?
        /// The device token, in hexadecimal digits as it was sent.
        public let token: String?
        /// What the scenario calls the device.
        public let device: String?
        /// The header fields in the order in which they came.
        public let headers: [Field]
        /// `apns-topic`.
        public let topic: String?
        /// `apns-push-type`.
        public let pushType: PushType?
        /// `apns-priority`.
        public let priority: Int?
        /// `apns-expiration`; 1970 for 0, which asks that it is not stored.
        public let expiration: Date?
        /// `apns-collapse-id`.
        public let collapseID: String?
        /// `apns-id`, the provider's or the server's.
        public let apnsID: String?
        /// `apns-unique-id` of the answer.
        public let uniqueID: String?
        /// Streams of its connection that were open, itself included.
        public let inFlight: Int
        /// The body, when it is JSON.
        public let payload: JSONValue?
        /// The body, when it is text that is not JSON.
        public let payloadText: String?
        /// The body's length.
        public let payloadBytes: Int
        /// Who sent it.
        public let authentication: Sender
        /// `provider`, or `admin` for a push of the admin API, which has neither a connection nor a stream.
        public let sentBy: String
        /// The status of the answer; `nil` when there was none.
        public let status: Int?
        /// Why not 200; `nil` also when a scenario worded the answer.
        public let reason: Reason?
        /// What the server did.
        public let outcome: Outcome
        /// What decided.
        public let decidedBy: DecidedBy
        /// One sentence for a rejection: what is wrong, and what would have been right.
        public let explanation: String?
        /// What became of the push; `nil` when it was not accepted.
        public let delivery: Delivery?
        /// The number of the push that replaced it in storage.
        public let replacedBy: Int?
        /// From the request's last byte to the decision.
        public let latency: Duration

        /// What a JSON Pointer such as `/aps/alert/title` leads to in the payload (RFC 6901); `nil` when there is no such
        /// thing.
        public func payload(at pointer: String) -> JSONValue? { payload?.value(at: pointer) }

        /// The value of the first header field of that name, in lower case.
        public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

        /// Reads a record of the log.
        init?(_ record: JSONText.Value) {
            guard let sequence = record["sequence"]?.int64, let time = record["time"]?.timestamp,
                let clock = record["clock"]?.timestamp, let sender = record["authentication"],
                let outcome = record["outcome"]?.string.flatMap(Outcome.init),
                let decidedBy = DecidedBy(rawValue: record["decidedBy"]?.string ?? "checks")
            else { return nil }
            (self.sequence, self.time, self.clock) = (Int(sequence), time.date, clock.date)
            (self.outcome, self.decidedBy) = (outcome, decidedBy)
            sentBy = record["sentBy"]?.string ?? "provider"
            connection = record["connection"]?.int
            connectionID = record["connectionID"]?.int ?? 0
            stream = record["stream"]?.int ?? 0
            method = record["method"]?.string
            path = record["path"]?.string
            token = record["token"]?.string
            device = record["device"]?.string
            headers = (record["headers"]?.array ?? []).compactMap { field in
                guard let name = field[0]?.string, let value = field[1]?.string else { return nil }
                return Field(name: name, value: value)
            }
            topic = record["topic"]?.string
            pushType = record["pushType"]?.string.map(PushType.init)
            priority = record["priority"]?.int
            expiration = record["expiration"]?.int64.map(Date.init)
            collapseID = record["collapseID"]?.string
            apnsID = record["apnsID"]?.string
            uniqueID = record["uniqueID"]?.string
            inFlight = record["inFlight"]?.int ?? 0
            payloadText = record["payloadText"]?.string
            // `null` is JSON too; then there is no other body.
            payload = record["payload"].flatMap { $0.isNull ? nil : JSONValue($0) }
            payloadBytes = record["payloadBytes"]?.int ?? 0
            authentication = Sender(
                method: sender["method"]?.string ?? "none", keyID: sender["keyID"]?.string,
                teamID: sender["teamID"]?.string, issuedAt: sender["issuedAt"]?.int64.map(Date.init),
                providerToken: sender["providerToken"]?.int, verdict: sender["verdict"]?.string)
            status = record["status"]?.int
            reason = record["reason"]?.string.flatMap(Reason.init)
            explanation = record["explanation"]?.string
            delivery = record["delivery"]?.string.flatMap(Delivery.init)
            replacedBy = record["replacedBy"]?.int
            latency = .microseconds(record["latencyMicroseconds"]?.int ?? 0)
        }
    }
}

extension JSONText.Value {
    fileprivate var int: Int? { int64.map(Int.init) }
    fileprivate var timestamp: Timestamp? { string.flatMap { Timestamp($0) } }
}

extension Date {
    /// Whole seconds since 1970.
    fileprivate init(_ seconds: Int64) { self.init(timeIntervalSince1970: Double(seconds)) }
}
