import Testing

@testable import MockAPNS
@testable import MockAPNSCore

@Suite struct LoggedRequestTests {
    @Test func itHasTheMembersOfARecord() throws {
        var random = RandomRecords(seed: 1)
        var log = RequestLog()
        var fleet = RequestLog()
        random.append(to: &log, andFleet: &fleet)
        let request = try #require(log.snapshot.request(1))
        // A body that is no text is in no property yet; the number and the form of a token, and the session, matter to
        // the log file alone.
        let omitted: [RecordMember] = [.event, .payloadBase64, .providerTokenNumber, .session]
        let members = RecordMember.allCases.filter { !omitted.contains($0) }.map {
            $0 == .latencyMicroseconds ? "latency" : $0.name
        }
        let properties = Mirror(reflecting: request).children.compactMap(\.label)
        #expect(Set(members).subtracting(properties).isEmpty)
        // Of `decidedBy`.
        #expect(Set(properties).subtracting(members) == ["rule"])
        #expect(
            Mirror(reflecting: request.authentication).children.compactMap(\.label)
                == AuthenticationMember.allCases.filter { $0 != .signature }.map(\.name))
    }

    @Test("Requests say the same as their records as JSON, whatever is in the columns")
    func itSaysTheSameAsTheRecord() throws {
        var random = RandomRecords(seed: 31)
        var log = RequestLog()
        var fleet = RequestLog()
        log.setLatestIDBefore(500)
        for _ in 0..<1100 { random.append(to: &log, andFleet: &fleet) }
        for snapshot in [log.snapshot, fleet.snapshot] {
            for sequence in 1...1100 {
                let record = try #require(snapshot.record(sequence))
                let request = try #require(
                    snapshot.request(sequence), "\(sequence): \(String(decoding: record, as: UTF8.self))")
                let differences = try request.differences(from: record)
                #expect(differences.isEmpty, "\(sequence): \(String(decoding: record, as: UTF8.self))")
            }
        }
    }

    @Test func aRequestThatIsNotKeptIsNone() {
        var random = RandomRecords(seed: 1)
        var log = RequestLog(limit: 2)
        var fleet = RequestLog()
        for _ in 0..<4 { random.append(to: &log, andFleet: &fleet) }
        log.remove([3])
        #expect((0...5).map { log.snapshot.request($0)?.sequence } == [nil, nil, nil, nil, 4, nil])
    }
}
