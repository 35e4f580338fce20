import Foundation
import Synchronization

/// A command that is run to its end, with bounds.
struct Command {
    /// What came of it.
    struct Outcome {
        /// The exit code; the number of the signal after a crash.
        var status: Int32
        var isCrash: Bool
        /// Whether it was ended because its output had ``Command/stopsAt`` in it.
        var wasStopped: Bool
        /// Whether it was ended because it took too long.
        var tookTooLong: Bool
        var output: String
    }

    var arguments: [String]
    var environment: [String: String] = [:]
    /// Seconds of processor time; `nil`: no bound, of memory neither.
    var processorTime: Int?
    /// It is ended after so many seconds, however busy the machine is.
    var time: Double?
    /// It is ended as soon as its output has this in it.
    var stopsAt: String?

    func run() throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // A mutated loop may go on forever, and may fill the memory; macOS has no bound of memory.
        let bounds = processorTime.map { "ulimit -c 0; ulimit -t \($0); ulimit -v 8000000 2>/dev/null; " } ?? ""
        process.arguments = ["-c", bounds + "exec \"$@\"", "sh"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let watchdog = Watchdog(process.processIdentifier, after: time)

        var output = Data()
        var wasStopped = false
        let end = stopsAt.map { Data($0.utf8) }
        while case let chunk = pipe.fileHandleForReading.availableData, !chunk.isEmpty {
            let searched = max(0, output.count - (end?.count ?? 0))
            output.append(chunk)
            if !wasStopped, let end, output.range(of: end, in: searched..<output.count) != nil {
                wasStopped = true
                watchdog.bite()
            }
        }
        process.waitUntilExit()
        let hasBitten = watchdog.end()
        let isCrash = process.terminationReason == .uncaughtSignal
        return Outcome(
            status: process.terminationStatus, isCrash: isCrash, wasStopped: wasStopped,
            tookTooLong: !wasStopped && (hasBitten || isCrash && process.terminationStatus == SIGXCPU),
            output: String(decoding: output, as: UTF8.self))
    }
}

/// Kills one process, unless that has ended.
private final class Watchdog: Sendable {
    private let process: pid_t
    private let state = Mutex((isOver: false, hasBitten: false))

    init(_ process: pid_t, after time: Double?) {
        self.process = process
        if let time { DispatchQueue.global().asyncAfter(deadline: .now() + time) { self.bite() } }
    }

    func bite() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.hasBitten = true
            kill(process, SIGKILL)
        }
    }

    /// Takes note that the process has ended; whether that was by this.
    func end() -> Bool {
        state.withLock { state in
            state.isOver = true
            return state.hasBitten
        }
    }
}
