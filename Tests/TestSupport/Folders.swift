import Foundation
package import SystemPackage

/// A folder of the test's own, removed when the body is through.
package func withFolder<Result>(_ body: (FilePath) async throws -> Result) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appending(path: "mock-apns-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(FilePath(url.path))
}

package func write(_ bytes: [UInt8], to file: FilePath) throws {
    try Data(bytes).write(to: URL(filePath: file.string))
}

package func read(_ file: FilePath) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: file.string)))
}

/// The lines of a file of JSON lines, each as a dictionary's text values and numbers.
package func jsonLines(_ file: FilePath) throws -> [[String: any Sendable]] {
    try read(file).split(separator: UInt8(ascii: "\n")).map { line in
        try JSONSerialization.jsonObject(with: Data(line)) as! [String: any Sendable]
    }
}
