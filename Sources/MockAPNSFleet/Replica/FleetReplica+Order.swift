import Logging
import MockAPNS
import MockAPNSCore

// Pushes that all replicas decide in one order, and requests that they count together.

extension FleetReplica {
    /// The minimum time between two entries with counts.
    private static let countInterval = Duration.milliseconds(50)
    /// The time between two looks at what is due.
    private static let dueInterval = Duration.milliseconds(10)

    // MARK: Appending

    /// Appends what waits, one entry after another.
    func appendInOrder() async {
        for await _ in queue.newItems {
            while !isEnding, let item = queue.next() { await append(item) }
        }
    }

    /// Appends an entry, again if its answer was lost, as long as that is of use.
    private func append(_ item: OrderQueue.Item) async {
        latestEntry += 1
        var entry = OrderedEntry(replica: options.name, started: own.started, number: latestEntry, body: [])
        var deadline: ContinuousClock.Instant?
        let kind: String
        switch item {
        case .pushes(let pushes, let end):
            let left = end - .now
            guard left > .zero else { return }
            let now = WallClock.now().milliseconds + shipper.clockOffset
            entry.end = UInt64(max(0, now + left.milliseconds))
            entry.body = OrderedPush.bytes(of: pushes)
            (deadline, kind) = (end, "push")
        case .counts(let counts, let scenario):
            entry.body = OrderedEntry.body(of: counts)
            (entry.scenario, kind) = (scenario, "count")
        }
        while !isEnding {
            do throws(FleetError) {
                _ = try await links.order.append(
                    entry.fields(kind), toControl: keys, keeping: budget.kept)
                return
            } catch {
                if let deadline, deadline <= .now { return }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Answers pushes that have waited too long.
    func watchDeadlines() async {
        for await _ in queue.newDeadlines {
            while !isEnding, let deadline = queue.firstDeadline {
                // Several at a time.
                try? await Task.sleep(until: deadline + .milliseconds(20), clock: .continuous)
                refuse(queue.takeExpired(at: .now))
            }
        }
    }

    /// Answers those of the pushes that still wait.
    func refuse(_ ids: [Int]) {
        guard !ids.isEmpty else { return }
        server.refusePostponed(
            ids,
            because:
                "All replicas of the fleet \(options.fleet) decide this push in one order, but it has not come back from the engine within \(options.limits.push.components.seconds) s; send it again once the engine answers."
        )
    }

    /// Appends the requests that entries of the timeline wait for, and lets the order reach the time of what is due:
    /// with no counts, if there are none.
    func appendCountsRepeatedly() async {
        while !isEnding {
            let counts = server.takeCountedRequests()
            if !counts.isEmpty || !hasAskedForTime && server.isOrderDue {
                hasAskedForTime = true
                queue.add(counts, scenario: scenario)
                try? await Task.sleep(for: Self.countInterval)
            } else {
                try? await Task.sleep(for: Self.dueInterval)
            }
        }
    }

    // MARK: Carrying out

    /// Decides the pushes of an entry.
    func decide(_ ordered: OrderedEntry, _ entry: StreamEntry) {
        // By then, they had an answer.
        guard seenEntries.note(ordered), ordered.end.map({ entry.id.milliseconds <= $0 }) ?? true else { return }
        do throws(FrameMistake) {
            let pushes = try OrderedPush.pushes(from: ordered.body.span)
            server.decideInOrder(
                pushes, isOwn: ordered.replica == options.name && ordered.started == own.started, seed: entry.id.seed)
        } catch {
            logger.error("Pushes of the replica \(ordered.replica) cannot be read: \(error).")
        }
    }

    /// Counts the requests of an entry.
    func count(_ ordered: OrderedEntry) {
        guard seenEntries.note(ordered), ordered.scenario == scenario else { return }
        server.countInOrder(ordered.counts)
    }
}

extension StreamID {
    /// A number for random choices, different for different entries.
    fileprivate var seed: UInt64 { milliseconds &* 0x9E37_79B9_7F4A_7C15 &+ number &* 0xBF58_476D_1CE4_E5B9 }
}

extension Duration {
    /// The whole milliseconds.
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
