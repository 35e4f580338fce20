package import Foundation
import Subprocess
package import SystemPackage

/// The command as a process of its own.
package final class ServerProcess: Sendable {
    /// What a finished command left behind.
    package struct Result: Sendable {
        package var exitCode: Int32
        package var output: String
        package var errors: String
    }

    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// Beside the test bundle, unless the variable MOCK_APNS names another.
    package static let executable: URL = {
        if let path = ProcessInfo.processInfo.environment["MOCK_APNS"] { return URL(filePath: path) }
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let places = [URL(filePath: CommandLine.arguments[0])] + bundles
        let candidates = places.map { $0.deletingLastPathComponent().appending(path: "mock-apns") }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
    }()

    package let processID: Int32
    private let run: Task<Int32, any Error>
    /// Lines of standard output and of standard error, as they come.
    package let output: AsyncStream<String>
    package let errors: AsyncStream<String>

    /// - Parameter openFiles: the limit of its descriptors; `nil`: that of the tests.
    package init(
        _ arguments: [String], of executable: URL = executable, options: String? = nil, folder: FilePath? = nil,
        openFiles: Int? = nil
    ) async throws {
        var words = [executable.path] + arguments
        if let openFiles { words = ["/bin/sh", "-c", #"ulimit -n \#(openFiles) && exec "$0" "$@""#] + words }
        let command = Configuration(
            executable: .path(FilePath(words[0])), arguments: Arguments(Array(words.dropFirst())),
            environment: .inherit.updating(["MOCK_APNS_OPTIONS": options]), workingDirectory: folder)
        let (output, outputLine) = AsyncStream<String>.makeStream()
        let (errors, errorLine) = AsyncStream<String>.makeStream()
        let (started, start) = AsyncStream<Int32>.makeStream()
        run = Task {
            defer { start.finish() }
            let result = try await Subprocess.run(command, input: .none, output: .sequence, error: .sequence) {
                start.yield($0.processIdentifier.value)
                async let said: Void = Self.pass(linesOf: $0.standardError, to: errorLine)
                try await Self.pass(linesOf: $0.standardOutput, to: outputLine)
                try await said
            }
            return switch result.terminationStatus {
            case .exited(let code): code
            case .signaled(let signal): signal
            }
        }
        (self.output, self.errors) = (output, errors)
        for await processID in started {
            self.processID = processID
            return
        }
        _ = try await run.value
        throw Failure(description: "the process ended before it had begun")
    }

    /// A test that fails before the end leaves no server behind.
    deinit { run.cancel() }

    private static func pass(
        linesOf bytes: SubprocessOutputSequence, to lines: AsyncStream<String>.Continuation
    ) async throws {
        defer { lines.finish() }
        let texts = bytes.strings(separatedBy: .unicodeScalarSequence(["\n"]), bufferingPolicy: .unbounded)
        for try await line in texts { lines.yield(line) }
    }

    /// Sends a signal.
    package func signal(_ number: Int32) { kill(processID, number) }

    /// Ends the server as an operator does, and returns what it said since.
    @discardableResult
    package func stop() async -> Result {
        signal(SIGTERM)
        return await finished()
    }

    /// Waits for the end.
    package func finished() async -> Result {
        var lines: [String] = []
        for await line in output { lines.append(line) }
        var messages: [String] = []
        for await line in errors { messages.append(line) }
        return Result(
            exitCode: (try? await run.value) ?? -1, output: lines.joined(separator: "\n"),
            errors: messages.joined(separator: "\n"))
    }

    /// Runs a command to its end.
    package static func run(
        _ arguments: [String], of executable: URL = executable, folder: FilePath? = nil
    ) async throws -> Result {
        try await ServerProcess(arguments, of: executable, folder: folder).finished()
    }

    // MARK: A server

    /// The members of the ready line.
    package struct Ready: Decodable, Sendable {
        package var event: String
        package var apns: String
        package var admin: String
        package var certificateAuthority: String
        package var signingKey: String?
        package var keyID: String
        package var teamID: String
        package var topic: String
        package var seed: UInt64
        package var pid: Int32

        package var port: Int { URL(string: apns)?.port ?? 0 }
    }

    /// The ready line, as text and read.
    package func ready() async throws -> (line: String, members: Ready) {
        for await line in output {
            return (line, try JSONDecoder().decode(Ready.self, from: Data(line.utf8)))
        }
        let result = await finished()
        throw Failure(description: "no ready line, exit code \(result.exitCode): \(result.errors)")
    }

    /// The line of standard error that contains the text, as soon as it comes.
    package func message(containing text: String) async throws -> String {
        for await line in errors where line.contains(text) { return line }
        throw Failure(description: "the process ended without saying \"\(text)\"")
    }

    /// A number of `/proc/PID/status`, `VmRSS` in kilobytes.
    package func status(_ name: String) throws -> Int {
        let text = try String(contentsOf: URL(filePath: "/proc/\(processID)/status"), encoding: .utf8)
        for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
            if let number = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) {
                return number
            }
        }
        throw Failure(description: "/proc has no \(name)")
    }

    /// How many file descriptors are open.
    package var openFiles: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count }
    }
}

/// A server in a process, with certificates in a folder of its own, stopped when the body is through.
package func withServerProcess<Result>(
    _ arguments: [String] = [], options: String? = nil, openFiles: Int? = nil,
    _ body: (ServerProcess, ServerProcess.Ready, FilePath) async throws -> Result
) async throws -> Result {
    try await withFolder { folder in
        let server = try await ServerProcess(
            ["serve", "--port", "0", "--admin-port", "0", "--certs", folder.string] + arguments, options: options,
            openFiles: openFiles)
        do {
            let result = try await body(server, server.ready().members, folder)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }
}
