/// A call about broadcast channels on its way through rules and checks: what only such requests have.
///
/// A class, so that it takes one word of a ``RequestContext``, most of which are pushes to devices.
final class ReceivedCall {
    /// The channel of a call, as far as it is known.
    enum ChannelLookup {
        /// The call names none.
        case absent
        /// No channel ever had the id.
        case unknown
        /// The channel, existing or deleted, with its number in the registry.
        case known(Int, BroadcastChannel)
    }

    let path: CallPath
    /// The call; `nil` if the path or the method is wrong.
    let call: BroadcastCall?
    /// The range of the `apns-channel-id` value; of the first if it is repeated.
    let channelText: ByteRange?
    /// The range of the `apns-request-id` value; of the first if it is repeated.
    let requestIDText: ByteRange?
    /// The `apns-request-id`.
    let requestID: Push.Field<APNSID>
    /// The channel, as far as it is known.
    let channel: ChannelLookup
    /// The storage policy that the call asks for; only in a valid call that creates a channel.
    var policy: ChannelStorage?
    /// The part of its record that a push does not have.
    var record = CallRecord()
    /// The texts of its record.
    var texts = CallRecord.Texts()
    /// The part of its answer that a push does not have; `nil` until it is carried out.
    var answer: CallAnswer?

    init(_ path: CallPath, _ request: inout RequestContext, _ channels: borrowing ChannelRegistry) {
        self.path = path
        call = BroadcastCall(path, method: request.text(request.push.method))
        var fields = HeaderFields(length: request.facts.headerLength)
        var (channelText, requestIDText): (ByteRange?, ByteRange?)
        while let field = fields.next(in: request.bytes) {
            let name = request.bytes.extracting(field.name.range)
            if channelText == nil, name.equals("apns-channel-id") { channelText = field.value }
            if requestIDText == nil, name.equals("apns-request-id") { requestIDText = field.value }
        }
        (self.channelText, self.requestIDText) = (channelText, requestIDText)
        if requestIDText == nil {
            requestID = .absent
        } else if let id = APNSID(request.text(requestIDText)) {
            requestID = .value(id)
        } else {
            requestID = .unreadable
        }
        if channelText == nil {
            channel = .absent
        } else if let number = channels.number(of: ChannelID(request.text(channelText))),
            let known = channels[number]
        {
            channel = .known(number, known)
        } else {
            channel = .unknown
        }
        record.call = call
        if case .known(_, let channel) = channel {
            record.policy = channel.policy
            texts.channelName = channel.name.map { Array($0.utf8) }
        }
        if channelText != nil { texts.channel = Array(copying: request.text(channelText)) }
        if case .value(let id) = requestID { texts.requestID = Array(copying: id.bytes.span) }
    }

    /// The name of the channel in the scenario.
    var channelName: String? { if case .known(_, let channel) = channel { channel.name } else { nil } }

    /// The answer if nothing refuses the call.
    ///
    /// - Parameter made: the server's id, for a call without `apns-request-id`.
    func validAnswer(_ made: MadeID) -> Answer {
        var answer = Answer(
            status: call?.status ?? 200, reason: nil, timestamp: nil,
            apnsID: requestID.value ?? APNSID(high: made.high, low: made.low, uppercase: true), uniqueID: nil)
        answer.call = self.answer ?? CallAnswer()
        return answer
    }
}

extension RequestContext {
    /// Whether `apns-push-type` of a published push is `liveactivity`. Apple's pages write it in three ways.
    var isForLiveActivities: Bool { text(push.pushTypeText).isSame(asLowercase: Array("liveactivity".utf8)) }
}
