package import MockAPNSCore

// The clock that drives the time of devices: expiry, storage, the timeline, rates and outages.

extension MockAPNSServer {
    /// Moves the manual clock. When this returns, everything due in between has happened in order: pushes have expired,
    /// the timeline's entries have run, and connections have carried out their orders.
    ///
    /// - Parameter duration: the time to move by, not negative; fractions of a millisecond are truncated.
    /// - Throws: ``ControlError/clockIsReal`` unless the scenario has a manual clock.
    public func advance(by duration: Duration) async throws(ControlError) {
        _ = try await advance(milliseconds: max(0, duration.milliseconds))
    }

    /// The clock as shown by the API.
    package struct ClockState: Sendable {
        /// Whether it is a manual clock.
        package var isManual: Bool
        /// The time it shows.
        package var now: Timestamp
        /// The next scheduled event.
        package var next: ScheduledEvent?
    }

    /// The current state of the clock.
    package var clock: ClockState {
        engine.transact { gateway, _, transaction in Self.clock(&gateway, at: transaction.real) }
    }

    /// Moves the clock like ``advance(by:)``; returns its new state.
    package func advance(milliseconds: Int64) async throws(ControlError) -> ClockState {
        let clock = await engine.transactAndSettle { gateway, lines, transaction -> ClockState? in
            guard let effects = try? gateway.advance(by: milliseconds) else { return nil }
            transaction.note(effects, &lines)
            return Self.clock(&gateway, at: transaction.real)
        }
        guard let clock else { throw .clockIsReal }
        return clock
    }

    private static func clock(_ gateway: inout Gateway, at real: Timestamp) -> ClockState {
        let now = gateway.clock.time(at: real)
        return ClockState(isManual: gateway.clock.isManual, now: now, next: gateway.nextEvent(at: now))
    }
}
