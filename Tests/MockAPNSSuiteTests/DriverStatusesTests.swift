import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSSuite

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

    @Test("What was sent through the admin API is no push of the driver")
    func admin() throws {
        var rig = try JudgeRig("")
        rig.sendAsAdmin()
        #expect(
            try Self.difference(rig, [200])
                == "the driver reports status 200 for push 1, but no request for that device token was answered")
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

    @Test("Three pushes are named at most", arguments: [(3, "1, 2, 3"), (4, "1, 2, 3 and 1 more")])
    func named(count: Int, pushes: String) throws {
        var rig = try JudgeRig("")
        for _ in 0..<2 { rig.send() }
        #expect(
            try Self.difference(rig, Array(repeating: 200, count: count))
                == "the driver reports status 200 for pushes \(pushes) to one device token, but only 2 requests for it "
                + "were answered with that")
    }

    @Test("Once the log has dropped requests, what was answered is unknown")
    func dropped() throws {
        for dropped in 0...2 {
            var rig = try JudgeRig("", logLimit: 1)
            for _ in 0...dropped { rig.send() }
            #expect((try Self.difference(rig, [410]) == nil) == (dropped > 0))
        }
    }

    @Test("What is reported of pushes of which the server got none is told")
    func noRequest() throws {
        var reported = DriverStatuses()
        #expect(reported.summary == nil)
        for (id, status) in [200, 410, 200].enumerated() {
            let token = id == 0 ? JudgeRig.alice : JudgeRig.bob
            reported.note(DriverLine.Answer(id: "\(id)", status: status), of: WorkloadEntry.Push(token: token))
        }
        #expect(reported.summary == "status 200 for 2 pushes and 410 for 1")
        let story = StoryResult("tour", Verification([]), whyNoRequest: "There were none.", reported: reported)
        #expect(
            story.outcome
                == .failed(
                    "the driver reported status 200 for 2 pushes and 410 for 1, but the server got none. There were none."
                ))
    }

    @Test("Without a push, what is expected is told only if it failed")
    func noPush() {
        #expect(
            StoryResult("tour", Verification([]), whyNoRequest: "It slept.").outcome
                == .failed("no push of the workload arrived, so it shows nothing. It slept."))
        let failed = ExpectationResult(name: "one", passed: false, expected: "1", seen: "0")
        #expect(
            StoryResult("tour", Verification([failed]), whyNoRequest: "It slept.").outcome == .failed("It slept."))
    }

    @Test("Errors that a driver reports are kept, the first twenty, each cut, and told of a failed story")
    func errors() throws {
        var reported = DriverStatuses()
        for id in 1...25 {
            reported.note(
                DriverLine.Answer(id: "\(id)", error: "timed\nout" + String(repeating: "x", count: 300)),
                of: WorkloadEntry.Push(token: JudgeRig.alice))
        }
        #expect(reported.errors.map(\.id) == (1...20).map(String.init))
        #expect(reported.errors.allSatisfy { !$0.text.contains("\n") && $0.text.utf8.count == 200 + "…".utf8.count })
        let failed = StoryResult("tour", Verification([]), driverFailure: "it ended", reported: reported)
        #expect(failed.driverLines.count == 20 && failed.driverLines[0].hasPrefix("driver: push 1: timed"))
        #expect(StoryResult("tour", Verification([]), reported: reported).driverLines.isEmpty)
    }

    @Test func aRemarkIsAddedToAFailureOnly() {
        var failed = StoryResult("tour", failed: "it ended")
        failed.add(nil)
        #expect(failed.outcome == .failed("it ended"))
        failed.add("it is old")
        #expect(failed.outcome == .failed("it ended; it is old"))
        var passed = StoryResult("tour", Verification([]))
        passed.add("it is old")
        #expect(passed.outcome == .passed)
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
