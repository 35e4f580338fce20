import Hummingbird
import HummingbirdCore
import Logging
import MockAPNS
import NIOCore
import NIOHTTPTypesHTTP1

/// A connection to the admin listener: HTTP/1.1 as Hummingbird speaks it, and an end in order.
struct AdminChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    private let http: HTTP1Channel
    private let connections: OtherConnections
    private let notice: TLSNotice

    init(
        _ responder: @escaping HTTPChannelHandler.Responder, counting connections: OtherConnections,
        _ notice: TLSNotice
    ) {
        self.connections = connections
        self.notice = notice
        http = HTTP1Channel(
            responder: responder,
            configuration: .init(additionalChannelHandlers: [AnswerHandler(), ParserErrorHandler()]))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // Before the parser, so that what is thrown away is neither parsed nor kept.
            try channel.pipeline.syncOperations.addHandlers(FirstByteHandler(notice), LingeringClose())
        }.flatMap {
            http.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            // What comes after the codec does not know the version.
            try pipeline.addHandler(OldVersionHandler(), position: .before(codec))
            connections.add(channel)
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}
