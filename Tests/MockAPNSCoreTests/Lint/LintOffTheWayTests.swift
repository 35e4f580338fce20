import Foundation
import Testing

/// Lint costs a push nothing when nobody asks for it: what a push passes through knows nothing of lint, and a record has no
/// member for it.
@Suite struct LintOffTheWayTests {
    /// What is run for each push, from the socket to the record, below `Sources`.
    private static let way = [
        "MockAPNSTransport", "MockAPNS/Connection", "MockAPNSCore/Gateway", "MockAPNSCore/Gateway.swift",
        "MockAPNSCore/Push", "MockAPNSCore/Checks", "MockAPNSCore/Rules", "MockAPNSCore/Matching",
        "MockAPNSCore/Connections", "MockAPNSCore/Authentication", "MockAPNSCore/Devices", "MockAPNSCore/Broadcast",
        "MockAPNSCore/State",
        "MockAPNSCore/Metrics", "MockAPNSCore/RequestLog/RequestLog.swift",
    ]

    @Test(arguments: way) func codeThatHandlesPushesNeverMentionsLint(part: String) throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let path = "\(root)/Sources/\(part)"
        let files =
            part.hasSuffix(".swift")
            ? [path]
            : try #require(FileManager.default.enumerator(atPath: path)).compactMap { $0 as? String }
                .filter { $0.hasSuffix(".swift") }.map { "\(path)/\($0)" }
        #expect(!files.isEmpty)
        for file in files {
            let text = String(decoding: try #require(FileManager.default.contents(atPath: file)), as: UTF8.self)
            #expect(!text.lowercased().contains("lint"), "\(file)")
        }
    }
}
