/// The log event `log`, about the log file itself.
package enum LogFileEvent: Sendable {
    /// The file was reopened while the server runs. Earlier lines are in another file, up to the request with the
    /// sequence number `after`; 0 if there was none. The seed is `nil` in a log that does not have it.
    case reopened(after: Int, scenario: String?, seed: UInt64?)
    /// This many lines could not be written here.
    case lost(lines: Int)
}

// MARK: The JSON line

extension LogFileEvent: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        switch self {
        case .reopened(let sequence, let scenario, let seed):
            line.appendMember("state", "reopened")
            line.appendMember("after", sequence)
            line.appendMember("scenario", scenario)
            line.append(contentsOf: #","seed":\#(seed.map(String.init) ?? "null")"#.utf8)
        case .lost(let lines):
            line.appendMember("state", "lost")
            line.appendMember("lines", lines)
        }
    }

    /// Fails for a state that only a later version knows.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        switch try line.text("state") {
        case "reopened":
            self = .reopened(
                after: try line.count("after"), scenario: try line.textIfAny("scenario"), seed: line.seed)
        case "lost": self = .lost(lines: try line.count("lines"))
        default: return nil
        }
    }
}
