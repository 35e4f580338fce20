import ArgumentParser
import MockAPNS
import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario
import SystemPackage

struct Lint: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find mistakes in payloads that APNs would accept, and in what a provider did.",
        discussion: """
            Each file holds one payload; - is standard input. With --log, what providers did in a recorded log is \
            judged: each payload, with its header fields and its time, and each run as a whole, such as provider \
            tokens, connections and pushes sent again. A run goes from the start of a server, a reset or another \
            scenario to the next. All runs and all sessions are judged, each on its own. Findings go to standard output. \
            The exit code is 1 if one is as bad as --fail-on, or if the log has no push and --fail-on is not never; 65 \
            if the scenario or the log cannot be understood, 69 if a file cannot be read, and 0 otherwise.

            Examples:
              mock-apns lint --push-type alert --topic com.example.app payloads/*.json
              mock-apns lint --log pushes.jsonl --fail-on warning
              echo '{"aps": {"badge": "1"}}' | mock-apns lint --format sarif -
            """)

    @Option(
        help: ArgumentHelp(
            "The push type, as in apns-push-type. (default: by the topic, else by the payload)", valueName: "type"))
    var pushType: String?

    @Option(help: ArgumentHelp("The topic, as in apns-topic.", valueName: "topic"))
    var topic: String?

    @Option(
        help: ArgumentHelp("Another header field, such as \"apns-priority: 5\"; repeatable.", valueName: "name: value"))
    var header: [String] = []

    @Option(help: "The format of the findings.")
    var format = Format.text

    @Option(help: "The lowest severity that makes the exit code 1. (default: the scenario's, or error)")
    var failOn: FailOn?

    @Option(
        help: ArgumentHelp("A scenario, for its lint and apps.", valueName: "file"),
        completion: .file(extensions: ["json"]), transform: NonemptyOption.read)
    var scenario: String?

    @Option(
        help: ArgumentHelp(
            "A log that serve or exec has written, instead of payload files; - is standard input.", valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var log: [String] = []

    @Option(
        help: ArgumentHelp(
            "With --log, judge this session alone; \"default\" is the server itself. (default: all)", valueName: "name")
    )
    var session: String?

    @Argument(
        help: ArgumentHelp("Payload files.", valueName: "file"),
        completion: .file(extensions: ["json"]), transform: NonemptyOption.read)
    var files: [String] = []

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, sarif
    }

    enum FailOn: String, ExpressibleByArgument, CaseIterable {
        case error, warning, note, never
    }

    func validate() throws {
        try validateInput()
        if let pushType { try Self.checkType(pushType, "--push-type") }
        for text in header {
            guard let field = Self.field(text) else {
                throw ValidationError(
                    "--header is \"\(text)\"; expected a name and a value, such as \"apns-priority: 5\".")
            }
            if field.name.lowercased() == "apns-push-type" {
                try Self.checkType(field.value, "--header apns-push-type")
            }
        }
        if files.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("- is given more than once; there is one standard input.")
        }
    }

    /// Throws for a push type that there is not: no rule about push types would find anything.
    private static func checkType(_ type: String, _ option: String) throws {
        let names = PushType.allCases.map(\.name)
        if names.contains(type) { return }
        let near = nearestWord(to: type, among: names).map { "did you mean \"\($0)\"?" }
        throw ValidationError(
            "\(option) is \"\(type)\"; \(near ?? "the push types are \(names.joined(separator: ", ")).")")
    }

    /// Throws unless there is something to judge, and the options fit it.
    private func validateInput() throws {
        guard !log.isEmpty else {
            if files.isEmpty {
                throw ValidationError(
                    "There is nothing to judge; name payload files or -, which is standard input, or give --log FILE.")
            }
            if session != nil { throw ValidationError("--session is for a log, with --log.") }
            return
        }
        if log.count > 1 {
            throw ValidationError(
                "--log is given \(log.count) times; lint judges one log, and verify --lint several.")
        }
        if !files.isEmpty { throw ValidationError("--log and payload files contradict each other; give one of them.") }
        if pushType != nil || topic != nil || !header.isEmpty {
            throw ValidationError(
                "A log has the header fields; --push-type, --topic and --header are for payload files.")
        }
        if let session, !SessionRequest.isName(session) {
            throw ValidationError(
                "--session is \"\(session)\"; a name has 1 to 63 lowercase letters, digits and hyphens.")
        }
    }

    /// Returns the name and the value of a header field.
    private static func field(_ text: String) -> (name: String, value: String)? {
        // The names of pseudo-header fields begin with a colon.
        guard let colon = text.dropFirst().firstIndex(of: ":"), !text.contains("\n") else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...].drop { $0 == " " }))
    }

    func run() throws {
        let messages = Messages()
        do {
            var played = try scenario.map { file throws(StartError) in try Scenario.read(named: file) } ?? Scenario()
            if let failOn { played.lint.failOn = LintSeverity(rawValue: failOn.rawValue) }
            if let log = log.first {
                try judge(log, played)
            } else {
                try judgeFiles(played)
            }
        } catch let error as StartError {
            throw messages.exit(error)
        }
    }

    private func judgeFiles(_ scenario: Scenario) throws {
        var report = LintReport()
        var withoutType: [(name: String, isLiveActivity: Bool)] = []
        for file in files {
            let body = try LintedPush.payload(in: file == "-" ? nil : FilePath(file))
            var linter = PayloadLinter(scenario.lint, apps: scenario.apps)
            let name = file == "-" ? "stdin" : file
            report.add(linter.findings(in: push(body, scenario)), file: name, body)
            if linter.lacksPushType { withoutType.append((name, linter.looksLikeLiveActivity)) }
        }
        write(report)
        if format == .text {
            Messages.write("mock-apns: \(report.summary) in \(files.count == 1 ? "1 file" : "\(files.count) files")")
        }
        if let first = withoutType.first {
            let isOne = withoutType.count == 1
            let more = isOne ? "" : " (and \(withoutType.count - 1) more)"
            let looks = isOne ? "this looks like a Live Activity" : "these look like Live Activities"
            let hint =
                withoutType.allSatisfy(\.isLiveActivity)
                ? "\(looks): --push-type liveactivity" : "say it with --push-type."
            Messages.write(
                "mock-apns: The push type of \(first.name)\(more) is not known, so rules about push types were left out; "
                    + hint)
        }
        if scenario.lint.fails(report.findings) { throw ExitCode(1) }
    }

    private func judge(_ log: String, _ scenario: Scenario) throws {
        let own = session == Sessions.defaultName ? nil : session
        let (verdict, remarks) = try RecordedVerdict.lint(log, session: own, of: scenario, session == nil ? .all : .one)
        for remark in remarks { Messages.write("mock-apns: \(remark)") }
        write(verdict.report)
        Messages.write("mock-apns: \(verdict.headline)")
        if verdict.fails { throw ExitCode(1) }
    }

    private func push(_ body: [UInt8], _ scenario: Scenario) -> LintedPush {
        var push = LintedPush(body: body)
        for field in header.compactMap(Self.field) { push.setHeader(field.name, field.value) }
        push.pushType = pushType ?? push.pushType
        push.topic = topic ?? push.topic
        if case .manual(let time) = scenario.clock { push.clock = time }
        return push
    }

    private func write(_ report: LintReport) {
        switch format {
        case .text where report.lines.isEmpty: break
        case .text: Messages.result(block: report.lines.joined(separator: "\n"))
        case .json: Messages.result(json: report.json)
        case .sarif: Messages.result(json: report.sarif)
        }
    }
}
