import Foundation
import Logging
import MockAPNS
import MockAPNSAdmin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The admin API, over HTTP as its users call it.
@Suite struct AdminTests {
    @Test func tellsWhetherItIsAliveAndReady() async throws {
        try await withAdmin { _, admin in
            let status1 = try await admin.get("/livez").status
            #expect(status1 == 200)
            let status2 = try await admin.get("/readyz").status
            #expect(status2 == 200)
        }
    }

    @Test func isNotReadyOnceTheServerIsStopped() async throws {
        try await withAdmin { server, admin in
            await server.stop()
            let status3 = try await admin.get("/readyz").status
            #expect(status3 == 503)
            let status4 = try await admin.get("/livez").status
            #expect(status4 == 200)
        }
    }

    @Test func findsRequestsByTheirFields() async throws {
        try await withPushes { _, admin in
            let all = try await admin.get("/api/v1/requests").requests
            #expect(all.map { $0["status"] as? Int } == [200, 400, 405])
            let refused = try await admin.get("/api/v1/requests?reason=BadDeviceToken").requests
            #expect(refused.count == 1)
            #expect((refused.first?["explanation"] as? String)?.contains("\"abc\"") == true)
            let requests5 = try await admin.get("/api/v1/requests?status=200&topic=com.example.app").requests
            #expect(requests5.count == 1)
            let requests6 = try await admin.get("/api/v1/requests?status=200&reason=BadTopic").requests
            #expect(requests6.isEmpty)
            let newest = try await admin.get("/api/v1/requests?order=desc&limit=1")
            #expect(newest.requests.map { $0["sequence"] as? Int } == [3])
            #expect(newest.object["total"] as? Int == 3)
            let requests7 = try await admin.get("/api/v1/requests?after=2").requests
            #expect(requests7.map { $0["sequence"] as? Int } == [3])
        }
    }

    @Test func findsOneRequestByNumberAndByID() async throws {
        try await withPushes { _, admin in
            let first = try await admin.get("/api/v1/requests/1")
            #expect(first.object["sequence"] as? Int == 1)
            let id = try #require(first.object["apnsID"] as? String)
            let object8 = try await admin.get("/api/v1/requests/\(id.lowercased())").object
            #expect(object8["sequence"] as? Int == 1)
            let missing = try await admin.get("/api/v1/requests/99")
            #expect(missing.status == 404)
            #expect(missing.errorMessage.contains("\"99\""))
        }
    }

    @Test func forgetsRequests() async throws {
        try await withPushes { _, admin in
            let object9 = try await admin.send("DELETE", "/api/v1/requests?status=405").object
            #expect(object9["deleted"] as? Int == 1)
            let requests10 = try await admin.get("/api/v1/requests").requests
            #expect(requests10.map { $0["status"] as? Int } == [200, 400])
            let object11 = try await admin.send("DELETE", "/api/v1/requests").object
            #expect(object11["deleted"] as? Int == 2)
            let requests12 = try await admin.get("/api/v1/requests").requests
            #expect(requests12.isEmpty)
        }
    }

    @Test(arguments: [
        ("/api/v1/requests?statu=200", "status"), ("/api/v1/requests?status=ok", "status"),
        ("/api/v1/requests?limit=1001", "1000"), ("/api/v1/requests?order=up", "desc"),
        ("/api/v1/identity?format=xml", "shell"), ("/api/v1/identity?formt=shell", "format"),
        ("/api/v1/summary?status=200", "takes none"),
    ])
    func saysWhatIsWrong(with path: String, naming word: String) async throws {
        try await withAdmin { _, admin in
            let answer = try await admin.get(path)
            #expect(answer.status == 400)
            #expect(answer.errorMessage.contains(word))
            let name = path.split(separator: "?")[1].split(separator: "=")[0]
            #expect((answer.object["error"] as? [String: Any])?["pointer"] as? String == "/\(name)")
        }
    }

    @Test func percentEncodingIsReadOrRefused() async throws {
        try await withPushes { _, admin in
            #expect(try await admin.get("/api/v1/requests/%31").object["sequence"] as? Int == 1)
            #expect(try await admin.get("/api/v1/requests?status=%32%30%30").requests.count == 1)
            #expect(try await admin.get("/api/v1/requests/?status=200").requests.count == 1)
            for path in ["requests?topic=%FF", "requests/%FF"] {
                let answer = try await admin.get("/api/v1/\(path)")
                #expect(answer.status == 400 && answer.errorMessage.contains("percent-encoding"))
            }
        }
    }

