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
                    $0 == .latencyMicroseconds ? "latency" : $0.rawValue
                }.sorted())
        #expect(
            Mirror(reflecting: request.authentication).children.compactMap(\.label)
                == AuthenticationMember.allCases.filter { $0 != .signature }.map(\.rawValue))
    }
}
