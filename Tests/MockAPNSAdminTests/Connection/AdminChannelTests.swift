import Hummingbird
import MockAPNS
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import MockAPNSAdmin

/// Connections to the admin listener, below HTTP.
@Suite struct AdminChannelTests {
    @Test func aConnectionThatNobodyServesIsClosed() async throws {
        try await withServer { server in
            let admin = AdminChannel(
                { _, _, _ in }, counting: server.otherConnections(), TLSNotice(logger: quiet, providerURL: server.url),
                UnreadAnswers(), AccessPolicy(.init(), serverNames: []))
            let group = MultiThreadedEventLoopGroup.singleton
            let listener = try await ServerBootstrap(group: group)
                .childChannelInitializer { channel in admin.setup(channel: channel, logger: quiet).map { _ in } }
                .bind(host: "127.0.0.1", port: 0).get()
            let client = try await ClientBootstrap(group: group).connect(to: listener.localAddress!).get()
            try await client.closeFuture.get()
            try await listener.close()
        }
    }
}
