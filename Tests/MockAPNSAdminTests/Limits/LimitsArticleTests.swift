import Foundation
import TestSupport
import Testing

/// The article Limits has the limits of the sources, and `/metrics` has its figures.
@Suite struct LimitsArticleTests {
    private static let root =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")

    private static let read = Result { try SourceConstants(folder: root + "/Sources") }

    private let constants: SourceConstants

    init() throws { constants = try Self.read.get() }

    @Test func everyLimitHasARow() {
        let rows = Set(LimitRow.sections.flatMap(\.rows).map(\.constant))
        let known = rows.union(LimitRow.notCollections)
        let missing = constants.limits.filter { !known.contains($0) }.sorted()
        #expect(missing.isEmpty, "without a row in LimitRows.swift: \(missing.joined(separator: ", "))")
        let gone = known.filter { constants.expressions[$0] == nil }.sorted()
        #expect(gone.isEmpty, "not in Sources: \(gone.joined(separator: ", "))")
        #expect(rows.isDisjoint(with: LimitRow.notCollections))
        #expect(LimitRow.sections.flatMap(\.rows).count == rows.count, "a limit has two rows")
    }

    /// With the variable `MOCK_APNS_WRITE_ARTICLES` the tables are written anew instead.
    @Test func theArticleHasTheRows() throws {
        let path = Self.root + "/Sources/MockAPNS/MockAPNS.docc/Reference/Limits.md"
        var article = try String(contentsOfFile: path, encoding: .utf8)
        for (title, rows) in LimitRow.sections {
            let table = try table(rows)
            let heading = try #require(article.range(of: "\n### \(title)\n"), "the article lacks ### \(title)")
            let start = try #require(article[heading.upperBound...].range(of: "\n|")).lowerBound
            let end = article[start...].range(of: "\n\n")?.lowerBound ?? article.endIndex
            if ProcessInfo.processInfo.environment["MOCK_APNS_WRITE_ARTICLES"] != nil {
                article.replaceSubrange(start..<end, with: "\n" + table)
            } else {
                let written = article[start..<end].split(separator: "\n").map(String.init)
                let wanted = table.split(separator: "\n").map(String.init)
                #expect(
                    written == wanted, "\(title) differs; write the tables anew with MOCK_APNS_WRITE_ARTICLES=1")
            }
        }
        if ProcessInfo.processInfo.environment["MOCK_APNS_WRITE_ARTICLES"] != nil {
            try article.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    private func table(_ rows: [LimitRow]) throws -> String {
        let hasFigures = rows.contains { $0.figure != nil }
        let head =
            hasFigures
            ? ["| what grows | by | limit | `name` | beyond it |", "|---|---|---|---|---|"]
            : ["| what grows | by | limit | beyond it |", "|---|---|---|---|"]
        let lines = try rows.map { row in
            row.markdown(try #require(constants.value(of: row.constant), "\(row.constant) has no value"))
        }
        return (head + lines).joined(separator: "\n")
    }

    @Test func metricsHasTheFiguresOfEachRow() async throws {
        try await withAdmin { _, admin async throws in
            let text = try await admin.get("/metrics").text
            var limits: [String: Int] = [:]
            for line in text.split(separator: "\n") {
                guard let match = line.wholeMatch(of: #/mock_apns_limit\{name="(\w+)"\} (\d+)/#) else { continue }
                limits[String(match.1)] = Int(match.2)
            }
            for row in LimitRow.collections {
                let figure = try #require(row.figure)
                #expect(limits[figure] == constants.value(of: row.constant), "\(figure)")
                for family in ["used", "dropped_total"] {
                    #expect(text.contains("\nmock_apns_\(family){name=\"\(figure)\"} "), "\(family) of \(figure)")
                }
            }
            let rows = Set(LimitRow.collections.compactMap(\.figure))
            #expect(Set(limits.keys) == rows, "what has a figure has a row")
        }
    }

    @Test func constantsAreReadFromTheSources() throws {
        #expect(constants.value(of: "DeviceRegistry.declaredLimit") == (1 << 24) - 2 - 1_000_000)
        #expect(constants.value(of: "RequestLog.headerLimit") == 48 * 1024)
        #expect(constants.value(of: "RecentTable.usualLimit") == 131_072)
        #expect(constants.value(of: "EventStream.sliceLimit") == nil && constants.value(of: "Nothing.limit") == nil)
        #expect(constants.limits.contains("ConnectionHandler.Drip.limit"))
    }
}
