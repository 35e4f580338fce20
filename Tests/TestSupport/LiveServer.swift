import Foundation
package import MockAPNSCore
import NIOCore
import Synchronization
package import SystemPackage
package import TestClients

@testable package import MockAPNS
@testable import MockAPNSJudge

/// A server of the test's own, stopped when the body is through.
///
/// - Parameter limit: how long the stop waits for open streams.
package func withServer<Result>(
    stoppingWithin limit: Duration = .seconds(5), _ configure: (inout Configuration) -> Void = { _ in },
    _ body: (MockAPNSServer) async throws -> Result
) async throws -> Result {
    var configuration = Configuration()
    // A client of a test may be held up by all the other tests.
    configuration.timeouts.handshake = TimeAmount(.patience)
    configure(&configuration)
    let server = try await MockAPNSServer.start(configuration)
    do {
        let result = try await body(server)
        await server.stop(waiting: limit)
        return result
    } catch {
        await server.stop(waiting: limit)
        throw error
    }
}

extension Configuration {
    /// Takes a scenario's text.
    ///
    /// - Parameter folder: to which its paths are relative.
    package mutating func play(_ text: String, in folder: FilePath? = nil) { scenario = .json(text, folder: folder) }
}

/// A server, and a provider connected to it.
package func withProvider<Result>(
    _ configure: (inout Configuration) -> Void = { _ in },
    _ body: (TestProvider, MockAPNSServer) async throws -> Result
) async throws -> Result {
    try await withServer(configure) { server in try await body(.connect(to: server), server) }
}

extension MockAPNSServer {
    /// The value of an `authorization` field that this server takes.
    package func authorization(issuedAt: Int64? = nil, keyID: String? = nil, teamID: String? = nil) throws -> String {
        let signer = try ProviderTokenSigner(
            privateKey: identity.signingKey, keyID: keyID ?? identity.keyID, teamID: teamID ?? identity.teamID)
        return "bearer " + (try signer.token(issuedAt: issuedAt))
    }

    /// The log's records, oldest first.
    package var records: [DecodedRecord] {
        get throws {
            try JSONDecoder().decode(DecodedRecords.self, from: Data(recordsAsJSON)).requests
        }
    }

    /// The log's records as the admin API returns them.
    package var recordsAsJSON: [UInt8] {
        let log = requestLog
        let found = log.search(for: RequestQuery(limit: RequestQuery.maximumLimit)).finish()
        var (json, pieces) = ([] as [UInt8], RequestPage(of: found, in: log).pieces())
        while let piece = pieces.next() { json += piece }
        return json
    }

    /// Whether a call waits for requests.
    package var hasWaiters: Bool { waitCount > 0 }

    /// The connection of that number, open or lately closed.
    package func connection(_ number: Int) -> MockAPNSCore.Connection? {
        engine.gateway.withLock { $0.connections[number] }
    }
}

private struct DecodedRecords: Decodable {
    var requests: [DecodedRecord]
}

/// One record of the log, as far as tests ask.
package struct DecodedRecord: Decodable {
    package struct Authentication: Decodable {
        package var method: String
        package var keyID: String?
        package var teamID: String?
        package var providerToken: Int?
        package var signature: String?
        package var verdict: String?
    }

    package var sequence: Int
    package var connection: Int?
    package var stream: Int
    package var method: String?
    package var path: String?
    package var headers: [[String]]
    package var topic: String?
    package var apnsID: String?
    package var uniqueID: String?
    package var payloadBytes: Int
    package var authentication: Authentication
    package var status: Int?
    package var reason: String?
    package var outcome: String
    package var decidedBy: String
    package var explanation: String?
    package var delivery: String?
    package var latencyMicroseconds: Int
}

/// Whether the server with this authority serves at a port, which another one may have got since.
package func isServing(port: Int, authority: [UInt8]) async -> Bool {
    let client = try? await TestProvider.connect(port: port, tls: .init(authority: authority))
    let isServing = try? await client?.perform { $0.isSecured && $0.tls?.failure == nil && !$0.hasEnded }
    await client?.close()
    return isServing == true
}

/// A request to be sent.
package struct TestPush: Sendable {
    package var fields: [(String, String)]
    package var body: [UInt8]?

    package static let device = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    /// A good push when the authorization is good, but for the changes: a field gets another value, or with `nil` is left
    /// out; a name that it does not have is added.
    package init(
        _ authorization: String? = nil, _ changes: [(String, String?)] = [],
        body: String? = #"{"aps":{"alert":"Hello"}}"#
    ) {
        fields = [
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/\(Self.device)"),
            (":authority", "localhost"), ("apns-topic", "com.example.app"), ("apns-push-type", "alert"),
        ]
        if let authorization { fields.append(("authorization", authorization)) }
        for (name, value) in changes {
            fields.removeAll { $0.0 == name }
            if let value {
                fields.insert((name, value), at: name.hasPrefix(":") ? 0 : fields.endIndex)
            }
        }
        self.body = body.map { Array($0.utf8) }
    }

    /// As raw frames on a stream, for a client that does not leave HTTP/2 to nghttp2.
    package func frames(on stream: Int32) -> [RawFrame] {
        guard let body else { return [.headers(stream, fields)] }
        return [.headers(stream, fields, ends: false), .data(stream, body)]
    }
}
