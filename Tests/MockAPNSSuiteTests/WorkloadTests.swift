import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario
@testable import MockAPNSSuite

@Suite("What a driver is asked to push, as a scenario says it")
struct WorkloadTests {
    private static let token = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    private static func scenario(_ workload: String) throws -> Scenario {
        let device = #"{"name": "alice", "token": "\#(token)", "topics": ["com.example.app", "com.example.game"]}"#
        let text = #"{"workload": \#(workload), "devices": [\#(device)], "needs": ["retries", "collapses"]}"#
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        return try #require(scenario, "\(mistakes)")
    }

    @Test("Every member means what it says")
    func members() throws {
        let scenario = try Self.scenario(
            """
            [ { "push": { "device": "alice", "pushType": "alert", "priority": 5, "expiration": 0, "collapseID": "score",
                          "payload": { "aps": { "alert": "Hello" } } }, "times": 3 },
              { "push": { "token": "ABCD", "topic": "com.example.other", "expiration": "1h" }, "after": [0],
                "wait": "200ms" },
              { "push": { "device": "alice", "topic": "com.example.game" }, "after": "all" } ]
            """)
        #expect(scenario.needs == [.retries, .collapses])
        let (first, second, third) = (scenario.workload[0], scenario.workload[1], scenario.workload[2])
        #expect(first.push.token == Self.token)
        #expect(first.push.topic == "com.example.app")
        #expect(first.push.pushType == .alert)
        #expect(first.push.priority == 5)
        #expect(first.push.expiration == .at(0))
        #expect(first.push.collapseID == "score")
        #expect(first.push.payload.map { String(decoding: $0, as: UTF8.self) } == #"{"aps":{"alert":"Hello"}}"#)
        #expect((first.times, first.wait) == (3, 0))
        #expect(first.after == .nothing)
        #expect(second.push.token == "ABCD")
        #expect(second.push.topic == "com.example.other")
        #expect(second.push.expiration == .after(3_600_000))
        #expect(second.after == .entries([0]))
        #expect(second.wait == 200)
        #expect(third.push.topic == "com.example.game")
        #expect(third.after == .all)
    }

    @Test("A push is one line, without the members that are absent")
    func line() throws {
        let scenario = try Self.scenario(
            """
            [ { "push": { "device": "alice", "pushType": "background", "priority": 5, "expiration": "1h",
                          "collapseID": "a\\"b", "payload": { "aps": { "content-available": 1 }, "n": 1.50 } } },
              { "push": { "token": "ABCD" } } ]
            """)
        let now = Timestamp(milliseconds: 1_767_225_600_999)
        func line(_ index: Int, _ id: String) -> String {
            String(decoding: DriverLine.text(of: scenario.workload[index].push, id: id, at: now), as: UTF8.self)
        }
        #expect(
            line(0, "7")
                == #"{"id":"7","token":"\#(Self.token)","topic":"com.example.app","pushType":"background","#
                + #""priority":5,"expiration":1767229200,"collapseID":"a\"b","#
                + #""payload":{"aps":{"content-available":1},"n":1.50}}"# + "\n")
        #expect(line(1, "8") == #"{"id":"8","token":"ABCD"}"# + "\n")
    }

    @Test("A push of a story of several teams says which team it comes from, and where its key is")
    func signers() throws {
        let text = { (needs: String) in
            """
            {
              "authentication": {"teams": [
                {"teamID": "TEAM000001", "topics": ["com.example.app"], "keys": [{"keyID": "KEY0000001", "file": "a.p8"}]},
                {"teamID": "TEAM000002", "topics": ["com.example.game"], "keys": [{"keyID": "KEY0000002"}]}
              ]},
              "needs": [\(needs)],
              "workload": [
                {"push": {"token": "AB", "topic": "com.example.game.voip"}},
                {"push": {"token": "AB", "topic": "com.example.app"}}, {"push": {"token": "AB", "topic": "com.other"}}
              ]
            }
            """
        }
        let scenario = try #require(Scenario.read(Array(text(#""teams""#).utf8)).0)
        let signed = scenario.signedWorkload { "\($0) from \($1)" }
        #expect(
            signed.map(\.push.signer) == [
                .init(teamID: "TEAM000002", keyID: "KEY0000002", key: "KEY0000002 from folder"),
                .init(teamID: "TEAM000001", keyID: "KEY0000001", key: #"KEY0000001 from file("a.p8")"#), nil,
            ])
        let now = Timestamp(milliseconds: 0)
        #expect(
            String(decoding: DriverLine.text(of: signed[1].push, id: "1", at: now), as: UTF8.self)
                == #"{"id":"1","token":"AB","topic":"com.example.app","teamID":"TEAM000001","keyID":"KEY0000001","#
                + #""key":"KEY0000001 from file(\"a.p8\")"}"# + "\n")
        let plain = try #require(Scenario.read(Array(text("").utf8)).0)
        #expect(plain.signedWorkload { _, _ in "" }.allSatisfy { $0.push.signer == nil })
    }

    @Test("An answer has a status, or says why there is none")
    func answers() throws {
        func answer(_ text: String) throws -> DriverLine.Answer { try DriverLine.answer(Array(text.utf8)) }
        #expect(try answer(#"{"id": "1", "status": 200}"#) == .init(id: "1", status: 200))
        #expect(
            try answer(#"{"id":"2","status":410,"reason":"Unregistered","timestamp":1}"#)
                == .init(id: "2", status: 410, reason: "Unregistered"))
        #expect(try answer(#"{"id": "3", "error": "timed out"}"#) == .init(id: "3", error: "timed out"))
    }

    @Test("Every status of HTTP is one", arguments: [99, 100, 599, 600])
    func statuses(status: Int) {
        let answer = try? DriverLine.answer(Array(#"{"id": "1", "status": \#(status)}"#.utf8))
        #expect(answer?.status == ((100...599).contains(status) ? status : nil))
    }

    @Test("A line is shown up to 200 bytes")
    func shown() {
        for (length, shown) in [(200, 200), (201, 203)] {
            let text = DriverLine.shown(Array(repeating: UInt8(ascii: "x"), count: length))
            #expect(text.utf8.count == shown && text.hasSuffix("…") == (length > 200))
        }
    }

    @Test(
        "Any other line is told apart by what is wrong with it",
        arguments: [
            ("sent 1 push", "is not JSON"), ("[]", "is not an object"), (#"{"status": 200}"#, "has no \"id\""),
            (#"{"id": 1, "status": 200}"#, "has no \"id\" that is a string"),
            (#"{"id": "1", "status": "200"}"#, "\"status\" that is not a number"),
            (#"{"id": "1", "status": 20}"#, "\"status\" that is not a number"), (#"{"id": "1"}"#, "neither"),
            (#"{"id": "1", "status": null, "error": "lost"}"#, "\"status\" that is not a number"),
        ])
    func wrongAnswers(line: String, message: String) throws {
        let mistake = #expect(throws: DriverLine.Mistake.self) { try DriverLine.answer(Array(line.utf8)) }
        #expect(mistake?.message.contains(message) == true)
    }
}
