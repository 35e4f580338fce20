import ArgumentParser
import MockAPNS
import MockAPNSAdmin
import MockAPNSCore
import MockAPNSScenario
import SystemPackage

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read scenario files and report every mistake in them.",
        usage: "mock-apns check [--json] <file> ...",
        discussion: """
            Key files named in a scenario are not opened. The schema of scenarios is skipped. The exit code \
            is 0 if there are no mistakes, and 65 otherwise. Mistakes go to standard error, or with --json to \
            standard output; to page through them, use: mock-apns check FILE 2>&1 | less

            Example:
              mock-apns check scenarios/*.json
            """)

    @Flag(help: "Print each mistake as a JSON object on standard output, for editors.")
    var json = false

    @Argument(
        help: ArgumentHelp("Scenario files.", valueName: "file"),
        completion: .file(extensions: ["json"]), transform: NonemptyOption.read)
    var files: [String] = []

    func validate() throws {
        if files.isEmpty {
            throw ValidationError(
                "There is nothing to check; name scenario files, as in: mock-apns check scenario.json")
        }
    }

    func run() throws {
        let messages = Messages()
        var code: ExitCode?
        for file in files {
            do {
                let text = try Scenario.text(of: FilePath(file))
                if Scenario.isSchema(text) {
                    if !json { Messages.result("\(file): the schema of scenarios, skipped") }
                    continue
                }
                let (scenario, mistakes) = Scenario.read(text)
                if !mistakes.isEmpty { code = ExitCode(65) }
                report(mistakes, in: file, text)
                if !json, let scenario { remark(on: scenario.rules, in: file) }
            } catch {
                let unreadable = messages.exit(error)
                code = code ?? unreadable
            }
        }
        if let code { throw code }
    }

    /// Says which rules would slow down a fleet; that is no mistake.
    private func remark(on rules: [Rule], in file: String) {
        for rule in rules where rule.ordersEverything {
            Messages.result(
                "\(file): the rule \"\(rule.name)\" counts every push; with serve --fleet all replicas would decide all pushes in one order. With \"count\": \"replica\" each counts by itself."
            )
        }
    }

    private func report(_ mistakes: [ScenarioMistake], in file: String, _ text: [UInt8]) {
        if json {
            for mistake in mistakes { Messages.result(json: MistakeLine(mistake, in: file, text).json) }
        } else if mistakes.isEmpty {
            Messages.result("\(file): no mistakes")
        } else {
            Messages.write(block: ScenarioMistake.lines(mistakes, file: file, text).joined(separator: "\n"))
        }
    }
}
