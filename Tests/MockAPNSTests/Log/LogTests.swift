import Foundation
import Logging
import MockAPNSCore
import Synchronization
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

@Suite struct LogTests {
    @Test func everyPushHasItsRecord() async throws {
        try await withServer { server in
            let authorization = try server.authorization()
            for number in 1...3 {
                let provider = try await TestProvider.connect(to: server)
                try await provider.push(TestPush(authorization))
                try await provider.push(TestPush(authorization, [("apns-priority", "\(100 + number)")]))
                await provider.close()
            }
            let records = try server.records
            #expect(records.map(\.sequence) == Array(1...6))
            #expect(records.map(\.connection) == [1, 1, 2, 2, 3, 3])
            #expect(records.map(\.stream) == [1, 3, 1, 3, 1, 3])
            #expect(records.map(\.status) == [200, 400, 200, 400, 200, 400])
            for (index, record) in records.enumerated() where record.status == 400 {
                #expect(record.explanation?.contains("\(100 + (record.connection ?? 0))") == true, "\(index)")
            }
            #expect(records[0].method == "POST")
            #expect(records[0].path == "/3/device/" + TestPush.device)
            #expect(records[0].topic == "com.example.app")
            #expect(records[0].authentication.keyID == "ABC123DEFG")
            #expect(records[0].authentication.teamID == "DEF123GHIJ")
        }
    }

    @Test func noSignatureIsRecorded() async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            try await withProvider {
                $0.log = .file(file)
            } _: { provider, server in
                let authorization = try server.authorization()
                let signature = try #require(authorization.split(separator: ".").last)
                var repeated = TestPush(authorization)
                repeated.fields.append(("authorization", authorization))
                let pushes = [
                    TestPush(authorization), repeated, TestPush(authorization + "x"),
                    TestPush(authorization.replacing("bearer", with: "basic")),
                    TestPush(authorization, [("x-long", String(repeating: "x", count: 9000))]),
                    TestPush(authorization, [(":method", "GET")]),
                ]
                for push in pushes { try await provider.push(push) }
                let records = String(decoding: server.recordsAsJSON, as: UTF8.self)
                let lines = try String(decoding: read(file), as: UTF8.self)
                for text in [records, lines] {
                    #expect(!text.contains(signature.prefix(20)))
                    #expect(text.contains(authorization.split(separator: ".")[1]))
                }
                #expect(try server.records.count == pushes.count)
            }
        }
    }

    @Test func linesAreWrittenBeforeTheirAnswersLeave() async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            try await withProvider {
                $0.log = .file(file)
            } _: { provider, server in
                let authorization = try server.authorization()
                for number in 1...20 {
                    let answer = try await provider.push(TestPush(authorization))
                    let last = try #require(try jsonLines(file).last)
                    #expect(last["event"] as? String == "request")
                    #expect(last["sequence"] as? Int == number)
                    #expect(last["apnsID"] as? String == answer["apns-id"])
                }
            }
            let lines = try jsonLines(file)
            #expect(lines.count == 23)
            let (started, opened, closed) = (lines[0], lines[1], lines[22])
            #expect(started["event"] as? String == "scenario")
            #expect(started["state"] as? String == "started")
            #expect(started["scenario"] is NSNull)
            #expect(opened["event"] as? String == "connection")
            #expect(opened["state"] as? String == "opened")
            #expect(opened["connection"] as? Int == 1)
            #expect(opened["alpn"] as? String == "h2")
            #expect(closed["state"] as? String == "closed")
            #expect(closed["closedBy"] as? String == "server")
            #expect(closed["requests"] as? Int == 20)
            #expect(closed["goAwaysSent"] as? Int == 1)
        }
    }

    @Test func severalLoopsWriteInOrderBeforeAnswersLeave() async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            try await withServer {
                $0.log = .file(file)
                $0.threads = 4
            } _: { server in
                let authorization = try server.authorization()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 1...8 {
                        group.addTask {
                            let provider = try await TestProvider.connect(to: server)
                            for _ in 1...25 {
                                let answer = try await provider.push(TestPush(authorization))
                                let id = try #require(answer["apns-id"])
                                #expect(try Data(read(file)).range(of: Data(id.utf8)) != nil)
                            }
                            await provider.close()
                        }
                    }
                    try await group.waitForAll()
                }
                let requests = try jsonLines(file).filter { $0["event"] as? String == "request" }
                #expect(requests.compactMap { $0["sequence"] as? Int } == Array(1...200))
                #expect(Set(requests.compactMap { $0["apnsID"] as? String }).count == 200)
            }
        }
    }

    @Test func aSecondServerAppends() async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            for count in [4, 8] {
                try await withProvider {
                    $0.log = .file(file)
                } _: { provider, server in
                    _ = try await provider.push(TestPush(server.authorization()))
                }
                #expect(try jsonLines(file).count == count)
            }
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisksAreReportedOnceAndPushesAnswered() async throws {
        let messages = Messages()
        var configuration = Configuration()
        configuration.log = .file("/dev/full")
        let server = try await MockAPNSServer.start(configuration, logger: messages.logger)
        let provider = try await TestProvider.connect(to: server)
        let authorization = try server.authorization()
        for _ in 1...5 { #expect(try await provider.push(TestPush(authorization)).status == "200") }
        // The start, the connection, the pushes.
        #expect(server.summary.logWriteErrors == 7)
        #expect(messages.all.filter { $0.contains("/dev/full") }.count == 1)
        await server.stop()
        #expect(server.summary.logWriteErrors == 8)
        let loss = try #require(server.logLoss)
        #expect(loss.lines == 8 && loss.isAll && loss.trouble == .failed(.noSpace))
        let errors = messages.all.filter { $0.contains("/dev/full") }
        #expect(errors.first?.contains("mock_apns_log_write_errors_total") == true)
        #expect(errors.dropFirst() == ["The log in /dev/full lacks 8 lines that could not be written."])
    }

    @Test func anInaccessibleLogFilePreventsStarting() async throws {
        var configuration = Configuration()
        configuration.log = .file("/nowhere/at/all.jsonl")
        await #expect(throws: StartError.self) { _ = try await MockAPNSServer.start(configuration) }
    }

    @Test func theLogIsBounded() async throws {
        try await withProvider {
            $0.logLimit = 10
        } _: { provider, server in
            let authorization = try server.authorization()
            for _ in 1...25 { try await provider.push(TestPush(authorization)) }
            #expect(try server.records.map(\.sequence) == Array(16...25))
            #expect(server.engine.gateway.withLock { $0.log.dropped } == 15)
        }
    }
}
