/// What the record of a request about broadcast channels has in addition to that of a push.
package struct CallRecord: Sendable {
    /// The call; `nil` if the path or the method fits none.
    package var call: BroadcastCall?
    /// The storage policy of the channel.
    package var policy: ChannelStorage?
    /// The number of devices with a Live Activity on the channel when a push was published.
    package var subscribers: Int?
    /// How many of them were online.
    package var delivered: Int?
    /// Whether the push was stored for the others.
    package var isStored: Bool?

    // Attached texts.
    package internal(set) var channelRange = RequestRecord.StoredRange.absent
    package internal(set) var channelNameRange = RequestRecord.StoredRange.absent
    package internal(set) var requestIDRange = RequestRecord.StoredRange.absent
    package internal(set) var ignoredRange = RequestRecord.StoredRange.absent

    /// Creates an empty record.
    package init() {}

    /// The texts of a call's record.
    package struct Texts: Sendable {
        /// The id of the channel.
        package var channel: [UInt8]?
        /// The name of the channel in the scenario.
        package var channelName: [UInt8]?
        /// The `apns-request-id` of the answer.
        package var requestID: [UInt8]?
        /// Why devices ignore the push; `nil` if they do not.
        package var ignored: [UInt8]?

        /// Creates an empty value.
        package init() {}
    }
}

extension CallRecord {
    /// Appends the members, each with a comma before it.
    @_lifetime(out: copy out)
    func appendJSON(_ bytes: Span<UInt8>, _ keys: borrowing RecordKeys, _ out: inout OutputSpan<UInt8>) {
        out.append(keys.of(.call))
        out.appendJSON(call?.name)
        out.append(keys.of(.channel))
        out.appendJSON(channelRange, in: bytes)
        out.append(keys.of(.channelName))
        out.appendJSON(channelNameRange, in: bytes)
        out.append(keys.of(.requestID))
        out.appendJSON(requestIDRange, in: bytes)
        out.append(keys.of(.storagePolicy))
        out.appendJSON(policy.map { Int64($0.code) })
        out.append(keys.of(.subscribers))
        out.appendJSON(subscribers.map(Int64.init))
        out.append(keys.of(.delivered))
        out.appendJSON(delivered.map(Int64.init))
        out.append(keys.of(.stored))
        out.append(isStored.map { $0 ? "true" : "false" } ?? "null")
        out.append(keys.of(.ignored))
        out.appendJSON(ignoredRange, in: bytes)
    }

    /// An upper bound of the length of the members without their texts.
    static let boundWithoutTexts = 320
}
