import MockAPNS
import MockAPNSCore
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import MockAPNSAdmin

/// Connections to the admin listener, by the bytes of both sides.
@Suite struct HTTPConnectionTests {
    /// A connection, and all that it has sent so far.
    private final class Client {
        let channel = NIOAsyncTestingChannel()
        private var received = ""

        init(_ router: Router, _ policy: AccessPolicy = AccessPolicy(.init(), serverNames: [])) async throws {
            try await channel.testingEventLoop.executeInContext { [channel] in
                _ = try HTTPConnection(router, policy).join(channel)
            }
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
        }

        func send(_ text: String) async throws { _ = try? await channel.writeInbound(ByteBuffer(string: text)) }

        /// Returns what has been sent, once it contains a text.
        func sent(upTo text: String) async throws -> String {
            while !received.contains(text) {
                received += String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self))
            }
            return received
        }

        func closeInput() async throws {
            try await channel.testingEventLoop.executeInContext { [channel] in
                channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
    }

    private static let host = "Host: localhost\r\n"

    private func router(_ add: (inout Router) -> Void) -> Router {
        var router = Router(providerURL: "https://localhost:2197")
        add(&router)
        return router
    }

    private func count(_ text: String, in whole: String) -> Int {
        whole.split(separator: text, omittingEmptySubsequences: false).count - 1
    }

    @Test func requestsAreAnsweredInOrder() async throws {
        let (mayGoOn, goOn) = AsyncStream<Void>.makeStream()
        let began = Guarded([String]())
        let client = try await Client(
            router { router in
                router.on(.POST, "/slow") { request in
                    began.withLock { $0.append(request.path) }
                    for await _ in mayGoOn { break }
                    return .text("slow \(request.body.count)\n")
                }
                router.on(.GET, "/quick") { request in
                    began.withLock { $0.append(request.path) }
                    return .text("quick\n")
                }
            })
        try await client.send(
            "POST /slow HTTP/1.1\r\n\(Self.host)Content-Length: 3\r\n\r\nabcGET /quick HTTP/1.1\r\n\(Self.host)\r\n")
        goOn.yield()
        let sent = try await client.sent(upTo: "quick\n")
        #expect(began.withLock { $0 } == ["/slow", "/quick"])
        #expect(
            try #require(sent.firstRange(of: "slow 3\n")).lowerBound < #require(sent.firstRange(of: "quick")).lowerBound
        )
        #expect(client.channel.isActive)
    }

    @Test func theFramingFitsTheRequest() async throws {
        let router = router { router in
            router.on(.GET, "/long") { _ in
                Response(
                    .ok, [:],
                    .pieces { writer in
                        for piece in ["one", "two"] { try await writer.write(ByteBuffer(string: piece)) }
                    })
            }
            router.on(.GET, "/short") { _ in .text("short\n") }
        }
        let client = try await Client(router)
        for path in ["long", "short"] { try await client.send("HEAD /\(path) HTTP/1.1\r\n\(Self.host)\r\n") }
        try await client.send("GET /long HTTP/1.1\r\n\(Self.host)\r\n")
        let sent = try await client.sent(upTo: "0\r\n\r\n")
        #expect(count("HTTP/1.1 200 OK", in: sent) == 3)
        #expect(count("Content-Length: 6", in: sent) == 1 && !sent.contains("short"))
        #expect(count("chunked", in: sent) == 1 && sent.hasSuffix("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
        // A client of HTTP/1.0 knows no chunks.
        let old = try await Client(router)
        try await old.send("GET /long HTTP/1.0\r\n\(Self.host)\r\n")
        let whole = try await old.sent(upTo: "two")
        #expect(whole.contains("Connection: close") && !whole.contains("chunked") && whole.hasSuffix("\r\n\r\nonetwo"))
        try await old.channel.closeFuture.get()
    }

    @Test func bodiesAreLimitedBeforeTheyAreRead() async throws {
        let client = try await Client(router { $0.on(.PUT, "/small", bodyLimit: 10) { _ in .text("taken\n") } })
        try await client.send("PUT /small HTTP/1.1\r\n\(Self.host)Content-Length: 1000000\r\n\r\n12345678901")
        let sent = try await client.sent(upTo: "tooLarge")
        #expect(sent.hasPrefix("HTTP/1.1 413") && sent.contains("Connection: close"))
        try await client.channel.closeFuture.get()
    }

    @Test func unauthorizedClientsAreNotAskedForABody() async throws {
        let router = router { $0.on(.POST, "/call") { .text("\($0.body.count) bytes\n") } }
        var access = MockAPNSServer.AdminAccess()
        access.token = "0123456789abcdef"
        let head = "POST /call HTTP/1.1\r\n\(Self.host)Expect: 100-continue\r\nContent-Length: 5\r\n"
        let stranger = try await Client(router, AccessPolicy(access, serverNames: []))
        try await stranger.send("\(head)\r\n")
        #expect(try await stranger.sent(upTo: "unauthorized").hasPrefix("HTTP/1.1 401"))
        // It may send the body all the same, and go on.
        try await stranger.send("12345\(head)Authorization: Bearer 0123456789abcdef\r\n\r\n")
        _ = try await stranger.sent(upTo: "HTTP/1.1 100 Continue\r\n\r\n")
        try await stranger.send("12345")
        #expect(try await stranger.sent(upTo: "5 bytes").contains("HTTP/1.1 200 OK"))
    }

    @Test func badHTTPIsAnsweredInOrder() async throws {
        let client = try await Client(router { $0.on(.GET, "/") { _ in .text("first\n") } })
        try await client.send("GET / HTTP/1.1\r\n\(Self.host)\r\nnonsense\r\n\r\n")
        let sent = try await client.sent(upTo: "badHTTP")
        #expect(sent.hasPrefix("HTTP/1.1 200") && sent.contains("HTTP/1.1 400") && sent.contains("Connection: close"))
        try await client.channel.closeFuture.get()
    }

    @Test func longWorkEndsWithItsClient() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let client = try await Client(
            router { router in
                router.on(.GET, "/wait") { request in
                    try await request.whileConnected {
                        begin.yield()
                        defer { end.yield(Task.isCancelled) }
                        try await Task.sleep(for: .seconds(600))
                        return Response()
                    }
                }
            })
        try await client.send("GET /wait HTTP/1.1\r\n\(Self.host)\r\n")
        for await _ in begun { break }
        try await client.closeInput()
        await client.channel.testingEventLoop.advanceTime(by: .milliseconds(100))
        for await isCancelled in ended {
            #expect(isCancelled)
            break
        }
        #expect(try await client.sent(upTo: "stopped").contains("HTTP/1.1 503"))
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
    ])
    func dates(_ seconds: Int64, _ text: String) {
        #expect(HTTPDate.text(Timestamp(seconds: seconds)) == text)
    }
}
