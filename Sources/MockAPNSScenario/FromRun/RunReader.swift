package import MockAPNSCore

/// Reads a run, and says how a scenario repeats it: in slices, request by request, with the events between them.
///
/// With the scenario that was played, what was done since is enough: its rules and devices give the same answers again.
/// Without it, as for a log file, devices and rules are made that give the answers seen.
package final class RunReader: YieldingTask {
    private let others: LatestEvents
    private var cursor: RecordCursor
    private var nextEvent: Int
    private var devices: RunDevices
    private var rules: RunRules
    private var workload: RunWorkload
    private var run = RunSteps()
    /// The pushes read so far that the workload repeats.
    private var pushes = 0
    /// Moves of the clock since the last other event.
    private var moves: [(milliseconds: Int64, sequence: Int)] = []
    /// Whether devices and rules are made that give the answers seen.
    private let infers: Bool

    /// - Parameters:
    ///   - events: the log, and the other events.
    ///   - start: the position before the first event that is read.
    ///   - scenario: the scenario as it was then; `nil` if that is not known.
    ///   - begunRules: the rules that had counted matches before. In a scenario they begin anew.
    package init(
        _ events: EventSnapshot, after start: EventPosition = EventPosition(), of scenario: Scenario?,
        begunRules: [String] = []
    ) {
        others = events.others
        cursor = RecordCursor(events.log, after: start.sequence)
        nextEvent = max(others.firstNumber, start.number + 1)
        infers = scenario == nil
        devices = RunDevices(of: scenario)
        workload = RunWorkload(after: scenario?.workload.count ?? 0)
        rules = RunRules((nextEvent..<others.latestNumber + 1).map { [others] in others[$0] }, infers: infers)
        if others.firstNumber > start.number + 1 || events.log.firstSequence > start.sequence + 1 {
            run.note("The beginning of the run is no longer in the log.")
        }
        for rule in scenario?.rules ?? [] where begunRules.contains(rule.name) {
            run.note("Rule \"\(rule.name)\" had matched before; in the scenario it counts anew.")
        }
    }

    package func proceed() -> RunSteps? {
        var nothing: Void = ()
        let isMore = cursor.read(&nothing) { subject, _ in
            follow { $0.after < subject.sequence }
            take(&subject)
        }
        if isMore { return nil }
        follow { _ in true }
        // Who reads a log file does not know whether the clock was moved, or the end of the run moved it.
        if !infers { beginStep() }
        workload.finish(into: &run)
        rules.finish(into: &run)
        return run
    }

    private func take(_ subject: inout RecordSubject) {
        guard subject.call == nil else {
            return run.note("Calls about broadcast channels are left out: a workload has pushes to devices only.")
        }
        if !moves.isEmpty { beginStep() }
        run.pushes += 1
        devices.take(subject, before: RunMoment(pushes: pushes, sequence: subject.sequence), into: &run)
        let target = devices.target(of: subject)
        let isRepeated = workload.take(&subject, to: target, devices.topic(of: subject), into: &run)
        rules.take(&subject, to: target, isRepeated: isRepeated)
        if isRepeated { pushes += 1 }
        guard run.answers.count < RunSteps.limit, let expectation = RunRules.expectation(of: subject, to: target) else {
            return
        }
        run.answers.append(.init(sequence: subject.sequence, expectation: expectation))
    }

    /// Takes the next events as long as a condition holds.
    private func follow(_ isPast: (LoggedEvent) -> Bool) {
        while nextEvent <= others.latestNumber, isPast(others[nextEvent]) {
            let logged = others[nextEvent]
            nextEvent += 1
            take(logged.event, RunMoment(pushes: pushes, sequence: logged.after))
        }
    }

    private func take(_ event: LogEvent, _ moment: RunMoment) {
        switch event {
        case .device(let event):
            beginStep()
            devices.take(event, at: moment, into: &run)
        case .activity(let event):
            beginStep()
            devices.take(event, at: moment, into: &run)
        case .clock(let event):
            moves.append((event.end.milliseconds - event.start.milliseconds, moment.sequence))
        case .response(let event):
            let who = event.deviceName ?? event.token.hex
            run.note("What the user of \(who) did with push \(event.sequence) is left out: a timeline cannot do it.")
        default: break
        }
    }

    /// Separates the pushes so far from what comes next. Adds the moves of the clock, now that something follows them: at
    /// the end of a run it moves by itself.
    private func beginStep() {
        workload.finish(into: &run)
        for move in moves {
            var action = ObjectText()
            action.add("advance", DurationText.text(move.milliseconds))
            let moment = RunMoment(pushes: pushes, sequence: move.sequence)
            moment.add(action, "the clock moves on by \(DurationText.text(move.milliseconds))", to: &run)
            run.movesClock = true
        }
        moves = []
    }
}

/// When something happened in a run.
struct RunMoment {
    /// The number of repeated pushes before it.
    var pushes: Int
    /// The latest request then.
    var sequence: Int

    /// Adds an entry of the timeline.
    func add(_ action: ObjectText, _ text: String, to run: inout RunSteps) {
        var entry = ObjectText()
        if pushes == 0 {
            entry.add("at", "0s")
        } else {
            entry.add("after", json: #"{"requests": {}, "count": \#(pushes)}"#)
        }
        entry.add("do", json: action.text)
        run.add(.timeline, entry, text, sequence)
    }
}
