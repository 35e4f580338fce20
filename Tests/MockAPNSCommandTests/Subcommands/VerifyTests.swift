import Foundation
import MockAPNSCore
import SystemPackage
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSJudge

/// `mock-apns verify`: the verdict of a recorded log, its exit codes and its reports.
@Suite struct VerifyTests {
    private static let scenario = """
        {"name": "two <pushes>", "description": "Two are *sent*.",
         "expect": [{"name": "some", "requests": {"status": 200}, "count": {"atLeast": 1}},
                    {"name": "all", "requests": {"status": 200}, "count": 2}]}
        """

    /// A folder with a scenario and the log of so many pushes.
    private static func withLog(
        pushes: Int, _ body: (_ folder: FilePath, _ log: FilePath, _ scenario: FilePath) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let (log, file) = (folder.appending("log.jsonl"), folder.appending("scenario.json"))
            try write(Array(scenario.utf8), to: file)
            try await withProvider {
                $0.log = .file(log)
            } _: { provider, server in
                for _ in 0..<pushes { try await provider.push(TestPush(server.authorization())) }
            }
            try await body(folder, log, file)
        }
    }

    @Test("Expectations that hold: 0, and the report on standard error")
    func passed() async throws {
        try await Self.withLog(pushes: 2) { _, log, scenario in
            let done = try await ServerProcess.run(["verify", "--log", log.string, scenario.string])
            #expect(done.exitCode == 0)
            #expect(done.output.isEmpty)
            #expect(done.errors.contains("All 2 expectations hold."))
        }
    }

    @Test("One that fails: 1, with what was seen; the same in both files")
    func failed() async throws {
        try await Self.withLog(pushes: 1) { folder, log, scenario in
            let (junit, markdown) = (folder.appending("report.xml"), folder.appending("report.md"))
            try write(Array(repeating: 7, count: 100_000), to: junit)
            let done = try await ServerProcess.run([
                "verify", "--log", log.string, "--junit", junit.string, "--report", markdown.string, scenario.string,
            ])
            #expect(done.exitCode == 1)
            #expect(done.output.isEmpty)
            #expect(
                done.errors.contains(
                    "FAILED  all\n  expected  exactly 2 requests with status 200\n  seen      1 request"))
            let xml = try String(decoding: read(junit), as: UTF8.self)
            #expect(xml.contains(#"<testsuite name="two &lt;pushes&gt;" tests="2" failures="1" errors="0""#))
            #expect(xml.contains(#"timestamp="20"#))
            #expect(xml.hasSuffix("</testsuites>\n"))
            let text = try String(decoding: read(markdown), as: UTF8.self)
            #expect(
                text.hasPrefix("## ❌ two &lt;pushes&gt;\n\nTwo are \\*sent\\*.\n\n**1 of 2 expectations failed.**\n"))
            #expect(text.contains("| ✅ | some |"))
        }
    }

    @Test("The logs of two servers are judged as one; the same log twice is refused")
    func severalLogs() async throws {
        try await Self.withLog(pushes: 1) { folder, first, scenario in
            try await Self.withLog(pushes: 1) { _, second, _ in
                let done = try await ServerProcess.run([
                    "verify", "--log", first.string, "--log", second.string, scenario.string,
                ])
                #expect(done.exitCode == 0)
                #expect(done.errors.contains("All 2 expectations hold."))
                let three = folder.appending("three.json")
                try write(Array(#"{"expect": [{"requests": {"status": 200}, "count": 3}]}"#.utf8), to: three)
                let failed = try await ServerProcess.run([
                    "verify", "--log", first.string, "--log", second.string, three.string,
                ])
                #expect(failed.exitCode == 1)
                #expect(
                    failed.errors.contains("2 requests, numbers 1 of \(first) and 1 of \(second)"), "\(failed.errors)")
            }
            let twice = try await ServerProcess.run([
                "verify", "--log", first.string, "--log", first.string, scenario.string,
            ])
            #expect(twice.exitCode == 64)
            #expect(twice.errors.contains("names the same file twice"))
        }
    }

    @Test("A log that breaks off is judged all the same, and that is told everywhere")
    func cutOff() async throws {
        try await Self.withLog(pushes: 2) { folder, log, scenario in
            let report = folder.appending("report.md")
            let lines = try read(log)
            try write(Array(lines.dropLast(30)), to: log)
            let done = try await ServerProcess.run([
                "verify", "--log", log.string, "--report", report.string, scenario.string,
            ])
            #expect(done.exitCode == 0)
            #expect(done.errors.contains("The last line of the log is truncated"))
            #expect(
                try String(decoding: read(report), as: UTF8.self).contains("- The last line of the log is truncated"))
        }
    }

    @Test("A complete line that no server has written is not called truncated")
    func foreignLine() async throws {
        try await Self.withLog(pushes: 2) { folder, log, scenario in
            let lines = try read(log)
            try write(lines + Array("garbage\n".utf8), to: log)
            let one = try await ServerProcess.run(["verify", "--log", log.string, scenario.string])
            let number = lines.count { $0 == UInt8(ascii: "\n") } + 1
            let start = "mock-apns: Line \(number) of the log is not one that a server writes (column 1: "
            #expect(one.errors.contains(start) && !one.errors.contains("truncated"), "\(one.errors)")
            try write(lines + Array("abc\n{\"a\":1}\n{\"event\":\n".utf8), to: log)
            let several = try await ServerProcess.run(["verify", "--log", log.string, scenario.string])
            let begun = "Line \(number + 2) of the log is truncated; it was skipped."
            #expect(several.errors.contains(begun), "\(several.errors)")
            let foreign = "2 lines of the log are not ones that a server writes, the first of them line \(number) (col"
            #expect(several.errors.contains(foreign), "\(several.errors)")
        }
    }

    @Test("What cannot be understood: 65 with the place; what cannot be had: 69")
    func exitCodes() async throws {
        try await Self.withLog(pushes: 1) { folder, log, scenario in
            let (bad, missing) = (folder.appending("bad"), folder.appending("missing"))
            try write(read(log) + Array("{\"event\":7}\n".utf8), to: bad)
            let other = folder.appending("other.json")
            try write(Array(#"{"expct": []}"#.utf8), to: other)
            let lines = try read(bad).count { $0 == UInt8(ascii: "\n") }
            for (arguments, code, message) in [
                (
                    ["--log", bad.string, scenario.string], 65,
                    "\(bad):\(lines):10: \"event\" is 7; expected a text."
                ),
                (["--log", log.string, other.string], 65, "\(other):1:2: "),
                (["--log", missing.string, scenario.string], 69, "\(missing) cannot be read (there is no such file)"),
                (["--log", folder.string, scenario.string], 69, "\(folder) is a folder, but a file was expected."),
                (["--log", log.string, missing.string], 69, "There is no file \(missing)"),
                (
                    ["--log", log.string, "--junit", missing.appending("x").string, scenario.string], 69,
                    "choose another file with --junit"
                ),
                (["--log", log.string, "--report", folder.string, scenario.string], 69, "with --report"),
            ] as [([String], Int32, String)] {
                let done = try await ServerProcess.run(["verify"] + arguments)
                #expect(done.exitCode == code, "\(arguments)")
                #expect(done.output.isEmpty)
                #expect(done.errors.contains(message), "\(done.errors)")
            }
        }
    }

    @Test("What is no regular file is read as long as there is something; a device without a run says so")
    func otherFiles() async throws {
        try await Self.withLog(pushes: 2) { folder, log, scenario in
            let pipe = folder.appending("pipe")
            let made = try await ServerProcess.run(["-c", "mkfifo \(pipe)"], of: URL(filePath: "/bin/sh"))
            #expect(made.exitCode == 0)
            let verify = try await ServerProcess(["verify", "--log", pipe.string, scenario.string])
            // Opening it waits for the reader, who was there first or comes now.
            let written = try await ServerProcess.run(["-c", "cat \(log) >\(pipe)"], of: URL(filePath: "/bin/sh"))
            #expect(written.exitCode == 0)
            let done = await verify.finished()
            #expect(done.exitCode == 0, "\(done.errors)")
            #expect(done.errors.contains("All 2 expectations hold."))

            let empty = folder.appending("empty")
            try write([], to: empty)
            for (file, code, message) in [
                ("/dev/null", 65, "/dev/null:1:1: there is no run of a server in this log: the file is empty."),
                (empty.string, 65, "\(empty):1:1: there is no run of a server in this log: the file is empty."),
                ("/dev/zero", 65, "/dev/zero:1:1: expected a line of a log, a JSON object"),
                (folder.string, 69, "The log \(folder) is a folder, but a file was expected."),
            ] as [(String, Int32, String)] {
                let done = try await ServerProcess.run(["verify", "--log", file, scenario.string])
                #expect(done.exitCode == code, "\(file)")
                #expect(done.errors.hasPrefix("mock-apns: \(message)"), "\(done.errors)")
            }
        }
    }

    @Test("A scenario comes from no device")
    func scenarioOfADevice() async throws {
        let done = try await ServerProcess.run(["check", "/dev/null"])
        #expect(done.exitCode == 69)
        #expect(
            done.errors == "mock-apns: /dev/null is neither a regular file nor a pipe; a scenario is read from these.")
    }

    @Test("What is wrong with a file says what the file is for")
    func filesOfOtherKinds() async throws {
        let answers = try await ServerProcess.run(["probe", "--against", "/dev/zero"])
        #expect(answers.exitCode == 69)
        #expect(
            answers.errors
                == "mock-apns: /dev/zero is neither a regular file nor a pipe; a file of answers is read from these.")
        try await withFolder { folder in
            let scenario = folder.appending("scenario.json")
            let file = folder.appending("own.strings")
            try FileManager.default.createSymbolicLink(atPath: file.string, withDestinationPath: "/dev/zero")
            let apps = #"{"apps": [{"topic": "com.example.app", "strings": "own.strings"}]}"#
            try write(Array(apps.utf8), to: scenario)
            let strings = try await ServerProcess.run(["exec", "--scenario", scenario.string, "--", "true"])
            #expect(
                strings.errors.contains(
                    "\(file) is neither a regular file nor a pipe; a file of localized strings is read from these."),
                "\(strings.errors)")
            // The key id is on the command line, and not in a line of that file.
            let key = try await ServerProcess.run([
                "serve", "--port", "0", "--admin-port", "0", "--certs", folder.string, "--trust-key",
                "/dev/zero:ABC123DEFG:DEF123GHIJ",
            ])
            #expect(key.exitCode == 65)
            #expect(
                key.errors.hasPrefix(
                    "mock-apns: The key id ABC123DEFG, given to /dev/zero by --trust-key, already belongs to another key;"
                ),
                "\(key.errors)")
        }
    }

    @Test("A server that was reset, and given another scenario: the log shows where what counts begins")
    func runs() async throws {
        try await withFolder { folder in
            let log = folder.appending("log.jsonl")
            let file = folder.appending("scenario.json")
            try write(Array(Self.scenario.utf8), to: file)
            let live = try await withProvider {
                $0.log = .file(log)
                $0.scenario = .file(file)
            } _: { provider, server in
                let push = try TestPush(server.authorization())
                for _ in 0..<3 { try await provider.push(push) }
                server.reset()
                try await provider.push(push)
                try await server.play(Array(Self.scenario.utf8))
                for _ in 0..<2 { try await provider.push(push) }
                return await server.verify()
            }
            #expect(live.passed)
            let recorded = try RecordedVerdict(logs: [log.string], of: .read(file))
            #expect(recorded.verification.results.map(\.description) == live.results.map(\.description))
            #expect(recorded.remarks == ["The log holds 3 runs; the last one was judged."])
            let events = try jsonLines(log).compactMap { $0["event"] as? String }
            #expect(events.filter { ["reset", "scenario"].contains($0) } == ["scenario", "reset", "scenario"])
            let scenarios = try jsonLines(log).filter { $0["event"] as? String == "scenario" }
            #expect(scenarios.compactMap { $0["state"] as? String } == ["started", "played"])
        }
    }

    @Test("Of a server to which nothing was sent the log has its start, so the good run before it does not count")
    func runWithoutRequests() async throws {
        try await Self.withLog(pushes: 2) { _, log, scenario in
            try await withServer {
                $0.log = .file(log)
                $0.scenario = .file(scenario)
                $0.seed = 7
            } _: { _ in
            }
            let last = try #require(try jsonLines(log).last)
            #expect(last["event"] as? String == "scenario" && last["state"] as? String == "started")
            #expect(last["scenario"] as? String == "two <pushes>" && last["seed"] as? Int == 7)
            let done = try await ServerProcess.run(["verify", "--log", log.string, scenario.string])
            #expect(done.exitCode == 1)
            #expect(done.errors.contains("The log holds 2 runs; the last one was judged."))
        }
    }

    @Test("A server that could not start leaves no trace in a log that another one may be writing")
    func startThatFails() async throws {
        try await withFolder { folder in
            let log = folder.appending("log.jsonl")
            try await withServer {
                $0.log = .file(log)
            } _: { server in
                var configuration = server.configuration
                configuration.ports = server.ports
                await #expect(throws: StartError.self) { _ = try await MockAPNSServer.start(configuration) }
            }
            #expect(try jsonLines(log).count == 1)
        }
    }
}
