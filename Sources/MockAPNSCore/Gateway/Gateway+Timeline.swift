/// Device time and the events that become due as it passes.
extension Gateway {
    /// The clock that drives device time.
    package var clock: DeviceClock {
        guard let fleet = order.clock, !scheduler.clock.isManual else { return scheduler.clock }
        return .fleet(fleet)
    }

    /// Returns the current time on both clocks.
    ///
    /// - Parameter real: the real time.
    // Mutating, like other members that are called for each push or batch: for a call of a member that is not, the compiler
    // copies the whole gateway, 3 KB.
    package mutating func moment(at real: Timestamp) -> Moment { Moment(real: real, clock: clock.time(at: real)) }

    /// Returns the time by which provider tokens are judged.
    ///
    /// - Parameter real: the real time.
    package mutating func timeOfProviderTokens(at real: Timestamp) -> Timestamp {
        configuration.authentication.time(of: moment(at: real))
    }

    /// Starts the scenario's clock and timeline. The devices have to be declared already.
    ///
    /// - Parameter real: the real time.
    mutating func beginTimeline(at real: Timestamp) {
        let timeline = configuration.isCollector ? [] : scenario.timeline
        scheduler = Scheduler(DeviceClock(scenario.clock, startedAt: real), timeline)
        let start = clock.time(at: real)
        var device = state.devices.next(after: nil)
        while !configuration.isCollector, let known = device {
            awaitRegistration(of: known, state.devices.registration(of: known), after: start)
            awaitEndsOfActivities(of: known)
            device = state.devices.next(after: known)
        }
        for (number, entry) in timeline.enumerated() where entry.after == nil {
            scheduler.schedule(.entry(number), at: start.advanced(by: entry.delay))
        }
    }

    /// When the next event is due on a real clock; `nil` if there is none, the clock is manual, or the order of a fleet
    /// says when.
    package var nextDue: Timestamp? {
        mutating get { order.clock == nil ? scheduler.nextOnRealClock : nil }
    }

    /// Advances the manual clock. All events due on the way happen, in order of time, before this returns. If the
    /// timeline itself moves the clock on the way, that is added to the total.
    ///
    /// - Parameter duration: milliseconds to advance by; at least 0.
    package mutating func advance(by duration: Int64) throws(ClockIsReal) -> [GatewayEffect] {
        guard case .manual(let now) = clock else { throw ClockIsReal() }
        run(to: now.advanced(by: max(0, duration)))
        return takeEffects()
    }

    /// Advances a manual clock to the last timeline entry that waits for its time. Does nothing with a real clock.
    package mutating func advanceToEndOfTimeline() -> [GatewayEffect] {
        // An event on the way may move the clock or schedule another entry.
        while case .manual(let now) = clock, let last = scheduler.lastEntry, last >= now { run(to: last) }
        return takeEffects()
    }

    /// When a real clock reaches the last timeline entry that waits for its time; `nil` if there is none, or the clock is
    /// manual.
    package var endOfTimeline: Timestamp? { scheduler.clock.isManual ? nil : scheduler.lastEntry }

    /// Runs all events that are due on a real clock. The server calls this at ``nextDue`` and before handling pushes
    /// that arrive later than that. Does nothing with a manual clock.
    ///
    /// - Parameter now: the real time.
    package mutating func advance(to now: Timestamp) -> [GatewayEffect] {
        guard let next = nextDue, next <= now else { return [] }
        run(to: now)
        return takeEffects()
    }

    /// Runs all events that are due on a real clock by the time that the order of a fleet has reached.
    mutating func runDue(inOrderAt time: Timestamp) {
        if !scheduler.clock.isManual { run(to: time) }
    }

    // MARK: Requests that the timeline waits for

    /// The timeline entries that still wait for requests, with their matches.
    package var awaitedRequests: [(entry: Int, match: MatchExpression)] {
        scheduler.waitingEntries.compactMap { entry in
            scenario.timeline[entry].after.map { (entry, $0.match) }
        }
    }

    /// Counts a recorded request that a timeline entry waits for. Runs everything that is due as a result; fetch the
    /// effects afterwards.
    ///
    /// - Returns: whether the entry waits for more requests.
    @discardableResult
    mutating func noteAwaitedRequest(_ entry: Int, at now: Timestamp) -> Bool {
        // All replicas of a fleet count together.
        if order.isOn {
            order.count(for: entry)
            return true
        }
        return countAwaited(1, for: entry, at: now)
    }

