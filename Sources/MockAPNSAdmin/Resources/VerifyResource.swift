import MockAPNS
import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario
import NIOCore

/// `/api/v1/verify`: whether the expectations hold.
struct VerifyResource {
    let server: MockAPNSServer

    /// The format of the answer.
    private enum Format: String, CaseIterable {
        case json, text, junit, markdown
    }

    func add(to api: inout CallRoutes) {
        api.on(.verify) { request in
            let format = try format(of: request)
            let isToFinish = try request.flag("finish")
            // One member of a fleet has no say in a clock that all of them share.
            if isToFinish, server.fleet != nil {
                throw APIError.fleet(
                    "In a fleet, \(APICall.advanceClock) on the collector moves the clock of all replicas; do that first, and leave out finish (--finish) here."
                )
            }
            let allowsMissing = try request.flag("allowMissing")
            if allowsMissing, server.collecting == nil {
                throw APIError.badRequest(
                    "badParameter",
                    "allowMissing is for the collector of a fleet, which may not have every request; leave it out (--allow-missing) here.",
                    pointer: "/allowMissing")
            }
            let scenario = server.namesInScope
            let question: VerificationQuestion
            do {
                question = try request.part { scenario.verificationQuestion(from: $0) }
            } catch let error as APIError where error.code == "badValue" {
                // Names used by replicas need not be known here.
                guard let strange = await server.collecting?.whyNoVerdictHolds else { throw error }
                throw APIError.fleet("This cannot be judged: \(strange).")
            }
            try RequestsResource.check(question.patternCount)
            return try await request.whileConnected {
                if isToFinish { await server.finishTimeline() }
                guard let expectations = question.expectations else {
                    return answer(await server.verification(allowingMissing: allowsMissing), format)
                }
                return answer(
                    try await server.verification(
                        of: expectations, within: question.within, in: scenario, allowingMissing: allowsMissing),
                    format)
            }
        }
    }

    private func format(of request: Request) throws -> Format {
        guard let text = try request.parameter("format") else { return .json }
        if let format = Format(rawValue: String(text)) { return format }
        let words = Format.allCases.map { "\"\($0.rawValue)\"" }
        throw APIError.badRequest(
            "badParameter",
            "format is \"\(text.prefix(80))\"; expected \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "").",
            pointer: "/format")
    }

    private func answer(_ verification: Verification, _ format: Format) -> Response {
        switch format {
        case .json: return .json(ByteBuffer(bytes: verification.json))
        case .text: return .text(verification.description)
        case .junit: return .text(report(verification).junit, type: "application/xml; charset=utf-8")
        case .markdown: return .text(report(verification).markdown, type: "text/markdown; charset=utf-8")
        }
    }

    private func report(_ verification: Verification) -> Report {
        var report = Report(verification, of: server.scenario)
        report.totals = server.summary.text
        return report
    }
}
