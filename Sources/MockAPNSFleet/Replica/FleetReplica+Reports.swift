import MockAPNS
import MockAPNSCore

// Reports the calls that a replica has carried out.

extension FleetReplica {
    /// The number of reports that the engine keeps, of all replicas. Callers wait for them for some seconds only.
    private static let reportLimit = 1000
    /// Longer bodies are not part of a report: all collectors read those, and only one of them wants the body.
    private static let bodyLimit = 1 << 16
    /// A long body is kept for this long, in milliseconds.
    private static let bodyLifetime = 10_000

    /// Reports that a call is carried out.
    ///
    /// - Parameter id: the id of its entry.
    func report(_ id: StreamID, _ answer: FleetAnswer, to call: FleetCall) async {
        var fields = [("r", options.name), ("c", "\(id)"), ("s", "\(answer.status)")].map {
            (name: $0.0, value: Array($0.1.utf8))
        }
        let body = call.isItsOwnAnswer(if: answer) ? [] : answer.body
        let isLong = body.count > Self.bodyLimit
        fields.append(isLong ? (name: "l", value: []) : (name: "b", value: body))
        for _ in 0..<20 where !isEnding {
            do throws(FleetError) {
                if isLong {
                    try await links.heartbeat.set(
                        keys.body(id, options.name), to: body, expiringAfter: Self.bodyLifetime)
                }
                _ = try await links.heartbeat.append(
                    fields, to: keys.applied, id: nil, keeping: .latest(Self.reportLimit))
                return
            } catch {
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