    @Test func conditionsOfWhatIsForgottenAreNoBody() async throws {
        try await withPushes { _, admin in
            let answer = try await admin.send("DELETE", "/api/v1/requests", body: #"{"requests": {"status": 200}}"#)
            #expect(answer.status == 400 && answer.errorMessage.contains("status=410"))
            #expect(try await admin.get("/api/v1/requests").requests.count == 3)
        }
    }

    @Test(
        "A search that is not plain equality forgets what it finds, and nothing else",
        arguments: [
            #"{"status": {"atLeast": 400, "atMost": 404}}"#, #"{"status": {"not": 200}}"#,
            #"{"body": {"matches": ".*"}}"#,
            #"{"payload": {"/aps/alert": {"exists": true}}}"#, #"{"status": 429}"#, "{}",
            #"{"sentBy": {"oneOf": ["provider", "admin"]}}"#,
        ])
    func forgetsNoMoreThanASearchFinds(match: String) async throws {
        try await withPushes { _, admin in
            let push = #"{"token": "\#(String(repeating: "ab", count: 32))"}"#
            #expect(try await admin.send("POST", "/api/v1/pushes", body: push).status == 200)
            let everyone = #"{"requests": {"sentBy": {"oneOf": ["provider", "admin"]}}}"#
            func sequences(_ question: String) async throws -> Set<Int> {
                let page = try await admin.send("POST", "/api/v1/requests/find", body: question)
                return Set(page.requests.compactMap { $0["sequence"] as? Int })
            }
            let all = try await sequences(everyone)
            let found = try await sequences(#"{"requests": \#(match)}"#)
            #expect(all.count == 4)
            let answer = try await admin.send("POST", "/api/v1/requests/delete", body: #"{"requests": \#(match)}"#)
            #expect(answer.object["deleted"] as? Int == found.count)
            #expect(try await sequences(everyone) == all.subtracting(found))
        }
    }

    @Test(
        "Nothing is forgotten by a question with a mistake, or by none",
        arguments: [
            ("DELETE", "?status=4xx", "", "/status"), ("DELETE", "?sent=admin", "", "/sent"),
            ("DELETE", "?limit=1", "", "/limit"), ("DELETE", "", #"{"requests": {"status": 200}}"#, ""),
            ("POST", "/delete", "{}", ""), ("POST", "/delete", "", ""),
            ("POST", "/delete", #"{"request": {"status": 200}}"#, "/request"),
            ("POST", "/delete", #"{"requests": {"status": {"atLest": 400}}}"#, "/requests/status/atLest"),
            ("POST", "/delete", #"{"requests": {"status": 200}, "limit": 1}"#, "/limit"),
        ])
    func mistakesForgetNothing(method: String, path: String, body: String, pointer: String) async throws {
        try await withPushes { _, admin in
            let answer = try await admin.send(method, "/api/v1/requests\(path)", body: body)
            #expect(answer.status == 400)
            #expect((answer.object["error"] as? [String: Any])?["pointer"] as? String == pointer)
            #expect(try await admin.get("/api/v1/requests").requests.count == 3)
        }
    }

    @Test func answersUnknownPathsInJSON() async throws {
        try await withAdmin { _, admin in
            let answer = try await admin.get("/api/v1/request")
            #expect(answer.status == 404)
            #expect(answer.errorMessage.contains("/api/v1/request"))
        }
    }

    @Test func showsConnectionsWithTheirCountersOfNow() async throws {
        try await withPushes { _, admin in
            let connections = try await admin.get("/api/v1/connections").object["connections"] as? [[String: Any]]
            let connection = try #require(connections?.first)
            #expect(connection["id"] as? Int == 1)
            #expect(connection["requests"] as? Int == 3)
            #expect(connection["teamID"] as? String == "DEF123GHIJ")
            #expect(connection["tlsVersion"] as? String == "TLSv1.3")
            #expect(connection["alpn"] as? String == "h2")
            #expect(connection["closedAt"] is NSNull)
            #expect(connection["providerTokens"] as? Int == 1)
            let bytesReceived = try #require(connection["bytesReceived"] as? Int)
            #expect(bytesReceived > 500)
            #expect(connection["settingsSent"] as? Int == 2)
        }
    }

    @Test func sumsUp() async throws {
        try await withPushes { _, admin in
            let summary = try await admin.get("/api/v1/summary").object
            #expect(summary["requests"] as? Int == 3)
            #expect(summary["byStatus"] as? [String: Int] == ["200": 1, "400": 1, "405": 1])
            #expect(summary["byReason"] as? [String: Int] == ["BadDeviceToken": 1, "MethodNotAllowed": 1])
            let metrics = try await admin.get("/metrics")
            #expect(metrics.text.contains("mock_apns_requests_total 3\n"))
            #expect(metrics.text.contains(#"mock_apns_rejections_total{reason="BadDeviceToken"} 1"#))
        }
    }

    @Test func namesThePathNearestToAnUnknownOne() async throws {
        try await withAdmin { server, admin in
            for (method, path, meant) in [
                ("GET", "/api/v1/request", "/api/v1/requests"), ("GET", "/requests?limit=1", "/api/v1/requests"),
                ("GET", "/api/requests", "/api/v1/requests"), ("GET", "/v1/requests", "/api/v1/requests"),
                ("GET", "/api/v2/requests/", "/api/v1/requests"), ("GET", "/api/v1/device", "/api/v1/devices"),
                ("PATCH", "/api/v1/device/alice", "/api/v1/devices/alice"), ("GET", "/device/a", "/api/v1/devices/a"),
                ("POST", "/api/v1/request/cuont", "/api/v1/requests/count"),
                ("POST", "/api/v1/connection/1/goAway", "/api/v1/connections/1/goaway"),
                ("GET", "/api/v1/logs", "/api/v1/requests"), ("POST", "/verify", "/api/v1/verify"),
                ("GET", "/health", "/readyz"), ("GET", "/healthz", "/readyz"), ("GET", "/metric", "/metrics"),
            ] {
                let answer = try await admin.send(method, path)
                let asked = path.prefix { $0 != "?" }
                #expect(answer.status == 404 && answer.error["code"] as? String == "notFound")
                #expect(
                    answer.errorMessage == "There is no endpoint \"\(method) \(asked)\"; did you mean \(meant)?",
                    "\(answer.text)")
            }
            for path in ["/", "/nothing", "/api/v1", "/api/v1/x", "/api/v1/clock/forward/2"] {
                let answer = try await admin.get(path)
                #expect(!answer.text.contains("did you mean"), "\(path): \(answer.text)")
            }
            #expect(try await admin.send("POST", "/3/device/00").errorMessage.contains("pushes go to \(server.url)"))
        }
    }

    @Test func givesTheIdentityAsJSON() async throws {
        try await withAdmin { server, admin in
            let identity = try await admin.get("/api/v1/identity").object
            #expect(identity["apns"] as? String == server.url)
            #expect(identity["admin"] as? String == admin.url)
            #expect(identity["keyID"] as? String == "ABC123DEFG")
            let authority = String(decoding: server.identity.certificateAuthority, as: UTF8.self)
            #expect(identity["certificateAuthority"] as? String == authority)
        }
    }

    @Test func givesTheIdentityToAShell() async throws {
        try await withAdmin { server, admin in
            let script = try await admin.get("/api/v1/identity?format=shell").text
            let text = try await shell(
                script + #"cat "$MOCK_APNS_CA" "$MOCK_APNS_KEY"; rm -r "$MOCK_APNS_CERTS""#
                    + #"; echo "$MOCK_APNS_HOST:$MOCK_APNS_PORT""#)
            let identity = server.identity
            #expect(
                text == String(decoding: identity.certificateAuthority + identity.signingKey, as: UTF8.self)
                    + "127.0.0.1:\(server.ports[0])\n")
        }
    }

    /// A connection that was accepted and not looked at any more when the listener ended was a crash.
    @Test func whoConnectsWhileTheListenerEndsBreaksNothing() async throws {
        try await withServer { server in
            for _ in 0..<20 {
                let admin = try await AdminServer.start(for: server, logger: quiet)
                let port = try AdminClient(url: admin.url).port
                let connecting = Task {
                    while let client = try? await TestProvider.connect(port: port, speech: .tcp) {
                        await client.close()
                    }
                }
                _ = try await TestProvider.connect(port: port, speech: .tcp).close()
                await admin.stop()
                await connecting.value
            }
        }
    }

    @Test func saysWhichPortIsTaken() async throws {
        try await withAdmin { server, admin in
            let port = try #require(URL(string: admin.url)?.port)
            await #expect(throws: StartError.self) {
                _ = try await AdminServer.start(for: server, host: "127.0.0.1", port: port, logger: quiet)
            }
        }
    }
}

/// A server that has had three requests on one connection: a good push, a bad device token, a GET.
private func withPushes(_ body: (MockAPNSServer, AdminClient) async throws -> Void) async throws {
    try await withAdmin { server, admin in
        let provider = try await TestProvider.connect(to: server)
        let authorization = try server.authorization()
        try await provider.push(TestPush(authorization))
        try await provider.push(TestPush(authorization, [(":path", "/3/device/abc")]))
        try await provider.push(TestPush(authorization, [(":method", "GET")], body: nil))
        try await body(server, admin)
        await provider.close()
    }
}
