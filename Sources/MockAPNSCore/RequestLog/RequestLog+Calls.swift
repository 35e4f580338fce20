extension RequestLog {
    /// Adds to the latest record what only a call has.
    package mutating func attach(_ call: CallRecord, _ texts: CallRecord.Texts) {
        guard let last = open.records.indices.last else { return }
        var call = call
        call.channelRange = attach(texts.channel)
        call.channelNameRange = attach(texts.channelName)
        call.requestIDRange = attach(texts.requestID)
        call.ignoredRange = attach(texts.ignored)
        addCall(call, to: last)
    }

    private mutating func attach(_ text: [UInt8]?) -> RequestRecord.StoredRange {
        guard let text else { return .absent }
        return attach(text.span)
    }
}
