import Foundation
import MockAPNSAdmin
import MockAPNSCore
import MockAPNSTransport
import Synchronization
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Sessions over the admin API: many tests, one server.
@Suite struct AdminSessionsTests {
    private func port(of session: AdminClient.Answer) -> Int {
        (session.object["apns"] as? String)?.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    @Test func aSessionIsAServerOfItsOwn() async throws {
        try await withAdmin { server, admin async throws in
            let body = #"{"name": "a", "scenario": {"rules": [{"then": {"reject": "Shutdown"}}]}}"#
            let opened = try await admin.send("POST", "/api/v1/sessions", body: body)
            #expect(opened.status == 201)
            #expect(opened.object["name"] as? String == "a")
            #expect(opened.object["admin"] as? String == admin.url + "/api/v1/sessions/a")
            let identity = try await admin.get("/api/v1/identity").object
            for shared in ["certificateAuthority", "clientCertificate", "keyID"] {
                #expect(opened.object[shared] as? String == identity[shared] as? String)
            }
            let own = try await TestProvider.connect(port: port(of: opened))
            let push = try TestPush(server.authorization())
            #expect(try await own.push(push).reason == "Shutdown")
            let common = try await TestProvider.connect(to: server)
            #expect(try await common.push(push).status == "200")

            let session = AdminClient(url: admin.url + "/api/v1/sessions/a")
            #expect(try await session.get("/requests?status=503&limit=5").requests.count == 1)
            #expect(try await session.get("/connections").list("connections").count == 1)
            #expect(try await admin.get("/api/v1/requests").requests.map { $0["status"] as? Int } == [200])
            #expect(try await admin.get("/api/v1/sessions/default/requests").requests.count == 1)
            let found = try await admin.get("/api/v1/sessions/a").object
            #expect(found["requests"] as? Int == 1 && found["connections"] as? Int == 1)
            #expect(try await admin.get("/metrics").text.contains("\nmock_apns_requests_total 2\n"))

            #expect(try await session.send("POST", "/reset").status == 200)
            #expect(try await session.get("/requests").requests.isEmpty)
            #expect(try await admin.get("/api/v1/requests").requests.count == 1)
        }
    }

    @Test func aServerNameLeadsToItsSession() async throws {
        try await withAdmin {
            $0.serverNames = ["checkout.test"]
        } _: { server, admin async throws in
            let body =
                #"{"name":"b","serverName":"Checkout.test","scenario":{"rules":[{"then":{"reject":"Shutdown"}}]}}"#
            #expect(try await admin.send("POST", "/api/v1/sessions", body: body).status == 201)
            var tls = TestTLSClient.Setup()
            tls.serverName = "checkout.test"
            let provider = try await TestProvider.connect(to: server, tls: tls)
            let push = try TestPush(server.authorization())
            #expect(try await provider.push(push).reason == "Shutdown")
            #expect(try await admin.get("/api/v1/connections").list("connections").isEmpty)
            #expect(try await admin.get("/api/v1/sessions/b/connections").list("connections").count == 1)
            // The connection ends with its session.
            #expect(try await admin.send("DELETE", "/api/v1/sessions/b").status == 200)
            let ended = try await provider.wait { $0.hasEnded ? $0.summary : nil }
            #expect(ended.frames.contains { $0.type == 7 }, "\(ended)")
            let other = try await TestProvider.connect(to: server, tls: tls)
            #expect(try await other.push(push).status == "200")
        }
    }

    @Test func endingASessionTellsItsVerdict() async throws {
        try await withAdmin { server, admin async throws in
            let expect = #"{"name": "c", "scenario": {"expect": [{"name": "one", "requests": {}, "count": 1}]}}"#
            let opened = try await admin.send("POST", "/api/v1/sessions", body: expect)
            let provider = try await TestProvider.connect(port: port(of: opened))
            try await provider.push(TestPush(server.authorization()))
            let ended = try await admin.send("DELETE", "/api/v1/sessions/c")
            #expect(ended.object["passed"] as? Bool == true && ended.list("results").count == 1)
            #expect(try await admin.send("DELETE", "/api/v1/sessions/c").status == 404)
            #expect(try await admin.get("/api/v1/sessions").list("sessions").isEmpty)
            // What it has counted stays in the totals.
            #expect(try await admin.get("/metrics").text.contains("\nmock_apns_requests_total 1\n"))
            #expect(try await admin.send("POST", "/api/v1/sessions", body: #"{"name": "c"}"#).status == 201)
        }
    }

    @Test func sessionPortsAreFreeOnceDeletionIsAnswered() async throws {
        try await withAdmin { server, admin async throws in
            let opened = try await admin.send("POST", "/api/v1/sessions", body: #"{"name": "j"}"#)
            let body = #"{"name": "j", "port": \#(port(of: opened))}"#
            for _ in 0..<20 {
                // A push without an answer keeps the session's connection for seconds.
                let session = AdminClient(url: admin.url + "/api/v1/sessions/j")
                #expect(try await session.send("POST", "/rules", body: #"{"then": {"stall": true}}"#).status == 201)
                let provider = try await TestProvider.connect(port: port(of: opened))
                _ = try await provider.start(TestPush(server.authorization()))
                _ = try await server.sessions["j"]?.server.requests(count: 1)
                #expect(try await admin.send("DELETE", "/api/v1/sessions/j").status == 200)
                let next = try await admin.send("POST", "/api/v1/sessions", body: body)
                #expect(next.status == 201, "\(next.text)")
            }
        }
    }

    @Test(arguments: [true, false])
    func nothingIsLeftOfAnEndedSession(byItself: Bool) async throws {
        try await withAdmin { server, admin async throws in
            #expect(try await admin.send("POST", "/api/v1/sessions", body: #"{"name": "h"}"#).status == 201)
            #expect(try await admin.get("/api/v1/sessions/h/requests").status == 200)
            weak let session = server.sessions["h"]
            weak let own = session?.server
            weak let engine = own?.engine
            #expect(session != nil && own != nil && engine != nil)
            if byItself {
                await server.sessions.end("h")
            } else {
                #expect(try await admin.send("DELETE", "/api/v1/sessions/h").status == 200)
            }
            try await until { session == nil }
            try await until { own == nil }
            try await until { engine == nil }
        }
    }

    @Test func sessionsAreJudgedWithTheRun() async throws {
        try await withAdmin {
            $0.keepsEarlierResults = true
        } _: { server, admin async throws in
            for name in ["ended", "open", "skipped"] {
                let body =
                    #"{"name": "\#(name)", "scenario": {"expect": [{"name": "one", "requests": {}, "count": 1}]}}"#
                #expect(try await admin.send("POST", "/api/v1/sessions", body: body).status == 201)
            }
            #expect(try await admin.send("DELETE", "/api/v1/sessions/ended?judge=true").status == 200)
            let skipped = try await admin.send("DELETE", "/api/v1/sessions/skipped?judge=false")
            #expect(skipped.status == 200 && skipped.object["passed"] as? Bool == true)
            #expect(try await admin.send("DELETE", "/api/v1/sessions/open?judge=no").status == 400)
            #expect(try await admin.send("DELETE", "/api/v1/sessions/open?jugde=true").status == 400)
            let (verification, _) = await server.verifyRun()
            #expect(verification.results.map(\.name) == ["ended: one", "open: one"])
            #expect(!verification.passed)
        }
    }

    @Test func noReasonIsGivenWhenSessionsHadRequests() async throws {
        try await withAdmin {
            $0.play(#"{"expect": [{"requests": {}, "count": 1}]}"#)
        } _: { server, admin async throws in
            let verification = await server.verification()
            #expect(server.whyNoRequest(verification) != nil)
            let opened = try await admin.send("POST", "/api/v1/sessions")
            let provider = try await TestProvider.connect(port: port(of: opened))
            try await provider.push(TestPush(server.authorization()))
            #expect(server.whyNoRequest(verification) == nil)
        }
    }

    @Test func sessionRunsContinueAfterReopeningTheLog() async throws {
        try await withFolder { folder in
            let (log, older) = (folder.appending("log.jsonl"), folder.appending("older.jsonl"))
            try await withAdmin {
                $0.log = .file(log)
            } _: { server, admin async throws in
                let opened = try await admin.send("POST", "/api/v1/sessions", body: #"{"name": "i"}"#)
                let provider = try await TestProvider.connect(port: port(of: opened))
                try await provider.push(TestPush(server.authorization()))
                try FileManager.default.moveItem(atPath: log.string, toPath: older.string)
                server.reopenLog()
                try await provider.push(TestPush(server.authorization()))
            }
            let whole = try Data(contentsOf: URL(filePath: older.string)) + Data(contentsOf: URL(filePath: log.string))
            try write(Array(whole), to: log)
            let expected = try #require(
                Scenario.read(Array(#"{"expect": [{"requests": {}, "count": 2}]}"#.utf8)).0)
            let verdict = try RecordedVerdict(logs: [log.string], session: "i", of: expected)
            #expect(verdict.verification.passed && verdict.remarks.isEmpty, "\(verdict)")
        }
    }

    @Test func aSessionsMissingKeyPreventsAnyReload() async throws {
        try await withFolder { folder in
            let key = folder.appending("mine.p8")
            try write(ES256SigningKey.generate().pem, to: key)
            try await withAdmin {
                $0.certificates = folder.appending("certs")
            } _: { server, admin async throws in
                let scenario =
                    #"{"authentication": {"teams": [{"teamID": "DEF123GHIJ", "keys": [{"keyID": "KEY1234567", "file": "\#(key)"}]}]}}"#
                let opened = try await admin.send("POST", "/api/v1/sessions", body: #"{"scenario": \#(scenario)}"#)
                #expect(opened.status == 201, "\(opened.text)")
                let version = server.engine.trustVersion.load(ordering: .acquiring)
                try FileManager.default.removeItem(atPath: key.string)
                #expect(throws: StartError.self) { try server.reload() }
                #expect(server.engine.trustVersion.load(ordering: .acquiring) == version)
            }
        }
    }

    @Test func anUnusedSessionEnds() async throws {
        try await withAdmin { server, admin async throws in
            let opened = try await admin.send("POST", "/api/v1/sessions", body: #"{"name": "d", "expiresAfter": "1s"}"#)
            #expect(opened.status == 201)
            // Whoever asks for the list asks about none of them.
            try await until { server.sessions["d"] == nil }
            #expect(try await admin.get("/api/v1/sessions/d").status == 404)
        }
    }

    @Test func aBadSessionIsRefused() async throws {
        try await withAdmin {
            $0.serverNames = ["checkout.test"]
        } _: { server, admin async throws in
            #expect(
                try await admin.send(
                    "POST", "/api/v1/sessions", body: #"{"name": "e", "serverName": "checkout.test"}"#
                ).status == 201)
            for (body, status, code, pointer) in [
                (#"{"name": "e"}"#, 409, "taken", ""), (#"{"name": "default"}"#, 409, "taken", ""),
                (#"{"name": "A b"}"#, 400, "badValue", "/name"), (#"{"nmae": "f"}"#, 400, "badValue", "/nmae"),
                (#"{"port": \#(server.ports[0])}"#, 409, "portTaken", ""),
                (#"{"serverName": "checkout.test"}"#, 409, "taken", ""),
                (#"{"serverName": "api.push.apple.com"}"#, 400, "badValue", "/serverName"),
                (#"{"serverName": "other.test"}"#, 400, "badValue", "/serverName"),
                (#"{"expiresAfter": "1ms"}"#, 400, "badValue", "/expiresAfter"),
                (
                    #"{"scenario": {"rules": [{"then": {"rejct": "x"}}]}}"#, 400, "badValue",
                    "/scenario/rules/0/then/rejct"
                ),
                ("[", 400, "badJSON", ""), ("[]", 400, "badValue", ""),
            ] {
                let answer = try await admin.send("POST", "/api/v1/sessions", body: body)
                #expect(answer.status == status && answer.error["code"] as? String == code, "\(body): \(answer.text)")
                #expect(answer.error["pointer"] as? String == pointer, "\(body): \(answer.text)")
            }
            #expect(try await admin.get("/api/v1/sessions").list("sessions").count == 1)
            let list = try await admin.send("POST", "/api/v1/sessions", body: "[]").errorMessage
            #expect(
                list.contains(#": the body is a list; expected a session, an object such as {"name": "checkout-7"}."#))
            let near = try await admin.get("/api/v1/sessions/e/request")
            #expect(near.status == 404)
            #expect(
                near.errorMessage
                    == #"There is no endpoint "GET /api/v1/sessions/e/request"; did you mean /api/v1/sessions/e/requests?"#
            )
            #expect(try await admin.send("DELETE", "/api/v1/sessions/default").status == 409)
            #expect(try await admin.get("/api/v1/sessions/e/nothing").error["code"] as? String == "notFound")
            #expect(try await admin.send("PUT", "/api/v1/sessions/e/rules").status == 405)
            #expect(
                try await admin.get("/api/v1/sessions/e/requests?statsu=1").error["pointer"] as? String == "/statsu")
        }
    }

    @Test func portsOfSessionsComeFromTheirRange() async throws {
        try await withServer { other in
            try await withAdmin {
                $0.sessionPorts = other.ports[0]...other.ports[0]
            } _: { _, admin async throws in
                let answer = try await admin.send("POST", "/api/v1/sessions", body: "{}")
                #expect(answer.status == 503 && answer.error["code"] as? String == "noSession")
            }
        }
    }

    @Test func theLinesOfALogNameTheirSession() async throws {
        try await withFolder { folder in
            let log = folder.appending("log.jsonl")
            try await withAdmin {
                $0.log = .file(log)
            } _: { server, admin async throws in
                let opened = try await admin.send("POST", "/api/v1/sessions", body: #"{"name": "g"}"#)
                for _ in 0..<2 {
                    let provider = try await TestProvider.connect(port: port(of: opened))
                    try await provider.push(TestPush(server.authorization()))
                }
                let common = try await TestProvider.connect(to: server)
                try await common.push(TestPush(server.authorization()))
            }
            let lines = try String(contentsOfFile: log.string, encoding: .utf8).split(separator: "\n")
            for line in lines {
                #expect((try? JSONText.read(Array(line.utf8))) != nil, "\(line)")
            }
            #expect(lines.count { $0.contains(#""event":"request""#) && $0.contains(#","session":"g"}"#) } == 2)
            let expected = try #require(
                Scenario.read(Array(#"{"expect": [{"requests": {}, "count": 2}]}"#.utf8)).0)
            #expect(try RecordedVerdict(logs: [log.string], session: "g", of: expected).verification.passed)
            #expect(try !RecordedVerdict(logs: [log.string], of: expected).verification.passed)
            #expect {
                try RecordedVerdict(logs: [log.string], session: "none", of: expected)
            } throws: { "\($0)".contains("there is no run of the session \"none\" in this log; it has the sessions g") }
        }
    }
}
