import ArgumentParser
import MockAPNS
import MockAPNSCore
import SystemPackage

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check what a scenario expects against a recorded log, without a server.",
        discussion: """
            The log is a file that --log of serve or exec has written. Where it holds several runs, the last one is \
            judged. Torn lines are passed over, which is told. The exit code is 0 when every expectation holds, and 1 \
            otherwise; 65 when log or scenario cannot be understood, as a file without a run of a server, and 69 when a file cannot be read or written.

            Example:
              mock-apns verify --log pushes.jsonl --junit report.xml scenarios/tour.json
            """)

    @Option(help: ArgumentHelp("A log that --log has written.", valueName: "file"))
    var log: String

    @OptionGroup var reports: ReportOptions

    @Argument(help: ArgumentHelp("The scenario that was played.", valueName: "scenario"))
    var scenario: String

    func run() throws {
        let messages = Messages()
        do { try reports.begin() } catch { throw messages.exit(error) }
        do {
            let scenario = try Scenario.read(FilePath(self.scenario))
            let verdict = try RecordedVerdict(log: log, of: scenario)
            for remark in verdict.remarks { Messages.write("mock-apns: \(remark)") }
            var report = Report(
                verdict.verification, of: scenario, file: self.scenario, from: verdict.times?.first,
                to: verdict.times?.last)
            report.remarks = verdict.remarks
            let problem = reports.finish(report, messages)
            if !verdict.verification.passed { throw ExitCode(1) }
            if let problem { throw problem }
        } catch let error as StartError {
            _ = reports.finish(Report(error: error.description, file: scenario), messages)
            throw messages.exit(error)
        }
    }
}
