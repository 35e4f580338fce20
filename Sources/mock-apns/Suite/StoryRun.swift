import Logging
import MockAPNS
import MockAPNSAdmin
import MockAPNSCore
import MockAPNSJudge
import MockAPNSSuite
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Plays stories, each on a server of its own.
struct StoryRun: Sendable {
    let driver: Driver
    /// A folder of the suite; all servers have one folder of certificates in it.
    let folder: FilePath
    /// The stories left out.
    let skips: StorySkips

    /// Plays a story, unless it is to be skipped.
    func play(_ story: Story) async -> StoryResult {
        if story.scenario.workload.isEmpty {
            return StoryResult(story.name, skipped: "it has no workload")
        }
        if let reason = skips.reason(for: story) { return StoryResult(story.name, skipped: reason) }
        if story.scenario.expectations.isEmpty {
            return StoryResult(story.name, failed: "it expects nothing, so it would show nothing; add \"expect\"")
        }
        let start = ContinuousClock.now
        var result: StoryResult
        do {
            result = try await serve(story)
        } catch {
            let why = PrintableText.joined("\(error)")
            result = StoryResult(story.name, failed: "its server cannot be started: \(why)")
        }
        result.milliseconds = Int64((ContinuousClock.now - start) / .milliseconds(1))
        return result
    }

    private func serve(_ story: Story) async throws -> StoryResult {
        var configuration = MockAPNSServer.Configuration(scenario: story.source)
        configuration.certificates = folder.appending("certs")
        configuration.keepsEarlierResults = true
        let logger = Logger(label: "mock-apns") { _ in SwiftLogNoOpLogHandler() }
        let server = try await MockAPNSServer.start(configuration, logger: logger)
        do {
            let admin = try await AdminServer.start(for: server, hasPage: false, logger: logger)
            do {
                var result = try await play(story, server, admin)
                if story.scenario.needs.contains(.keepsConnection) { result.add(server.requestLog.remarkOnConnections) }
                await admin.stop()
                await server.stop(waiting: .milliseconds(500))
                return result
            } catch {
                await admin.stop()
                throw error
            }
        } catch {
            await server.stop(waiting: .zero)
            throw error
        }
    }

    private func play(_ story: Story, _ server: MockAPNSServer, _ admin: AdminServer) async throws -> StoryResult {
        let own = folder.appending(story.name)
        try FileManager.default.createDirectory(atPath: own.string, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: own.string) }
        let environment = try ProviderEnvironment(
            ReadyLine(server: server, admin: admin.url), server, bundlesIn: own,
            inherited: ProcessInfo.processInfo.environment)
        let workload = try server.scenario.signedWorkload { try keyFile($0, $1, of: story, in: own) }
        let came = await driver.play(
            workload, environment.variables + [(EnvironmentOptions.name, nil)]
        ) { server.clock.now }
        // As exec does at the end of its command.
        await server.untilConnectionsEnd(within: .milliseconds(500))
        await server.finishTimeline()
        let (verification, _) = await server.verifyRun()
        // Requests before a reset are not in the log.
        let wasReset = verification.results.contains { $0.end != nil }
        var result = StoryResult(
            story.name, verification, driverFailure: came.failure, whyNoRequest: server.whyNothingCame(verification),
            difference: wasReset ? nil : came.statuses.difference(from: server.requestLog), reported: came.statuses)
        if result.outcome != .passed { result.driverErrors = came.errors }
        return result
    }

    /// Returns the path of a signing key.
    private func keyFile(
        _ keyID: String, _ source: Scenario.KeySource, of story: Story, in own: FilePath
    ) throws -> String {
        let name = "AuthKey_\(keyID).p8"
        switch source {
        case .folder: return folder.appending("certs").appending(name).string
        case .file(let path):
            let path = FilePath(path)
            return (path.isRelative ? story.folder?.pushing(path) ?? path : path).string
        case .pem(let text):
            let file = own.appending(name).string
            try Data(text.utf8).write(to: URL(filePath: file))
            return file
        }
    }
}
