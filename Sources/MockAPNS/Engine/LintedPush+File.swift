import MockAPNSCore
package import MockAPNSJudge
package import SystemPackage

extension LintedPush {
    /// Reads the payload of a file.
    ///
    /// - Parameter file: the file; `nil` for standard input.
    /// - Throws: ``StartError``, also for a recorded log.
    package static func payload(in file: FilePath?) throws(StartError) -> [UInt8] {
        let beginning = try BoundedFile.readBeginning(file, .payload)
        if RecordedLog.isLog(beginning) {
            throw .malformed(
                "\(file?.string ?? BoundedFile.standardInput) is a log that serve or exec has written, not a payload; "
                    + "judge it with --log \(file?.string ?? "-").")
        }
        return try BoundedFile.whole(beginning, file, .payload)
    }
}
