/// The part of an answer that only calls about broadcast channels have.
package final class CallAnswer: Sendable {
    /// The value of `apns-channel-id`; `nil` for no such field.
    package let channelID: [UInt8]?
    /// The body of a successful answer; `nil` for none.
    package let body: [UInt8]?

    init(channelID: [UInt8]? = nil, body: [UInt8]? = nil) {
        self.channelID = channelID
        self.body = body
    }

    /// Returns the answer to a call that reads a channel.
    static func configuration(of channel: BroadcastChannel) -> CallAnswer {
        CallAnswer(
            body: Array(#"{"message-storage-policy":\#(channel.policy.code),"push-type":"LiveActivity"}"#.utf8))
    }

    /// Returns the answer to a call that lists channels.
    static func list(_ channels: [BroadcastChannel]) -> CallAnswer {
        var body = Array(#"{"channels":"#.utf8)
        body.reserveCapacity(16 + 27 * channels.count)
        body.appendList(channels) { output, channel in
            output.append(addingCapacity: JSONBound.string(channel.id.bytes.count)) {
                $0.appendJSON(channel.id.bytes.span)
            }
        }
        body.append(UInt8(ascii: "}"))
        return CallAnswer(body: body)
    }
}
