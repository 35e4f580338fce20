/// The log event `log`, about the log itself. Event streams do not include it.
package enum LogFileEvent: Sendable {
    /// The file was reopened while the server runs. Earlier lines are in another file, up to the request with the
    /// sequence number `after`; 0 if there was none.
    case reopened(after: Int, scenario: String?, seed: UInt64)
    /// This many lines could not be written here.
    case lost(lines: Int)

    /// Appends the log line, with its line feed.
    ///
    /// - Parameter time: the real time.
    package func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        output.beginEvent("log", at: time)
        switch self {
        case .reopened(let sequence, let scenario, let seed):
            output.append(contentsOf: #","state":"reopened","after":\#(sequence),"scenario":"#.utf8)
            output.appendJSON(scenario)
            output.append(contentsOf: ",\"seed\":\(seed)}\n".utf8)
        case .lost(let lines):
            output.append(contentsOf: ",\"state\":\"lost\",\"lines\":\(lines)}\n".utf8)
        }
    }
}
