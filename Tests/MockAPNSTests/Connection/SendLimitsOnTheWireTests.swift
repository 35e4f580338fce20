import MockAPNSTransport
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore

/// What cannot be sent, and what a client does not acknowledge, ends neither the process nor the other connections.
@Suite struct SendLimitsOnTheWireTests {
    /// Adds a rule without the reader, which refuses such steps.
    private func add(_ step: Step, to server: MockAPNSServer) throws {
        let rule = Rule(name: "beyond", steps: .push([step]))
        #expect(server.engine.gateway.withLock { $0.add(rule, at: WallClock.now()) } == "beyond")
    }

    private static func answer(_ fields: [(name: String, value: String)], body: String? = nil) -> ScriptedAnswer {
        var answer = ScriptedAnswer(status: 200)
        answer.fields = fields.map { ScriptedAnswer.Field(name: $0.name, value: $0.value) }
        answer.body = body.map { Array($0.utf8) }
        return answer
    }

    static let unsendable: [ScriptedAnswer] = [
        answer([(String(repeating: "x", count: 65_536), "1")]),
        answer((0..<10).map { ("x-\($0)", String(repeating: "v", count: 8000)) }),
        answer((0..<10).map { ("x-\($0)", String(repeating: "v", count: 8000)) }, body: "body"),
    ]

    @Test(arguments: unsendable.indices, [nil, Int64(1)])
    func unsendableAnswersAreResetAndRecorded(index: Int, delay: Int64?) async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            try await withProvider {
                $0.log = .file(file)
            } _: { provider, server in
                let push = TestPush(try server.authorization())
                #expect(try await provider.push(push).status == "200")
                var step = Step(.respond(Self.unsendable[index]))
                step.delay = delay.map { .fixed($0) }
                try add(step, to: server)
                let stream = try await provider.start(push)
                try await provider.wait { $0.http2?.responses[stream]?.errorCode }
                #expect(try await provider.frames.resets(of: stream) == [2])
                // The client has the reset, and the record is complete already.
                let record = try #require(server.records.last)
                #expect(record.outcome == "reset")
                let explanation = try #require(record.explanation)
                #expect(explanation.hasPrefix(#"Rule "beyond" answers with status 200"#))
                #expect(explanation.contains("The answer could not be sent: "))
                #expect(explanation.hasSuffix("The stream was reset with INTERNAL_ERROR."))
                let counts = server.engine.gateway.withLock { gateway in
                    [Outcome.responded, .delayed, .reset].map { gateway.statistics.count(of: $0) }
                }
                #expect(counts == [1, 0, 1])
                try server.removeRule("beyond")
                #expect(try await provider.push(push).status == "200")
            }
            let lines = try String(decoding: read(file), as: UTF8.self).split(separator: "\n")
            let update = try #require(lines.last { $0.contains(#""event":"update""#) })
            #expect(update.contains(#""outcome":"reset""#) && update.contains("could not be sent"))
        }
    }

    @Test func goAwayTextNeverBreaksFraming() async throws {
        try await withProvider { provider, server in
            let push = TestPush(try server.authorization())
            try await provider.push(push)
            let text = [UInt8](repeating: UInt8(ascii: "t"), count: 1 << 24)
            try add(Step(.goAway(GoAwayPlan([.init(debugData: text)], then: .close))), to: server)
            #expect(try await provider.push(push).status == "200")
            try await provider.wait { $0.hasEnded ? true : nil }
            #expect(try await provider.frames.of(.goAway).map(\.payload.count) == [16_384])
        }
    }

    @Test func libraryAndReaderHaveTheSameBounds() async throws {
        try await withServer { server in
            let long = String(repeating: "t", count: 16_377)
            await #expect(throws: ControlError.self) { try await server.goAway(.init(text: long)) }
            await #expect(throws: ControlError.self) { try await server.limitStreams(to: -1) }
            await #expect(throws: ControlError.self) { try await server.limitStreams(to: 1 << 31) }
            await #expect(throws: ControlError.self) { try await server.limitStreams(to: 1, for: .seconds(1 << 60)) }
            #expect(throws: ControlError.self) {
                try server.addRule(.respond(status: 200, headers: [String(repeating: "x", count: 65_536): "1"]))
            }
            #expect(throws: ControlError.self) { try server.addRule(.goAway(.init(text: long))) }
            #expect(server.rules(RuleQuery()).total == 0)
        }
    }

    // MARK: What is not acknowledged

    @Test func unacknowledgedSettingsFloodsAreLeftOut() async throws {
        try await withServer {
            $0.play(#"{"rules": [{"then": {"hostile": "settingsFlood"}}]}"#)
        } _: { server in
            let provider = try await TestProvider.connect(to: server, speech: .tls)
            let push = TestPush(try server.authorization())
            try await provider.send(RawFrame.preface + RawFrame.settings().bytes)
            for number in 0..<400 { _ = try await provider.exchange(push, on: Int32(2 * number + 1)) }
            // The first SETTINGS, the raise after the first valid provider token, and nine floods.
            #expect(try await provider.frames.of(.settings).filter { $0.flags == 0 }.count == 902)
            let records = try server.records
            #expect(records.count == 400)
            #expect(records.allSatisfy { $0.status == 200 && $0.outcome == "responded" })
            let mark = "The SETTINGS before the answer were left out"
            let leftOut = records.map { $0.explanation?.contains(mark) == true }
            #expect(leftOut == Array(repeating: false, count: 9) + Array(repeating: true, count: 391))
            // Every record still has its own parts.
            #expect(records.allSatisfy { $0.path == "/3/device/\(TestPush.device)" && $0.decidedBy == "rule:rules[0]" })
            await provider.close()
        }
    }

    // MARK: What is kept of a client

    @Test func manyTopicsOfACertificateAreCut() async throws {
        let now = WallClock.now().seconds
        let authority = try CertificateAuthority.make(now: now)
        // Each is there with two suffixes as well.
        let topics = (0..<300).map { "com.example.app-\($0)" }
        let pair = try authority.providerCertificate(topics: topics, teamID: "TEAM123456", now: now).pair
        try await withFolder { folder in
            try write(authority.certificatePEM, to: folder.appending("theirs.pem"))
            try await withServer {
                $0.play(
                    #"{"authentication": {"clientCertificates": {"authorities": ["theirs.pem"]}}}"#, in: folder)
            } _: { server in
                let provider = try await TestProvider.connect(to: server, tls: .init(certificate: pair))
                #expect(try await provider.push(TestPush(nil, [("apns-topic", topics[0])])).status == "200")
                #expect(
                    try await provider.push(TestPush(nil, [("apns-topic", topics[299])])).reason == "TopicDisallowed")
                let certificate = try #require(server.connection(1)?.facts.clientCertificate)
                #expect(certificate.topics.names.reduce(0) { $0 + $1.utf8.count + 16 } <= 16_384)
                #expect(certificate.subject.contains(" of 1,200 topics are kept)"))
            }
        }
    }
}
