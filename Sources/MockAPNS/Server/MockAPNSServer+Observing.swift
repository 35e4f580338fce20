package import MockAPNSCore
import NIOCore

// What the admin listener reads and does. Everything is a copy: no reader holds the gateway's lock while it works.

extension MockAPNSServer {
    /// Tells where the admin API is, for who asks at another port.
    package func announceAdmin(at url: String) { engine.gateway.withLock { $0.adminURL = url } }

    /// The log as it is now.
    package var requestLog: RequestSnapshot { engine.gateway.withLock { $0.log.snapshot } }

    /// All that streams of events tell, as it is now.
    package var events: EventSnapshot {
        engine.gateway.withLock { gateway in
            EventSnapshot(log: gateway.log.snapshot, others: engine.otherEvents.withLock { $0 })
        }
    }

    /// Forgets all records, those of the admin API too; returns how many.
    package func deleteAllRequests() -> Int { engine.gateway.withLock { $0.deleteAllRecords() } }

    /// Forgets the records that fulfil a match; returns how many.
    package func deleteRequests(matching match: RequestMatch) async throws(CancellationError) -> Int {
        while true {
            let log = requestLog
            let sequences = try await inSlices(log.listing(match))
            let deleted = engine.gateway.withLock { $0.deleteRecords(sequences, foundIn: log) }
            if let deleted { return deleted }
        }
    }

    /// The connections, open and lately closed, with their counters of this moment.
    package func connections() async -> [Connection] {
        await reportCounters()
        return engine.gateway.withLock { $0.connections.all }
    }

    /// Lets all open connections tell the gateway what they have counted.
    package func reportCounters() async {
        let channels = engine.connections.all
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ReportEvent()) }
        // Each loop does things in order: when this is done, its reports are in.
        for channel in channels.reduce(into: [:], { $0[ObjectIdentifier($1.eventLoop)] = $1 }).values {
            try? await channel.eventLoop.submit {}.get()
        }
    }

    /// The totals so far.
    package var summary: Summary { engine.gateway.withLock { $0.summary(at: WallClock.now()) } }
}
