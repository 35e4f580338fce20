import ArgumentParser
import MockAPNS
import MockAPNSAdmin
import MockAPNSCore
import MockAPNSJudge
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Exec: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start a server, run a command against it, and check what the scenario expects.",
        discussion: """
            The command finds the server through the variables MOCK_APNS_URL, MOCK_APNS_HOST, MOCK_APNS_PORT, \
            MOCK_APNS_ADMIN_URL, MOCK_APNS_ADMIN_TOKEN (if there is a token), MOCK_APNS_CERTS, MOCK_APNS_CA, \
            MOCK_APNS_KEY, MOCK_APNS_KEY_ID, MOCK_APNS_TEAM_ID, MOCK_APNS_TOPIC, MOCK_APNS_CLIENT_CERT and \
            MOCK_APNS_CLIENT_KEY; with --manage-port also MOCK_APNS_MANAGE_URL and MOCK_APNS_MANAGE_PORT, the first of \
            these ports, and MOCK_APNS_MANAGE_SANDBOX_URL and MOCK_APNS_MANAGE_PRODUCTION_URL; with --proxy or --proxy-port \
            MOCK_APNS_PROXY. SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE and NODE_EXTRA_CA_CERTS make most \
            languages trust it without changes, besides what they trusted before; no_proxy and NO_PROXY keep proxies out \
            of the way. When the command has ended, a manual clock moves to the end of the \
            timeline.

            Expectations are judged at the end, and also whenever the command resets or replaces the scenario after \
            requests have arrived. One failure fails the run; so does an expectation that was dropped before it could \
            be judged. If the command resets last, with no request or connection after it, nothing is left to judge at \
            the end.

            With --lint, likely mistakes in the pushes of the whole run are printed after the totals, those of all \
            sessions and those before each reset included. One that is as bad as the scenario's lint.failOn (error, \
            if it says nothing) fails the run like an expectation.

            The exit code is that of the command if it fails, 128 + n if signal n ends it, 127 if it cannot be \
            started, 1 if an expectation or lint fails, or with --fail-on-difference an answer differs, 64 if an \
            option is wrong, 65 if a file such as the scenario cannot be understood, 69 if a port is not available or \
            a file is missing or cannot be written, and 0 otherwise. Signals are passed on to the command; once it has \
            ended, a signal ends exec immediately. With --log, SIGUSR1 is not passed on: it reopens the file of the \
            log.

            Example:
              mock-apns exec --scenario scenarios/tour.json --junit report.xml -- npm test
            """)

    @OptionGroup var options: ServerOptions<Help>

    enum Help: ServerHelp {
        static let defaultPort = 0
        static let defaultAdminPort = 0
        static let log = "Append each record as a JSON line to this file. SIGUSR1 reopens it."
    }

    @Flag(help: "Also lint the pushes.")
    var lint = false

    @Option(
        help: ArgumentHelp(
            "Pass pushes on to this APNs, as mock-apns relay does, such as https://api.sandbox.push.apple.com.",
            valueName: "url"))
    var relay: String?

    @OptionGroup var trust: UpstreamOptions

    @Flag(
        help:
            "With --relay: fail the run if the upstream answers a push otherwise than mock-apns would, or not at all, or gets none."
    )
    var failOnDifference = false

    @Flag(
        help:
            "Lead the command's requests to api.push.apple.com and Apple's other hosts of APNs to the server, by a proxy that https_proxy and HTTPS_PROXY name; requests to other hosts that obey these are refused."
    )
    var proxy = false

    @OptionGroup var reports: ReportOptions

    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "command"),
        completion: .file())
    var command: [String] = []

    func validate() throws {
        if relay == nil {
            try trust.demandUpstream("--relay")
            if failOnDifference { throw ValidationError("--fail-on-difference is for --relay.") }
        }
        if command.isEmpty {
            throw ValidationError("The command to run is missing; it comes after --, as in: mock-apns exec -- npm test")
        }
        if options.log == "-" {
            throw ValidationError("--log - would mix the log into the command's output; exec needs the name of a file.")
        }
    }

    func run() async throws {
        let messages = Messages(quiet: options.quiet, verbose: options.verbose, isHeldBack: true)
        do { try reports.begin() } catch { throw messages.exit(error) }
        // Little is left to do once the command has ended, and the sender of a signal does not want to wait for it.
        let group = CommandGroup { number in
            messages.release()
            Messages(waitsForReader: false).say(
                "mock-apns: Signal \(number) ended exec after the command, before the run was judged and reported.")
            Exec.exit(withError: ExitCode(128 + number))
        }
        // Kept until the end, so that it listens that long.
        var signals: SignalsToPass?
        defer { withExtendedLifetime(signals) {} }
        do {
            let (outcome, report, loss) = try await serve(messages, group) { server in
                let reopenLog: @Sendable () -> Void = { server.reopenLog() }
                signals = SignalsToPass(reopenLog: options.log == nil ? nil : reopenLog) { group.send($0) }
            }
            messages.release()
            if let loss { Messages.write("mock-apns: warning: \(loss.sentence)") }
            if let failure = outcome.failure { Messages.write("mock-apns: \(failure)") }
            if let totals = report.totals { messages.say(block: totals) }
            // The totals and the remarks have it, if they are printed.
            if options.quiet, let difference = report.difference, !report.remarks.contains(difference) {
                Messages.write("mock-apns: \(difference)")
            }
            for remark in report.remarks where remark != loss?.sentence { Messages.write("mock-apns: \(remark)") }
            if let empty = report.emptyRun { messages.say("mock-apns: \(empty)") }
            let problem = reports.finish(report, isScenarioPlayed: options.scenario != nil, messages)
            if let code = outcome.exitCode { throw ExitCode(code) }
            if !report.passed { throw ExitCode(1) }
            if loss?.isAll == true { throw ExitCode(69) }
            if let problem { throw problem }
        } catch let error as StartError {
            messages.release()
            _ = reports.finish(Report(error: error.lines, file: options.scenario), messages)
            throw messages.exit(error)
        }
    }

    /// Runs the command against a server, and judges what the server received.
    ///
    /// - Parameter listen: called when signals start to go to the command.
    private func serve(
        _ messages: Messages, _ group: CommandGroup, listen: (MockAPNSServer) -> Void
    ) async throws -> (WrappedCommand.Outcome, Report, LogLoss?) {
        let startedAt = WallClock.now()
        var configuration = options.configuration()
        configuration.keepsEarlierResults = true
        configuration.lintsRun = lint
        configuration.relay = relay.map { trust.relay(to: $0) }
        let server = try await MockAPNSServer.start(configuration, logger: messages.logger)
        let outcome: WrappedCommand.Outcome
        do {
            let admin = try await AdminServer.start(
                for: server, host: options.adminHost ?? options.host, port: options.portOfAdmin,
                access: options.admin.access, hasPage: !options.admin.hasNoPage, logger: messages.logger)
            listen(server)
            do {
                if proxy || options.proxyPort != nil {
                    try await ProviderProxy.start(for: server, port: Int(options.proxyPort ?? 0))
                }
                outcome = try await runCommand(as: group, ReadyLine(server: server, admin: admin.url), server)
            } catch {
                await admin.stop()
                throw error
            }
            await admin.stop()
        } catch {
            await server.stop()
            throw error
        }
        // The command's last requests are read and judged before the verdict. Processes it left behind do not delay
        // this for long.
        await server.untilConnectionsEnd(within: .milliseconds(500))
        await server.finishTimeline()
        let (verification, remarks) = await server.verifyRun()
        let found = lint ? await server.lintRun() : nil
        await server.stop(waiting: .milliseconds(500))
        guard outcome.didRun else {
            return (outcome, Report(error: [outcome.failure ?? ""], file: options.scenario), nil)
        }
        var report = Report(
            verification, of: server.scenario, file: options.scenario, from: startedAt, to: WallClock.now())
        var summary = server.summary
        // Those before a reset, too.
        summary.relay = server.relayDifferences
        if let sessions = server.sessions.totals { summary.add(sessions) }
        report.totals = summary.text
        report.lint = found
        report.error = outcome.failure.map(PrintableText.line)
        if failOnDifference { report.fail(by: summary.relay) }
        report.whyNoRequest = server.whyNoRequest(verification)
        let loss = server.logLoss
        if let loss {
            report.remarks.append(loss.sentence)
            if loss.isAll, report.error == nil { report.error = PrintableText.line(loss.sentence) }
        }
        report.remarks +=
            remarks
            + [server.remarkOnSessions(verification), server.remarkOnTimeline(verification)].compactMap(\.self)
        if outcome.failure == nil, verification.results.isEmpty, let why = server.whyNothingCame(verification) {
            report.emptyRun = Report.emptyRun(why)
        }
        if report.whyNoRequest == nil, report.emptyRun == nil { report.connectionFaults = server.connectionFaults }
        return (outcome, report, loss)
    }

    private func runCommand(
        as group: CommandGroup, _ ready: ReadyLine, _ server: MockAPNSServer
    ) async throws(StartError) -> WrappedCommand.Outcome {
        let bundles = try TemporaryFolder()
        defer { bundles.remove() }
        let environment: ProviderEnvironment
        do {
            environment = try ProviderEnvironment(
                ready, server, adminToken: options.admin.access.token, usesProxy: proxy, bundlesIn: bundles.path,
                inherited: ProcessInfo.processInfo.environment)
        } catch {
            throw .unavailable("The bundles of authorities cannot be written to \(bundles.path): \(error).")
        }
        // Options meant for this server are not meant for another one that the command may start.
        return await WrappedCommand(
            GivenWords.bytes(of: command), environment.variables + [(EnvironmentOptions.name, nil)]
        ).run(as: group)
    }
}
