package import MockAPNSCore
import MockAPNSJudge

/// A driver's report of a push without a status.
package struct DriverError: Sendable, Hashable {
    /// The id of the push.
    package let id: String
    /// Why it has none, on one line, cut at 200 bytes.
    package let text: String
}

/// The statuses that a driver reports for its pushes, to be compared with those that the server answered.
///
/// Which request belongs to which push only the driver knows, so they are compared by device token: of the pushes to one,
/// no more can have ended with a status than requests were answered with it.
package struct DriverStatuses: Sendable {
    private struct Kind: Hashable {
        /// The device token, in lowercase.
        var token: String
        var status: Int
    }

    /// The ids of the pushes, by what was reported of them.
    private var reported: [Kind: [String]] = [:]
    private var order: [Kind] = []
    /// The pushes without a status, as far as they are kept, and why there was none.
    package private(set) var errors: [DriverError] = []

    /// Maximum number of ``errors``; later ones are dropped.
    private static let errorLimit = 20

    /// Nothing has been reported.
    package init() {}

    /// Takes note of what a driver says of a push.
    package mutating func note(_ answer: DriverLine.Answer, of push: WorkloadEntry.Push) {
        guard let status = answer.status else {
            if let error = answer.error, errors.count < Self.errorLimit {
                errors.append(DriverError(id: answer.id, text: PrintableText.line(error).cut(at: 200)))
            }
            return
        }
        let kind = Kind(token: push.token.lowercased(), status: status)
        if reported[kind] == nil { order.append(kind) }
        reported[kind, default: []].append(answer.id)
    }

    /// The reported statuses, as a sentence part: `status 200 for 2 pushes and 410 for 1`; `nil` if there are none.
    package var summary: String? {
        var counts: [Int: Int] = [:]
        for (kind, ids) in reported { counts[kind.status, default: 0] += ids.count }
        let parts = counts.sorted { $0.key < $1.key }
        guard let first = parts.first else { return nil }
        let others = parts.dropFirst().map { "\($0.key) for \($0.value)" }
        return "status " + list(["\(first.key) for \(counted(first.value, "push", "pushes"))"] + others, "and")
    }

    /// Returns what the driver reports and the server has not answered, as a sentence part in one line; `nil` if there is
    /// nothing, or if the log has dropped requests, so that it cannot tell.
    package func difference(from log: RequestSnapshot) -> String? {
        guard log.firstSequence <= 1, !order.isEmpty else { return nil }
        let answered = Self.answered(in: log)
        for kind in order {
            let (ids, count) = (reported[kind] ?? [], answered[kind] ?? 0)
            guard ids.count > count else { continue }
            let others = Set(answered.keys.filter { $0.token == kind.token }.map(\.status)).sorted()
            let found =
                others.isEmpty
                ? "no request for that device token was answered"
                : "requests for that device token were answered with \(list(others.map(String.init), "and"))"
            guard count > 0 else {
                return "the driver reports status \(kind.status) for push \(ids[0]), but \(found)"
            }
            let some = ids.prefix(3).joined(separator: ", ") + (ids.count > 3 ? " and \(ids.count - 3) more" : "")
            return "the driver reports status \(kind.status) for pushes \(some) to one device token, but only "
                + "\(counted(count, "request")) for it \(count == 1 ? "was" : "were") answered with that"
        }
        return nil
    }

    /// The number of a provider's requests, by device token and status.
    private static func answered(in log: RequestSnapshot) -> [Kind: Int] {
        LogSearch(
            log, after: 0, [:], complete: { $0 },
            take: { subject, counts in
                guard subject.record.sender == .provider, let status = subject.record.status,
                    let token = subject.text(.token)
                else { return }
                counts[
                    Kind(token: String(decoding: token, as: UTF8.self).lowercased(), status: Int(status)), default: 0] +=
                    1
            }
        ).finish()
    }
}
