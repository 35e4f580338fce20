import MockAPNSCore
package import MockAPNSJudge
import MockAPNSScenario
package import SystemPackage

extension LintedPush {
    /// Reads the payload of a file.
    ///
    /// - Parameter file: the file; `nil` for standard input.
    /// - Throws: ``StartError``, also for a recorded log and a scenario.
    package static func payload(in file: FilePath?) throws(StartError) -> [UInt8] {
        let beginning = try BoundedFile.readBeginning(file, .payload)
        if RecordedLog.isLog(beginning) {
            throw .malformed(
                "\(file?.string ?? BoundedFile.standardInput) is a log that serve or exec has written, not a payload; "
                    + "judge it with --log \(file?.string ?? "-").")
        }
        let payload = try BoundedFile.whole(beginning, file, .payload)
        if isScenario(payload) {
            let name = file?.string ?? BoundedFile.standardInput
            let advice = file.map { "mock-apns check \($0) reads it" } ?? "mock-apns check reads the files of scenarios"
            throw .malformed("\(name) is a scenario, not a payload; \(advice).")
        }
        return payload
    }

    private static func isScenario(_ text: [UInt8]) -> Bool {
        guard let value = try? JSONText.read(text), value["aps"] == nil else { return false }
        if value["$schema"]?.string?.hasSuffix("scenario.schema.json") ?? false { return true }
        let isTelling = ["devices", "rules", "timeline", "workload", "expect"].contains { value[$0] != nil }
        return isTelling && Scenario.read(text).0 != nil
    }
}
