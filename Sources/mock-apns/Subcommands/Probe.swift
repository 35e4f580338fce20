import ArgumentParser
import MockAPNS
import MockAPNSCore
import MockAPNSProbe
import Synchronization
import SystemPackage

struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a server that claims to be APNs a list of questions, and judge its answers.",
        discussion: """
            Without --url the probe starts a server of its own and asks that one. For each probe it prints what it sent, \
            what Apple documents or was observed, with the source, and what the server answered. After more than 20 \
            probes those that differ are listed again. A difference from a guess is only a note. The groups are \(groups).

            To a server that is not on this machine it sends at most \(Pace.pushesPerSecond) pushes a second on at \
            most \(Pace.connectionsPerMinute) connections a minute, leaves out \(onlyOnRequest) unless --only names them, \
            and says first how many pushes will go to which device. Keys and tokens are in no report. Channels that it \
            makes are deleted, also when SIGINT or SIGTERM ends it early; a second signal ends it at once.

            The exit code is 0 if all that were asked agree, 1 if one differs or none was asked, 65 if a file cannot be \
            understood, and 69 if no server answers or a file cannot be read or written.

            Examples:
              mock-apns probe
              mock-apns probe --list --only headers
              mock-apns probe --url https://127.0.0.1:2197 --ca certs/ca.pem --key certs/AuthKey_ABC123DEFG.p8 \
            --key-id ABC123DEFG --team-id DEF123GHIJ --topic com.example.app --json march.json
            """)

    @Option(
        help: ArgumentHelp("The server. (default: one that the probe starts itself)", valueName: "https://host:port"))
    var url: String?

    @OptionGroup var identity: ProbeIdentityOptions

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Ask only the probes of this group, or this one; repeatable.", valueName: "group or group/name"))
    var only: [String] = []

    @Flag(help: "List the probes, and ask nothing.")
    var list = false

    @Option(
        help: ArgumentHelp("How long an answer may take, such as 500ms or 10s.", valueName: "duration"),
        transform: DurationOption.read)
    var timeout = Duration.seconds(10)

    @OptionGroup var reports: ReportOptions

    @Option(
        help: ArgumentHelp("Write the answers and the results as JSON.", valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var json: String?

    @Option(
        help: ArgumentHelp(
            "Compare the answers with those in this file of --json, instead of with what is expected.",
            valueName: "file"),
        completion: .file(extensions: ["json"]), transform: NonemptyOption.read)
    var against: String?

    @Flag(help: "Do not ask before pushing to a server that is not on this machine.")
    var yes = false

    private static var groups: String { Self.sentence(ProbeGroup.allCases.map(\.rawValue)) }

    private static var onlyOnRequest: String {
        sentence(ProbeGroup.allCases.filter(\.isOnlyOnRequest).map(\.rawValue))
    }

    private static func sentence(_ words: [String]) -> String {
        "\(words.dropLast().joined(separator: ", ")) and \(words[words.count - 1])"
    }

    func validate() throws {
        for word in only where ProbeList.all.named(word) == nil {
            let near = nearestWord(to: word, among: ProbeList.all.words).map { "did you mean \($0)?" }
            throw ValidationError("--only is \"\(word)\"; \(near ?? "the groups are \(Self.groups).")")
        }
        if let url, ProbeURL(url) == nil {
            throw ValidationError("--url is \"\(url)\"; it must be https://HOST:PORT.")
        }
        try identity.validate(hasURL: url != nil)
    }

    func run() async throws {
        let messages = Messages()
        do {
            if list {
                Messages.result(block: listing)
                return
            }
            let earlier = try against.map { file throws(StartError) in try Self.earlier(file) }
            try reports.begin()
            if let json { try ReportOptions.write("", to: json, "--json", isForNow: true) }
            let report = try await probe(earlier)
            if let closing = report.closing { Messages.result(block: closing) }
            Messages.result(report.total)
            if let problem = reports.finish(report, messages) { throw problem }
            if let json { try ReportOptions.write(report.json, to: json, "--json") }
            if let signal = report.endedBySignal { throw ExitCode(128 + signal) }
            if report.isEmpty { Messages.write("mock-apns: Nothing was asked, because every probe was skipped.") }
            if !report.passed { throw ExitCode(1) }
        } catch let error as StartError {
            throw messages.exit(error)
        } catch let error as ProbeRun.Failure {
            throw messages.exit(.unavailable("\(error)"))
        }
    }

    private func probe(_ earlier: EarlierAnswers?) async throws -> ProbeReport {
        if let url = url.flatMap(ProbeURL.init) {
            var target = try identity.target(host: url.host, port: url.port)
            try await target.resolve()
            let probes = selected(isStranger: target.isStranger)
            if target.isStranger {
                try ProbeAnnouncement(probes, target).confirm(isConfirmed: yes)
            } else if target.devices[.registered] == nil {
                // A mock takes any; no person's device is reached.
                target.devices[.registered] = [ProbeRun.madeUpToken]
            }
            return try await ask(probes, target, earlier)
        }
        let own = try await OwnServer.start()
        do {
            let report = try await ask(selected(isStranger: false), own.target, earlier)
            await own.server.stop(waiting: .zero)
            return report
        } catch {
            await own.server.stop(waiting: .zero)
            throw error
        }
    }

    private func ask(_ probes: [MockAPNSProbe.Probe], _ target: ProbeTarget, _ earlier: EarlierAnswers?) async throws
        -> ProbeReport
    {
        let startedAt = WallClock.now()
        let ending = Ending()
        let signals = EndingSignals { ending.come($0) }
        defer { withExtendedLifetime(signals) {} }
        let run = ProbeRun(target, timeout: timeout, stop: ending.stop)
        let results = try await run.run(probes, against: earlier) { Messages.result(block: $0.text) }
        if !run.channels.open.isEmpty {
            let ids = run.channels.open.joined(separator: ", ")
            Messages.write("mock-apns: These channels of \(target.topic) could not be deleted: \(ids).")
        }
        var report = ProbeReport(
            server: target.authority, results: results, comparedWith: against, startedAt: startedAt,
            milliseconds: max(0, WallClock.now().milliseconds - startedAt.milliseconds))
        report.endedBySignal = ending.signal
        return report
    }

    /// The signal that ends a run: the first lets it delete its channels, the second does not.
    private final class Ending: Sendable {
        private let first = Atomic<Int32>(0)
        let stop = ProbeStop()

        var signal: Int32? {
            let number = first.load(ordering: .relaxed)
            return number == 0 ? nil : number
        }

        func come(_ number: Int32) {
            if signal != nil { Probe.exit(withError: ExitCode(128 + number)) }
            first.store(number, ordering: .relaxed)
            stop.come()
            Messages.write("mock-apns: Stopping; a second signal stops it at once.")
        }
    }

    private func selected(isStranger: Bool) -> [MockAPNSProbe.Probe] {
        let all = ProbeList.all.probes
        if only.isEmpty { return isStranger ? all.filter { !$0.group.isOnlyOnRequest } : all }
        let named = Set(only.flatMap { ProbeList.all.named($0) ?? [] }.map(\.path))
        return all.filter { named.contains($0.path) }
    }

    private var listing: String {
        selected(isStranger: false).map { probe in
            let source = probe.source.isEmpty ? "" : ": \(probe.source)"
            return "\(probe.path)\n  \(probe.title)\n  sends: \(probe.sends)\n  \(probe.fact.mark.rawValue)\(source)"
        }.joined(separator: "\n")
    }

    private static func earlier(_ file: String) throws(StartError) -> EarlierAnswers {
        let text = try Scenario.answers(in: FilePath(file))
        do { return try EarlierAnswers(text) } catch {
            let position = JSONText.position(of: error.offset, in: text.span)
            throw .malformed("\(file):\(position.line):\(position.column): \(error.message)")
        }
    }
}
