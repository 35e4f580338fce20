import MockAPNSCore

extension ServiceState {
    /// Follows a request of a recorded log.
    mutating func apply(_ request: borrowing RequestLine) {
        let (topic, fields) = (request.topic ?? [], request.bytes.span)
        let payload = fields.extracting(droppingFirst: request.headerLength)
        guard let (call, texts) = request.call else {
            apply(
                DecidedPush(
                    request.record, as: request.sequence, fields: fields, payload: payload, topic: topic.span),
                onConnectionTo: connections.serverName(of: request.connection.key))
            return
        }
        let push = ChannelPush(request.record, as: request.sequence, payload)
        apply(call, on: (texts.channel, texts.channelName), push, expiration: request.record.expiration)
    }
}
