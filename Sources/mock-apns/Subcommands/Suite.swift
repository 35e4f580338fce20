import ArgumentParser
import MockAPNS
import MockAPNSCore
import MockAPNSSuite
import SystemPackage

struct Suite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play failure stories against your provider, each on a server of its own.",
        usage: "mock-apns suite [<options>] [<scenario> ...] -- <driver> [<argument> ...]",
        discussion: """
            A story is a scenario that says in its "workload" what to push. It is given as a file, or by the name of a \
            built-in one; by default, all built-in ones that have a workload are played. For each story the \
            driver is started once, with the variables of exec. It is your provider with a few lines around it: it reads one JSON \
            object a line, {"id", "token", "topic", "pushType", "priority", "expiration", "collapseID", "payload"}, \
            pushes, retries as it always does, and writes one line when a push is done: {"id": "1", \
            "status": 200}, with "reason" if it was refused, or {"id": "1", "error": TEXT}. It exits when its input \
            ends. Then a manual clock moves to the end of the timeline, and the story's expectations are judged.

            Each story gets one line on standard output: passed, failed with the closest match, or skipped. The exit code \
            is 0 if stories were played and all of them passed, 1 otherwise, 65 if a scenario cannot be understood, and \
            69 if a file cannot be read or written.

            Examples:
              mock-apns suite --list
              mock-apns suite -- python3 driver.py
              mock-apns suite --only retry-after --only tour -- node driver.mjs
              mock-apns suite --skip clientCertificate --junit report.xml my-story.json -- ./driver
            """)

    @Flag(help: "List the stories, with what they need of a driver, and play none.")
    var list = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Play only the story of this name; repeatable.", valueName: "name"))
    var only: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Skip stories that need this of a driver: \(DriverNeed.list); or the story of this name; repeatable.",
            valueName: "need"))
    var skip: [String] = []

    @Option(
        help: "The number of stories played at the same time, 1 to 64. (default: 4)",
        transform: NumberOption.reader(of: 1...64))
    var jobs = 4

    @Option(
        help: ArgumentHelp(
            "How long a driver may say nothing before it is killed, such as 500ms. (default: 10s)",
            valueName: "duration"),
        transform: DurationOption.read)
    var timeout = Duration.seconds(10)

    @Option(
        help: ArgumentHelp(
            "How long a driver may take for a whole story before it is killed. (default: 5m)", valueName: "duration"),
        transform: DurationOption.read)
    var storyTimeout = Duration.seconds(300)

    @OptionGroup var reports: ReportOptions

    @Option(help: ArgumentHelp("Write the results as JSON.", valueName: "file"), transform: NonemptyOption.read)
    var json: String?

    @Argument(
        help: ArgumentHelp("Scenario files, or names of built-in ones.", valueName: "scenario"),
        transform: NonemptyOption.read)
    var scenarios: [String] = []

    @Option(name: .customLong("driver"), parsing: .unconditionalSingleValue, help: .hidden)
    var driver: [String] = []

    /// Makes options of the words after `--`: a command can have one list of arguments only, which are the scenarios.
    static func takeDriver(of arguments: inout [String]) {
        guard arguments.first == _commandName, let end = arguments.firstIndex(of: "--") else { return }
        arguments[end...] = arguments[(end + 1)...].map { "--driver=\($0)" }[...]
    }

    func validate() throws {
        if driver.isEmpty, !list {
            let stories = scenarios.prefix { $0.hasSuffix(".json") || BundledScenarios.all[$0] != nil }
            // Words that name no story are probably the driver.
            let driver = scenarios.dropFirst(stories.count)
            let words = ["suite"] + stories + ["--"] + (driver.isEmpty ? ["python3", "driver.py"] : driver)
            throw ValidationError(
                "The driver is missing; it comes after --, as in: mock-apns \(words.joined(separator: " "))")
        }
    }

    func run() async throws {
        let messages = Messages()
        do {
            let named = try Story.named(scenarios)
            let skips = try StorySkips(skip, named)
            let stories = try Story.chosen(of: named, only: only, hasArguments: !scenarios.isEmpty)
            if list {
                for story in stories where skips.reason(for: story) == nil { Messages.result(block: story.listing) }
                return
            }
            try reports.begin()
            if let json { try ReportOptions.write("", to: json, "--json", isForNow: true) }
            let groups = DriverGroups()
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let progress = EndableProgress(of: stories.count)
            let signals = EndingSignals { number in
                let played = progress.finish()
                groups.killAll()
                folder.remove()
                if let played {
                    Messages(waitsForReader: false).say("mock-apns: Signal \(number) ended the suite \(played)")
                }
                Self.exit(withError: ExitCode(128 + number))
            }
            defer { withExtendedLifetime(signals) {} }
            let run = StoryRun(
                driver: Driver(
                    words: GivenWords.bytes(of: driver), limits: DriverLimits(silence: timeout, story: storyTimeout),
                    groups: groups), folder: folder.path, skips: skips)
            let report = await play(stories, run, progress)
            Messages.result(report.total)
            if let problem = reports.finish(report, messages) { throw problem }
            if let json { try ReportOptions.write(String(decoding: report.json, as: UTF8.self), to: json, "--json") }
            if !report.passed { throw ExitCode(1) }
        } catch let error as StartError {
            throw messages.exit(error)
        }
    }

    /// Plays the stories, at most ``jobs`` at a time, and prints the result of each in their order.
    private func play(
        _ stories: [Story], _ run: StoryRun, _ progress: EndableProgress
    ) async -> SuiteReport {
        let startedAt = WallClock.now()
        let results = await withTaskGroup(of: (Int, StoryResult).self) { group in
            var results: [Int: StoryResult] = [:]
            var (next, told) = (0, 0)
            func begin() {
                guard next < stories.count else { return }
                let (index, story) = (next, stories[next])
                progress.begin(story.name)
                group.addTask { (index, await run.play(story)) }
                next += 1
            }
            for _ in 0..<jobs { begin() }
            for await (index, result) in group {
                await progress.end(result)
                results[index] = result
                begin()
                while let result = results[told] {
                    Messages.result(result.line)
                    for line in result.driverLines { Messages.write("  \(line)") }
                    told += 1
                }
            }
            return stories.indices.compactMap { results[$0] }
        }
        return SuiteReport(
            driver: driver, stories: results, startedAt: startedAt,
            milliseconds: max(0, WallClock.now().milliseconds - startedAt.milliseconds))
    }
}

extension DriverNeed {
    /// All of them, as a sentence names them.
    fileprivate static var list: String {
        let words = allCases.map(\.rawValue)
        return "\(words.dropLast().joined(separator: ", ")) or \(words[words.count - 1])"
    }
}
