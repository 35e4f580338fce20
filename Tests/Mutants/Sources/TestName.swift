import Foundation

/// A test function.
struct TestName: Sendable {
    /// `MockAPNSCoreTests.MailboxTests/theOldestGoes()`
    var id: String
    /// What the test library calls it when it tells of it.
    var shown: String

    /// All tests; they have to pass.
    static func all(in package: MutatedPackage) throws -> [TestName] {
        let events = package.folder.appending(path: "tests.jsonl")
        try? FileManager.default.removeItem(at: events)
        var command = package.testCommand(nil, environment: [:], processorTime: 600, time: 1200)
        command.arguments += ["--event-stream-output-path", events.path, "--event-stream-version", "0"]
        command.stopsAt = nil
        let outcome = try command.run()
        if outcome.status != 0 { throw Failure("The tests fail without any mutant:\n\(outcome.output.suffix(4000))") }
        struct Line: Decodable {
            struct Payload: Decodable {
                var kind: String
                var id: String?
                var name: String?
                var displayName: String?
            }
            var kind: String
            var payload: Payload
        }
        let lines = try String(contentsOf: events, encoding: .utf8).split(separator: "\n")
            .compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        var names: [String: TestName] = [:]
        for line in lines where line.kind == "test" && line.payload.kind == "function" {
            // MockAPNSCoreTests.MailboxTests/theOldestGoes()/MailboxTests.swift:12:6
            guard let id = line.payload.id?.replacing(/\/[^\/]+\.swift:\d+:\d+$/, with: "") else { continue }
            let shown = line.payload.displayName.map { "\"\($0)\"" } ?? line.payload.name ?? id
            names[id] = TestName(id: id, shown: shown)
        }
        if names.isEmpty { throw Failure("There are no tests.") }
        return names.values.sorted { $0.id < $1.id }
    }

    /// Whether it is the one that failed; after a crash, that which began last.
    func hasFailed(in output: String) -> Bool {
        if output.contains("Test \(shown) recorded an issue") { return true }
        guard !output.contains("recorded an issue"), let last = output.ranges(of: "Test \(shown) started.").last else {
            return false
        }
        return output[last.upperBound...].firstRange(of: " started.") == nil
    }
}

extension MutatedPackage {
    /// Runs some tests, `nil` for all, one after the other until one fails.
    func testCommand(
        _ ids: [String]?, environment: [String: String], processorTime: Int, time: Double
    ) -> Command {
        #if os(Linux)
        var arguments = [testBundle.path, "--testing-library", "swift-testing"]
        #else
        var arguments = ["swift", "test", "--skip-build", "--package-path", folder.path]
        #endif
        arguments.append("--no-parallel")
        if let ids {
            let escaped = ids.map { $0.replacing(/[.()\/]/) { "\\\($0.output)" } }
            arguments += ["--filter", "^(\(escaped.joined(separator: "|")))(/|$)"]
        }
        var environment = environment
        // A crash is told by the exit code; writing where it was takes seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return Command(
            arguments: arguments, environment: environment, processorTime: processorTime, time: time,
            stopsAt: "recorded an issue")
    }
}
