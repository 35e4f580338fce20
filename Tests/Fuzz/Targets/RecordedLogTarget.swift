import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario

extension FuzzTarget {
    /// A log that `verify --log` reads. The first byte says how long the pieces are in which it comes.
    static let recordedLog = FuzzTarget(
        name: "recorded-log", longestInput: 4096, seeds: [[0] + sampleLog, [7] + sampleLog.dropLast(20), [1, 0x0A]]
    ) { input throws(Finding) in
        guard let length = input.first else { return }
        let bytes = Array(input.dropFirst())
        let whole = try read(bytes, pieces: bytes.count + 1)
        let pieces = try read(bytes, pieces: Int(length) + 1)
        try require(whole == pieces, "in pieces, \(pieces) is read instead of \(whole)")
    }

    /// What comes of a log: a mistake, or remarks and a verdict.
    private static func read(_ bytes: [UInt8], pieces: Int) throws(Finding) -> [String] {
        var log = RecordedLog(of: judged)
        do throws(RecordedLog.Mistake) {
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                try log.read(bytes.span.extracting(start..<min(start + pieces, bytes.count)))
            }
            try log.finish()
        } catch {
            let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            try require(1...lines.count ~= error.line, "a mistake lies in the log: \(error)")
            let width = lines[error.line - 1].count { $0 & 0xC0 != 0x80 }
            try require(1...width + 1 ~= error.column, "a mistake lies in its line: \(error)")
            return [error.description]
        }
        return log.remarks + [log.input.verify().description]
    }

    private static let judged: Scenario = {
        let text = #"""
            {"expect": [{"requests": {"status": 200}, "count": {"atLeast": 1}}, {"connections": {"atMost": 3}},
                        {"requests": {"payload": {"/aps/badge": 1}, "header": {"x-a": {"exists": false}}}, "count": 1}]}
            """#
        return Scenario.read(Array(text.utf8)).0 ?? Scenario()
    }()

    /// What a server wrote about a few pushes.
    private static let sampleLog: [UInt8] = {
        var rig = PlayedGateway(judged)
        try? rig.push()
        try? rig.push(topic: "com.example.other")
        return rig.log
    }()
}
