/// The event `log` of the log: something about the log itself. Streams of events do not have it.
package enum LogFileEvent: Sendable {
    /// The file was opened again while the server runs: what came before is in another one, up to the request with the
    /// sequence number `after`, 0 when there was none.
    case reopened(after: Int, scenario: String?, seed: UInt64)
    /// This number of lines could not be written here.
    case lost(lines: Int)

    /// Appends the line of the log, with its line feed.
    ///
    /// - Parameter time: the time of day.
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
