import MockAPNS
import MockAPNSCore
import SystemPackage

/// The verdict on expectations by a running server, obtained through its admin API.
struct ServerVerdict {
    let report: Report

    /// Asks the server for its verdict.
    ///
    /// - Parameters:
    ///   - finishes: whether a manual clock is first moved to the end of the timeline.
    ///   - file: the scenario with the expectations to judge; `nil` for the one that the server plays.
    /// - Throws: `StartError` if there is no verdict.
    init(_ client: AdminClient, finishes: Bool, scenario file: String?) async throws(StartError) {
        let text = try file.map { file throws(StartError) in try CertificateFolder.read(FilePath(file)) }
        var scenario = try file.map { file throws(StartError) in try Scenario.read(FilePath(file)) }
        let played = try await Self.ask(client, .get, "/api/v1/scenario")
        var question = Array("{}".utf8)
        // The expectations of the scenario being played are counted as requests arrive, whatever the log still holds.
        if let text, let other = Scenario.verificationQuestion(for: text, unlessPlayed: played) { question = other }
        let target = "/api/v1/verify" + (finishes ? "?finish=true" : "")
        let answer = try await Self.ask(client, .post, target, body: question)
        guard let value = try? JSONText.read(answer, .recorded), let verification = Verification(value) else {
            throw .unavailable("What answers at \(client.address) is not a mock-apns server that judges expectations.")
        }
        if scenario == nil { scenario = Scenario.read(played).0 }
        report = Report(
            verification, of: scenario ?? Scenario(), file: file,
            from: await Self.time(client, "asc"), to: await Self.time(client, "desc"))
    }

    /// Returns the time of the first request, in the given order, that the log still holds.
    private static func time(_ client: AdminClient, _ order: String) async -> Timestamp? {
        guard let answer = try? await ask(client, .get, "/api/v1/requests?limit=1&order=\(order)"),
            let requests = (try? JSONText.read(answer, .recorded))?["requests"]?.array
        else { return nil }
        return requests.first?["time"]?.string.flatMap { Timestamp($0) }
    }

    private static func ask(
        _ client: AdminClient, _ method: AdminClient.Method, _ target: String, body: [UInt8]? = nil
    ) async throws(StartError) -> [UInt8] {
        let answer: AdminClient.Answer
        do {
            answer = try await client.send(method, target, body: body, within: 60)
        } catch {
            throw .unavailable("No server answers at \(client.address).")
        }
        guard answer.status != 200 else { return answer.body }
        let error = (try? JSONText.read(answer.body, .recorded))?["error"]
        let message = error?["message"]?.string.map { " \($0)" } ?? ""
        switch answer.status {
        case 400 where error != nil:
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
