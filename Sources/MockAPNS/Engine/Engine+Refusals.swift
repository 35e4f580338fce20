import Logging
import MockAPNSCore

extension Engine {
    /// The URL of the admin API; `nil` without one.
    var adminURL: String? { gateway.withLock { $0.adminURL } }

    /// Warns that a request for the admin API arrived on a provider port.
    func warnOfAdminCall(on connection: Int) {
        let (url, address) = gateway.withLock { ($0.adminURL, $0.connections[connection]?.facts.remoteAddress) }
        let from = address.map { " from \($0)" } ?? ""
        warnings.warn(.adminCall, "Connection \(connection)\(from): \(AdminPath.sentence(url: url ?? "another port"))")
    }

    /// Logs, at debug level, why requests were not answered with success.
    func logRefusals(in log: RequestSnapshot, from first: Int) {
        for sequence in first..<log.latestSequence + 1 {
            guard let record = log.record(sequence), let json = try? JSONText.read(record),
                let request = MockAPNSServer.LoggedRequest(json),
                request.status.map({ !(200..<300).contains($0) }) ?? true
            else { continue }
            let answer = request.status.map(String.init) ?? request.outcome.rawValue
            let reason = request.reason.map { " \($0.rawValue)" } ?? ""
            logger.debug("Request \(sequence): \(answer)\(reason). \(request.explanation ?? "")")
        }
    }
}
