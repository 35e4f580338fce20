import Foundation
package import NIOCore
package import TestClients

/// The client's end of one connection, on its event loop.
package final class TestProviderHandler: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer

    package let tls: TestTLSClient?
    package let http2: TestHTTP2Client?
    /// What the test says, to be sent as it is.
    package var raw: [UInt8] = []
    /// Bytes of the server, out of TLS where there is any; only while nghttp2 does not read them.
    package private(set) var received: [UInt8] = []
    private var rawFrames: [RawFrame] = []
    private var partial: [UInt8] = []
    /// HEADERS frames so far, to be asked often.
    package private(set) var headersReceived = 0
    package private(set) var hasEnded = false
    /// The server ended the connection by TCP RST.
    package private(set) var wasReset = false
    private var waiting: [() -> Bool] = []

    package init(_ setup: TestTLSClient.Setup, _ speech: TestProvider.Speech) {
        switch speech {
        case .http2(let settings): (tls, http2) = (TestTLSClient(setup), TestHTTP2Client(settings: settings))
        case .tls: (tls, http2) = (TestTLSClient(setup), nil)
        case .tcp: (tls, http2) = (nil, nil)
        }
    }

    /// Whether bytes can be sent.
    package var isSecured: Bool { tls?.isHandshakeComplete ?? true }

    /// All frames of the server, in order.
    package var frames: [RawFrame] { http2?.frames ?? rawFrames }

    package var pingAcknowledgements: Int {
        frames.count { $0.kind == .ping && $0.flags & RawFrame.acknowledgement != 0 }
    }

    /// What can be said about a connection on which a test waited in vain.
    package struct Summary: Sendable {
        package var frames: [RawFrame]
        package var tlsFailure: String?
        package var alert: UInt8?
        package var http2Error: Int?
    }

    package var summary: Summary {
        Summary(
            frames: frames.suffix(20), tlsFailure: tls?.failure, alert: tls?.alert, http2Error: http2?.error)
    }

    package func channelActive(context: ChannelHandlerContext) {
        tls?.receive([])
        send(on: context.channel)
        look()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        let plaintext = tls?.receive(bytes) ?? bytes
        if let http2 {
            if !plaintext.isEmpty { http2.receive(plaintext) }
        } else {
            received += plaintext
            partial += plaintext
            if tls != nil {
                let frames = RawFrame.take(from: &partial)
                rawFrames += frames
                headersReceived += frames.of(.headers).count
            }
        }
        send(on: context.channel)
        look()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        hasEnded = true
        look()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if (error as? IOError)?.errnoCode == ECONNRESET { wasReset = true }
        context.close(promise: nil)
    }

    /// Sends what the client has to say.
    package func send(on channel: any Channel) {
        if isSecured {
            let plaintext = (http2?.output() ?? []) + raw
            raw = []
            if let tls {
                if !plaintext.isEmpty { tls.write(plaintext) }
            } else if !plaintext.isEmpty {
                channel.writeAndFlush(ByteBuffer(bytes: plaintext), promise: nil)
            }
        }
        guard let ciphertext = tls?.takeOutput(), !ciphertext.isEmpty else { return }
        channel.writeAndFlush(ByteBuffer(bytes: ciphertext), promise: nil)
    }

    package func wait<Result: Sendable>(
        _ find: @escaping (TestProviderHandler) -> Result?, on loop: any EventLoop
    ) -> EventLoopFuture<Result> {
        let promise = loop.makePromise(of: Result.self)
        let this = NIOLoopBound(self, eventLoop: loop)
        let timeout = loop.scheduleTask(in: TimeAmount(.patience)) {
            promise.fail(TestProvider.Failure.timedOut(this.value.summary))
        }
        waiting.append { [unowned self] in
            if let result = find(self) {
                promise.succeed(result)
            } else if hasEnded {
                promise.fail(TestProvider.Failure.ended(summary))
            } else {
                return false
            }
            timeout.cancel()
            return true
        }
        look()
        return promise.futureResult
    }

    private func look() { waiting.removeAll { $0() } }
}
