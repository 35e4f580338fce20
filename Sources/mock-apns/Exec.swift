import ArgumentParser
import MockAPNS
import MockAPNSAdmin
import MockAPNSCore
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Exec: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve, run a command against the server, and check what the scenario expects.",
        discussion: """
            The command finds the server by the variables MOCK_APNS_URL, MOCK_APNS_HOST, MOCK_APNS_PORT, \
            MOCK_APNS_ADMIN_URL, MOCK_APNS_CERTS, MOCK_APNS_CA, MOCK_APNS_KEY, MOCK_APNS_KEY_ID, MOCK_APNS_TEAM_ID, \
            MOCK_APNS_TOPIC, MOCK_APNS_CLIENT_CERT and MOCK_APNS_CLIENT_KEY. SSL_CERT_FILE, REQUESTS_CA_BUNDLE, \
            CURL_CA_BUNDLE and NODE_EXTRA_CA_CERTS let most languages trust it without a change. When it has ended, a \
            manual clock is moved to the end of the timeline.

            The exit code is that of the command when it fails, 128 + n when signal n ends it, 127 when it cannot be \
            started, 1 when an expectation fails, and 0 otherwise.

            Example:
              mock-apns exec --scenario scenarios/tour.json --junit report.xml -- npm test
            """)

    @OptionGroup var options: ServerOptions
    @OptionGroup var reports: ReportOptions

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        if command.isEmpty {
            throw ValidationError("There is no command to run; it comes after --, as in: mock-apns exec -- npm test")
        }
        if options.log == "-" {
            throw ValidationError("--log - would mix the log into the command's output; exec takes the name of a file.")
        }
    }

    func run() async throws {
        let messages = Messages(options, isHeldBack: true)
        let folder = FilePath(FileManager.default.temporaryDirectory.path)
            .appending("mock-apns-\(ProcessInfo.processInfo.processIdentifier)")
        do {
            try reports.check()
            let startedAt = WallClock.now()
            let server = try await MockAPNSServer.start(options.configuration(defaultPort: 0), logger: messages.logger)
            let outcome: WrappedCommand.Outcome
            do {
                let admin = try await AdminServer.start(
                    for: server, host: options.adminHost ?? options.host, port: Int(options.adminPort ?? 0),
                    logger: messages.logger)
                outcome = await runCommand(ReadyLine(server: server, admin: admin.url), server, bundlesIn: folder)
                await admin.stop()
            } catch {
                await server.stop()
                throw error
            }
            // What the command said last is read and judged before the verdict.
            await server.untilConnectionsEnd(within: .milliseconds(500))
            await server.finishTimeline()
            let verification = await server.verify()
            await server.stop()
            messages.release()
            if let message = outcome.message { Messages.write("mock-apns: \(message)") }
            var problem: ExitCode?
            if outcome.didRun {
                messages.say(server.summary.text)
                var report = Report(
                    verification, of: server.scenario, file: options.scenario, from: startedAt, to: WallClock.now())
                report.summary = server.summary
                if let code = outcome.exitCode { report.remarks = ["The command ended with exit code \(code)."] }
                problem = reports.finish(report, messages)
            }
            if let code = outcome.exitCode { throw ExitCode(code) }
            if !verification.passed { throw ExitCode(1) }
            if let problem { throw problem }
        } catch let error as StartError {
            messages.release()
            throw messages.exit(error)
        }
    }

    private func runCommand(
        _ ready: ReadyLine, _ server: MockAPNSServer, bundlesIn folder: FilePath
    ) async -> WrappedCommand.Outcome {
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        do {
            try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
            let environment = try ProviderEnvironment(
                ready, server, bundlesIn: folder, inherited: ProcessInfo.processInfo.environment)
            return await WrappedCommand(command, environment.variables).run()
        } catch {
            return .init(
                didRun: false, exitCode: 69,
                message: "The bundles of authorities cannot be written to \(folder): \(error).")
        }
    }
}
