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

    /// Finds out whether the files can be written, before anything is done that would be for nothing.
    func check() throws(StartError) {
        if let junit { try Self.write(nil, to: junit, "--junit") }
        if let report { try Self.write(nil, to: report, "--report") }
    }

    /// Tells people what came of the expectations, and writes the files that were asked for; what was in them before is
    /// gone.
    ///
    /// - Returns: what to exit with if a file cannot be written.
    func finish(_ report: Report, _ messages: Messages) -> ExitCode? {
        if !report.verification.passed {
            Messages.write(report.verification.description)
        } else if !report.verification.results.isEmpty {
            messages.say(report.verification.description)
        }
        do {
            if let junit { try Self.write(report.junit, to: junit, "--junit") }
            if let file = self.report { try Self.write(report.markdown, to: file, "--report") }
            return nil
        } catch {
            return messages.exit(error)
        }
    }

    /// - Parameter text: `nil` leaves a file as it is.
    private static func write(_ text: String?, to file: String, _ option: String) throws(StartError) {
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(file), .writeOnly, options: text == nil ? [.create] : [.create, .truncate],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try descriptor.closeAfter { if let text { _ = try descriptor.writeAll(text.utf8) } }
        } catch {
            throw .unavailable("The report \(file) cannot be written (\(error)); choose another file with \(option).")
        }
    }
}

extension Report {
    /// A report of a scenario's run; called after the file when the scenario has no name.
    init(
        _ verification: Verification, of scenario: Scenario, file: String?, from start: Timestamp?, to end: Timestamp?
    ) {
        self.init(verification, of: scenario)
        if scenario.name == nil, let stem = file.flatMap({ FilePath($0).stem }) { name = stem }
        startedAt = start
        if let start, let end { milliseconds = max(0, end.milliseconds - start.milliseconds) }
    }
}
