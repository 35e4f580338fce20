import Hummingbird
import HummingbirdCore
import Logging
import MockAPNS
import NIOCore
import NIOHTTPTypesHTTP1
import Synchronization

/// A connection to the admin listener: Hummingbird's HTTP/1.1, with an orderly close.
struct AdminChannel: ServerChildChannel {
    /// An accepted connection. It is closed if it is never served, because the listener ends just then: otherwise NIO
    /// would end the process.
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
    private let unread: UnreadAnswers

    init(
        _ responder: @escaping HTTPChannelHandler.Responder, counting connections: OtherConnections,
        _ notice: TLSNotice, _ unread: UnreadAnswers, _ policy: AccessPolicy
    ) {
        self.connections = connections
        self.notice = notice
        self.unread = unread
        http = HTTP1Channel(
            responder: responder,
            configuration: .init(additionalChannelHandlers: [AnswerHandler(policy), ParserErrorHandler()]))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // Before the parser, so that discarded input is neither parsed nor kept.
            try channel.pipeline.syncOperations.addHandlers(
                UnreadAnswers.Handler(unread), FirstByteHandler(notice), LingeringClose())
        }.flatMap {
            http.setup(channel: channel, logger: logger).map(Value.init)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            // Handlers after the codec do not know the version.
            try pipeline.addHandler(OldVersionHandler(), position: .before(codec))
            connections.add(channel)
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await http.handle(value: value.serve(), logger: logger) }
}
