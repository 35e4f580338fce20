import MockAPNSCore
import SystemPackage

extension Scenario {
    /// Reads the files with localized strings named by the scenario's apps.
    ///
    /// - Parameter folder: the folder for relative paths; `nil` means the current one.
    /// - Throws: ``StartError``, with line and column if a file cannot be parsed.
    mutating func readStrings(relativeTo folder: FilePath?, _ stop: CancellationCheck = .never) throws(StartError) {
        for (topic, path) in apps.stringsFiles {
            let path = FilePath(path)
            let file = path.isRelative ? folder?.pushing(path) ?? path : path
            let bytes = try BoundedFile.read(file, .strings, stop)
            do throws(JSONText.Mistake) {
                let strings =
                    file.extension == "xcstrings" ? try AppStrings(catalog: bytes) : try AppStrings(stringsFile: bytes)
                apps.setStrings(strings, ofApp: topic)
            } catch {
                let position = JSONText.position(of: error.offset, in: AppStrings.utf8(bytes).span)
                throw .malformed("\(file):\(position.line):\(position.column): \(error.message).")
            }
        }
    }
}
