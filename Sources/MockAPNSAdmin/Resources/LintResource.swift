import MockAPNS
import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario
import NIOCore

/// `/api/v1/lint`: what lint finds in the log, its payloads and what the providers did, or in one payload.
struct LintResource {
    let server: MockAPNSServer

    func add(to api: inout CallRoutes) {
        api.on(.lint) { request in
            let query = try LintQuery(parameters: request.parameters)
            return try await request.whileConnected { answer(try await server.lintReport(query)) }
        }
        api.on(.listLintedPushes) { request in
            let query = try PushFindingsQuery(parameters: request.parameters)
            return try await request.whileConnected {
                .json(ByteBuffer(string: try await server.lintedPushes(query).json))
            }
        }
        api.on(.lintPayload) { request in
            let namesInScope = server.namesInScope
            var push = try request.part { namesInScope.lintedPush(from: $0) }
            push.clock = server.clock.now
            let scenario = server.scenario
            var linter = PayloadLinter(scenario.lint, apps: scenario.apps)
            var report = LintReport()
            report.add(linter.findings(in: push))
            return answer(report)
        }
    }

    private func answer(_ report: LintReport) -> Response { .json(ByteBuffer(string: report.json)) }
}
