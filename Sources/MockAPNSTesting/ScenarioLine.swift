#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The line of a scenario's text that a mistake refers to.
struct ScenarioLine {
    /// The line number, starting at 1.
    let number: Int

    /// Reads the line from a message such as `PushTests/Scores.swift:12: scenario:3:5: devics is not a key …`; returns
    /// `nil` for any other.
    init?(of message: Substring) {
        guard let start = message.firstRange(of: " scenario:"),
            let number = message[start.upperBound...].split(separator: ":").first.flatMap({ Int($0) })
        else { return nil }
        self.number = number
    }

    /// Finds this line in a Swift file that contains the text of the scenario verbatim. Returns `nil` if it does not,
    /// for example because the text was built while the test ran.
    ///
    /// - Parameters:
    ///   - text: the text of the scenario.
    ///   - file: the path of the Swift file.
    ///   - first: the line to start searching at, 1 for the first line of the file.
    func line(of text: String, in file: String, from first: Int) -> Int? {
        guard let data = FileManager.default.contents(atPath: file) else { return nil }
        let lines = Self.lines(of: String(decoding: data, as: UTF8.self))
        let wanted = Self.lines(of: text)
        guard wanted.indices.contains(number - 1), !wanted[number - 1].isEmpty else { return nil }
        func isHere(_ start: Int) -> Bool {
            guard start + wanted.count <= lines.count else { return false }
            if wanted.count == 1 { return lines[start].contains(wanted[0]) }
            return zip(lines[start...], wanted).allSatisfy { $0 == $1 }
        }
        let starts =
            Array(max(0, first - 1)..<max(first - 1, lines.count)) + Array(0..<min(max(0, first - 1), lines.count))
        return starts.first(where: isHere).map { $0 + number }
    }

    /// Returns the lines without their indentation.
    private static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " || $0 == "\t" } }
    }
}
