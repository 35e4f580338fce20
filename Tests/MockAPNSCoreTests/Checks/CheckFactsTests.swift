import Foundation
import Testing

@testable import MockAPNSCore

/// The articles say of the checks what the table says.
@Suite struct CheckFactsTests {
    @Test func theArticleChecksHasTheTable() throws {
        let article = try Article("Reference/Checks.md")
        // After a check's first reason, further ones stand in rows of their own.
        var rows: [(check: String, reasons: [String], mark: String, source: String)] = []
        for cells in article.rows where cells.count == 6 {
            if cells[0].hasPrefix("`") {
                let reasons = cells[1].isEmpty ? [] : [cells[1]]
                rows.append((cells[0].trimmingCharacters(in: ["`"]), reasons, cells[4], article.plain(cells[5])))
            } else if cells[0].isEmpty, !rows.isEmpty {
                rows[rows.count - 1].reasons.append(cells[1])
            }
        }
        #expect(rows.map(\.check) == Check.allCases.map(\.name))
        for (row, check) in zip(rows, Check.allCases) {
            let facts = check.facts
            #expect(row.mark == facts.mark.rawValue && row.source == facts.source ?? "", "\(check)")
            // Those that a scenario's `responses` switches to are told in another way.
            let usual = facts.reasons.map(\.name).filter {
                $0 != "BadEnvironmentKeyIdInToken" && (check != .topicIsAllowed || $0 != "BadTopic")
            }
            #expect(row.reasons == usual, "\(check)")
        }
    }

    /// A part of the row of `Fidelity.md` that is about a check; all others are in the row of reasons.
    private static let behaviors: [Check: String] = [
        .providerMayPush: "ES256 only", .topicIsGiven: "is MissingTopic", .topicIsWellFormed: "are BadTopic",
        .payloadIsNotTooLarge: "4096 bytes pass", .payloadIsJSON: "a body that is not JSON",
        .expirationIsAnInteger: "is BadExpirationDate", .priorityIsKnown: "`apns-priority` is 10, 5 or 1",
        .backgroundHasNotPriority10: "`background` with priority 10", .collapseIDIsShort: "at most 64 bytes",
        .pushTypeSuitsVoIP: "`.voip` topics", .topicHasTheSuffixOfItsType: "without the suffix",
    ]

    @Test(arguments: Check.allCases)
    func theArticleFidelityHasTheSameMark(check: Check) throws {
        let article = try Article("Reference/Fidelity.md")
        let behavior = Self.behaviors[check] ?? "statuses and reasons"
        let rows = article.rows.filter { $0.count == 3 && $0[0].contains(behavior) }
        try #require(rows.count == 1, "\(behavior)")
        let facts = check.facts
        #expect(rows[0][1].hasPrefix(facts.mark.rawValue))
        if let source = facts.source {
            let seen = source.replacing("seen on the wire: ", with: "")
            #expect(seen.split(separator: ", ").allSatisfy { article.plain(rows[0][2]).contains($0) }, "\(source)")
        }
    }

    @Test func onlyGuessesAreWithoutASource() {
        for check in Check.allCases {
            #expect((check.facts.source == nil) == (check.facts.mark == .guessed), "\(check)")
        }
    }
}

/// An article of the documentation.
struct Article {
    /// The cells of its tables.
    var rows: [[String]] = []
    private var links: [(name: String, address: String)] = []

    init(_ name: String) throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let bytes = FileManager.default.contents(atPath: "\(root)/Sources/MockAPNS/MockAPNS.docc/\(name)")
        let lines = String(decoding: try #require(bytes), as: UTF8.self).split(separator: "\n")
        for line in lines {
            if line.hasPrefix("|") {
                let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                rows.append(cells.map { $0.trimmingCharacters(in: .whitespaces) })
            } else if line.hasPrefix("["), let end = line.range(of: "]: ") {
                links.append((String(line[..<end.lowerBound]) + "]", String(line[end.upperBound...])))
            }
        }
    }

    /// A cell with addresses instead of links to them.
    func plain(_ cell: String) -> String { links.reduce(cell) { $0.replacing($1.name, with: $1.address) } }
}
