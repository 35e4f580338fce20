import Logging
import MockAPNSCore

extension Engine {
    /// The URL of the admin API; `nil` without one.
    var adminURL: String? { gateway.withLock { $0.adminURL } }

    /// Warns that a request for the admin API arrived on a provider port.
    func warnOfAdminCall(on connection: Int) {
        let (url, address) = gateway.withLock { ($0.adminURL, $0.connections[connection]?.facts.remoteAddress) }
        let from = address.map { " from \($0)" } ?? ""
        warn(.adminCall, "Connection \(connection)\(from): \(AdminPath.sentence(url: url ?? "another port"))")
    }

    /// Logs, at debug level, why requests were not answered with success.
    func logRefusals(in log: RequestSnapshot, from first: Int) {
        for sequence in first..<log.latestSequence + 1 {
            log.withSubject(sequence) { subject in
                let record = subject.record
                if let status = record.status, 200..<300 ~= status { return }
                let answer = record.status.map { "\($0)" } ?? record.outcome.name
                let reason = record.reason.map { " \($0.name)" } ?? ""
                let explanation = subject.text(record.explanationRange) ?? ""
                logger.debug("Request \(sequence): \(answer)\(reason). \(explanation)")
            }
        }
    }
}
