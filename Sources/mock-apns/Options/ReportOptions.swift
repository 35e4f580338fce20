import ArgumentParser
import MockAPNS
import MockAPNSCore
import MockAPNSJudge
import MockAPNSProbe
import MockAPNSSuite
import SystemPackage

/// The options of the commands that judge expectations.
struct ReportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Write the results as JUnit XML.", valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var junit: String?

    @Option(
        help: ArgumentHelp("Write a report in Markdown, for a job's summary.", valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var report: String?

    /// Checks that the files can be written before any work is done. From now on they say that the run was interrupted,
    /// so that however it ends, the report of an earlier run is not taken for its own.
    func begin() throws(StartError) {
        let report = Report(error: "The run was interrupted before it was judged.")
        if let junit { try Self.write(report.junit, to: junit, "--junit", isForNow: true) }
        if let file = self.report { try Self.write(report.markdown, to: file, "--report", isForNow: true) }
    }

    /// Prints what lint has found and the results of the expectations, and writes the requested files, replacing their contents.
    /// Lint comes last if it fails the run.
    ///
    /// - Parameter isScenarioPlayed: whether there is a scenario, which could contain expectations.
    /// - Returns: the exit code if a file cannot be written.
    func finish(_ report: Report, isScenarioPlayed: Bool = true, _ messages: Messages) -> ExitCode? {
        let failedLint = report.lint.flatMap { $0.fails ? $0 : nil }
        if failedLint == nil, let lint = report.lint { messages.say(block: lint.description) }
        if !report.verification.passed {
            if let reason = report.whyNoRequest { Messages.write("mock-apns: \(reason)") }
            Messages.write(block: report.verification.description)
        } else if !report.verification.isEmpty || isScenarioPlayed && report.error == nil {
            messages.say(block: report.verification.description)
        }
        // The last line is read as the verdict.
        if let failedLint { Messages.write(block: failedLint.description) }
        return write(junit: report.junit, markdown: report.markdown, messages)
    }

    /// Writes the files that were asked for about a suite.
    ///
    /// - Returns: what to exit with if a file cannot be written.
    func finish(_ report: SuiteReport, _ messages: Messages) -> ExitCode? {
        write(junit: report.junit, markdown: report.markdown, messages)
    }

    /// Writes the files that were asked for about a run of probes.
    ///
    /// - Returns: what to exit with if a file cannot be written.
    func finish(_ report: ProbeReport, _ messages: Messages) -> ExitCode? {
        write(junit: report.junit, markdown: report.markdown, messages)
    }

    private func write(
        junit text: @autoclosure () -> String, markdown: @autoclosure () -> String, _ messages: Messages
    ) -> ExitCode? {
        do {
            if let junit { try Self.write(text(), to: junit, "--junit") }
            if let file = report { try Self.write(markdown(), to: file, "--report") }
            return nil
        } catch {
            return messages.exit(error)
        }
    }

    /// - Parameter isForNow: whether another text will replace this one; if so, it is written only where replacing is
    ///   possible.
    static func write(
        _ text: String, to file: String, _ option: String, isForNow: Bool = false
    ) throws(StartError) {
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(file), .writeOnly, options: [.create],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try descriptor.closeAfter {
                // A pipe or a terminal cannot be rewritten.
                let isFile = (try? descriptor.seek(offset: 0, from: .start)) != nil
                if isFile { try? descriptor.resize(to: 0) }
                if isFile || !isForNow { _ = try descriptor.writeAll(text.utf8) }
            }
        } catch {
            throw .unavailable("The report \(file) cannot be written (\(error)); choose another file with \(option).")
        }
    }
}

extension Report {
    /// Creates the report of a scenario's run, named after the file if the scenario has no name.
    init(
        _ verification: Verification, of scenario: Scenario, file: String?, from start: Timestamp?, to end: Timestamp?
    ) {
        self.init(verification, of: scenario)
        if scenario.name == nil, let stem = file.flatMap({ FilePath($0).stem }) { name = stem }
        startedAt = start
        if let start, let end { milliseconds = max(0, end.milliseconds - start.milliseconds) }
    }

    /// Creates the report of a run that did not finish, named after the scenario file, if there is one.
    init(error lines: [String], file: String?) {
        self.init(error: lines.map(PrintableText.line).joined(separator: "\n"))
        if let stem = file.flatMap({ FilePath($0).stem }) { name = stem }
    }
}
