import ArgumentParser
import MockAPNS
import MockAPNSCore
import SystemPackage

/// The options of the commands that judge expectations.
struct ReportOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write what came of each expectation as JUnit XML.", valueName: "file"))
    var junit: String?

    @Option(help: ArgumentHelp("Write a report in Markdown, for a job's summary.", valueName: "file"))
    var report: String?

    /// Tells people what came of the expectations, and writes the files that were asked for.
    func write(_ verification: Verification, of server: MockAPNSServer, _ messages: Messages) throws {
        guard !verification.results.isEmpty else { return }
        if verification.passed {
            messages.say(verification.description)
        } else {
            Messages.write(verification.description)
        }
    }
}
