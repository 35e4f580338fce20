import MockAPNS
import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario
import SystemPackage

/// The verdict on expectations by a running server, obtained through its admin API.
struct ServerVerdict {
    /// The request for a verdict.
    struct Question {
        /// The scenario with the expectations to judge; `nil` for the one that the server plays.
        var scenario: String?
        /// Whether a manual clock is first moved to the end of the timeline.
        var finishes = false
        /// Whether requests are linted, by the settings of the scenario that the server plays. Unless the address is that
        /// of a session, so are those of all sessions, each by its own scenario.
        var lints = false
        /// Whether a fleet is judged even if something of it is not known.
        var allowsMissing = false

        fileprivate var query: String {
            ((finishes ? ["finish=true"] : []) + (allowsMissing ? ["allowMissing=true"] : [])).joined(separator: "&")
        }
    }

    let report: Report

    /// Asks the server for its verdict.
    ///
    /// - Parameter seconds: the time limit for the verdict.
    /// - Throws: `StartError` if there is no verdict.
    init(_ client: AdminClient, _ wanted: Question, within seconds: Int64 = 60) async throws(StartError) {
        let file = wanted.scenario
        let text = try file.map { file throws(StartError) in try Scenario.text(named: file) }
        var scenario = try file.map { file throws(StartError) in try Scenario.read(named: file) }
        let played = try await Self.ask(client, .getScenario).body
        var question = Array("{}".utf8)
        // The expectations of the scenario being played are counted as requests arrive, whatever the log still holds.
        if let text, let other = Scenario.verificationQuestion(for: text, unlessPlayed: played) { question = other }
        let answer = try await Self.ask(client, .verify, wanted.query, body: question, within: seconds)
        guard let value = try? JSONText.read(answer.body, .recorded), var verification = Verification(value) else {
            let said = answer.explanation(at: client.address)
            throw .unavailable(
                "What answers at \(client.address) is not a mock-apns server that judges expectations.\(said)")
        }
        let own = Scenario.read(played).0
        if let scenario { verification.judgeRules(by: scenario.unusedRules) }
        if scenario == nil { scenario = own }
        var report = Report(
            verification, of: scenario ?? Scenario(), file: file,
            from: await Self.time(client, "asc"), to: await Self.time(client, "desc"))
        report.totals = await Self.totals(client)
        if wanted.lints { report.lint = try await Self.lint(client, own?.lint ?? LintSettings()) }
        self.report = report
    }

    /// Asks the server where the upstream that it relays to answered otherwise.
    static func differences(_ client: AdminClient) async throws(StartError) -> RelayDifferences {
        let answer = try await ask(client, .listDifferences)
        return (try? JSONText.read(answer.body, .recorded)).map { RelayDifferences($0) } ?? RelayDifferences()
    }

    private static func lint(_ client: AdminClient, _ settings: LintSettings) async throws(StartError) -> LintVerdict {
        var verdict = try await lintOne(client, settings)
        guard !client.isOfSession else { return verdict }
        for name in await sessions(client) {
            let session = client.client(ofSession: name)
            // It may have ended by now.
            guard let played = try? await ask(session, .getScenario),
                let part = try? await lintOne(session, Scenario.read(played.body).0?.lint ?? LintSettings())
            else { continue }
            verdict.add(part, session: name)
        }
        return verdict
    }

    /// Lints the requests of the server itself, or of a session alone.
    private static func lintOne(
        _ client: AdminClient, _ settings: LintSettings
    ) async throws(StartError) -> LintVerdict {
        let answer = try await ask(client, .lint)
        guard let value = try? JSONText.read(answer.body, .recorded), let report = LintReport(value) else {
            let said = answer.explanation(at: client.address)
            throw .unavailable("What answers at \(client.address) is not a mock-apns server that lints.\(said)")
        }
        return LintVerdict(report, by: settings)
    }

    /// The names of the sessions; none if the server knows of no sessions.
    private static func sessions(_ client: AdminClient) async -> [String] {
        guard let answer = try? await ask(client, .listSessions),
            let sessions = (try? JSONText.read(answer.body, .recorded))?["sessions"]?.array
        else { return [] }
        return sessions.compactMap { $0["name"]?.string }.filter(SessionRequest.isName).prefix(Sessions.limit).sorted()
    }

    /// Returns the totals as text; `nil` if the server does not say them.
    private static func totals(_ client: AdminClient) async -> String? {
        guard let answer = try? await ask(client, .summary) else { return nil }
        return (try? JSONText.read(answer.body, .recorded)).flatMap { Summary.text(of: $0) }
    }

    /// Returns the time of the first request, in the given order, that the log still holds.
    private static func time(_ client: AdminClient, _ order: String) async -> Timestamp? {
        guard let answer = try? await ask(client, .listRequests, "limit=1&order=\(order)"),
            let requests = (try? JSONText.read(answer.body, .recorded))?["requests"]?.array
        else { return nil }
        return requests.first?["time"]?.string.flatMap { Timestamp($0) }
    }

    private static func ask(
        _ client: AdminClient, _ call: APICall, _ query: String = "", body: [UInt8]? = nil, within seconds: Int64 = 60
    ) async throws(StartError) -> AdminClient.Answer {
        let answer: AdminClient.Answer
        do {
            answer = try await client.send(call, query: query, body: body, within: seconds)
        } catch is AdminClient.ExcessiveAnswer {
            throw .unavailable(
                "What answers at \(client.address) is not a mock-apns server: it sends more than 64 MB for one answer.")
        } catch {
            throw .unavailable("No server answers at \(client.address).")
        }
        guard answer.status != 200 else { return answer }
        let message = answer.explanation(at: client.address)
        switch answer.status {
        case 400 where (try? JSONText.read(answer.body, .recorded))?["error"] != nil:
            throw .malformed("The server at \(client.address) cannot judge that:\(message)")
        case 401:
            throw .unavailable(
                "The server at \(client.address) requires a token (401); give it with --admin-token or MOCK_APNS_ADMIN_TOKEN.\(message)"
            )
        default:
            throw .unavailable(
                "The server at \(client.address) gave no verdict; it answered \(answer.statusLine).\(message)")
        }
    }
}
