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
        let push = ChannelPush(request.record, as: request.sequence, payload)
        apply(call, on: (texts.channel, texts.channelName), push, expiration: request.record.expiration)
    }
}
