import MockAPNSCore

extension ServiceState {
    /// Follows a request of a recorded log.
    mutating func apply(_ request: borrowing RequestLine) {
        let (topic, fields) = (request.topic ?? [], request.bytes.span)
        let payload = fields.extracting(droppingFirst: request.headerLength)
        guard let (call, texts) = request.call else {
            var push = DecidedPush(
                request.record, as: request.sequence, fields: fields, payload: payload, topic: topic.span)
            push.isSandbox = environment.isSandbox(serverName: connections.serverName(of: request.connection.key))
            apply(push)
            return
        }
        // A push that was published has a number of subscribers, be it 0.
        guard call.call == .publish, call.subscribers != nil, let id = texts.channel else { return }
        let clock = request.record.clock
        let push = ChannelPush(
            sequence: request.sequence, time: clock, content: LiveActivityPush(payload),
            byteCount: Int(request.record.payloadBytes))
        let name = texts.channelName.map { String(decoding: $0, as: UTF8.self) }
        let isStored = call.isStored ?? false
        apply(
            push, to: channels.resolve(String(decoding: id, as: UTF8.self), named: name),
            storedUntil: isStored ? DeliveryPolicy.expiry(request.record.expiration, at: clock) : nil)
    }
}
