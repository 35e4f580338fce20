import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import MockAPNS

/// Lines to a reader that does not read them, or has no room.
@Suite struct BoundedOutputTests {
    /// So long that a pipe takes some of them in part.
    private static func line(_ number: Int) -> String { "\(number):" + String(repeating: "x", count: 1234) }

    @Test("A line that a full pipe took in part is finished first; those that were lost are counted")
    func fullPipe() throws {
        let pipe = Pipe()
        var output = BoundedOutput(standard: FileDescriptor(rawValue: pipe.fileHandleForWriting.fileDescriptor))
        var received: [UInt8] = []
        var lost: [Int] = []
        var number = 0
        for round in 1...5 {
            while lost.count < 10 * round {
                number += 1
                let outcome = output.write(Array((Self.line(number) + "\n").utf8), until: .now)
                #expect(outcome.trouble == nil || outcome.trouble == .notRead)
                if outcome.lostLines > 0 { lost.append(number) }
            }
            // There is more in it than it holds of whole lines.
            while received.count < 40_000 * round { received += pipe.readSome() }
        }
        #expect(output.close(until: .now + .seconds(1)) == 0)
        try pipe.fileHandleForWriting.close()
        while case let bytes = pipe.readSome(), !bytes.isEmpty { received += bytes }
        let lines = String(decoding: received, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.last == "")
        #expect(lines.dropLast().map(String.init) == (1...number).filter { !lost.contains($0) }.map(Self.line))
    }

    @Test("Whoever waits for a reader waits as long as was said")
    func deadline() throws {
        let pipe = Pipe()
        var output = BoundedOutput(standard: FileDescriptor(rawValue: pipe.fileHandleForWriting.fileDescriptor))
        let lines = Array(String(repeating: Self.line(1) + "\n", count: 1000).utf8)
        let begun = ContinuousClock.now
        let outcome = output.write(lines, until: begun + .milliseconds(300))
        #expect(ContinuousClock.now - begun >= .milliseconds(300))
        #expect(outcome.trouble == .notRead)
        #expect(outcome.bytes > 4096 && outcome.bytes < lines.count)
        // The one that was begun is not lost yet.
        let whole = lines[..<outcome.bytes].count { $0 == UInt8(ascii: "\n") }
        let isBegun = lines[outcome.bytes - 1] != UInt8(ascii: "\n")
        #expect(whole + (isBegun ? 1 : 0) + outcome.lostLines == 1000)
        #expect(output.close(until: .now) == (isBegun ? 1 : 0))
        withExtendedLifetime(pipe) {}
    }

    @Test("Of a pipe whose reader has gone nothing is kept for another one")
    func brokenPipe() async throws {
        // It ignores SIGPIPE for the process.
        try await withServer { _ in
            let pipe = Pipe()
            var output = BoundedOutput(standard: FileDescriptor(rawValue: pipe.fileHandleForWriting.fileDescriptor))
            try pipe.fileHandleForReading.close()
            let outcome = output.write(Array("one\ntwo\n".utf8), until: .now + .seconds(1))
            #expect(outcome.trouble == .failed(.brokenPipe) && outcome.lostLines == 2)
            #expect(output.close(until: .now) == 0)
        }
    }

    @Test(
        "A file that ends in the middle of a line is gone on with on a line of its own",
        arguments: ["", "a\n", "a", "\n"])
    func tornFile(before: String) async throws {
        try await withFolder { folder in
            let file = folder.appending("log")
            try write(Array(before.utf8), to: file)
            var output = try BoundedOutput(path: file)
            #expect(try read(file) == Array(before.utf8))
            for _ in 1...2 { #expect(output.write(Array("b\n".utf8), until: .now).trouble == nil) }
            let text = try String(decoding: read(file), as: UTF8.self)
            #expect(text == before + (before == "a" ? "\n" : "") + "b\nb\n")
            #expect(output.isSameFile(as: try BoundedOutput(path: file)))
            #expect(output.close(until: .now) == 0)
        }
    }
}
