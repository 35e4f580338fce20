import Dispatch
import Foundation
import MockAPNSCore
import MockAPNSTransport
import NIOCore
import NIOPosix
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// Calls that are large, long, or many at once: each is bounded, and none holds up anything else.
@Suite struct AdminBoundsTests {
    // MARK: Scenarios and the files that they name

    @Test func aScenarioOfMistakesIsRefusedSoon() async throws {
        try await withAdmin { _, admin async throws in
            let text = #"{"rules": ["# + Array(repeating: "1", count: 200_000).joined(separator: ",") + "]}"
            let answer = try await admin.send("PUT", "/api/v1/scenario", body: text)
            #expect(answer.status == 400)
            #expect(answer.error["pointer"] as? String == "/rules/0")
            #expect(answer.errorMessage.hasSuffix("There are more than 100 mistakes in all."), "\(answer.errorMessage)")
            #expect(answer.body.count < 1000)
        }
    }

    @Test func readingsCancelledBeforeTheirTurnNeverBegin() async throws {
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let first = Task {
            try await BackgroundWork.run(.text(10 << 20)) { _ in
                hasBegun.yield()
                gate.wait()
            }
        }
        for await _ in begun { break }
        let second = Task { try await BackgroundWork.run(.text(10 << 20)) { _ in Issue.record("it has begun") } }
        // A small text does not wait for a large one.
        #expect(try await BackgroundWork.run(.text(10)) { _ in 17 } == 17)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.signal()
        try await first.value
    }

    @Test func aReloadEndsWhenItIsCancelled() async throws {
        try await withFolder { folder in
            let path = folder.appending("scenario")
            let file = path.string
            try Data("{}".utf8).write(to: URL(filePath: file))
            try await withServer {
                $0.scenario = .file(path)
            } _: { server in
                try FileManager.default.removeItem(atPath: file)
                try Self.makePipe(at: file)
                // A writer has it open, and writes nothing.
                let pipe = try FileDescriptor.open(path, .readWrite)
                defer { try? pipe.close() }
                let reload = Task { try await server.reloadApart() }
                reload.cancel()
                await #expect(throws: CancellationError.self) { try await reload.value }
            }
        }
    }

