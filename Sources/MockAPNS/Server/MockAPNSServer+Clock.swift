package import MockAPNSCore

// The clock that drives the devices' time: expiry, storage, the timeline, rates and outages.

extension MockAPNSServer {
    /// Moves the manual clock. All that is due on the way has happened when this returns, in its order: pushes have
    /// expired, the timeline's entries have acted, and connections have done what these ordered.
    ///
    /// - Parameter duration: by how much, at least nothing; fractions of a millisecond are cut off.
    /// - Throws: ``ControlError/clockIsReal`` unless the scenario has a manual clock.
    public func advance(by duration: Duration) async throws(ControlError) {
        _ = try await advance(milliseconds: max(0, duration.milliseconds))
    }

    /// The clock as the API shows it.
    package struct ClockState: Sendable {
        /// Whether it is moved by hand.
        package var isManual: Bool
        /// What it shows.
        package var now: Timestamp
        /// What happens next by itself.
        package var next: ScheduledEvent?
    }

    /// The clock as it is now.
    package var clock: ClockState {
        engine.transact { gateway, _, transaction in Self.clock(&gateway, at: transaction.real) }
    }

    /// As ``advance(by:)``; the clock as it is then.
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
        ClockState(isManual: gateway.clock.isManual, now: gateway.clock.time(at: real), next: gateway.nextEvent())
    }
}
