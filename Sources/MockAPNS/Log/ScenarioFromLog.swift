import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario

/// A scenario made from a log file, without a server.
package struct ScenarioFromLog: Sendable {
    /// The text of the scenario.
    package let text: [UInt8]
    /// What it leaves out, and remarks about the log, as sentences.
    package let notes: [String]

    /// Reads a log file, and makes a scenario that gives the answers of its last run again.
    ///
    /// - Parameter session: the session whose run it is; `nil` for the server itself.
    /// - Throws: as ``RecordedVerdict/init(logs:session:of:linting:)``.
    package init(_ path: String, session: String? = nil) throws(StartError) {
        var log = RecordedLog(of: Scenario(), session: session, keepsEvents: true)
        try RecordedFile.read(path, into: &log) { log throws(RecordedLog.Mistake) in try log.finish() }
        let (events, seed) = log.lastRun
        let steps = RunReader(events, of: nil).finish()
        do { text = try steps.scenario(ofRunWith: seed) } catch {
            throw .malformed("\(RecordedFile.name(of: path)): no scenario can be made of it: \(error.message).")
        }
        notes = log.remarks(onLastRun: "this is the last one") + steps.notes
    }
}
