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
            /// The name in lower case.
            public let name: String
            /// The value as received, but without the signature of a provider token.
            public let value: String
        }

        /// What APNs did with a push, and when.
        public struct DeliveryStep: Sendable, Hashable {
            /// The delivery status from then on.
            public let state: Delivery
            /// The time on the scenario's clock.
            public let clock: Date
        }

        /// An answer, as far as it is compared with another.
        public struct ComparedAnswer: Sendable, Hashable {
            /// The status; `nil` if the stream was reset.
            public let status: Int?
            /// The reason, or the error code of a reset such as `REFUSED_STREAM`.
            public let reason: String?
        }

        /// What the upstream of a relay answered.
        public struct Relayed: Sendable, Hashable {
            /// Its status and reason.
            public let answer: ComparedAnswer
            /// The time from passing the push on to its answer.
            public let latency: Duration
            /// The header fields of its answer.
            public let headers: [Field]
        }

        /// Its number in the log, 1 for the first.
        public let sequence: Int
        /// The replica that decided it, in the log of a fleet.
        public let replica: String?
        /// Its number in the log of that replica.
        public let replicaSequence: Int?
        /// When it was decided, by the real clock.
        public let time: Date
        /// When it was decided, by the scenario's clock.
        public let clock: Date
        /// The number of its connection, 1 for the first since the start or the last reset; `nil` for one that was open
        /// at a reset.
        public let connection: Int?
        /// The id of its connection, unique within the server; 0 without one.
        public let connectionID: Int
        /// Its HTTP/2 stream; 0 without one.
        public let stream: Int
        /// Normally `POST`.
        public let method: String?
        /// Normally `/3/device/` and the token.
        public let path: String?
        /// The device token, in hexadecimal digits as sent.
        public let token: String?
        /// The device's name.
        public let device: String?
        /// The header fields in the order received.
        public let headers: [Field]
        /// `apns-topic`.
        public let topic: String?
        /// `apns-push-type`; `nil` also if APNs does not know the value. `header("apns-push-type")` has what was
        /// sent.
        public let pushType: PushType?
        /// `apns-priority`.
        public let priority: Int?
        /// `apns-expiration`; 1970 for 0, which asks not to store it.
        public let expiration: Date?
        /// `apns-collapse-id`.
        public let collapseID: String?
        /// `apns-id`, the provider's or the server's.
        public let apnsID: String?
        /// `apns-unique-id` of the answer.
        public let uniqueID: String?
        /// Number of open streams on its connection, including its own.
        public let inFlight: Int
        /// The body, if it is JSON.
        public let payload: JSONValue?
        /// The body, if it is text other than JSON.
        public let payloadText: String?
        /// The length of the body.
        public let payloadBytes: Int
        /// How the provider authenticated.
        public let authentication: Authentication
        /// The sender. A push of the admin API has neither a connection nor a stream.
        public let sentBy: Sender
        /// The status of the answer; `nil` if there was none.
        public let status: Int?
        /// The reason for a rejection; `nil` also if a scenario defined the answer.
        public let reason: Reason?
        /// `retry-after` of the answer; `nil` without that field, or if it is not a number of seconds.
        public let retryAfter: Duration?
        /// The error code with which the stream was reset; `nil` if it was not, or because the client broke HTTP/2.
        public let resetCode: ErrorCode?
        /// The outcome.
        public let outcome: Outcome
        /// The source of the decision.
        public let decidedBy: DecidedBy
        /// The name of the rule that decided; `nil` if none did.
        public let rule: String?
        /// One sentence about a rejection: what is wrong, and what would have been right.
        public let explanation: String?
        /// The delivery status of the push; `nil` if it was rejected.
        public let delivery: Delivery?
        /// What APNs did with the push, oldest first: the first is the decision, the last is ``delivery``. At most 32, of
        /// which the first and the latest are kept.
        public let deliveries: [DeliveryStep]
        /// The number of the push that replaced it in storage.
        public let replacedBy: Int?
        /// The time from the last byte of the request to the decision; of a delayed answer, to the answer.
        public let latency: Duration
        /// What the upstream of a relay answered; `nil` if the push was not passed on, or not answered.
        public let relayed: Relayed?
        /// What this server would have answered; `nil` if the push was not passed on.
        public let own: ComparedAnswer?
        /// Whether both are the same; `nil` if the push was not passed on.
        public let agrees: Bool?
        /// The call about broadcast channels; `nil` for a push to a device.
        public let call: BroadcastCall?
        /// The id of the broadcast channel, sent or made.
        public let channel: String?
        /// The name of the broadcast channel in the scenario.
        public let channelName: String?
        /// `apns-request-id` of the answer to a call about broadcast channels.
        public let requestID: String?
        /// `message-storage-policy` of the broadcast channel: 0 or 1.
        public let storagePolicy: Int?
        /// Number of devices with a Live Activity on the broadcast channel when the push was published.
        public let subscribers: Int?
        /// How many of them were online.
        public let delivered: Int?
        /// Whether the published push was stored for the others.
        public let stored: Bool?
        /// Why devices ignore the published push; `nil` if they do not.
        public let ignored: String?

        /// Returns the value that a JSON Pointer such as `/aps/alert/title` refers to in the payload (RFC 6901); `nil`
        /// if there is none.
        public func payload(at pointer: String) -> JSONValue? { payload?.value(at: pointer) }

        /// Returns the value of the first header field with that name, given in lower case.
        public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

        /// Takes a record of the log.
        init(_ subject: borrowing RecordSubject) {
            let (record, call) = (subject.record, subject.call)
            let (origin, ids, body) = (subject.origin, subject.ids, subject.shownBody)
            sequence = subject.sequence
            replica = origin?.replica
            replicaSequence = origin?.sequence
            time = record.time.date
            clock = record.clock.date
            connection = subject.connection
            connectionID = Int(record.connectionID)
            stream = Int(record.stream)
            method = subject.text(record.methodRange)
            path = subject.text(record.pathRange)
            token = subject.text(record.tokenRange)
            device = subject.text(record.deviceRange)
            headers = subject.headers.map { Field(name: $0.name, value: $0.value) }
            topic = subject.text(record.topicRange)
            pushType = subject.text(record.pushTypeRange).flatMap(PushType.init(rawValue:))
            priority = record.priority.map(Int.init)
            expiration = record.expiration.map(Date.init)
            collapseID = subject.text(record.collapseIDRange)
            apnsID = ids.apns
            uniqueID = ids.unique
            inFlight = Int(record.inFlight)
            // `null` is JSON too, but here it means that the body is not JSON.
            payload = body.json.flatMap { $0.isNull ? nil : JSONValue($0) }
            payloadText = body.text
            payloadBytes = Int(record.payloadBytes)
            authentication = Authentication(record, subject.token)
            sentBy = record.sender
            status = record.status.map(Int.init)
            reason = record.reason
            retryAfter = record.retryAfter.map { .seconds($0) }
            resetCode = record.resetCode.map { ErrorCode(rawValue: Int($0)) }
            outcome = record.outcome
            decidedBy = record.decidedBy
            rule = subject.text(record.ruleRange)
            explanation = subject.text(record.explanationRange)
            delivery = record.delivery
            deliveries = subject.deliveries.map { DeliveryStep(state: $0.state, clock: $0.clock.date) }
            replacedBy = record.replacedBy
            latency = .microseconds(record.latencyMicroseconds)
            relayed = subject.relayed.map { Relayed($0) }
            own = subject.relayed.map { ComparedAnswer($0.own) }
            agrees = subject.relayed?.agrees
            self.call = call?.call
            channel = subject.text(call?.channelRange)
            channelName = subject.text(call?.channelNameRange)
            requestID = subject.text(call?.requestIDRange)
            storagePolicy = call?.policy.map { Int($0.code) }
            subscribers = call?.subscribers
            delivered = call?.delivered
            stored = call?.isStored
            ignored = subject.text(call?.ignoredRange)
        }
    }
}

