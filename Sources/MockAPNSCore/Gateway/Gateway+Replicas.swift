/// The log of a collector: requests that replicas have decided, in one order. The gateway decides nothing itself then,
/// but keeps the same state as if it had, so that everything that reads it works as on a single server.
extension Gateway {
    /// Adds a replica; the next ``ReplicaRun``s may refer to it by its number, 0 for the first.
    package mutating func addReplica(_ name: String) {
        replicas.add(name)
        log.replicaNames = replicas.names
    }

    /// Records what a replica has decided.
    package mutating func take(_ run: ReplicaRun) {
        var event = run.events.lowerBound
        for index in run.records {
            let sequence = run.frame.sequence(at: index)
            while event < run.events.upperBound, run.frame.events[event].after < sequence {
                take(run.frame.events[event], run)
                event += 1
            }
            takeRecord(index, run)
        }
        while event < run.events.upperBound {
            take(run.frame.events[event], run)
            event += 1
        }
        guard run.isEnd else { return }
        // A closure cannot change the table of topics of a value that is being changed.
        var topics: [[UInt8]: TopicIndex] = [:]
        for count in run.frame.totals.topics {
            topics[count.topic] = state.devices.topics.intern(pushed: count.topic.span)
        }
        statistics.add(run.frame.totals) { topics[Array(copying: $0)] }
        if let applied = run.frame.rules { note(applied) }
    }

    /// Notes which rules have applied on a replica.
    package mutating func note(_ applied: AppliedRules) {
        if replicas.rules.note(applied, of: scenario) { rules.noteApplied(Set(applied.names)) }
    }

    /// Returns the name of the replica that a connection was made to, and its id there; `nil` if it is not known.
    package func replicaConnection(_ id: Int) -> (replica: String, id: Int)? {
        for replica in replicas.replicas {
            guard let own = replica.connections.first(where: { $0.value == id })?.key else { continue }
            return (String(decoding: replicas.names[Int(replica.name)], as: UTF8.self), Int(own))
        }
        return nil
    }

    // MARK: Requests

    private mutating func takeRecord(_ index: Int, _ run: ReplicaRun) {
        let segment = run.frame.records
        var record = segment.records[index]
        guard !record.isDeleted else { return }
        let origin = RecordOrigin(
            replica: replicas.replicas[run.replica].name, sequence: run.frame.sequence(at: index))
        if record.connectionID > 0 {
            let id = connection(record.connectionID, run)
            record.connectionID = UInt32(clamping: id)
            connections.countRequest(on: connections.reference(to: id))
        }
        if record.serverName > 0 {
            let name = run.frame.serverNames[Int(record.serverName) - 1]
            record.serverName = log.index(ofServerName: String(decoding: name, as: UTF8.self))
        }
        let replacement = record.replacedBy
        if let replacement { record.replacedBy = replicas.own(replacement, of: run.replica) }
        let isClockReal = record.clock == record.time
        record.time = record.time.advanced(by: run.frame.clockOffset)
        if isClockReal { record.clock = record.time }
        let sequence = log.append(
            record, bytes: segment.bytes(of: segment.records[index], at: index),
            token: segment.token(of: segment.records[index]), from: origin)
        if let call = record.callIndex { log.addCall(segment.calls[call], to: log.open.records.count - 1) }
        let limit = max(1024, log.limit)
        replicas.replicas[run.replica].note(origin.sequence, as: sequence, limit: limit)
        if let replacement { _ = replicas.noteReplaced(sequence, by: replacement) }
        if record.sender == .provider { statistics.countRate(at: record.time) }
        let number = run.frame.number(of: origin.sequence)
        replicas.held.note(record.clock)
        if record.delivery != nil {
            var push = DecidedPush(
                record, as: sequence, in: segment.bytes(of: segment.records[index], at: index))
            // The other push may not have come yet.
            push.isReplaced = replacement != nil
            push.number = number ?? 0
            follow(push, of: run.replica)
        }
        if watch.isNeeded { noteRequest(at: record.clock) }
        if let number {
            for other in replicas.note(number, as: sequence, limit: limit) {
                take(RequestUpdate(replacedBy: sequence), of: other, at: record.clock)
            }
        }
    }

