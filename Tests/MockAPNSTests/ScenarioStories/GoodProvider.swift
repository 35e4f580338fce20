import Foundation
import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// A provider as it should be: the client of the stories.
///
/// It keeps one connection for each team, and one provider token for each; it connects again when a connection ends, goes
/// away, is silent, or is of no use; it tries again, after longer and longer pauses, what may be tried again; and it drops
/// the tokens of devices that are gone.
actor GoodProvider {
    /// What became of a push in the end.
    enum Fate: Equatable {
        case accepted
        /// With a reason that does not go away.
        case refused(String)
        /// Not sent, or not sent again: the device's token is no good.
        case dropped
        case givenUp
    }

    /// A push to a device of the scenario.
    struct Push: Sendable {
        var device: String
        var title = "Hello"
        var type = "alert"
        var priority: Int?
        var expiration: Int64?
        var collapseID: String?
        /// The token, if it is not the device's.
        var token: String?
        /// The topic, if it is not the device's.
        var topic: String?
        /// The whole body, instead of an alert with the title.
        var payload: String?
        /// The same on every try.
        let apnsID = UUID().uuidString.lowercased()

        /// What gets no more pushes once it is gone.
        var recipient: String { token ?? device }
    }

    /// Whoever signs, with which key and token.
    private struct Team {
        let teamID: String
        let keys: [(keyID: String, pem: [UInt8])]
        var key = 0
        var token: String?
        /// Times that the key was refused, and tokens that were made because one had expired, since the last success.
        var refusals = 0
        var renewals = 0
    }

    /// A connection, and what the provider thinks of it.
    private final class Link {
        let provider: TestProvider
        /// Failures since the last success that may be the connection's fault.
        var failures = 0

        init(_ provider: TestProvider) { self.provider = provider }
    }

    let server: MockAPNSServer
    private let isScripted: Bool
    private let devices: [String: DeclaredDevice]
    private var teams: [Team]
    private let topics: [String: Int]
    private var links: [Int: Link] = [:]
    private var openings: [Int: Task<TestProvider, any Error>] = [:]
    private var abandoned: [TestProvider] = []
    /// The devices and tokens that get no more pushes.
    private var dropped: Set<String> = []
    private var registrations: [String: Int64] = [:]

    /// - Parameter isScripted: whether the script is played for which the stories are impatient. Without it everything is
    ///   answered in the end, so that nothing depends on the speed of the machine.
    init(_ server: MockAPNSServer, _ scenario: Scenario, isScripted: Bool) {
        self.server = server
        self.isScripted = isScripted
        devices = Dictionary(uniqueKeysWithValues: scenario.devices.map { ($0.name ?? "", $0) })
        let identity = server.identity
        var topics: [String: Int] = [:]
        var teams: [Team] = []
        for (place, team) in scenario.authentication.teams.enumerated() {
            for topic in team.topics?.names ?? [] { topics[topic] = place }
            let keys = team.keys.map { key in
                (keyID: key.keyID, pem: identity.furtherKeys[key.keyID] ?? identity.signingKey)
            }
            teams.append(Team(teamID: team.teamID, keys: keys))
        }
        if teams.isEmpty {
            teams = [Team(teamID: identity.teamID, keys: [(keyID: identity.keyID, pem: identity.signingKey)])]
        }
        self.teams = teams
        self.topics = topics
    }

    /// Takes note that the app has told its token just now.
    func register(_ device: String) { registrations[device] = WallClock.now().milliseconds }

    /// Closes all connections.
    func close() async {
        for link in links.values { await link.provider.close() }
        for provider in abandoned { await provider.close() }
    }

    // MARK: Pushes

    /// Pushes until it is clear what becomes of it.
    ///
    /// - Parameter patience: how long the first try waits for its answer.
    @discardableResult
    func push(_ push: Push, patience: Duration = .long) async throws -> Fate {
        var patience = isScripted ? patience : .long
        var pause: Int64 = 15
        for _ in 0..<12 {
            guard !dropped.contains(push.recipient), let device = devices[push.device] else { return .dropped }
            let team = topics[device.topics[0]] ?? 0
            let link = try await link(team)
            let token = try authorization(team)
            var wait = pause
            switch await link.provider.exchange(request(push, to: device, token), patience: patience) {
            case .answered(let answer):
                switch judge(answer, to: push, team, token, link) {
                case .settled(let fate): return fate
                case .again(let milliseconds): wait = max(wait, milliseconds)
                }
            case .reset(ErrorCode.refusedStream.code):
                link.failures += 1
                if link.failures >= 3 { leave(link) }
            case .reset, .unprocessed, .lost, .late:
                leave(link)
            }
            try await Task.sleep(for: .milliseconds(wait))
            pause = min(2 * pause, 200)
            patience = .long
        }
        return .givenUp
    }

    /// Pushes all at once.
    func push(_ pushes: [Push]) async throws {
        try await withThrowingTaskGroup { group in
            for push in pushes { group.addTask { try await self.push(push) } }
            try await group.waitForAll()
        }
    }

    /// Pushes `Hello` to a device.
    @discardableResult
    func push(_ device: String, patience: Duration = .long) async throws -> Fate {
        try await push(Push(device: device), patience: patience)
    }

    private func request(_ push: Push, to device: DeclaredDevice, _ token: String) -> TestPush {
        TestPush(
            token,
            [
                (":path", "/3/device/\(push.token ?? device.token.hex)"),
                ("apns-topic", push.topic ?? device.topics[0]),
                ("apns-push-type", push.type), ("apns-id", push.apnsID),
                ("apns-priority", push.priority.map(String.init)),
                ("apns-expiration", push.expiration.map(String.init)), ("apns-collapse-id", push.collapseID),
            ],
            body: push.payload ?? #"{"aps":{"alert":{"title":"\#(push.title)"}}}"#)
    }

    // MARK: Answers

    private enum Judgement {
        case settled(Fate)
        /// Again, after at least so many milliseconds.
        case again(Int64)
    }

    private func judge(_ answer: TestAnswer, to push: Push, _ team: Int, _ token: String, _ link: Link) -> Judgement {
        let reason = answer.reason ?? ""
        switch (answer.status ?? "", reason) {
        case ("200", _):
            link.failures = 0
            (teams[team].refusals, teams[team].renewals) = (0, 0)
            return .settled(.accepted)
        case ("410", _):
            // The token may have been registered again since then.
            if answer.timestamp ?? .max < registrations[push.device] ?? 0 { return .again(0) }
            dropped.insert(push.recipient)
            return .settled(.dropped)
        case (_, "BadDeviceToken"):
            dropped.insert(push.recipient)
            return .settled(.dropped)
        case (_, "ExpiredProviderToken"):
            guard token == teams[team].token else { return .again(0) }
            guard teams[team].renewals == 0 else { return .settled(.refused(reason)) }
            teams[team].renewals += 1
            teams[team].token = nil
            leave(link)
            return .again(0)
        case (_, "InvalidProviderToken"):
            teams[team].refusals += 1
            if teams[team].refusals >= 2, teams[team].key + 1 < teams[team].keys.count {
                teams[team].key += 1
                teams[team].token = nil
            }
            return .again(0)
        case (_, "TooManyProviderTokenUpdates"):
            leave(link)
            return .again(0)
        case ("429", _), ("503", _):
            return .again((answer["retry-after"].flatMap { Int64($0) } ?? 0) * 1000)
        case ("500", _):
            link.failures += 1
            if link.failures >= 2 { leave(link) }
            return .again(0)
        default:
            return .settled(.refused(reason))
        }
    }

    // MARK: Tokens and connections

    private func authorization(_ team: Int) throws -> String {
        if let token = teams[team].token { return token }
        let key = teams[team].keys[teams[team].key]
        let signer = try ProviderTokenSigner(
            privateKey: key.pem, keyID: key.keyID, teamID: teams[team].teamID)
        let token = "bearer " + (try signer.token())
        teams[team].token = token
        return token
    }

    private func link(_ team: Int) async throws -> Link {
        if let link = links[team] { return link }
        let opening = openings[team] ?? Task { try await TestProvider.open(to: server) }
        openings[team] = opening
        let provider: TestProvider
        do { provider = try await opening.value } catch {
            if openings[team] == opening { openings[team] = nil }
            throw error
        }
        // Who comes first makes the link.
        if openings[team] == opening {
            openings[team] = nil
            links[team] = Link(provider)
        }
        return try await link(team)
    }

    private func leave(_ link: Link) {
        for (team, other) in links where other === link {
            links[team] = nil
            abandoned.append(link.provider)
        }
    }

    // MARK: Idleness

    /// Sends PING on the connection of the first team until no acknowledgement comes, and leaves it then.
    ///
    /// - Parameter patience: how long it waits for one.
    func pingUntilSilence(patience: Duration) async throws {
        guard let link = links[0] else { return }
        if !isScripted {
            #expect(await link.provider.acknowledgesPing(within: .long))
            return
        }
        while await link.provider.acknowledgesPing(within: patience) { try await Task.sleep(for: .milliseconds(20)) }
        leave(link)
    }

    /// Waits until the server has ended the connection of the first team.
    func untilEnd() async {
        if isScripted { await links[0]?.provider.untilEnd() }
    }
}

extension Duration {
    /// As long as a test may take.
    static let long = Duration.patience
}
