/// The devices' time: what becomes due as it passes.
extension Gateway {
    /// The clock that drives the devices' time.
    package var clock: DeviceClock { scheduler.clock }

    /// Now, by both clocks.
    ///
    /// - Parameter real: the time of day.
    package func moment(at real: Timestamp) -> Moment { Moment(real: real, clock: clock.time(at: real)) }

    /// Begins the scenario's time, with its devices declared already: sets the clock, forgets what was kept for devices,
    /// and lets the timeline begin.
    ///
    /// - Parameter real: the time of day.
    mutating func beginTimeline(at real: Timestamp) {
        mailboxes = MailboxStore()
        scheduler = Scheduler(DeviceClock(scenario.clock, startedAt: real), scenario.timeline)
        let start = clock.time(at: real)
        var device = devices.next(after: nil)
        while let known = device {
            awaitRegistration(of: known, devices.registration(of: known), after: start)
            device = devices.next(after: known)
        }
        for (number, entry) in scenario.timeline.enumerated() where entry.after == nil {
            scheduler.schedule(.entry(number), at: start.advanced(by: entry.delay))
        }
    }

    /// When the next thing is due on a real clock; `nil` when nothing is, or when the clock is a manual one.
    package var nextDue: Timestamp? { scheduler.nextOnRealClock }

    /// Moves the manual clock. Everything due on the way happens before this returns, in order of its time. Where the
    /// timeline moves the clock on the way, it has moved by so much more at the end.
    ///
    /// - Parameter duration: by how much, in milliseconds; at least 0.
    package mutating func advance(by duration: Int64) throws(ClockIsReal) -> [GatewayEffect] {
        guard case .manual(let now) = clock else { throw ClockIsReal() }
        run(to: now.advanced(by: max(0, duration)))
        return takeEffects()
    }

    /// Moves a manual clock to the last entry of the timeline that waits for its time; does nothing with a real clock.
    package mutating func advanceToEndOfTimeline() -> [GatewayEffect] {
        // What happens on the way may move the clock, or make another entry due.
        while case .manual(let now) = clock, let last = scheduler.lastEntry, last >= now { run(to: last) }
        return takeEffects()
    }

    /// Lets everything happen that is due on a real clock. The server calls it when ``nextDue`` has come, and before
    /// pushes that come later than that. Does nothing where the clock is a manual one.
    ///
    /// - Parameter now: the time of day.
    package mutating func advance(to now: Timestamp) -> [GatewayEffect] {
        guard let next = nextDue, next <= now else { return [] }
        run(to: now)
        return takeEffects()
    }

    // MARK: Requests that the timeline waits for

    /// The entries of the timeline that still wait for requests, and for which.
    package var awaitedRequests: [(entry: Int, match: MatchExpression)] {
        scheduler.waitingEntries.compactMap { entry in
            scenario.timeline[entry].after.map { (entry, $0.match) }
        }
    }

    /// Takes note of a request, recorded already, that an entry of the timeline waits for. What is due by that happens
    /// at once; its effects are to be fetched.
    ///
    /// - Returns: whether the entry waits for more.
    @discardableResult
    mutating func noteAwaitedRequest(_ entry: Int, at now: Timestamp) -> Bool {
        guard let others = scheduler.countRequest(for: entry) else { return false }
        guard others == 0 else { return true }
        scheduler.schedule(.entry(entry), at: now.advanced(by: scenario.timeline[entry].delay))
        if scenario.timeline[entry].delay == 0 { run(to: now, isMoved: false) }
        return false
    }

    // MARK: Moving on

    /// What is being done: the clock moves, or an entry of the timeline acts.
    private enum Task {
        case moving(from: Timestamp, to: Timestamp)
        case acting(entry: Int, next: Int, at: Timestamp)
    }

    /// - Parameter isMoved: whether somebody has moved the clock, so that it is told; else it stands, but for what an entry
    ///   of the timeline does.
    private mutating func run(to end: Timestamp, isMoved: Bool = true) {
        // A list of its own instead of recursion: a file may have any number of entries that move the clock.
        var tasks = [Task.moving(from: clock.time(at: end), to: end)]
        while let task = tasks.popLast() {
            switch task {
            case .moving(let start, let end):
                if let (time, event) = scheduler.popDue(at: end) {
                    tasks.append(task)
                    // On a manual clock nothing lies behind; what is noticed late on a real one has its own time.
                    scheduler.setClock(to: time)
                    if let entry = happen(event, at: time) { tasks.append(.acting(entry: entry, next: 0, at: time)) }
                } else if clock.isManual {
                    scheduler.setClock(to: end)
                    if start < end, isMoved || !tasks.isEmpty { tell(.clock(from: start, to: end)) }
                    // The move that this one lay in goes on as far as it would have gone.
                    if tasks.count >= 2, case .moving(let outer, let target) = tasks[tasks.count - 2] {
                        tasks[tasks.count - 2] = .moving(
                            from: outer, to: target.advanced(by: end.milliseconds - start.milliseconds))
                    }
                }
            case .acting(let entry, let next, let time):
                guard next < scenario.timeline[entry].actions.count else { break }
                let now = clock.time(at: time)
                tasks.append(.acting(entry: entry, next: next + 1, at: time))
                if let duration = act(scenario.timeline[entry].actions[next], at: now) {
                    tasks.append(.moving(from: now, to: now.advanced(by: duration)))
                }
            }
        }
    }

    /// Lets something happen that is due; an entry of the timeline is returned instead.
    private mutating func happen(_ event: DueQueue.Event, at time: Timestamp) -> Int? {
        switch event {
        case .expiry(let device, let sequence): expire(sequence, for: device, at: time)
        case .registration(let device): releaseMail(of: device, at: time)
        case .entry(let number): return number
        }
        return nil
    }

    /// Does what the timeline says; by how much the clock is to be moved is returned instead.
    private mutating func act(_ action: TimelineAction, at now: Timestamp) -> Int64? {
        switch action {
        case .device(let index, let change):
            if let device = devices.find(scenario.devices[index].token) { apply(change, to: device, at: now) }
        case .goAway(let plan, let connection): order(goAway(plan, on: connection.map { connections.id(of: $0) }))
        case .close(let ending, let connection): order(close(ending, on: connection.map { connections.id(of: $0) }))
        case .settings(let change, let connection):
            order(
                limitStreams(
                    to: change.maxConcurrentStreams, for: change.duration,
                    on: connection.map { connections.id(of: $0) }))
        case .outage(let outage): begin(outage, ResponsePlan(during: outage), at: now)
        case .key(let keyID, let isRevoked): _ = revoke(keyID, isRevoked)
        case .advance(let duration): return clock.isManual ? duration : nil
        }
        return nil
    }

    private mutating func order(_ orders: [ConnectionOrder]) {
        if !orders.isEmpty { tell(.connections(orders)) }
    }
}
