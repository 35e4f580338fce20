import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Adds the fields that all answers have, and closes the connection after the last one.
///
/// An answer is the last if it has `Connection: close`, if its request had that, and after CONNECT or a request with
/// `Upgrade`: NIO's parser reads nothing more after these, expecting another protocol.
final class AnswerHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// For each unanswered request, in order: whether its answer is the last.
    private var unanswered: [Bool] = []
    private var isLast = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let request) = unwrapInboundIn(data) {
            unanswered.append(
                request.method == .connect || request.headerFields[.upgrade] != nil
                    || request.headerFields[.connection]?.lowercased() == "close")
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            let request = unanswered.isEmpty ? false : unanswered.removeFirst()
            isLast = request || head.headerFields[.connection] == "close"
            if isLast { head.headerFields[.connection] = "close" }
            // Web pages must not read answers, guess their type, or cache them.
            head.headerFields[.xContentTypeOptions] = "nosniff"
            if head.headerFields[.cacheControl] == nil { head.headerFields[.cacheControl] = "no-store" }
            head.headerFields[.crossOriginResourcePolicy] = "same-origin"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isLast:
            context.writeAndFlush(data, promise: promise)
            context.close(mode: .output, promise: nil)
        default:
            context.write(data, promise: promise)
        }
    }
}

@available(*, unavailable)
extension AnswerHandler: Sendable {}

extension HTTPField.Name {
    fileprivate static let crossOriginResourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
}
