import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore

@Suite struct LoggedRequestTests {
    @Test func itHasTheMembersOfARecord() throws {
        let record = try JSONText.read(
            Array(
                #"""
                {"sequence": 1, "time": "2026-11-21T10:00:00.123Z", "clock": "2026-11-21T10:00:00.123Z",
                "authentication": {}, "outcome": "responded"}
                """#.utf8))
        let request = try #require(MockAPNSServer.LoggedRequest(record))
        // A body that is no text is in no property yet; the number and the form of a token matter to the log alone.
        let omitted: [RecordMember] = [.event, .payloadBase64, .providerTokenNumber]
        #expect(
            Mirror(reflecting: request).children.compactMap(\.label).sorted()
                == RecordMember.allCases.filter { !omitted.contains($0) }.map {
                    $0 == .latencyMicroseconds ? "latency" : $0.name
                }.sorted())
        #expect(
            Mirror(reflecting: request.authentication).children.compactMap(\.label)
                == AuthenticationMember.allCases.filter { $0 != .signature }.map(\.name))
    }

    @Test func aWordThatIsNotKnownDoesNotKeepARecordFromBeingRead() throws {
        func request(_ method: String, _ verdict: String, sentBy: String) throws -> MockAPNSServer.LoggedRequest {
            let text = #"""
                {"sequence": 1, "time": "2026-11-21T10:00:00.123Z", "clock": "2026-11-21T10:00:00.123Z",
                "authentication": {"method": "\#(method)", "verdict": "\#(verdict)"}, "sentBy": "\#(sentBy)",
                "outcome": "responded"}
                """#
            return try #require(MockAPNSServer.LoggedRequest(JSONText.read(Array(text.utf8))))
        }
        let known = try request("certificate", "BadCertificate", sentBy: "admin")
        #expect(known.authentication.method == .certificate && known.sentBy == .admin)
        #expect(known.authentication.verdict == .rejected(.badCertificate))
        let unknown = try request("passkey", "unsure", sentBy: "pigeon")
        #expect(unknown.authentication.method == .none && unknown.authentication.verdict == nil)
        #expect(unknown.sentBy == .provider)
    }
}
