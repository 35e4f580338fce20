import Hummingbird
import HummingbirdCore
import Logging
import MockAPNS
import NIOCore
import NIOHTTPTypesHTTP1
import Synchronization

/// A connection to the admin listener: HTTP/1.1 as Hummingbird speaks it, and an end in order.
struct AdminChannel: ServerChildChannel {
    /// A connection that was accepted. One that nobody serves, because the listener ends just then, is closed: NIO would
    /// end the process for it.
    final class Value: ServerChildChannelValue {
        fileprivate let connection: HTTP1Channel.Value
        private let isServed = Atomic(false)

        var channel: any Channel { connection.channel }

        fileprivate init(_ connection: HTTP1Channel.Value) { self.connection = connection }

        fileprivate func serve() -> HTTP1Channel.Value {
            isServed.store(true, ordering: .releasing)
            return connection
        }

        deinit {
            guard !isServed.load(ordering: .acquiring) else { return }
            Task { [connection] in try? await connection.executeThenClose { _, _ in } }
        }
    }

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
            http.setup(channel: channel, logger: logger).map(Value.init)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            // What comes after the codec does not know the version.
            try pipeline.addHandler(OldVersionHandler(), position: .before(codec))
            connections.add(channel)
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await http.handle(value: value.serve(), logger: logger) }
}
