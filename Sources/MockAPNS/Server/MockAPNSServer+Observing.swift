package import MockAPNSCore
import MockAPNSJudge
import NIOCore

// Reads and calls of the admin listener. Everything is a copy: no reader holds the gateway's lock while it works.

extension MockAPNSServer {
    /// Announces the address of the admin API, for clients that ask on another port.
    package func announceAdmin(at url: String) { engine.gateway.withLock { $0.adminURL = url } }

    /// Where the upstream of a relay has answered otherwise since the start, whatever has been reset.
    package var relayDifferences: RelayDifferences {
        engine.gateway.withLock { gateway in
            var all = gateway.earlierDifferences
            all.add(gateway.differences)
            return all
        }
    }

    /// The current log.
    package var requestLog: RequestSnapshot { engine.gateway.withLock { $0.log.snapshot } }

    /// The position of the latest event, read without copying the log.
    package var latestEvent: EventPosition { engine.gateway.withLock { engine.latestEvent(in: $0) } }

    /// The current content of event streams.
    package var events: EventSnapshot {
        engine.gateway.withLock { gateway in
            EventSnapshot(log: gateway.log.snapshot, others: engine.events.withLock { $0 })
        }
    }

    /// Forgets all records, those of the admin API too; returns how many.
    package func deleteAllRequests() -> Int { engine.gateway.withLock { $0.deleteAllRecords() } }

    /// Deletes the records that match; returns their number.
    ///
    /// - Parameter wanted: the only records to delete; `nil` means all.
    package func deleteRequests(
        matching match: RequestMatch, among wanted: Set<Int>? = nil
    ) async throws(CancellationError) -> Int {
        while true {
            let log = requestLog
            var sequences = try await inSlices(log.listing(match))
            if let wanted { sequences.removeAll { !wanted.contains($0) } }
            let deleted = engine.gateway.withLock { $0.deleteRecords(sequences, foundIn: log) }
            if let deleted { return deleted }
        }
    }

    /// Returns the open and recently closed connections, with current counters.
    package func connections() async -> [Connection] {
        await reportCounters()
        return engine.gateway.withLock { $0.connections.all }
    }

    /// Makes all open connections report their counters to the gateway.
    package func reportCounters() async {
        await engine.gate.use {
            let channels = engine.connections.all
            for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ReportEvent()) }
            // Each event loop does things in order: when this has run, its reports have arrived.
            for channel in channels.reduce(into: [:], { $0[ObjectIdentifier($1.eventLoop)] = $1 }).values {
                try? await channel.eventLoop.submit {}.get()
            }
        }
    }

    /// What requests came to, second by second.
    package var timeline: RequestTimeline { engine.gateway.withLock { $0.statistics }.timeline }

    /// The totals so far.
    package var summary: Summary {
        var summary = engine.gateway.withLock { $0.summary(at: WallClock.now()) }
        summary.limits += limitUses
        return summary
    }

    /// How full the server's own collections are.
    private var limitUses: [LimitUse] {
        [
            engine.events.withLock {
                LimitUse("events", limit: $0.limit, used: min($0.count, $0.limit), dropped: $0.dropped)
            },
            engine.earlierResults.withLock {
                LimitUse("earlier_results", limit: EarlierResults.limit, used: $0.count, dropped: $0.dropped)
            },
            engine.earlierResults.withLock {
                LimitUse("unjudged_runs", limit: EarlierResults.unsettledLimit, used: $0.unsettledCount)
            },
            engine.revokedCertificates.withLock {
                LimitUse("revoked_certificates", limit: Engine.revokedLimit, used: $0.count)
            },
            LimitUse(
                "repeated_pushes", limit: RepeatedPushes.limit, used: repeatedPushes.count,
                dropped: repeatedPushes.refused),
        ] + sessions.limitUses
    }
}

extension Engine {
    /// The position of the latest event, for those who hold the gateway's lock.
    func latestEvent(in gateway: borrowing Gateway) -> EventPosition {
        EventPosition(sequence: gateway.log.latestSequence, number: events.withLock { $0.latestNumber })
    }
}
