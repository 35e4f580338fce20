import Logging
import MockAPNSCore

extension Engine {
    /// Says why requests were not answered with 200, for who wants to know more.
    func tellRefusals(in log: RequestSnapshot, from first: Int) {
        for sequence in first..<log.latestSequence + 1 {
            guard let record = log.record(sequence), let json = try? JSONText.read(record),
                let request = LoggedRequest(json), request.status != 200
            else { continue }
            let answer = request.status.map(String.init) ?? request.outcome.name
            let reason = request.reason.map { " \($0.name)" } ?? ""
            logger.debug("Request \(sequence): \(answer)\(reason). \(request.explanation ?? "")")
        }
    }
}
