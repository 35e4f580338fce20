import Testing

@testable import MockAPNSCore

@Suite("What a driver reports, compared with what was answered")
struct DriverStatusesTests {
    /// Reports one status after the other, each of another push to the device.
    private static func difference(
        _ rig: borrowing JudgeRig, _ statuses: [Int?], token: String = JudgeRig.alice
    ) throws -> String? {
        var reported = DriverStatuses()
        for (index, status) in statuses.enumerated() {
            let line =
                status.map { #"{"id":"\#(index + 1)","status":\#($0)}"# } ?? #"{"id":"\#(index + 1)","error":"x"}"#
            reported.note(try DriverLine.answer(Array(line.utf8)), of: WorkloadEntry.Push(token: token))
        }
        return reported.difference(from: rig.gateway.log.snapshot)
    }

    @Test("What was answered may be reported, for each push once")
    func same() throws {
        var rig = try JudgeRig("")
        rig.send()
        rig.send(body: "")
        rig.send()
        #expect(try Self.difference(rig, [200, 400, 200]) == nil)
        #expect(try Self.difference(rig, [200]) == nil)
        #expect(try Self.difference(rig, [nil, 200, nil, nil], token: JudgeRig.alice.uppercased()) == nil)
        #expect(try Self.difference(rig, []) == nil)
    }

    @Test("A status that was never answered is told, and one that more pushes have than requests")
    func different() throws {
        var rig = try JudgeRig("")
        rig.send()
        rig.send(body: "")
        #expect(
            try Self.difference(rig, [200, 410])
                == "the driver reports status 410 for push 2, but requests for that device token were answered with "
                + "200 and 400")
        #expect(
            try Self.difference(rig, [200, 200, 200, 200, 200])
                == "the driver reports status 200 for pushes 1, 2, 3 and 2 more to one device token, but only 1 request "
                + "for it was answered with that")
        #expect(
            try Self.difference(rig, [200], token: JudgeRig.bob)
                == "the driver reports status 200 for push 1, but no request for that device token was answered")
    }

    @Test("Of a log that has dropped requests nobody knows what was answered")
    func dropped() throws {
        var rig = try JudgeRig("", logLimit: 1)
        for _ in 0..<3 { rig.send() }
        #expect(try Self.difference(rig, [410]) == nil)
    }

    @Test("A difference fails a story that would have passed")
    func failure() {
        #expect(StoryResult("tour", Verification([]), difference: "it lies").outcome == .failed("it lies"))
        let failed = ExpectationResult(name: "one", passed: false, expected: "1", seen: "2")
        #expect(
            StoryResult("tour", Verification([failed]), difference: "it lies").outcome
                == .failed("one: expected 1; seen: 2"))
    }
}
