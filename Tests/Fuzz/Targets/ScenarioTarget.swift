import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario

extension FuzzTarget {
    /// The reader of scenario files; a scenario without mistakes is played for a while.
    static let scenario = FuzzTarget(
        name: "scenario", longestInput: 5000,
        seeds: [
            #"{}"#, #"{"rules": [{"then": {"reject": "TooManyRequests"}}]}"#,
            #"{"clock": {"manual": "now"}, "timeline": [{"at": "10m", "do": {"advance": "1h"}}]}"#,
        ].map { Array($0.utf8) }
    ) { bytes throws(Finding) in
        let (scenario, mistakes) = Scenario.read(bytes)
        try require((scenario == nil) == !mistakes.isEmpty, "there is a scenario, or there are mistakes")
        try check(mistakes, in: bytes)
        if bytes.count % 4 == 0 {
            try require(Scenario.read(bytes).1 == mistakes, "the same file has the same mistakes")
        }
        if let scenario { try play(scenario) }
    }

    /// Each mistake lies in the file, in order, and is told on one line.
    private static func check(_ mistakes: [ScenarioMistake], in bytes: [UInt8]) throws(Finding) {
        var last = 0
        for mistake in mistakes {
            try require(last...bytes.count ~= mistake.offset, "mistakes lie in the file, in order: \(mistake)")
            last = mistake.offset
            try require(!mistake.message.isEmpty, "a mistake has a message")
            try require(!mistake.message.contains { $0.isNewline }, "a message is one line: \(mistake.message)")
            try require(JSONPointer(mistake.pointer) != nil, "\(mistake.pointer) is a pointer")
        }
        let lines = ScenarioMistake.lines(mistakes, file: "f", bytes)
        try require(lines.count == mistakes.count, "each mistake has a line")
        for (line, mistake) in zip(lines, mistakes).prefix(8) {
            try checkPosition(of: mistake.offset, in: bytes)
            let position = JSONText.position(of: mistake.offset, in: bytes.span)
            try require(
                line.hasPrefix("f:\(position.line):\(position.column): "),
                "\(line) is at \(position.line):\(position.column)")
        }
    }

    /// A few pushes, and all that the timeline has in store.
    private static func play(_ scenario: Scenario) throws(Finding) {
        var rig = PlayedGateway(scenario)
        try rig.push()
        try rig.push(topic: "com.example.other")
        try rig.advance()
        try rig.push()
        try rig.judge()
    }
}
