import ArgumentParser
import MockAPNS
import MockAPNSCore
import MockAPNSFleet
import MockAPNSJudge
import MockAPNSScenario
import SystemPackage

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check what a scenario expects, against a recorded log or a running server.",
        discussion: """
            A log is a file that serve or exec has written with --log. If it holds several runs, the last one is \
            judged. Truncated lines are skipped, with a note. Several logs, of servers that played the same scenario \
            side by side, are merged by time and judged as one. A fleet, named by its engine, is judged by what all its \
            servers have decided so far; that fails if anything is missing, unless --allow-missing is given. Its \
            running collector is asked, at the address that the engine has; if none is running, what the engine still \
            has is judged. A running server, named by its admin address, judges what its own scenario expects, or the scenario of a file. With \
            --lint, likely mistakes in the pushes are printed as well: in all runs and sessions of a log, or in all \
            sessions of a server, unless --session names one. Those as bad as the scenario's lint.failOn \
            count like a failed expectation, and so does a lack of pushes. With --fail-on-difference, so does a push that the \
            upstream of mock-apns relay answered otherwise, or not at all; a log then needs no scenario. The exit code is 0 if every expectation holds, 1 if not, 65 if the log or \
            the scenario cannot be understood or the log has no run of a server, and 69 if \
            a file cannot be read or written, no server or engine answers, or a running collector cannot be reached.

            Examples:
              mock-apns verify --log pushes.jsonl --junit report.xml scenarios/tour.json
              mock-apns verify --log a.jsonl --log b.jsonl scenarios/tour.json
              mock-apns verify --fleet redis://127.0.0.1 --fleet-name build-7 scenarios/tour.json
              mock-apns verify --admin http://127.0.0.1:2198 --finish --junit report.xml
            """)

    @Option(
        help: ArgumentHelp(
            "A log that serve or exec has written; repeatable, to judge several as one.",
            valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var log: [String] = []

    @Option(
        help: ArgumentHelp("The session to judge. (default: default, the server itself)", valueName: "name"))
    var session: String?

    @Option(
        help: ArgumentHelp(
            "The admin address of a running server, such as http://127.0.0.1:2198, or of a session.", valueName: "url"))
    var admin: String?

    @Option(
        help: ArgumentHelp(
            "The token for the admin port of that server, or of the fleet's collector. (default: the variable MOCK_APNS_ADMIN_TOKEN)",
            valueName: "token"))
    var adminToken: String?

    @Flag(help: "First move that server's clock, if manual, to the end of the timeline, as exec does.")
    var finish = false

    @Flag(help: "Also lint the pushes; a running server or collector does so by its own scenario.")
    var lint = false

    @Flag(
        help:
            "Fail if the upstream of a relay answered a push otherwise than mock-apns would, or not at all, or got none."
    )
    var failOnDifference = false

    @OptionGroup var fleet: FleetOptions

    @Flag(
        help:
            "Judge a fleet (--fleet, or --admin of its collector) even if requests are missing, and say which."
    )
    var allowMissing = false

    @OptionGroup var reports: ReportOptions

    @Argument(
        help: ArgumentHelp(
            "The scenario that was played, a file or the name of a built-in one; with --admin the default is the one that the server plays.",
            valueName: "scenario"), completion: .file(extensions: ["json"]), transform: NonemptyOption.read)
    var scenario: String?

    func validate() throws {
        if let session, !SessionRequest.isName(session) {
            throw ValidationError(
                "--session is \"\(session)\"; a name has 1 to 63 lowercase letters, digits and hyphens.")
        }
        if isOfFleet { return try validateFleet() }
        if allowMissing, admin == nil {
            throw ValidationError("--allow-missing is for a fleet, with --fleet, or with --admin URL of its collector.")
        }
        switch (log.first, admin) {
        case (nil, nil):
            throw ValidationError(
                "There is nothing to judge; give --log FILE, --admin URL of a running server, or --fleet URL.")
        case (_?, _?): throw ValidationError("--log and --admin contradict each other; give one of them.")
        case (_?, nil) where scenario == nil && !failOnDifference:
            throw ValidationError("A log does not say what is expected; name the scenario that was played.")
        case (_?, nil) where finish: throw ValidationError("--finish is for a running server, with --admin.")
        case (_?, nil) where Set(log).count < log.count:
            throw ValidationError("--log names the same file twice; its requests would count twice.")
        default: break
        }
    }

    /// The variable is for everything that belongs to the fleet; of what is asked for here, a log or a server wins.
    private var isOfFleet: Bool {
        guard fleet.url != nil else { return false }
        return fleet.address != nil || fleet.name != nil || admin == nil && (allowMissing || log.isEmpty)
    }

    private func validateFleet() throws {
        if admin != nil { throw ValidationError("--fleet and --admin contradict each other; give one of them.") }
        guard log.isEmpty else {
            throw ValidationError(
                "--fleet and --log contradict each other; give one of them. The logs of all servers, without --fleet, are judged as one."
            )
        }
        if finish || session != nil { throw ValidationError("--finish and --session are not for a fleet.") }
        if failOnDifference { throw ValidationError("--fail-on-difference is not for a fleet, which relays nothing.") }
        if scenario == nil {
            throw ValidationError("A fleet does not say what is expected; name the scenario that was played.")
        }
    }

    func run() async throws {
        let messages = Messages()
        let path = session.map { APICall.getSession.path([$0]) } ?? ""
        let client = try admin.map {
            try AdminClient($0.hasSuffix("/") ? $0.dropLast() + path : $0 + path, from: "--admin", token: adminToken)
        }
        do { try reports.begin() } catch { throw messages.exit(error) }
        do {
            var report: Report
            var differences = RelayDifferences()
            let wanted = ServerVerdict.Question(
                scenario: scenario, finishes: finish, lints: lint, allowsMissing: allowMissing)
            if let client {
                report = try await ServerVerdict(client, wanted).report
                if failOnDifference { differences = try await ServerVerdict.differences(client) }
            } else if isOfFleet, let url = fleet.url {
                let token = try AdminClient.token(adminToken)
                report = try await FleetVerdict(of: fleet.fleetName, by: url, wanted, token: token, messages.logger)
                    .report
            } else {
                (report, differences) = try recorded()
            }
            if failOnDifference { report.fail(by: differences) }
            if !differences.isEmpty { messages.say(block: PrintableText.text(differences.lines)) }
            for remark in report.remarks { Messages.write("mock-apns: \(remark)") }
            let isScenarioPlayed = scenario != nil || log.isEmpty
            let problem = reports.finish(report, isScenarioPlayed: isScenarioPlayed, messages)
            if !report.passed { throw ExitCode(1) }
            if let problem { throw problem }
        } catch let error as StartError {
            _ = reports.finish(Report(error: error.lines, file: scenario), messages)
            throw messages.exit(error)
        }
    }

    /// Judges the recorded logs.
    private func recorded() throws(StartError) -> (Report, RelayDifferences) {
        let file = scenario ?? ""
        let scenario = file.isEmpty ? Scenario() : try Scenario.read(named: file)
        let verdict = try RecordedVerdict(
            logs: log, session: session == Sessions.defaultName ? nil : session, of: scenario,
            linting: lint ? session == nil ? .all : .one : nil)
        var report = Report(
            verdict.verification, of: scenario, file: file, from: verdict.times?.first, to: verdict.times?.last)
        report.remarks = verdict.remarks
        if !verdict.differences.isEmpty { report.totals = PrintableText.text(verdict.differences.lines) }
        report.lint = verdict.lint
        return (report, verdict.differences)
    }
}
