/// Works out a device as it was right after a request: follows the log from the beginning of the scenario, as far back as
/// it is kept.
package final class DeviceReplay: YieldingTask {
    private var state: ServiceState
    private let start: ServiceState.Start
    private let others: LatestEvents
    private let name: String
    /// The request after which the device is looked at.
    private let end: Int
    private let log: RequestSnapshot
    private var cursor: RecordCursor
    private var nextEvent: Int
    private var time: Timestamp
    private var clock: Timestamp

    /// Why there is no such device.
    package enum Missing: Error, Sendable, Equatable {
        /// The request is of a time that the log does not cover, as a sentence says.
        case dropped(String)
        /// There was no device with this name or token.
        case unknown
    }

    /// - Parameters:
    ///   - nameOrToken: which device.
    ///   - sequence: the request after which it is looked at.
    ///   - start: how the scenario began.
    /// - Throws: ``Missing/dropped(_:)``.
    package init(
        _ nameOrToken: String, after sequence: Int, in events: EventSnapshot, from start: ServiceState.Start
    ) throws(Missing) {
        (name, end, log, others, self.start) = (nameOrToken, sequence, events.log, events.others, start)
        guard sequence <= log.latestSequence else {
            throw .dropped("There is no request \(sequence) yet; the latest is \(log.latestSequence).")
        }
        guard sequence >= log.firstSequence else {
            throw .dropped("Request \(sequence) is no longer in the log, which begins with \(log.firstSequence).")
        }
        var (first, after) = (others.firstNumber, 0)
        for number in others.firstNumber..<others.latestNumber + 1 {
            if case .scenario = others[number].event { (first, after) = (number + 1, others[number].after) }
            if case .reset = others[number].event { (first, after) = (number + 1, 0) }
        }
        guard sequence > after else {
            throw .dropped("Request \(sequence) is older than the scenario that is played now.")
        }
        state = ServiceState(DeviceRegistry(hashSeed: start.hashSeed))
        state.begin(.reset, with: start)
        (nextEvent, cursor) = (first, RecordCursor(log, after: after))
        (time, clock) = (Timestamp(milliseconds: .min), start.clock)
    }

    package func proceed() -> Result<DeviceView, Missing>? {
        // A record that was deleted is passed over.
        var sequence = 0
        let isMore = cursor.read(&sequence) { subject, sequence in
            sequence = subject.sequence
            guard sequence <= end else { return }
            follow { $0.after < sequence }
            (time, clock) = (subject.record.time, max(clock, subject.record.clock))
            state.apply(subject)
        }
        if isMore, sequence < end { return nil }
        // What followed from the request happened at its time.
        follow { $0.after < end || $0.after == end && $0.time <= time }
        let known = DeviceToken(hex: name).flatMap { state.device(receiving: $0) } ?? state.devices.find(name: name)
        guard let known else { return .failure(.unknown) }
        let view = DeviceView(
            known, in: state.devices, state.mailboxes.mailbox(of: known), start.scenario.apps, at: clock,
            latestSequence: end
        ).adding(state.subscriptions, of: known)
        var views = [view]
        DeviceView.complete(&views, from: log)
        return .success(views[0])
    }

    /// Follows the next events as long as a condition holds.
    private func follow(_ isPast: (LoggedEvent) -> Bool) {
        while nextEvent <= others.latestNumber, isPast(others[nextEvent]) {
            let logged = others[nextEvent]
            nextEvent += 1
            if case .update(let update) = logged.event { clock = max(clock, update.clock) }
            if case .clock(let moved) = logged.event { clock = max(clock, moved.end) }
            state.apply(logged.event, after: logged.after)
        }
    }
}

extension ServiceState {
    /// Follows a request in the log.
    fileprivate mutating func apply(_ subject: borrowing RecordSubject) {
        guard let call = subject.call else {
            apply(
                DecidedPush(subject.record, as: subject.sequence, in: subject.bytes),
                onConnectionTo: subject.text(.serverName).map { String(decoding: $0, as: UTF8.self) })
            return
        }
        let push = ChannelPush(subject.record, as: subject.sequence, subject.body)
        apply(call, on: subject.channel, push, expiration: subject.record.expiration)
    }
}
