import MockAPNSCore
import TestSupport
import Testing

@testable import MockAPNS

/// Where a test fails, and with what words, whose provider did not do what was expected.
@Suite struct FailingLineTests {
    private static let report = """
        1 of 1 expectation failed.
        FAILED  two pushes
          expected  exactly 2 requests
          seen      0 requests

        """

    private static func withVerification(_ body: (MockAPNSServer.Verification) async throws -> Void) async throws {
        try await withServer {
            $0.play(#"{"expect": [{"name": "two pushes", "requests": {}, "count": 2}]}"#)
        } _: { server in
            try await body(server.verify())
        }
    }

    @Test("#expect fails at its own line, and shows the report")
    func expect() async throws {
        try await Self.withVerification { verification in
            let line = #line + 2
            withKnownIssue {
                #expect(verification.passed)
            } matching: { issue in
                issue.sourceLocation?.line == line && issue.sourceLocation?.fileID == #fileID
                    && "\(issue)".contains(Self.report)
            }
        }
    }

    @Test("check() throws the report, with its own line")
    func check() async throws {
        try await Self.withVerification { verification in
            let line = #line + 2
            do throws(MockAPNSServer.ExpectationsFailed) {
                try verification.check()
                Issue.record("no push has come")
            } catch {
                #expect(error.line == line)
                #expect("\(error)" == "MockAPNSTests/FailingLineTests.swift:\(line): \(Self.report)")
            }
        }
    }

    @Test("Requests that do not come are told with the line that waited for them")
    func requests() async throws {
        try await withServer { server in
            let line = #line + 2
            do {
                _ = try await server.requests(count: 1, within: .milliseconds(1))
                Issue.record("no push has come")
            } catch {
                #expect((error as? MockAPNSServer.RequestsMissing)?.line == line)
                #expect("\(error)".hasPrefix("MockAPNSTests/FailingLineTests.swift:\(line): 1 "))
            }
        }
    }
}
