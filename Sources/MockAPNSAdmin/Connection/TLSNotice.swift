import Logging
import NIOCore
import Synchronization

/// Logs, once, that a client speaks TLS to the admin port.
final class TLSNotice: Sendable {
    private let logger: Logger
    private let providerURL: String
    private let wasTold = Atomic(false)

    init(logger: Logger, providerURL: String) {
        self.logger = logger
        self.providerURL = providerURL
    }

    fileprivate func tell(_ address: SocketAddress?) {
        guard !wasTold.exchange(true, ordering: .relaxed) else { return }
        let from = address.map { " from \($0.ipAddress ?? ""):\($0.port ?? 0)" } ?? ""
        logger.warning(
            "A connection\(from) to the admin port began with TLS; that port speaks plain HTTP. Pushes go to \(providerURL). This is reported only once."
        )
    }
}

/// Checks the first byte of a connection: 22 starts a TLS handshake (RFC 8446, section 5.1), not a request.
final class FirstByteHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var notice: TLSNotice?

    init(_ notice: TLSNotice) { self.notice = notice }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if let notice {
            if unwrapInboundIn(data).readableBytesView.first == 22 { notice.tell(context.remoteAddress) }
            self.notice = nil
        }
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension FirstByteHandler: Sendable {}
