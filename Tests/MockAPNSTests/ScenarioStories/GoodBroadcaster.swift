import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// A provider as it should be with broadcast channels, as ``GoodProvider`` is with devices.
///
/// It keeps one connection and one provider token, tries again what may be tried again, forgets channels that are gone,
/// and looks what there is before it makes a channel a second time.
actor GoodBroadcaster {
    /// What became of a call in the end.
    enum Fate: Equatable {
        case done
        /// With a reason that does not go away.
        case refused(String)
        case givenUp
    }

    static let app = "com.example.app"

    private let server: MockAPNSServer
    private var connection: TestProvider?
    private var token: String?
    private var renewals = 0
    /// The channels it knows of.
    private var known: Set<String> = []
    private var abandoned: [TestProvider] = []

    init(_ server: MockAPNSServer) { self.server = server }

    func close() async {
        for connection in abandoned + [connection].compactMap(\.self) { await connection.close() }
    }

    // MARK: Channels

    /// Makes a channel; `nil` if it cannot.
    func create(storage: Int = 1) async throws -> String? {
        for _ in 0..<6 {
            let body = #"{"message-storage-policy":\#(storage),"push-type":"LiveActivity"}"#
            switch try await send(["POST", "/1/apps/\(Self.app)/channels"], body: body) {
            case .answered(let answer) where answer.status == "201":
                let channel = answer["apns-channel-id"]
                if let channel { known.insert(channel) }
                return channel
            case .answered(let answer):
                guard try await mayTryAgain(answer) else { return nil }
            default:
                // It may have been made all the same.
                leave()
                let before = known
                if let made = try await list().first(where: { !before.contains($0) }) { return made }
            }
        }
        return nil
    }

    func list() async throws -> [String] {
        let answer = try await call(["GET", "/1/apps/\(Self.app)/all-channels"])
        guard let body = answer?.body, let json = try? JSONText.read(Array(body.utf8)) else { return [] }
        let channels = json["channels"]?.array?.compactMap(\.string) ?? []
        known.formUnion(channels)
        return channels
    }

    /// Makes many channels at once.
    func create(count: Int) async throws {
        let body = #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
        let call = try request(["POST", "/1/apps/\(Self.app)/channels"], body: body)
        try await send(Array(repeating: call, count: count), expecting: "201")
    }

    /// Deletes many channels at once.
    func deleteAll(_ channels: [String]) async throws {
        try await send(channels.map { try request(["DELETE", "/1/apps/\(Self.app)/channels"], $0) }, expecting: "204")
    }

    private func send(_ calls: [TestPush], expecting status: String) async throws {
        let connection = try await opened()
        // The first lets the server allow more than one stream.
        if let first = calls.first { #expect(try await connection.push(first).status == status) }
        for start in stride(from: 1, to: calls.count, by: 500) {
            let answers = try await connection.push(Array(calls[start..<min(start + 500, calls.count)]))
            #expect(answers.allSatisfy { $0.status == status })
        }
    }

    func read(_ channel: String) async throws -> String? {
        try await call(["GET", "/1/apps/\(Self.app)/channels"], channel)?.body
    }

    @discardableResult
    func delete(_ channel: String) async throws -> Fate {
        fate(try await call(["DELETE", "/1/apps/\(Self.app)/channels"], channel))
    }

    // MARK: Pushes

    /// Publishes a score, which is of use for an hour.
    @discardableResult
    func publish(
        _ score: String, to channel: String, event: String = "update", secondsAhead: Int64 = 0, expiration: Int64? = nil
    ) async throws -> Fate {
        let now = server.engine.gateway.withLock { $0.clock.time(at: WallClock.now()).seconds }
        let body =
            #"{"aps":{"timestamp":\#(now + secondsAhead),"event":"\#(event)","content-state":{"score":"\#(score)"}}}"#
        let fields = [
            ("apns-push-type", "liveactivity"), ("apns-priority", "10"),
            ("apns-expiration", "\(expiration ?? now + 3600)"),
        ]
        return fate(try await call(["POST", "/4/broadcasts/apps/\(Self.app)"], channel, fields, body: body))
    }

    // MARK: Calls

    private func fate(_ answer: TestAnswer?) -> Fate {
        guard let answer else { return .givenUp }
        return answer.status?.hasPrefix("2") ?? false ? .done : .refused(answer.reason ?? "")
    }

    /// Sends a call until it has an answer that stays.
    private func call(
        _ line: [String], _ channel: String? = nil, _ fields: [(String, String)] = [], body: String = ""
    ) async throws -> TestAnswer? {
        for _ in 0..<8 {
            guard case .answered(let answer) = try await send(line, channel, fields, body: body) else {
                leave()
                continue
            }
            if answer.status?.hasPrefix("2") ?? false {
                renewals = 0
                return answer
            }
            guard try await mayTryAgain(answer) else { return answer }
        }
        return nil
    }

    /// Whether the call may be sent again, after a pause.
    private func mayTryAgain(_ answer: TestAnswer) async throws -> Bool {
        switch (answer.status, answer.reason) {
        case (_, "ExpiredProviderToken"):
            token = nil
            renewals += 1
            return renewals == 1
        case ("429", _), ("500", _), ("503", _):
            try await Task.sleep(for: .milliseconds(30))
            return true
        default: return false
        }
    }

    private func send(
        _ line: [String], _ channel: String? = nil, _ fields: [(String, String)] = [], body: String = ""
    ) async throws -> TestProvider.Reply {
        try await opened().exchange(try request(line, channel, fields, body: body), patience: .long)
    }

    private func request(
        _ line: [String], _ channel: String? = nil, _ fields: [(String, String)] = [], body: String = ""
    ) throws -> TestPush {
        let authorization = try token ?? server.authorization()
        token = authorization
        let own: [(String, String?)] = [
            (":method", line[0]), (":path", line[1]), ("apns-topic", nil), ("apns-push-type", nil),
            ("apns-channel-id", channel),
        ]
        return TestPush(authorization, own + fields.map { ($0.0, $0.1) }, body: body)
    }

    private func opened() async throws -> TestProvider {
        if let connection { return connection }
        let opened = try await TestProvider.open(to: server)
        connection = opened
        return opened
    }

    private func leave() {
        if let connection { abandoned.append(connection) }
        connection = nil
    }
}
