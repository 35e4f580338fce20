import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Adds the fields that all answers have, answers `Expect: 100-continue`, and closes the connection after the last
/// answer.
///
/// An answer is the last if it has `Connection: close`, if its request had that, and after CONNECT or a request with
/// `Upgrade`: NIO's parser reads nothing more after these, expecting another protocol.
///
/// A client that waits for 100 before it sends the body gets it at once, unless it may not send the request: then the
/// only answer is the rejection (RFC 9110, section 10.1.1).
final class AnswerHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A request whose answer has not begun.
    private struct Unanswered {
        /// Whether its answer is the last.
        let isLast: Bool
        /// Whether its client waits for 100.
        let expectsContinue: Bool
    }

    private let policy: AccessPolicy
    /// In order.
    private var unanswered: [Unanswered] = []
    private var isAnswering = false
    private var isLast = false

    init(_ policy: AccessPolicy) { self.policy = policy }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let request) = unwrapInboundIn(data) {
            let fields = request.headerFields
            let next = Unanswered(
                isLast: request.method == .connect || fields[.upgrade] != nil
                    || fields[.connection]?.lowercased() == "close",
                expectsContinue: fields[.expect]?.lowercased() == "100-continue"
                    && policy.rejection(of: AccessPolicy.Caller(request)) == nil)
            unanswered.append(next)
            // Answers are in the order of the requests.
            if unanswered.count == 1, !isAnswering { sayContinue(context) }
        }
        context.fireChannelRead(data)
    }

    /// Sends 100 if the client of the next request waits for it.
    private func sayContinue(_ context: ChannelHandlerContext) {
        guard unanswered.first?.expectsContinue == true else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            let request = unanswered.isEmpty ? false : unanswered.removeFirst().isLast
            isAnswering = true
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
        case .end:
            context.write(data, promise: promise)
            isAnswering = false
            sayContinue(context)
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
