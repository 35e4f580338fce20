import Foundation
import Testing

@testable import MockAPNSCore

/// The article on broadcast channels says of the checks what the table says.
@Suite struct CallCheckFactsTests {
    @Test func theArticleBroadcastHasTheTable() throws {
        let article = try Article("Guides/Broadcast.md")
        // After a check's first reason, further ones stand in rows of their own.
        var rows: [(check: String, reasons: [String], mark: String, source: String)] = []
        for cells in article.rows where cells.count == 6 {
            if cells[0].hasPrefix("`") {
                rows.append((cells[0].trimmingCharacters(in: ["`"]), [cells[1]], cells[4], article.plain(cells[5])))
            } else if cells[0].isEmpty, !rows.isEmpty {
                rows[rows.count - 1].reasons.append(cells[1])
            }
        }
        #expect(rows.map(\.check) == CallCheck.allCases.map(\.name))
        for (row, check) in zip(rows, CallCheck.allCases) {
            let facts = check.facts
            #expect(row.mark == facts.mark.rawValue && row.source == facts.source ?? "", "\(check)")
            // Those that only a scenario switches to are told in another way.
            let usual = facts.reasons.map(\.name).filter {
                !["BadEnvironmentKeyIdInToken", "FeatureNotEnabled"].contains($0)
                    && (check != .channelIDIsKnown || $0 != "ChannelNotRegistered")
            }
            #expect(row.reasons == usual, "\(check)")
        }
    }

    @Test func onlyGuessesAreWithoutASource() {
        for check in CallCheck.allCases {
            #expect((check.facts.source == nil) == (check.facts.mark == .guessed), "\(check)")
        }
    }
}
