import Foundation
import MockAPNSCore
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// What a person reads on a device, over HTTP as its users ask for it.
@Suite struct AdminScreenTests {
    private static let localized = #"{"aps": {"alert": {"title-loc-key": "WON", "loc-key": "LOST"}}}"#

    private static func scenario(strings: String) -> String {
        #"{"apps": [{"topic": "com.example.app", "name": "Chess", "language": "de", "strings": \#(strings)}]}"#
    }

    private func shown(_ admin: AdminClient) async throws -> [String: Any] {
        let device = try await admin.get("/api/v1/devices/\(TestPush.device)").object
        let displayed = try #require(device["displayed"] as? [[String: Any]])
        return try #require(displayed.first?["shown"] as? [String: Any])
    }

    @Test("Strings in the scenario and in files of both kinds", arguments: [nil, "strings", "xcstrings"])
    func strings(file: String?) async throws {
        try await withFolder { folder in
            let texts = [
                "strings": #""WON" = "Gewonnen";"#,
                "xcstrings": #"""
                {"sourceLanguage": "en", "strings": {"WON": {"localizations": {"de": {"stringUnit": {"value": "Gewonnen"}}}}}}
                """#,
            ]
            if let file, let text = texts[file] { try write(Array(text.utf8), to: folder.appending("texts.\(file)")) }
            let strings = file.map { "\"texts.\($0)\"" } ?? #"{"de": {"WON": "Gewonnen"}}"#
            try write(Array(Self.scenario(strings: strings).utf8), to: folder.appending("scenario.json"))
            try await withAdmin {
                $0.scenario = .file(folder.appending("scenario.json"))
            } _: { server, admin async throws in
                let provider = try await TestProvider.connect(to: server)
                try await provider.push(TestPush(server.authorization(), body: Self.localized))
                let shown = try await shown(admin)
                #expect(shown["app"] as? String == "Chess" && shown["title"] as? String == "Gewonnen")
                #expect(shown["body"] as? String == "LOST" && (shown["notes"] as? [String])?.count == 1)
                // Every question is answered by the same texts.
                let screen = try await admin.get("/api/v1/requests/1/screen")
                #expect(screen.object["shows"] as? String == "notification")
                #expect((screen.object["shown"] as? [String: Any])?["title"] as? String == "Gewonnen")
                #expect(try await admin.get("/api/v1/requests/2/screen").status == 404)
            }
        }
    }

    /// Seconds since 1970, as the scenario's clock begins.
    private static let began = 1_767_225_600

    private static func liveActivity(_ event: String, at seconds: Int, _ more: String = "") -> String {
        #"{"aps": {"event": "\#(event)", "timestamp": \#(began + seconds), "content-state": {"score": "1-0"}\#(more)}}"#
    }

    @Test("What a device ignored is not what it shows", arguments: [true, false])
    func ignoredPushes(isDeclared: Bool) async throws {
        let device = #", "devices": [{"name": "alice", "token": "\#(TestPush.device)"}]"#
        try await withAdmin {
            $0.play(#"{"clock": {"manual": "2026-01-01T00:00:00Z"}\#(isDeclared ? device : "")}"#)
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let start = #", "attributes-type": "Match", "attributes": {}, "alert": {"title": "Begins"}"#
            let bodies = [
                Self.liveActivity("start", at: 10, start), Self.liveActivity("update", at: 20),
                Self.liveActivity("update", at: 5), Self.liveActivity("end", at: 30),
                Self.liveActivity("update", at: 40),
            ]
            // A new provider token for each would be too many.
            let authorization = try server.authorization()
            for body in bodies {
                let fields = [
                    ("apns-push-type", "liveactivity"), ("apns-topic", "com.example.app.push-type.liveactivity"),
                ]
                let push = TestPush(authorization, fields, body: body)
                #expect(try await provider.push(push).status == "200")
            }
            var screens: [[String?]] = []
            for number in 1...bodies.count {
                let screen = try await admin.get("/api/v1/requests/\(number)/screen").object
                screens.append([screen["shows"] as? String, screen["text"] as? String])
            }
            #expect(
                screens == [
                    ["activity", "The device starts a Live Activity, and lights its screen."],
                    ["activity", "The device updates a Live Activity."],
                    ["nothing", #"The device ignored the push. Its "timestamp" is before that of what is shown."#],
                    ["activity", "The device ends a Live Activity."],
                    ["nothing", "The device ignored the push. The Live Activity had ended."],
                ])
        }
    }

    @Test func mistakesInStringsFilesHaveTheirPosition() async throws {
        try await withFolder { folder in
            try write(Array("\"A\" = \"a\";\n\"B\" \"b\";".utf8), to: folder.appending("de.strings"))
            let scenario = ScenarioSource.json(Self.scenario(strings: #""de.strings""#), folder: folder)
            let error = await #expect(throws: StartError.self) {
                try await MockAPNSServer.withServer(.init(scenario: scenario)) { _ in }
            }
            #expect(error?.description == "\(folder)/de.strings:2:5: expected \"=\" after the key.")
        }
    }

    @Test("The API does not let anybody read files as strings")
    func noFiles() async throws {
        try await withAdmin { _, admin async throws in
            let scenario = Self.scenario(strings: #""/etc/passwd.strings""#)
            let answer = try await admin.send("PUT", "/api/v1/scenario", body: scenario)
            #expect(answer.status == 400 && answer.text.contains("/apps/0/strings"))
            #expect(answer.text.contains("names a file; expected the strings themselves"))
            let session = try await admin.send("POST", "/api/v1/sessions", body: #"{"scenario": \#(scenario)}"#)
            #expect(session.status == 400 && session.text.contains("/scenario/apps/0/strings"))
        }
    }

    @Test func aNotificationIsDismissed() async throws {
        try await withAdmin { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            for _ in 0..<2 { try await provider.push(TestPush(server.authorization())) }
            let path = "/api/v1/devices/\(TestPush.device)/displayed"
            let answer = try await admin.send("DELETE", "\(path)/1")
            #expect(answer.status == 200 && answer.list("displayed").map { $0["sequence"] as? Int } == [2])
            for gone in ["1", "7", "x"] { #expect(try await admin.send("DELETE", "\(path)/\(gone)").status == 404) }
        }
    }
}
