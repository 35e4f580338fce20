import MockAPNSCore
import NIOCore

// Pushes that all replicas of a fleet decide in one order.

extension Engine {
    /// Hands pushes on to all replicas.
    func submit(_ pushes: [OrderedPush], arrived: NIODeadline, _ continuation: CheckedContinuation<Int, Never>? = nil) {
        postponed.withLock { postponed in
            for push in pushes { postponed[push.id] = PostponedPush(arrived: arrived, continuation: continuation) }
        }
        ordering.withLock { $0 }?(pushes)
    }

    /// Records that the answer to a push is no longer wanted.
    func cancelPostponed(_ id: Int) { gateway.withLock { $0.cancelPostponed(id) } }

    /// Decides pushes in their order, and answers those that this replica received.
    func decideInOrder(_ pushes: [OrderedPush], isOwn: Bool, seed: UInt64) {
        settle(isOwn ? pushes.map(\.id) : []) { latency in
            transact { gateway, lines, transaction in
                var decided: [OrderedDecision] = []
                for (index, push) in pushes.enumerated() {
                    let own = gateway.decideInOrder(
                        push, latencyMicroseconds: isOwn ? latency(push.id) : nil, seed: seed &+ UInt64(index),
                        at: gateway.momentOfEntry(orAt: transaction.real))
                    if let own { decided.append(own) }
                    lines.appendRequests(of: gateway.log)
                    if gateway.hasEffects { transaction.note(gateway.takeEffects(), &lines) }
                }
                return decided
            }
        }
    }

    /// Answers pushes that were not ordered in time with 503 ServiceUnavailable.
    func refusePostponed(_ ids: [Int], because explanation: String) {
        settle(ids) { latency in
            transact { gateway, lines, transaction in
                let now = gateway.moment(at: transaction.real)
                var decided: [OrderedDecision] = []
                for id in ids {
                    let own = gateway.refusePostponed(
                        id, because: explanation, at: now, latencyMicroseconds: latency(id))
                    if let own { decided.append(own) }
                    lines.appendRequests(of: gateway.log)
                    if gateway.hasEffects { transaction.note(gateway.takeEffects(), &lines) }
                }
                return decided
            }
        }
    }

    /// Decides, and passes the answers on to the pushes that wait.
    private func settle(_ ids: [Int], _ decide: (_ latency: (Int) -> Int) -> [OrderedDecision]) {
        let waiting = postponed.withLock { postponed in
            var waiting: [Int: PostponedPush] = [:]
            for id in ids { waiting[id] = postponed.removeValue(forKey: id) }
            return waiting
        }
        let now = NIODeadline.now()
        let decided = decide { id in waiting[id].map { Int((now - $0.arrived).nanoseconds / 1000) } ?? 0 }
        for each in decided { waiting[each.push.id]?.continuation?.resume(returning: each.sequence) }
        if !decided.isEmpty { _ = gate.use { connections.deliver(decided) { self.giveUp($0) } } }
    }

    /// Records that the answers of those that are delayed will not be sent.
    ///
    /// - Parameter outcome: `nil` if their connections have ended, which tells the outcome.
    func giveUp(_ decided: [OrderedDecision], as outcome: Outcome? = nil) {
        guard decided.contains(where: \.isDelayed) else { return }
        transact { gateway, _, transaction in
            let now = gateway.moment(at: transaction.real).clock
            for each in decided { gateway.giveUp(each, as: outcome, at: now) }
        }
    }
}
