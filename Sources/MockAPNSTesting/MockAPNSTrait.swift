#if canImport(Testing)
public import MockAPNS
public import Testing

/// Gives a test a server of its own: ``MockAPNS/MockAPNSServer/current``.
///
/// ```swift
/// import MockAPNSTesting
/// import Testing
///
/// @Test(.mockAPNS(scenario: .file(url))) func theProviderTriesAgain() async throws {
///     let apns = try MockAPNSServer.current
///     try await sendTwoScores(to: apns.url, trusting: apns.certificateAuthority.pem, signingWith: apns.signingKey.pem)
/// }
/// ```
///
/// At the end the expectations of the scenario are judged; when one does not hold, the test fails with the report. A
/// mistake of the scenario is an issue, and the test's body does not run. On a suite, each of its tests gets a server.
public struct MockAPNSTrait: TestTrait, SuiteTrait, TestScoping {
    let configuration: MockAPNSServer.Configuration
    let filePath: String
    let sourceLocation: SourceLocation

    /// Each test of a suite has a server of its own.
    public var isRecursive: Bool { true }

    /// Serves while the test runs, and judges what the scenario expects.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let server: MockAPNSServer
        do {
            server = try await MockAPNSServer.start(configuration)
        } catch let error as MockAPNSServer.StartError {
            return record(error)
        }
        do {
            try await Current.$server.withValue(server) { try await function() }
        } catch {
            await server.stop()
            throw error
        }
        let verification = await server.verify()
        await server.stop()
        if !verification.passed { Issue.record("\(verification)", sourceLocation: sourceLocation) }
    }

    /// One issue for each line, at the line of the test's file that it is about, where that can be told.
    private func record(_ error: MockAPNSServer.StartError) {
        for line in error.description.split(separator: "\n") {
            var place = sourceLocation
            if let text = configuration.scenario?.text, let mistake = ScenarioLine(of: line),
                let found = mistake.line(of: text, in: filePath, from: place.line)
            {
                place = SourceLocation(
                    fileID: place.fileID, filePath: filePath, line: found, column: 1)
            }
            Issue.record("\(String(line))", sourceLocation: place)
        }
    }
}

extension Trait where Self == MockAPNSTrait {
    /// A server for the test that plays a scenario, and judges its expectations at the end.
    ///
    /// - Parameters:
    ///   - scenario: what it plays.
    ///   - filePath: the test's file.
    ///   - sourceLocation: where a failure is shown.
    public static func mockAPNS(
        scenario: MockAPNSServer.ScenarioSource, filePath: String = #filePath,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        Self(
            configuration: MockAPNSServer.Configuration(scenario: scenario), filePath: filePath,
            sourceLocation: sourceLocation)
    }

    /// A server for the test.
    ///
    /// - Parameters:
    ///   - configuration: addresses, identity, scenario; by default free ports and an identity made in memory.
    ///   - filePath: the test's file.
    ///   - sourceLocation: where a failure is shown.
    public static func mockAPNS(
        _ configuration: MockAPNSServer.Configuration = MockAPNSServer.Configuration(),
        filePath: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        Self(configuration: configuration, filePath: filePath, sourceLocation: sourceLocation)
    }
}
#endif
