#if canImport(Testing)
public import Logging
public import MockAPNS
public import Testing

/// Provides a test with its own server: ``MockAPNS/MockAPNSServer/current``.
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
/// The scenario's expectations are judged when the test ends; if one does not hold, the test fails with the report. A
/// mistake in the scenario is recorded as an issue, and the test's body does not run. On a suite, each test gets its
/// own server.
public struct MockAPNSTrait: TestTrait, SuiteTrait, TestScoping {
    let configuration: MockAPNSServer.Configuration
    let logger: Logger
    let filePath: String
    let sourceLocation: SourceLocation

    /// Each test of a suite gets its own server.
    public var isRecursive: Bool { true }

    /// Runs the server during the test, and judges the scenario's expectations.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let server: MockAPNSServer
        do {
            server = try await MockAPNSServer.start(configuration, logger: logger)
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

    /// Records one issue per line of the message, at the line of the test's file that it refers to, if that can be
    /// found.
    private func record(_ error: MockAPNSServer.StartError) {
        for line in error.description.split(separator: "\n") {
            var location = sourceLocation
            if let text = configuration.scenario?.text, let mistake = ScenarioLine(of: line),
                let found = mistake.line(of: text, in: filePath, from: location.line)
            {
                location = SourceLocation(fileID: location.fileID, filePath: filePath, line: found, column: 1)
            }
            Issue.record("\(String(line))", sourceLocation: location)
        }
    }
}

extension Trait where Self == MockAPNSTrait {
    /// Runs a server that plays a scenario, and judges its expectations at the end of the test.
    ///
    /// - Parameters:
    ///   - scenario: the scenario to play.
    ///   - logger: receives the server's messages for people, such as failed handshakes.
    ///   - filePath: the test's file.
    ///   - sourceLocation: the location where failures are reported.
    public static func mockAPNS(
        scenario: MockAPNSServer.ScenarioSource,
        logger: Logger = Logger(label: "mock-apns") { _ in SwiftLogNoOpLogHandler() },
        filePath: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        Self(
            configuration: MockAPNSServer.Configuration(scenario: scenario), logger: logger, filePath: filePath,
            sourceLocation: sourceLocation)
    }

    /// Runs a server for the test.
    ///
    /// - Parameters:
    ///   - configuration: addresses, identity, scenario; by default free ports and an identity created in memory.
    ///   - logger: receives the server's messages for people, such as failed handshakes.
    ///   - filePath: the test's file.
    ///   - sourceLocation: the location where failures are reported.
    public static func mockAPNS(
        _ configuration: MockAPNSServer.Configuration = MockAPNSServer.Configuration(),
        logger: Logger = Logger(label: "mock-apns") { _ in SwiftLogNoOpLogHandler() },
        filePath: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        Self(configuration: configuration, logger: logger, filePath: filePath, sourceLocation: sourceLocation)
    }
}
#endif
