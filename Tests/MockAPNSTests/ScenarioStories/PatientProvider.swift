import TestClients
import TestSupport

@testable import MockAPNS

/// A connection with timeouts, as the good provider uses it.
extension TestProvider {
    /// What came of a request.
    enum Reply: Sendable {
        case answered(TestAnswer)
        case reset(UInt32)
        /// It was not sent, or lies above the last stream of a GOAWAY.
        case unprocessed
        /// The connection ended first.
        case lost
        /// Nothing came in time; it was taken back.
        case late
    }

    struct CannotConnect: Error {}

    /// Connects, after longer and longer pauses when it fails; the server's certificate is verified.
    static func open(to server: MockAPNSServer) async throws -> TestProvider {
        for attempt in 0..<6 {
            let provider = try await connect(to: server, tls: .init(authority: server.identity.certificateAuthority))
            let isOpen = await provider.wait(atMost: .seconds(2 << attempt)) { client in
                if client.isLeaving || client.tls?.failure != nil { return false }
                return client.frames.isEmpty ? nil : true
            }
            if isOpen == true { return provider }
            await provider.close()
            try await Task.sleep(for: .milliseconds(10 << attempt))
        }
        throw CannotConnect()
    }

    /// Sends a request and says what came of it.
    func exchange(_ push: TestPush, patience: Duration) async -> Reply {
        let started = try? await perform { client in
            client.isLeaving || client.hasEnded ? nil : client.http2?.request(push.fields, body: push.body)
        }
        guard let stream = started else { return .unprocessed }
        let reply: Reply? = await wait(atMost: patience) { client in
            if let response = client.http2?.responses[stream] {
                if response.isEnded { return .answered(TestAnswer(response, frames: [])) }
                if let code = response.errorCode { return .reset(code) }
            }
            if client.frames.goAways.contains(where: { $0.lastStream < stream }) { return .unprocessed }
            return client.hasEnded || client.http2?.error != nil ? .lost : nil
        }
        if let reply { return reply }
        _ = try? await perform { $0.http2?.reset(stream) }
        return .late
    }

    /// Sends PING; whether the acknowledgement comes in time.
    func acknowledgesPing(within time: Duration) async -> Bool {
        let count = try? await perform { client in
            client.http2?.ping()
            return client.pingAcknowledgements
        }
        let answer = await wait(atMost: time) { client in
            client.pingAcknowledgements > count ?? 0 ? true : client.hasEnded ? false : nil
        }
        return answer ?? false
    }

    /// Waits until the server has ended the connection.
    func untilEnd() async {
        _ = await wait(atMost: .long) { $0.hasEnded ? true : nil }
    }

    /// What `find` returns as soon as it returns something; `nil` when the time is over, or the connection.
    private func wait<Result: Sendable>(
        atMost time: Duration, _ find: @escaping @Sendable (TestProviderHandler) -> Result?
    ) async -> Result? {
        let deadline = ContinuousClock.now + time
        // When the time is over, all who wait look again.
        let alarm = Task {
            try await Task.sleep(for: time)
            try await wait { _ in true }
        }
        defer { alarm.cancel() }
        let found = try? await wait { client -> Found<Result>? in
            if let result = find(client) { return Found(result: result) }
            return client.hasEnded || ContinuousClock.now >= deadline ? Found(result: nil) : nil
        }
        return found?.result
    }

    private struct Found<Result: Sendable>: Sendable {
        var result: Result?
    }
}

extension TestProviderHandler {
    /// The server takes no new streams, or never spoke HTTP/2.
    var isLeaving: Bool { http2?.error != nil || !frames.goAways.isEmpty }
}

extension TestAnswer {
    /// The time of a 410, milliseconds since 1970.
    var timestamp: Int64? {
        guard let key = body.firstRange(of: #""timestamp":"#) else { return nil }
        return Int64(body[key.upperBound...].prefix { $0.isNumber })
    }
}
