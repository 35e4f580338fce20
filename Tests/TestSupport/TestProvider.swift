package import MockAPNS
package import NIOCore
import NIOPosix
package import TestClients

/// A provider on a real socket: an OpenSSL client and an nghttp2 client in memory, their bytes carried by NIO.
///
/// Everything that the server sends is kept. Nothing sleeps: ``wait(_:)`` looks whenever something has come.
package struct TestProvider: Sendable {
    /// What the client speaks.
    package enum Speech: Sendable {
        /// TLS and HTTP/2, as nghttp2 does it.
        case http2([(UInt16, UInt32)])
        /// TLS, and inside it only what the test says.
        case tls
        /// No TLS: only what the test says.
        case tcp

        package static let ordinary = http2([(2, 0)])
    }

    package enum Failure: Error, CustomStringConvertible {
        case ended(TestProviderHandler.Summary)
        case timedOut(TestProviderHandler.Summary)

        package var description: String {
            switch self {
            case .ended(let summary): "the connection ended first: \(summary)"
            case .timedOut(let summary): "nothing happened within \(Duration.patience): \(summary)"
            }
        }
    }

    package let channel: any Channel
    private let handler: NIOLoopBound<TestProviderHandler>

    /// Connects; returns at the end of the handshake, good or bad.
    ///
    /// - Parameter greeting: what is sent in one piece with the client's last word in the handshake.
    package static func connect(
        port: Int, host: String = "127.0.0.1", tls: TestTLSClient.Setup = .init(), speech: Speech = .ordinary,
        receiveBuffer: Int? = nil, greeting: [UInt8] = []
    ) async throws -> TestProvider {
        var bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer))
        }
        let provider = try await bootstrap.connect(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let handler = TestProviderHandler(tls, speech)
                handler.raw = greeting
                try channel.pipeline.syncOperations.addHandler(handler)
                return TestProvider(channel: channel, handler: NIOLoopBound(handler, eventLoop: channel.eventLoop))
            }
        }
        try await provider.wait { $0.isSecured || $0.hasEnded || $0.tls?.failure != nil ? true : nil }
        return provider
    }

    /// Connects to a server of this process.
    package static func connect(
        to server: MockAPNSServer, tls: TestTLSClient.Setup = .init(), speech: Speech = .ordinary,
        receiveBuffer: Int? = nil, greeting: [UInt8] = []
    ) async throws -> TestProvider {
        try await connect(
            port: server.ports[0], tls: tls, speech: speech, receiveBuffer: receiveBuffer, greeting: greeting)
    }

    // MARK: Anything

    /// Does something with the client on its own loop, and sends what follows from it.
    @discardableResult
    package func perform<Result: Sendable>(
        _ body: @escaping @Sendable (TestProviderHandler) throws -> Result
    ) async throws -> Result {
        try await channel.eventLoop.submit {
            let result = try body(handler.value)
            handler.value.send(on: channel)
            return result
        }.get()
    }

    /// What `find` returns as soon as it returns something; it looks again whenever bytes came or the connection ended.
    @discardableResult
    package func wait<Result: Sendable>(
        _ find: @escaping @Sendable (TestProviderHandler) -> Result?
    ) async throws -> Result {
        try await channel.eventLoop.flatSubmit { handler.value.wait(find, on: channel.eventLoop) }.get()
    }

    // MARK: Requests

    /// Sends a request and awaits its answer, or the reset of its stream.
    @discardableResult
    package func push(_ push: TestPush) async throws -> TestAnswer {
        try await answer(to: start(push))
    }

    /// Sends several requests at once and awaits all their answers.
    package func push(_ pushes: [TestPush]) async throws -> [TestAnswer] {
        let streams = try await perform { client in
            pushes.map { client.http2!.request($0.fields, body: $0.body) }
        }
        var answers: [TestAnswer] = []
        for stream in streams { answers.append(try await answer(to: stream)) }
        return answers
    }

    /// Sends a request; the number of its stream.
    package func start(_ push: TestPush) async throws -> Int32 {
        try await perform { $0.http2!.request(push.fields, body: push.body) }
    }

    /// The answer on a stream, once it is whole.
    package func answer(to stream: Int32) async throws -> TestAnswer {
        try await wait { client in
            guard let response = client.http2?.responses[stream], response.isEnded || response.errorCode != nil else {
                return nil
            }
            return TestAnswer(response, frames: client.frames.filter { $0.stream == stream })
        }
    }

    // MARK: Frames and bytes

    /// Sends bytes as they are, inside TLS where there is any.
    package func send(_ bytes: [UInt8]) async throws {
        try await perform { $0.raw += bytes }
    }

    /// Sends frames as they are.
    package func send(_ frames: [RawFrame]) async throws { try await send(frames.bytes) }

    /// All frames of the server so far.
    package var frames: [RawFrame] {
        get async throws { try await perform { $0.frames } }
    }

    /// All frames, once the server has ended the connection.
    package func framesUntilEnd() async throws -> [RawFrame] {
        try await wait { $0.hasEnded ? $0.frames : nil }
    }

    /// Sends PING and awaits its acknowledgement: the server has then read everything that was sent before.
    package func ping() async throws {
        let count = try await perform { client in
            if client.http2 != nil { client.http2!.ping() } else { client.raw += RawFrame(.ping, pingData).bytes }
            return client.pingAcknowledgements
        }
        try await wait { $0.pingAcknowledgements > count ? true : nil }
    }

    /// Reads nothing any more.
    package func stopReading() async throws {
        try await channel.setOption(.autoRead, value: false).get()
    }

    /// Reads again.
    package func startReading() async throws {
        try await channel.setOption(.autoRead, value: true).get()
    }

    /// Closes the socket.
    package func close() async {
        try? await channel.close()
    }
}

private let pingData: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

/// An answer as it came.
package struct TestAnswer: Sendable {
    package var status: String?
    /// Names and values, in order.
    package var fields: [[String]]
    package var body: String
    /// Of RST_STREAM.
    package var errorCode: UInt32?
    /// The frames of its stream, in order.
    package var frames: [RawFrame]

    package init(_ response: TestHTTP2Client.Response, frames: [RawFrame]) {
        (status, fields, body) = (response.status, response.list, response.text)
        (errorCode, self.frames) = (response.errorCode, frames)
    }

    package var reason: String? {
        body.split(separator: "\"").count > 3 ? String(body.split(separator: "\"")[3]) : nil
    }

    package subscript(name: String) -> String? { fields.last { $0[0] == name }?[1] }
}
