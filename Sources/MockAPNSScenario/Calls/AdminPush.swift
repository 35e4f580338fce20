package import MockAPNSCore

/// A push to be sent through the admin API: the body of `POST /api/v1/pushes`.
package struct AdminPush: Sendable {
    /// The recipient.
    package enum Recipient: Sendable, Equatable {
        /// A device token, valid or not.
        case token(String)
        /// The name of a device.
        case device(String)
        /// The name or the id of a broadcast channel, to which it is published.
        case channel(String)
    }

    /// The recipient's address, as a provider knows it.
    package enum Address: Sendable {
        /// A device token, and its topic unless the push specifies one.
        case device(token: String, topic: String)
        /// A broadcast channel: its id, the bundle id of its app, and whether it belongs to the sandbox.
        case channel(id: String, topic: String, isSandbox: Bool)

        /// Whether it is reached in the sandbox; `nil` if the environment makes no difference.
        package var isSandbox: Bool? {
            if case .channel(_, _, let isSandbox) = self { isSandbox } else { nil }
        }
    }

    /// Maximum number of repetitions.
    static let repetitionLimit = 1000

    package var recipient: Recipient
    /// The header fields given by members of their own, as they are sent.
    package var fields: [(name: String, value: String)] = []
    /// Whether it specifies a topic, or none explicitly.
    package var namesTopic = false
    /// The topic suffix required by its push type.
    package var topicSuffix: String?
    /// Whether it specifies its authorization, or none explicitly.
    package var namesAuthorization = false
    /// The body.
    package var body: [UInt8] = []
    /// How often it is sent; `nil` means once, and the answer is its record.
    package var repetitions: Int?
    /// The time between repetitions in milliseconds.
    package var every: Int64 = 0

    /// Returns the push in the transport's form of a request: its header fields, then its body.
    ///
    /// - Parameters:
    ///   - address: the recipient's.
    ///   - authorization: its authorization unless it specifies one.
    /// - Returns: the bytes, and how many of them are header fields.
    package func bytes(to address: Address, authorization: String) -> (bytes: [UInt8], headerLength: Int) {
        var all = [(name: ":method", value: "POST")]
        switch address {
        case .device(let token, let topic):
            all.append((":path", "/3/device/\(token)"))
            if !namesTopic { all.append(("apns-topic", topic + (topicSuffix ?? ""))) }
        case .channel(let id, let topic, _):
            all += [(":path", "/4/broadcasts/apps/\(topic)"), ("apns-channel-id", id)]
        }
        if !namesAuthorization { all.append(("authorization", authorization)) }
        var block: [UInt8] = []
        for (name, value) in all + fields { HeaderFields.append(name.utf8, value.utf8, to: &block) }
        return (block + body, block.count)
    }
}

extension Scenario {
    /// Reads a push to be sent through the admin API.
    package func adminPush(from value: JSONText.Value) -> (AdminPush?, [ScenarioMistake]) {
        read { $0.adminPush(value) }
    }
}

extension ScenarioReader {
    fileprivate enum PushKey: String, CaseIterable {
        case token, device, channel, topic, pushType, priority, expiration, collapseID, apnsID, headers, payload, body
        case `repeat`, every
    }

    fileprivate mutating func adminPush(_ value: Value) -> AdminPush? {
        var push = AdminPush(recipient: .token(""))
        var recipient: AdminPush.Recipient?
        let isObject = object(
            value, "a push", example: #"{"device": "alice", "payload": {"aps": {"alert": "Hello"}}}"#, PushKey.self
        ) { reader, key, value in
            switch key {
            case .token: recipient = reader.text(value, "a device token").map { .token($0) }
            case .device: recipient = reader.text(value, "the name of a device").map { .device($0) }
            case .channel:
                recipient = reader.text(value, "the name or id of a broadcast channel").map { .channel($0) }
            case .topic:
                push.namesTopic = true
                reader.field("apns-topic", value, into: &push)
            case .pushType:
                push.topicSuffix = value.string.flatMap { PushType(rawValue: $0)?.topicSuffix }
                reader.field("apns-push-type", value, into: &push)
            case .priority: reader.field("apns-priority", value, into: &push)
            case .expiration: reader.field("apns-expiration", value, into: &push)
            case .collapseID: reader.field("apns-collapse-id", value, into: &push)
            case .apnsID: reader.field("apns-id", value, into: &push)
            case .headers:
                reader.freeObject(
                    value, "an object with the names of header fields as its keys, such as {\"apns-priority\": \"5\"}"
                ) { reader, member in
                    guard let name = reader.fieldName(member, allowsPseudo: false) else { return }
                    if name == "apns-topic" { push.namesTopic = true }
                    if name == "authorization" { push.namesAuthorization = true }
                    reader.field(name, member.value, into: &push)
                }
            case .payload: push.body.appendJSON(value)
            case .body: push.body = Array((reader.text(value) ?? "").utf8)
            case .repeat: push.repetitions = reader.integer(value, in: 1...Int64(AdminPush.repetitionLimit))
            case .every: push.every = reader.duration(value) ?? 0
            }
        }
        guard isObject else { return nil }
        for (one, other) in [("token", "device"), ("token", "channel"), ("device", "channel")] {
            contradiction(one, other, in: value, "a push is for only one of them")
        }
        contradiction("channel", "topic", in: value, "a channel has a topic of its own")
        contradiction("payload", "body", in: value, "a push has only one body")
        if value["every"] != nil, value["repeat"] == nil {
            noteKey("every", of: value, "needs \"repeat\"")
        }
        let recipients = ["token", "device", "channel"]
        if recipients.allSatisfy({ value[$0] == nil }), !isMeant(recipients, in: value) {
            note(value.offset, "has no recipient; expected \"token\", \"device\" or \"channel\"")
        }
        guard let recipient else { return nil }
        push.recipient = recipient
        return push
    }

    /// Adds a header field with this value, or none if it is `null`. Invalid values are left to the checks.
    private mutating func field(_ name: String, _ value: Value, into push: inout AdminPush) {
        switch value.content {
        case .null: break
        case .string(let text):
            guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return wrong(value, expected: "a value without control characters, as in a header field")
            }
            push.fields.append((name, text))
        case .number(let number): push.fields.append((name, number.text))
        default: wrong(value, expected: "a string, a number, or null to leave the field out")
        }
    }
}
