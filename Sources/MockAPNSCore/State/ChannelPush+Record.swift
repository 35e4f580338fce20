extension ChannelPush {
    /// Creates the push of a record in a log.
    package init(_ record: RequestRecord, as sequence: Int, _ payload: Span<UInt8>) {
        self.init(
            sequence: sequence, time: record.clock, content: LiveActivityPush(payload),
            byteCount: Int(record.payloadBytes))
    }
}
