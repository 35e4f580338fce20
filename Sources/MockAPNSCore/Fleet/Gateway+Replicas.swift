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
        for count in run.frame.totals.topics { topics[count.topic] = devices.topics.intern(pushed: count.topic.span) }
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
            record.connectionID = UInt32(clamping: connection(record.connectionID, run))
            connections.countRequest(on: Int(record.connectionID))
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
        if let push = deliver(
            record, as: sequence, number, isReplaced: replacement != nil,
            segment.bytes(of: segment.records[index], at: index))
        {
            hold(push, record, of: run.replica)
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
        deliverFromStorage(sequence, update, at: clock)
    }

    /// Returns the id of a replica's connection here.
    private mutating func connection(_ id: UInt32, _ run: ReplicaRun) -> Int {
        if let known = replicas.replicas[run.replica].connections[id] { return known }
        let new = connections.makeID()
        replicas.replicas[run.replica].connections[id] = new
        return new
    }

    /// Notes what a device received, according to the record.
    ///
    /// - Parameters:
    ///   - number: its number in the fleet's order, if it has one.
    ///   - isReplaced: whether another push has replaced it, which may not have come yet.
    /// - Returns: the push and the device that it is stored for; `nil` if it is not stored.
    private mutating func deliver(
        _ record: RequestRecord, as sequence: Int, _ number: Int?, isReplaced: Bool, _ bytes: Span<UInt8>
    ) -> (push: KeptPush, device: DeviceIndex)? {
        guard let delivery = record.delivery, !record.tokenRange.isAbsent,
            let token = DeviceToken(hex: bytes.extracting(record.tokenRange.indices))
        else { return nil }
        let topic =
            record.topicRange.isAbsent
            ? nil : devices.topics.intern(pushed: bytes.extracting(record.topicRange.indices)) ?? .unlisted
        let device = devices.find(token) ?? register(token, topic, record)
        if delivery == .delivered { devices.countPush(to: device) } else { devices.notePush(to: device) }
        if delivery == .delivered, devices.isUnattended(device) { return nil }
        // What was delivered from storage is stored until the event that says when.
        let isStored = !isReplaced && (!delivery.isFinal || delivery == .deliveredFromStorage)
        let pushType = record.pushTypeRange.isAbsent ? nil : PushType(bytes.extracting(record.pushTypeRange.indices))
        let screenPart: ScreenPart =
            record.pushTypeRange.isAbsent ? .notifications : pushType.map { ScreenPart($0) } ?? .none
        guard isStored || delivery == .delivered && screenPart != .none else { return nil }
        let collapseID = record.collapseIDRange.isAbsent ? 0..<0 : record.collapseIDRange.indices
        let body = Int(record.headerCount)..<Int(record.headerCount) + Int(record.bodyCount)
        var push = KeptPush(
            sequence: sequence,
            time: isStored ? DeliveryPolicy.expiry(record.expiration, at: record.clock) : record.clock, topic: topic,
            collapseID: bytes.extracting(collapseID), payload: bytes.extracting(body))
        (push.delivery, push.screenPart, push.number) = (delivery, screenPart, number ?? 0)
        if !isStored, mailboxes.show(push, on: device) { return nil }
        openMailbox(of: device)
        guard isStored else {
            mailboxes.show(push, on: device)
            return nil
        }
        // The replicas say what replaces what; here, a push may come before an older one of another replica.
        _ = mailboxes.store(push, for: device, perTopic: nil)
        return (push, device)
    }

    /// Notes that a replica has stored a push.
    private mutating func hold(
        _ stored: (push: KeptPush, device: DeviceIndex), _ record: RequestRecord, of replica: Int
    ) {
        let held = HeldPushes.Held(
            replica: replica, device: devices.token(of: stored.device), time: record.clock, expiry: stored.push.time)
        replicas.held.add(
            stored.push.sequence, held, mailboxes.stored(for: stored.device), perTopic: configuration.storagePerTopic)
    }

    /// Returns the number of stored pushes, by replica, whose outcome is unknown if the replica has ended.
    ///
    /// - Parameter anyTime: whether the clock may have moved to any time since; else it is the latest one reported.
    package func unsettledPushes(atAnyTime anyTime: Bool = false) -> [Int: Int] {
        replicas.held.unsettled(atAnyTime: anyTime) { token, now in
            devices.find(token).map { devices.conditions(of: $0, at: now).isRegistered } ?? false
        }
    }

    private mutating func register(
        _ token: DeviceToken, _ topic: TopicIndex?, _ record: RequestRecord
    ) -> DeviceIndex {
        if let oldest = devices.nextToGo { mailboxes.close(oldest) }
        var name: String?
        if record.serverName > 0 {
            name = String(decoding: log.serverNames[Int(record.serverName) - 1], as: UTF8.self)
        }
        return devices.register(token, topic: topic, isSandbox: configuration.environment.isSandbox(serverName: name))
    }

    // MARK: Other events

    private mutating func take(_ logged: LoggedEvent, _ run: ReplicaRun) {
        switch logged.event {
        case .update(let event):
            guard let own = replicas.replicas[run.replica].own(event.sequence) else { return }
            var update = event.change
            if let replacement = update.replacedBy, replicas.noteReplaced(own, by: replacement) {
                // The record names it when it comes; it never does if its provider was not answered in time.
                replicas.held.settle(own)
                if let device = device(of: own) { _ = mailboxes.removeStored(own, for: device) }
                return
            }
            update.replacedBy = update.replacedBy.flatMap { replicas.own($0, of: run.replica) }
            take(update, of: own, at: event.clock)
        case .connection(let event): take(event, at: event.time ?? logged.time, run)
        case .device(let event): take(event, run)
        case .channel, .rule, .scenario, .clock, .reset, .fleet, .log: break
        }
    }

    private mutating func take(_ event: ConnectionEvent, at replicaTime: Timestamp, _ run: ReplicaRun) {
        let own = connection(UInt32(clamping: event.connection.key), run)
        let time = replicaTime.advanced(by: run.frame.clockOffset)
        switch event.change {
        case .opened(let facts):
            guard connections[own] == nil else { return }
            let terms = Connection.Terms(
                isSandbox: configuration.environment.isSandbox(serverName: facts.serverName),
                serverName: log.index(ofServerName: facts.serverName))
            _ = connections.open(facts, as: own, at: time, terms)
            noteOpening(of: own, at: time)
        case .closed(let end):
            connections.setTeam(end.teamID, of: own)
            closeConnection(
                own, by: end.closedBy ?? .server, explanation: end.explanation, counters: end.counters, at: time)
        }
    }

    /// Notes what became of a stored push.
    private mutating func deliverFromStorage(_ sequence: Int, _ update: RequestUpdate, at now: Timestamp) {
        guard update.delivery != nil || update.replacedBy != nil else { return }
        if update.delivery?.isFinal ?? true { replicas.held.settle(sequence) }
        guard let device = device(of: sequence) else { return }
        if let delivery = update.delivery, !delivery.isFinal {
            return mailboxes.setDelivery(delivery, of: sequence, for: device)
        }
        guard var push = mailboxes.removeStored(sequence, for: device), let delivery = update.delivery,
            delivery.reachedDevice
        else { return }
        devices.countDelivery(to: device)
        (push.delivery, push.time) = (delivery, now)
        mailboxes.show(push, on: device)
    }

    /// Returns the device of a request in the log.
    private func device(of sequence: Int) -> DeviceIndex? {
        guard let token = log.withSubject(sequence, { $0.text(.token) }) ?? nil else { return nil }
        return DeviceToken(hex: token.span).flatMap { devices.find($0) }
    }

    private mutating func take(_ event: DeviceEvent, _ run: ReplicaRun) {
        let known = devices.find(event.token)
        // Other replicas do not report what is dismissed, what a push to this one starts, or that a device goes which
        // they do not know.
        if event.dismissed == nil, event.activity == nil, event.state != .removed {
            replicas.held.noteChange(of: event.token, by: run.replica)
        }
        replicas.held.note(event.clock)
        switch event.state {
        case .declared: declare(event, insteadOf: known)
        case .changed:
            guard let known else { return declare(event, insteadOf: nil) }
            openMailbox(of: known)
            if let dismissed = event.dismissed {
                guard let own = replicas.own(dismissed, of: run.replica) else { return }
                return mailboxes.dismiss(own, on: known)
            }
            devices[known].isOnline = event.device.isOnline
            devices[known].allowsNotifications = event.device.allowsNotifications
            devices[known].savesPower = event.device.savesPower
            devices[known].registration = event.device.registration
        case .removed:
            guard let known else { return }
            mailboxes.close(known)
            devices.remove(known)
        }
    }

    /// Declares a device, unless another replica has declared it before.
    ///
    /// - Parameter known: the device with its token, which may have registered itself.
    private mutating func declare(_ event: DeviceEvent, insteadOf known: DeviceIndex?) {
        guard let known else {
            _ = devices.declare(event.device, event.token)
            return
        }
        guard devices.isSelfRegistered(known) else { return }
        let received = devices.records[known].received
        mailboxes.close(known)
        devices.remove(known)
        guard let device = devices.declare(event.device, event.token) else { return }
        devices.records[device].received = received
        mailboxes.open(device, historyEnd: log.latestSequence)
    }
}

extension Connections {
    /// Counts a request on a connection of a replica, if it is open.
    mutating func countRequest(on id: Int) {
        if let index = indices(of: id).first { open[index].requests += 1 }
    }

    /// Notes the team that a connection of a replica was bound to.
    mutating func setTeam(_ teamID: String?, of id: Int) {
        if let index = indices(of: id).first { open[index].teamID = teamID }
    }
}