extension MockAPNSServer.LoggedRequest.ComparedAnswer {
    fileprivate init(_ verdict: RelayedAnswer.Verdict) { (status, reason) = (verdict.status, verdict.reason) }
}

extension MockAPNSServer.LoggedRequest.Relayed {
    fileprivate init(_ answer: RelayedAnswer) {
        self.answer = .init(answer.theirs)
        latency = .microseconds(answer.latencyMicroseconds)
        headers = answer.headers.map { .init(name: $0.name, value: $0.value) }
    }
}

extension Date {
    /// Converts whole seconds since 1970.
    init(_ seconds: Int64) { self.init(timeIntervalSince1970: Double(seconds)) }
}

extension RequestSnapshot {
    /// Returns the request with this sequence number; `nil` if it is not kept.
    func request(_ sequence: Int) -> MockAPNSServer.LoggedRequest? {
        withSubject(sequence) { MockAPNSServer.LoggedRequest($0) }
    }
}

extension MockAPNSServer.LoggedRequest: CustomStringConvertible {
    /// A line for people: its number, its answer, and why, as in `request 1: 400 BadPriority: …`.
    public var description: String {
        let answer = [status.map(String.init), reason?.description].compactMap(\.self)
        let words = answer.isEmpty ? outcome.description : answer.joined(separator: " ")
        return (["request \(sequence)", words] + (explanation.map { [$0] } ?? [])).joined(separator: ": ")
    }
}
