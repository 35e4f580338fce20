import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import MockAPNSAdmin

/// The proxy for providers whose host is fixed, by the bytes of both sides.
@Suite struct ProxyHandlerTests {
    private static let hosts = ProxyHosts(serverNames: ["APNs.example"])

    /// A client of the proxy. Behind it, what a provider's connection gets is sent back.
    private struct Client: ~Copyable {
        let channel = EmbeddedChannel()

        init() throws {
            try ProviderProxy.prepare(channel, hosts, refused: { _ in }) { channel in
                try channel.pipeline.syncOperations.addHandler(Echo())
            }
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        /// Sends bytes; returns all that comes back.
        func send(_ text: String) throws -> String {
            _ = try? channel.writeInbound(ByteBuffer(string: text))
            channel.embeddedEventLoop.run()
            var answer = ""
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) { answer += String(buffer: buffer) }
            return answer
        }

        deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }
    }

    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(NIOAny(unwrapInboundIn(data)), promise: nil)
        }
    }

    private static let established = "HTTP/1.1 200 Connection established\r\n\r\n"

    private static func connect(_ target: String, _ fields: String = "") -> String {
        "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\(fields)\r\n"
    }

    @Test(
        "A host of APNs is reached",
        arguments: [
            "api.push.apple.com:443", "api.sandbox.push.apple.com:2197", "API.Push.Apple.com:443",
            "api.development.push.apple.com:443", "api-manage-broadcast.push.apple.com:2196", "apns.example:443",
            "api.push.apple.com.:443",
        ])
    func reached(target: String) throws {
        let client = try Client()
        #expect(try client.send(Self.connect(target)) == Self.established)
        #expect(try client.send("\u{16}\u{3}") == "\u{16}\u{3}", "what follows is the provider's")
    }

    @Test func whatComesWithTheRequestIsTheProviders() throws {
        let client = try Client()
        #expect(try client.send(Self.connect("api.push.apple.com:443") + "hello") == Self.established + "hello")
        #expect(try client.send(" again") == " again")
    }

    @Test func aRequestMayComeInPieces() throws {
        let client = try Client()
        let request = Self.connect("api.push.apple.com:443", "Proxy-Connection: keep-alive\r\n").unicodeScalars
        for letter in request.dropLast() {
            #expect(try client.send(String(letter)).isEmpty)
        }
        #expect(try client.send("\n") == Self.established)
    }

    @Test(
        "Any other host is refused",
        arguments: [
            "169.254.169.254:80", "localhost:2198", "127.0.0.1:2198", "[::1]:443", "example.com:443",
            "api.push.apple.com.example.com:443", "push.apple.com:443", "x.api.push.apple.com:443",
            "api.push.apple.com@example.com:443", "api.push.apple.com..:443", ".:443", "2852039166:80",
            "api.push.apple.com%00.example.com:443", "api.push.apple.com:443:80", "xn--api.push.apple.com:443",
        ])
    func refused(target: String) throws {
        let client = try Client()
        let answer = try client.send(Self.connect(target) + "hello")
        #expect(answer.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
        #expect(answer.contains("is no host of APNs. This proxy leads to mock-apns alone"))
        #expect(answer.contains("connection: close") && !answer.contains("hello"))
        #expect(try client.send(Self.connect("api.push.apple.com:443")).isEmpty, "there is no second try")
    }

    @Test(
        "What is no target is a mistake",
        arguments: ["api.push.apple.com:", "api.push.apple.com:+443", "api.push.apple.com:70000", "api.push.apple.com"])
    func noTarget(target: String) throws {
        let client = try Client()
        let answer = try client.send(Self.connect(target))
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(answer)")
    }

    @Test(
        "Anything but CONNECT is refused",
        arguments: [
            ("GET http://api.push.apple.com/3/device/aa HTTP/1.1\r\nHost: api.push.apple.com\r\n\r\n", 405),
            ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", 405),
            ("\u{16}\u{3}\u{1}\u{2}\u{0}", 400), ("\u{5}\u{1}\u{0}", 400), ("CONNECT\r\n\r\n", 400),
            ("CONNECT api.push.apple.com:443 HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        ])
    func otherRequests(text: String, status: Int) throws {
        let client = try Client()
        let answer = try client.send(text)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.contains("This is a proxy"))
    }

    @Test func aHugeRequestIsRefused() throws {
        let client = try Client()
        var answer = try client.send("CONNECT api.push.apple.com:443 HTTP/1.1\r\n")
        var sent = 0
        while answer.isEmpty, sent < 1 << 20 {
            answer += try client.send("X-Field-\(sent): \(String(repeating: "x", count: 1000))\r\n")
            sent += 1000
        }
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "after \(sent) bytes")
        #expect(sent < 400_000)
    }

    @Test func aClientThatAsksForNothingIsClosed() throws {
        let client = try Client()
        #expect(try client.send("CONNECT api.push").isEmpty)
        client.channel.embeddedEventLoop.advanceTime(by: .seconds(11))
        #expect(!client.channel.isActive)
        // One that has asked has all the time that a provider has.
        let other = try Client()
        #expect(try other.send(Self.connect("api.push.apple.com:443")) == Self.established)
        other.channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(other.channel.isActive)
    }
}
