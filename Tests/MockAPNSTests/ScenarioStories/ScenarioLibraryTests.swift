import Foundation
import MockAPNSCore
import SystemPackage
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// The files of the folder `scenarios`, each played with a good provider.
@Suite struct ScenarioLibraryTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../scenarios")

    static let stories = [
        connectionStories, throttlingStories, answerStories, deviceStories, outageStories, hostileStories,
        broadcastStories,
    ].reduce(into: [:]) { $0.merge($1) { _, _ in fatalError("two stories have one name") } }

    /// The names of the files, and of stories whose files are missing.
    static let names = Set(
        try! FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") && $0 != "scenario.schema.json" }.map { String($0.dropLast(5)) }
    ).union(stories.keys).sorted()

    private static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: "\(name).json")))
    }

    private static func read(_ bytes: [UInt8], _ name: String) throws -> Scenario {
        let (scenario, mistakes) = Scenario.read(bytes)
        let lines = ScenarioMistake.lines(mistakes, file: "scenarios/\(name).json", bytes).joined(separator: "\n")
        return try #require(scenario, "\(lines)")
    }

    /// Plays a scenario's text with the story of that name; what comes of its own expectations, and of others; and of
    /// those when they are judged by the file of the log, after the server has ended.
    private static func play(
        _ text: [UInt8], _ name: String, expecting scenario: Scenario, isScripted: Bool
    ) async throws -> (own: Verification, others: Verification, recorded: Verification) {
        try await withFolder { folder in
            let log = folder.appending("log.jsonl")
            let (own, others) = try await play(
                text, name, expecting: scenario, isScripted: isScripted, log: .file(log))
            return (own, others, try RecordedVerdict(logs: [log.string], of: scenario).verification)
        }
    }

    private static func play(
        _ text: [UInt8], _ name: String, expecting scenario: Scenario, isScripted: Bool, log: LogDestination
    ) async throws -> (Verification, Verification) {
        let story = try #require(stories[name], "scenarios/\(name).json has no story in ScenarioStories")
        return try await withServer {
            $0.play(String(decoding: text, as: UTF8.self))
            $0.log = log
        } _: { server in
            let provider = GoodProvider(server, scenario, isScripted: isScripted)
            try await story(provider)
            await server.finishTimeline()
            let verifications = (
                await server.verification(), try await server.verification(of: scenario.expectations)
            )
            await provider.close()
            return verifications
        }
    }

    @Test("A good provider meets what is expected", arguments: names)
    func goodProvider(_ name: String) async throws {
        let bytes = try Self.bytes(name)
        let scenario = try Self.read(bytes, name)
        #expect(scenario.name == name)
        #expect(scenario.description?.isEmpty == false)
        #expect(!scenario.expectations.isEmpty)
        let (own, others, recorded) = try await Self.play(bytes, name, expecting: scenario, isScripted: true)
        #expect(own.passed, "\(own)")
        // The same, judged by the log.
        #expect(others.passed, "\(others)")
        #expect(recorded.results.map(\.description) == own.results.map(\.description))
    }

    @Test("Without its script no scenario meets what is expected", arguments: names)
    func withoutScript(_ name: String) async throws {
        let bytes = try Self.bytes(name)
        let expected = try Self.read(bytes, name)
        var text = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        for key in ["rules", "timeline", "broadcast", "apps", "expect"] { text[key] = nil }
        let devices = text["devices"] as? [[String: Any]] ?? []
        text["devices"] = devices.map { device in
            let more = device["activities"] == nil ? [] : ["activities", "online"]
            let kept = ["name", "token", "topic", "topics", "pushToStartToken"] + more
            return device.filter { kept.contains($0.key) }
        }
        let stripped = [UInt8](try JSONSerialization.data(withJSONObject: text))
        // A log does not say how apps and declared devices are at first; they are as the scenario has them that judges.
        var judging = try Self.read(stripped, name)
        judging.expectations = expected.expectations
        let (_, others, recorded) = try await Self.play(stripped, name, expecting: judging, isScripted: false)
        #expect(!others.passed, "\(others)")
        #expect(recorded.results.map(\.description) == others.results.map(\.description))
    }

    @Test("README.md has a row for each file")
    func readme() throws {
        let text = try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").compactMap {
            $0.wholeMatch(of: /\| \[([a-z0-9-]+)\]\(([a-z0-9-]+)\.json\) \|.*/)
        }
        for row in rows { #expect(row.1 == row.2) }
        #expect(rows.map { String($0.1) }.sorted() == Self.names)
    }
}