    /// Counts requests that a timeline entry waits for, in the same way.
    mutating func countAwaited(_ requests: Int, for entry: Int, at now: Timestamp) -> Bool {
        guard let others = scheduler.count(requests, for: entry) else { return false }
        guard others == 0 else { return true }
        // Another entry may have moved a manual clock since the request was decided.
        let now = scheduler.clock.isManual ? scheduler.clock.time(at: now) : now
        scheduler.schedule(.entry(entry), at: now.advanced(by: scenario.timeline[entry].delay))
        run(to: now, isMoved: false)
        return false
    }

    // MARK: Moving on

    /// A pending step: moving the clock, or the next action of a timeline entry.
    private enum Task {
        case moving(from: Timestamp, to: Timestamp)
        case acting(entry: Int, next: Int, at: Timestamp)
    }

    /// - Parameter isMoved: whether the clock was moved from outside, which is reported. Otherwise the clock stands
    ///   still unless a timeline entry moves it.
    private mutating func run(to end: Timestamp, isMoved: Bool = true) {
        // An explicit stack instead of recursion: a file may have any number of entries that move the clock.
        var tasks = [Task.moving(from: scheduler.clock.time(at: end), to: end)]
        while let task = tasks.popLast() {
            switch task {
            case .moving(let start, let end):
                if let (time, event) = scheduler.popDue(at: end) {
                    tasks.append(task)
                    // A manual clock is never late. An event noticed late on a real clock keeps its own time.
                    scheduler.setClock(to: time)
                    if let entry = happen(event, at: time) { tasks.append(.acting(entry: entry, next: 0, at: time)) }
                } else if scheduler.clock.isManual {
                    scheduler.setClock(to: end)
                    if start < end, isMoved || !tasks.isEmpty { emit(.clock(ClockEvent(from: start, to: end))) }
                    // Extend the enclosing move by the distance of this one.
                    if tasks.count >= 2, case .moving(let outer, let target) = tasks[tasks.count - 2] {
                        tasks[tasks.count - 2] = .moving(
                            from: outer, to: target.advanced(by: end.milliseconds - start.milliseconds))
                    }
                }
            case .acting(let entry, let next, let time):
                guard next < scenario.timeline[entry].actions.count else { break }
                let now = scheduler.clock.time(at: time)
                tasks.append(.acting(entry: entry, next: next + 1, at: time))
                if let duration = act(scenario.timeline[entry].actions[next], at: now) {
                    tasks.append(.moving(from: now, to: now.advanced(by: duration)))
                }
            }
        }
    }

    /// Runs a due event. A timeline entry is returned instead.
    private mutating func happen(_ event: DueQueue.Event, at time: Timestamp) -> Int? {
        switch event {
        case .expiry(let device, let sequence): expire(sequence, for: device, at: time)
        case .registration(let device):
            record(state.followState(of: device, at: time), on: device, at: time)
            deliverStoredPushes(of: device, at: time)
        case .endOfActivity(let device): endActivities(of: device, at: time)
        case .entry(let number): return number
        }
        return nil
    }

    /// Performs a timeline action. An action that moves the clock returns by how much instead.
    private mutating func act(_ action: TimelineAction, at now: Timestamp) -> Int64? {
        switch action {
        case .device(let index, let change):
            if let device = state.device(scenario.devices[index]) { apply(change, to: device, at: now) }
        case .goAway(let plan, let connection): order(goAway(plan, on: connection.map { connections.id(of: $0) }))
        case .close(let ending, let connection): order(close(ending, on: connection.map { connections.id(of: $0) }))
        case .settings(let change, let connection):
            order(
                limitStreams(
                    to: change.maxConcurrentStreams, for: change.duration,
                    on: connection.map { connections.id(of: $0) }))
        case .outage(let outage): begin(outage, ResponsePlan(during: outage), at: now)
        case .key(let keyID, let isRevoked): _ = revoke(keyID, isRevoked)
        case .broadcast(let topic, let isOn): turnBroadcast(isOn, for: topic, at: now)
        case .advance(let duration): return duration
        }
        return nil
    }

    private mutating func order(_ orders: [ConnectionOrder]) {
        if !orders.isEmpty { tell(.connections(orders)) }
    }
}