    /// Makes files that should not be read to their end, and gives the path of one.
    private static func path(_ kind: String, in folder: FilePath) throws -> String {
        let path = folder.appending("key").string
        switch kind {
        case "device": return "/dev/zero"
        case "pipe": try makePipe(at: path)
        case "folder": return folder.string
        case "huge":
            _ = FileManager.default.createFile(atPath: path, contents: nil)
            // It has two gigabytes, and takes no room on the disk.
            try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: 2 << 30)
        case "long": try Data(repeating: 0x20, count: 64 << 10 + 1).write(to: URL(filePath: path))
        default: return folder.appending("nothing").string
        }
        return path
    }

    private static func makePipe(at path: String) throws {
        let result = unsafe mkfifo(path, 0o600)
        try #require(result == 0)
    }

    private static let kinds = [
        ("device", "not a regular file"), ("pipe", "not a regular file"), ("folder", "is a folder"),
        ("huge", "more than 64 KiB"), ("long", "more than 64 KiB"), ("nothing", "There is no file"),
    ]

    @Test(arguments: kinds) func keysAreReadFromSmallRegularFilesOnly(kind: String, words: String) async throws {
        try await withFolder { folder in
            let path = try Self.path(kind, in: folder)
            try await withAdmin { _, admin async throws in
                let key = #"{"keyID": "KEY4567890", "file": "\#(path)"}"#
                let scenario = #"{"authentication": {"teams": [{"teamID": "TEAM567890", "keys": [\#(key)]}]}}"#
                let answer = try await admin.send("PUT", "/api/v1/scenario", body: scenario)
                #expect(answer.status == 400 && answer.error["code"] as? String == "badFile")
                #expect(answer.errorMessage.contains(words) && answer.errorMessage.contains(path), "\(answer.text)")
            }
        }
    }

    @Test(arguments: kinds) func soIsAnAuthority(kind: String, words: String) async throws {
        try await withFolder { folder in
            let path = try Self.path(kind, in: folder)
            let scenario = #"{"authentication": {"clientCertificates": {"authorities": ["\#(path)"]}}}"#
            let error = await #expect(throws: StartError.self) {
                try await withServer {
                    $0.play(scenario)
                } _: { _ in
                }
            }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test(arguments: kinds) func soIsATrustedKey(kind: String, words: String) async throws {
        try await withFolder { folder in
            let key = TrustedKey(
                file: FilePath(try Self.path(kind, in: folder)), keyID: "KEY4567890", teamID: "TEAM567890")
            let error = await #expect(throws: StartError.self) {
                try await withServer {
                    $0.trustedKeys = [key]
                } _: { _ in
                }
            }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test func aScenarioMayComeOutOfAPipe() async throws {
        try await withFolder { folder in
            let path = folder.appending("scenario")
            try Self.makePipe(at: path.string)
            // Open for reading and writing, so that neither end waits for the other.
            let pipe = try FileDescriptor.open(path, .readWrite)
            _ = try pipe.writeAll(Array(#"{"seed": 1}"#.utf8))
            // What comes later is read, too. The pipe is closed when all is out of it. On a thread of its own, since the
            // reader gives up when nothing comes for some seconds, and others may keep this one waiting for as long.
            DispatchQueue.global().async {
                for part in ["\n", ""] {
                    while FileBytes.wait(for: pipe.rawValue, milliseconds: 0) { usleep(5000) }
                    _ = try? pipe.writeAll(Array(part.utf8))
                }
                try? pipe.close()
            }
            let text = Task.detached { try BoundedFile.read(path, .scenario) }
            #expect(try await text.value == Array("{\"seed\": 1}\n".utf8))
            #expect(try BoundedFile.read(path, .scenario).isEmpty, "it has no writer")
        }
    }

    // MARK: Searches

    @Test func searchesYieldToOthersAndEndWhenAbandoned() async throws {
        let threads = OwnThreads()
        await withTaskExecutorPreference(threads) {
            // More than there are threads.
            let searches = (0..<4 * System.coreCount).map { _ in
                Task(executorPreference: threads) { try await inSlices(LongSearch()) }
            }
            // However busy the machine is: what takes no time comes before the end of what takes long.
            for _ in 0..<10 { await Task(executorPreference: threads) {}.value }
            for search in searches { search.cancel() }
            for search in searches { await #expect(throws: CancellationError.self) { try await search.value } }
        }
    }

    /// As many threads as all tasks share, but for this test alone: others would hold it up.
    private final class OwnThreads: TaskExecutor {
        private let pool = NIOThreadPool(numberOfThreads: System.coreCount)

        init() { pool.start() }

        deinit { pool.shutdownGracefully { _ in } }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            pool.submit { _ in unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// A search that begins again whenever it has ended, as long as a test may wait.
    private struct LongSearch: YieldingTask {
        private let end = ContinuousClock.now + .patience
        private var search = longLog.counting(slowMatch)

        mutating func proceed() -> RequestCount? {
            guard let count = search.proceed() else { return nil }
            search = longLog.counting(slowMatch)
            return .now < end ? nil : count
        }
    }

    /// Conditions that take a while to check on each record.
    private static let slowMatch: RequestMatch = {
        var match = RequestMatch()
        match.require(.body, .anyOf((0..<100).map { .contains(Array("none \($0)".utf8)) }))
        return match
    }()

    private static let longLog: RequestSnapshot = {
        var log = RequestLog()
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 100)
        var record = RequestRecord()
        record.connectionID = 1
        record.payloadBytes = UInt32(body.count)
        for _ in 0..<20_000 { log.append(record, request: body.span, headerLength: 0, token: nil) }
        return log.snapshot
    }()

    @Test(arguments: ["find", "count", "wait", "verify"])
    func regularExpressionsPerQuestionAreLimited(call: String) async throws {
        let patterns = (0...20).map { #"{"matches": "a\#($0)"}"# }.joined(separator: ",")
        let match = #"{"topic": {"oneOf": [\#(patterns)]}}"#
        let body =
            call == "verify" ? #"{"expect": [{"requests": \#(match), "count": 0}]}"# : #"{"requests": \#(match)}"#
        try await withAdmin { _, admin async throws in
            let path = call == "verify" ? "verify" : "requests/\(call)"
            let answer = try await admin.send("POST", "/api/v1/\(path)", body: body)
            #expect(answer.status == 400)
            #expect(answer.errorMessage.contains("21 regular expressions"), "\(answer.text)")
        }
    }

    @Test func aLongPageIsReadAsAWhole() async throws {
        try await withAdmin { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let body = #"{"aps":{"alert":""# + String(repeating: "x", count: 3000) + #""}}"#
            let push = TestPush(try server.authorization(), body: body)
            for _ in 0..<200 { try await provider.push(push) }
            let answer = try await admin.get("/api/v1/requests?limit=1000")
            #expect(answer.requests.count == 200 && answer.object["total"] as? Int == 200)
            #expect(answer.body.count > 600_000)
            let missed = try await admin.send(
                "POST", "/api/v1/requests/wait", body: #"{"count": 201, "timeout": "0ms"}"#)
            #expect(missed.status == 408 && missed.requests.count == 200)
            #expect(missed.object["nearMisses"] != nil)
            await provider.close()
        }
    }

    // MARK: Waits

    @Test func theTenThousandAndFirstWaitIsRefused() async throws {
        try await withAdmin { server, admin async throws in
            try server.engine.gateway.withLock { gateway in
                for _ in 0..<10_000 { _ = try gateway.beginWait(for: RequestMatch(), count: 1, after: 0) }
            }
            let answer = try await admin.send("POST", "/api/v1/requests/wait", body: #"{"timeout": "1m"}"#)
            #expect(answer.status == 503)
            #expect(answer.error["code"] as? String == "tooManyWaits")
            #expect(answer.errorMessage.contains("10000"))
            await #expect(throws: WaitRefusal.tooMany) {
                _ = try await server.requests(count: 1, within: .seconds(60))
            }
            server.engine.cancelWait(1)
            let late = try await admin.send("POST", "/api/v1/requests/wait", body: #"{"timeout": "0ms"}"#)
            #expect(late.status == 408)
        }
    }

    @Test func aWaitThatIsCancelledMakesNoAnswer() async throws {
        try await withServer { server in
            let wait = Task { try await server.requests(matching: .status(503), count: 1, within: .seconds(600)) }
            try await server.until { $0.waitCount == 1 }
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
            #expect(server.waitCount == 0)
        }
    }
}
