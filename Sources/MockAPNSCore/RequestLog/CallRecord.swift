/// The part of a record that only calls about broadcast channels have.
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

// MARK: The JSON line

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

    /// Reads a member.
    mutating func read(
        _ member: JSONText.Member, _ known: RecordMember, _ texts: inout Texts
    ) throws(JSONText.Mistake) {
        func text() throws(JSONText.Mistake) -> [UInt8]? { try member.textIfAny().map { Array($0.utf8) } }
        switch known {
        case .call: if !member.value.isNull { call = try member.word() }
        case .channel: texts.channel = try text()
        case .channelName: texts.channelName = try text()
        case .requestID: texts.requestID = try text()
        case .storagePolicy:
            policy = try member.countIfAny().flatMap {
                ChannelStorage(code: UInt8(clamping: $0))
            }
        case .subscribers: subscribers = try member.countIfAny()
        case .delivered: delivered = try member.countIfAny()
        case .stored: isStored = member.value.bool
        case .ignored: texts.ignored = try text()
        default: break
        }
    }
}

// MARK: The frame

extension CallRecord {
    func append(to output: inout [UInt8]) {
        output.append(call.map { $0.code + 1 } ?? 0)
        output.append(policy.map { $0.code + 1 } ?? 0)
        output.appendNumber(ifAny: subscribers)
        output.appendNumber(ifAny: delivered)
        output.append(isStored.map { $0 ? 2 : 1 } ?? 0)
        for range in [channelRange, channelNameRange, requestIDRange, ignoredRange] {
            output.appendNumber(range.start &+ 1)
            if !range.isAbsent { output.appendNumber(range.count) }
        }
    }

    init(_ input: inout FrameInput) throws(FrameMistake) {
        self.init()
        call = try input.wordIfAny()
        policy = try input.wordIfAny()
        subscribers = try input.numberIfAny(atMost: 1 << 52 - 1)
        delivered = try input.numberIfAny(atMost: 1 << 52 - 1)
        let stored: UInt8 = try input.number(atMost: 2)
        isStored = stored == 0 ? nil : stored == 2
        channelRange = try .init(&input)
        channelNameRange = try .init(&input)
        requestIDRange = try .init(&input)
        ignoredRange = try .init(&input)
    }

    /// Whether the texts are among the bytes of the record, and not longer than ``RecordWriter`` relies on.
    func isConsistent(with bytes: Span<UInt8>) -> Bool {
        var sum = 0
        for range in [channelRange, channelNameRange, requestIDRange, ignoredRange] where !range.isAbsent {
            guard range.indices.upperBound <= bytes.count else { return false }
            sum += Int(range.count)
        }
        return sum <= bytes.count
    }
}
