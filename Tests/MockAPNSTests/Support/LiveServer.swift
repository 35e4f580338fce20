import Foundation
import MockAPNSCore
import NIOCore
import Synchronization
import SystemPackage
import TestClients

@testable import MockAPNS

/// A server of the test's own, stopped when the body is through.
func withServer<Result>(
    _ configure: (inout Configuration) -> Void = { _ in }, _ body: (MockAPNSServer) async throws -> Result
) async throws -> Result {
    var configuration = Configuration()
    // A client of a test may be held up by all the other tests.
    configuration.timeouts.handshake = TimeAmount(.patience)
    configure(&configuration)
    let server = try await MockAPNSServer.start(configuration)
    do {
        let result = try await body(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

extension Configuration {
    /// Takes a scenario's text.
    ///
    /// - Parameter folder: to which its paths are relative.
    mutating func play(_ text: String, in folder: FilePath? = nil) { scenario = .json(text, folder: folder) }
}

/// A server, and a provider connected to it.
func withProvider<Result>(
    _ configure: (inout Configuration) -> Void = { _ in },
    _ body: (TestProvider, MockAPNSServer) async throws -> Result
) async throws -> Result {
    try await withServer(configure) { server in try await body(.connect(to: server), server) }
}

extension MockAPNSServer {
    /// The value of an `authorization` field that this server takes.
    func authorization(issuedAt: Int64? = nil, keyID: String? = nil, teamID: String? = nil) throws -> String {
        let signer = try ProviderTokenSigner(
            privateKey: identity.signingKey, keyID: keyID ?? identity.keyID, teamID: teamID ?? identity.teamID)
        return "bearer " + (try signer.token(issuedAt: issuedAt))
    }

    /// The log's records, oldest first.
    var records: [DecodedRecord] {
        get throws {
            let snapshot = engine.gateway.withLock { $0.log.snapshot }
            let page = snapshot.find(RequestQuery(limit: RequestQuery.maximumLimit))
            return try JSONDecoder().decode(DecodedRecords.self, from: Data(page.json)).requests
        }
    }

    /// The connection of that number, open or lately closed.
    func connection(_ number: Int) -> MockAPNSCore.Connection? { engine.gateway.withLock { $0.connections[number] } }
}

private struct DecodedRecords: Decodable {
    var requests: [DecodedRecord]
}

/// One record of the log, as far as tests ask.
struct DecodedRecord: Decodable {
    struct Authentication: Decodable {
        var method: String
        var keyID: String?
        var teamID: String?
        var providerToken: Int?
        var signature: String?
        var verdict: String?
    }

    var sequence: Int
    var connection: Int?
    var stream: Int
    var method: String?
    var path: String?
    var headers: [[String]]
    var topic: String?
    var apnsID: String?
    var uniqueID: String?
    var payloadBytes: Int
    var authentication: Authentication
    var status: Int?
    var reason: String?
    var outcome: String
    var decidedBy: String
    var explanation: String?
    var delivery: String?
    var latencyMicroseconds: Int
}

/// Whether the server with this authority serves at a port, which another one may have got since.
func isServing(port: Int, authority: [UInt8]) async -> Bool {
    let client = try? await TestProvider.connect(port: port, tls: .init(authority: authority))
    let isServing = try? await client?.perform { $0.isSecured && $0.tls?.failure == nil && !$0.hasEnded }
    await client?.close()
    return isServing == true
}

/// A request to be sent.
struct TestPush: Sendable {
    var fields: [(String, String)]
    var body: [UInt8]?

    static let device = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    /// A good push when the authorization is good, but for the changes: a field gets another value, or with `nil` is left
    /// out; a name that it does not have is added.
    init(
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
    func frames(on stream: Int32) -> [RawFrame] {
        guard let body else { return [.headers(stream, fields)] }
        return [.headers(stream, fields, ends: false), .data(stream, body)]
    }
}
