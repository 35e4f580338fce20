import Testing

@testable package import MockAPNSCore

/// A gateway with calls about broadcast channels of `com.example.app`.
package struct BroadcastRig: ~Copyable {
    package static let app = "com.example.app"
    package var rig: ScriptRig

    /// - Parameters:
    ///   - more: members of the scenario, with a comma at the end.
    ///   - rules: the value of `rules`, without the brackets.
    package init(_ more: String = "", rules: String = "") { rig = ScriptRig(rules, more: more) }

    package mutating func create(_ body: String = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        -> ScriptRig.Seen
    {
        rig.send(.call("POST", "/1/apps/\(Self.app)/channels", body: body))
    }

    /// Creates a channel and returns its id.
    package mutating func channel(policy: Int = 1) throws -> String {
        let seen = create(#"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
        return try #require(seen.decision.answer?.channelID)
    }

    package mutating func read(_ id: String) -> ScriptRig.Seen {
        rig.send(.call("GET", "/1/apps/\(Self.app)/channels", channel: id))
    }

    package mutating func delete(_ id: String) -> ScriptRig.Seen {
        rig.send(.call("DELETE", "/1/apps/\(Self.app)/channels", channel: id))
    }

    package mutating func list() -> ScriptRig.Seen { rig.send(.call("GET", "/1/apps/\(Self.app)/all-channels")) }

    @discardableResult
    package mutating func publish(_ id: String, _ change: (inout ExamplePush) -> Void = { _ in }) -> ScriptRig.Seen {
        var push = ExamplePush.publish(to: id)
        change(&push)
        return rig.send(push)
    }
}

extension ExamplePush {
    package static func call(
        _ method: String, _ path: String, channel: String? = nil, body: String = "", _ fields: (String, String)...
    ) -> ExamplePush {
        ExamplePush { push in
            (push.method, push.path, push.topic) = (method, path, nil)
            push.fields = fields
            if let channel { push.fields.append(("apns-channel-id", channel)) }
            push.body = Array(body.utf8)
        }
    }

    /// A push published to a channel, in which nothing is wrong.
    package static func publish(to id: String, at timestamp: Int64 = 1_795_255_200) -> ExamplePush {
        let aps = #"{"timestamp":\#(timestamp),"event":"update","content-state":{"score":"1-0"}}"#
        var push = call("POST", "/4/broadcasts/apps/com.example.app", channel: id, body: #"{"aps":\#(aps)}"#)
        push.fields += [("apns-push-type", "liveactivity"), ("apns-expiration", "0"), ("apns-priority", "10")]
        return push
    }
}

extension Answer {
    package var channelID: String? { call?.channelID.map { String(decoding: $0, as: UTF8.self) } }
    package var text: String? { call?.body.map { String(decoding: $0, as: UTF8.self) } }
}

extension ScriptRig.Seen {
    /// What the record says of a member.
    package func member(_ name: String) throws -> JSONText.Value? { try JSONText.read(Array(line.utf8))[name] }
    package var explanation: String { (try? member("explanation")?.string) ?? "" }
}