    /// Changes a record as the replica that decided about the push says.
    private mutating func take(_ update: RequestUpdate, of sequence: Int, at clock: Timestamp) {
        replicas.held.note(clock)
        changeRecord(sequence, update, at: clock)
        let isSettled = update.delivery?.isFinal ?? (update.replacedBy != nil)
        if isSettled { replicas.held.settle(sequence) }
        state.apply(.update(UpdateEvent(of: sequence, update, clock: clock)), after: log.latestSequence)
    }

    /// Returns the id of a replica's connection here.
    private mutating func connection(_ id: UInt32, _ run: ReplicaRun) -> Int {
        if let known = replicas.replicas[run.replica].connections[id] { return known }
        let new = connections.makeID()
        replicas.replicas[run.replica].connections[id] = new
        return new
    }

    /// Lets the state follow a push, and notes if its replica has stored it.
    private mutating func follow(_ push: consuming DecidedPush, of replica: Int) {
        let (record, sequence) = (push.record, push.sequence)
        let serverName = record.serverName > 0 ? log.serverNames[Int(record.serverName) - 1] : nil
        let name = serverName.map { String(decoding: $0, as: UTF8.self) }
        guard let device = state.apply(push, onConnectionTo: name) else { return }
        let held = UnsettledStoredPushes.Held(
            replica: replica, device: state.devices.token(of: device), time: record.clock,
            expiry: DeliveryPolicy.expiry(record.expiration, at: record.clock))
        replicas.held.add(
            sequence, held, state.mailboxes.stored(for: device), perTopic: configuration.storagePerTopic)
    }

    /// Returns the number of stored pushes, by replica, whose outcome is unknown if the replica has ended.
    ///
    /// - Parameter anyTime: whether the clock may have moved to any time since; else it is the latest one reported.
    package func unsettledPushes(atAnyTime anyTime: Bool = false) -> [Int: Int] {
        replicas.held.unsettled(atAnyTime: anyTime) { token, now in
            state.devices.find(token).map { state.devices.conditions(of: $0, at: now).isRegistered } ?? false
        }
    }

    // MARK: Other events

    private mutating func take(_ logged: LoggedEvent, _ run: ReplicaRun) {
        // Time passes even if the push is not known.
        if case .activity(let event) = logged.event { replicas.held.note(event.clock) }
        let own = logged.event.renumbered(
            request: { replicas.own($0, of: run.replica) }, replacement: { $0 },
            connection: { there in
                let own = connection(UInt32(clamping: there.key), run)
                return connections.reference(to: own)
            })
        switch own {
        case .update(let event): take(event, run)
        case .connection(let event): take(event, at: event.time ?? logged.time, run)
        case .device(let event):
            // Other replicas do not report that a device goes which they do not know.
            if event.state != .removed { replicas.held.noteChange(of: event.token, by: run.replica) }
            follow(.device(event), at: event.clock)
        case .activity(let event): follow(.activity(event), at: event.clock)
        case .response(let event): follow(.response(event), at: event.clock)
        case .channel, .rule, .scenario, .clock, .reset, .fleet, .log, nil: break
        }
    }

    private mutating func take(_ event: UpdateEvent, _ run: ReplicaRun) {
        var update = event.change
        if let replacement = update.replacedBy, replicas.noteReplaced(event.sequence, by: replacement) {
            // The record names it when it comes; it never does if its provider was not answered in time.
            replicas.held.settle(event.sequence)
            let replaced = UpdateEvent(
                of: event.sequence, RequestUpdate(replacedBy: replacement), clock: event.clock)
            state.apply(.update(replaced), after: log.latestSequence)
            return
        }
        update.replacedBy = update.replacedBy.flatMap { replicas.own($0, of: run.replica) }
        take(update, of: event.sequence, at: event.clock)
    }

    private mutating func take(_ event: ConnectionEvent, at replicaTime: Timestamp, _ run: ReplicaRun) {
        let (own, time) = (event.connection.key, replicaTime.advanced(by: run.frame.clockOffset))
        let ownEvent = ConnectionEvent(event.change, event.connection, at: time)
        switch event.change {
        case .opened: if !connections.isKnown(own) { recordOpening(ownEvent, at: time) }
        case .closed: if connections.isOpen(own) { record(.connection(ownEvent)) }
        }
    }

    /// Lets the state follow an event of a replica.
    private mutating func follow(_ event: LogEvent, at clock: Timestamp) {
        replicas.held.note(clock)
        state.apply(event, after: log.latestSequence)
    }
}
