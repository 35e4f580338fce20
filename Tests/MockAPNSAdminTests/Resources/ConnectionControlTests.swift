import Foundation
import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// `POST /api/v1/connections/…/goaway` and `…/close`, over HTTP as their users call them.
@Suite struct ConnectionControlTests {
    @Test func goAwayIsSentToOneConnection() async throws {
        try await withAdmin { server, admin in
            let provider = try await TestProvider.raw(to: server)
            let answer = try await admin.send(
                "POST", "/api/v1/connections/1/goaway", body: #"{"reason": "Shutdown", "then": "stayOpen"}"#)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"connections":[1]}"#)
            // When the answer is here, the frame is on its way: nothing to wait for but the network.
            try await provider.wait { $0.frames.goAways.isEmpty ? nil : true }
            #expect(try await provider.frames.goAways == [.reason("Shutdown", lastStream: 0)])
            await provider.close()
        }
    }

    @Test func aListSendsSeveralFramesToAll() async throws {
        try await withAdmin { server, admin in
            let providers = [try await TestProvider.raw(to: server), try await TestProvider.raw(to: server)]
            let answer = try await admin.send(
                "POST", "/api/v1/connections/all/goaway", body: #"[{"reason": "Shutdown", "lastStream": "all"}, {}]"#)
            #expect(answer.text == #"{"connections":[1,2]}"#)
            for provider in providers {
                #expect(
                    try await provider.framesUntilEnd().goAways == [
                        .reason("Shutdown", lastStream: .max), .init(lastStream: 0, errorCode: 0, text: ""),
                    ])
            }
            try await server.until { server in (1...2).allSatisfy { server.connection($0)?.closedAt != nil } }
            let none = try await admin.send("POST", "/api/v1/connections/all/goaway", body: "{}")
            #expect(none.status == 200)
            #expect(none.text == #"{"connections":[]}"#)
        }
    }

    @Test(arguments: [("end", true, false), ("truncate", false, false), ("reset", false, true)])
    func aConnectionIsClosedInEachWay(word: String, saidGoodbye: Bool, wasReset: Bool) async throws {
        try await withAdmin { server, admin in
            let provider = try await TestProvider.raw(to: server)
            #expect(try await admin.send("POST", "/api/v1/connections/1/close", body: "\"\(word)\"").status == 200)
            let end = try await provider.end()
            #expect(end == (saidGoodbye, wasReset))
        }
    }

    static let wrong: [(path: String, body: String, status: Int, pointer: String, message: String)] = [
        ("1/goaway", #"{"reson": "Shutdown"}"#, 400, "/reson", "did you mean \"reason\"?"),
        ("1/goaway", #"{"reason": "Shutdwn"}"#, 400, "/reason", "Shutdown"),
        ("1/goaway", #"[{}, {"errorCode": "NOERROR"}]"#, 400, "/1/errorCode", "NO_ERROR"),
        ("1/goaway", #"{"lastStream": 3}"#, 400, "/lastStream", "\"this\""),
        ("1/goaway", #"{"beforeSettings": true}"#, 400, "/beforeSettings", "connect"),
        ("1/goaway", "[]", 400, "", "The body is a list"),
        ("1/goaway", "7", 400, "", "The body is 7"),
        ("1/goaway", " ", 400, "", "not JSON at line 1, column 2"),
        ("1/goaway", #"{"reason": "#, 400, "", "not JSON"),
        ("1/close", #""reste""#, 400, "", "did you mean \"reset\"?"),
        ("1/close", "{}", 400, "", "The body is an object"),
        ("9/goaway", "{}", 404, "", "\"9\""),
        ("9/close", #""end""#, 404, "", "\"9\""),
        ("0/close", #""end""#, 404, "", "\"0\""),
        ("one/close", #""end""#, 404, "", "\"one\""),
        ("99999999999999999999/goaway", "{}", 404, "", "\"99999999999999999999\""),
    ]

    @Test(arguments: wrong.indices)
    func wrongInputSaysWhatAndWhere(index: Int) async throws {
        let row = Self.wrong[index]
        try await withAdmin { server, admin in
            let provider = try await TestProvider.raw(to: server)
            let answer = try await admin.send("POST", "/api/v1/connections/" + row.path, body: row.body)
            #expect(answer.status == row.status)
            #expect(answer.error["pointer"] as? String == row.pointer)
            #expect(answer.errorMessage.contains(row.message), "\(answer.errorMessage)")
            #expect(!answer.errorMessage.contains("scenario"), "\(answer.errorMessage)")
            // Nothing was done.
            try await provider.ping()
            #expect(try await provider.frames.goAways.isEmpty)
        }
    }

    @Test func aBodyIsBounded() async throws {
        try await withAdmin { _, admin in
            let long = #"{"text": ""# + String(repeating: "x", count: 2 << 20) + #""}"#
            let answer = try await admin.send("POST", "/api/v1/connections/all/goaway", body: long)
            #expect(answer.status == 413)
        }
    }

    @Test func aConnectionThatHasEndedIsUnknown() async throws {
        try await withAdmin { server, admin in
            let provider = try await TestProvider.raw(to: server)
            await provider.close()
            try await server.until { $0.connection(1)?.closedAt != nil }
            #expect(try await admin.send("POST", "/api/v1/connections/1/close", body: #""end""#).status == 404)
            // But it is still listed.
            #expect(try await admin.get("/api/v1/connections").text.contains(#""closedBy":"client""#))
        }
    }
}
