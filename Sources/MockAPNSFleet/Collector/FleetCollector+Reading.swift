import Logging
import MockAPNS
import MockAPNSCore

// Reads the frames and messages of replicas in the streams of the engine.

extension FleetCollector {
    /// The stream of the frames of all replicas of a name; its index is its number in the merge.
    struct Log: Sendable {
        let name: String
        let key: String
        /// The latest entry that was read.
        var position = StreamID.zero
    }

    /// The time between two reads while a call or verdict waits. An engine that is asked to wait that short waits for
    /// up to 100 ms.
    private static let interval = Duration.milliseconds(4)
    /// How long a replica has brought nothing before it is asked, in milliseconds. One that serves providers ships more
    /// often than that.
    private static let silence: Int64 = 15
    /// Maximum time that the engine is asked to wait for something, in milliseconds.
    private static let idleTime = 500

    func followRepeatedly() async {
        while !isEnding {
            do throws(FleetError) {
                try await read()
                if !hasRead, !isBehind {
                    hasRead = true
                    showReadiness()
                }
                // A call that is not read yet may come before what is here.
                if !isControlBehind { proceed() }
                await followControl()
                if !isBehind, control.isEmpty { lookAtRun() }
                await askSilent()
                if !isBehind, !isIdle { try? await Task.sleep(for: Self.interval) }
            } catch {
                // Their frames may be unusually large.
                if case .tooLong = error { readCount = 1 }
                note(error)
                if !isEnding { try? await Task.sleep(for: .milliseconds(200)) }
            }
        }
    }

    /// Asks the replicas for which what is here waits whether they have decided anything. If the engine refuses that, as
    /// one whose memory is full, it only takes longer.
    private func askSilent() async {
        guard !isHeldBack, now - latestAsk >= Self.silence else { return }
        let names = merge.silent(at: now, for: Self.silence).map { logs[$0].name }
        guard !names.isEmpty else { return }
        latestAsk = now
        let fields = names.map { (name: $0, value: [UInt8]()) }
        _ = try? await links.ask.append(fields, to: keys.asked, id: nil, keeping: .latest(1))
    }

    /// Whether nothing waits for what may come.
    private var isIdle: Bool { !isBehind && merge.isEmpty && control.isEmpty }

    /// Whether there may be more in the engine than was read.
    var isBehind: Bool { isControlBehind || merge.isBehind }

    /// Reads what is next in the streams.
    private func read() async throws(FleetError) {
        let (start, wasBehind, wasControlBehind) = (now, isBehind, isControlBehind)
        // The control stream says which others there are, so it comes first.
        let wanted = isControlBehind ? [] : logs.indices.filter { !merge.isFull($0) }.map { logs[$0] }
        let found = try await links.read.read(
            [(keys.control, position)] + wanted.map { ($0.key, $0.position) }, count: readCount,
            within: isIdle ? Self.idleTime : 0)
        try await noteDropped(before: found.first { $0.key == keys.control }?.entries ?? [])
        isControlBehind = false
        var ends = Set(wanted.map(\.key))
        for (key, entries) in found {
            let isFull = entries.count >= readCount
            if key == keys.control {
                isControlBehind = isFull
                for entry in entries { takeControl(entry) }
            } else if let log = logs.firstIndex(where: { $0.key == key }) {
                if isFull { ends.remove(key) }
                for entry in entries { take(entry, of: log) }
            }
        }
        if !wasControlBehind {
            merge.noteEnds(of: Set(logs.indices.filter { ends.contains(logs[$0].key) }), at: start)
        }
        if wasBehind || isBehind { latestProgress = .now }
    }

    private func takeControl(_ entry: StreamEntry) {
        position = max(position, entry.id)
        guard entry.id != ControlStream.beginning else { return }
        switch ControlMessage(entry) {
        case .join(let join): if join.epoch == keys.epoch { follow(join, entry.id) }
        case .call(let call): if call.name == .advanceClock { clockMove = entry.id }
        case .withdraw, .missed: break
        // The replicas ship what they decide.
        case .mark, .pushes, .counts, nil:
            if control.last?.entry.fields.isEmpty ?? false { control.removeLast() }
            return control.append((StreamEntry(id: entry.id, fields: []), .now))
        }
        control.append((entry, .now))
    }

    private func take(_ entry: StreamEntry, of log: Int) {
        let (name, started) = (logs[log].name, entry.id.milliseconds)
        logs[log].position = max(logs[log].position, entry.id)
        let index = index(of: name, started: started) ?? add(name, started: started)
        guard replicas[index].noteArrival(of: entry.id.number) else { return }
        do throws(FrameMistake) {
            guard let bytes = entry.value("d") else {
                throw FrameMistake(offset: 0, message: "an entry has no frame")
            }
            let frame = try ReplicaFrame(bytes.span)
            replicas[index].note(frame)
            merge.take(frame, of: number(of: index), in: log, at: now)
            if frame.isLast { noteLiving(name) }
        } catch {
            if replicas[index].isReadable {
                logger.error(
                    "A frame of the replica \(replicas[index].label) cannot be read, so its requests are missing: \(error). Run the same version everywhere."
                )
            }
            replicas[index].note("\(error)")
        }
    }

    /// Carries out that a replica has joined.
    func take(_ join: JoinMessage, _ id: StreamID = .zero) {
        // The replicas have started over, and this member has not, as without an admin API.
        if join.epoch > keys.epoch {
            startOver(join.epoch)
            server.reset()
        }
        if join.epoch == keys.epoch { follow(join, id) }
    }

    /// Starts to read a replica's frames as soon as it is known to have joined: all of them have a position among the
    /// others' frames.
    private func follow(_ join: JoinMessage, _ id: StreamID) {
        scenariosOfReplicas.insert(join.scenario)
        // A replica that joins after a loss had shipped before.
        let start = join.hasLostControl ? .zero : id
        if !logs.contains(where: { $0.name == join.replica }) {
            logs.append(Log(name: join.replica, key: keys.log(join.replica)))
            _ = merge.addStream(after: start)
        }
        replicas.removeAll { $0.name == join.replica && !$0.hasStartedOver }
        if index(of: join.replica, started: join.started) == nil {
            _ = add(join.replica, started: join.started, mark: start)
        }
        compareScenario(of: join)
    }

    /// Notes that a replica began the epoch with a scenario, and this collector with another or none. A judge of runs
    /// played by others, such as `verify`, names the scenario each time.
    private func compareScenario(of join: JoinMessage) {
        guard server.performer != nil, !sharesScenario, whyNoVerdictHolds == nil else { return }
        guard join.played != scenario, join.played != Digest.text(of: Self.noScenario) else { return }
        let problem =
            "the replica \(join.replica) was started with another scenario than this collector, which does not know its rules and devices; give both the same one with --scenario, or play it on all of them with \(APICall.playScenario)"
        whyNoVerdictHolds = problem
        logger.warning("Verdicts fail: \(problem).")
    }

    /// Looks, once, whether what the engine had is the run that this collector was started for. A judge of runs played by
    /// others, such as `verify`, means what is there.
    func lookAtRun() {
        guard server.performer != nil, !hasCaughtUp else { return }
        hasCaughtUp = true
        if isRunOver, let began = replicas.map(\.started).min() {
            let began = Timestamp(milliseconds: Int64(clamping: began)).text
            let remark =
                "All replicas of the fleet \(keys.fleet) had ended before this collector started: this is the run that began at \(began). Give each run its own name with --fleet-name."
            earlierRun = remark
            logger.warning("\(remark)")
        }
        // What all of them have played since takes the place of a scenario that they were started with.
        let fitting = scenariosOfReplicas.union([
            Digest.text(of: server.scenarioText), Digest.text(of: Self.noScenario),
        ])
        guard !fitting.contains(ownScenario) else { return }
        let problem =
            "this collector was started with a scenario that the fleet neither plays nor was started with; start it with the replicas' scenario, or without --scenario, or play its own on all members with \(APICall.playScenario)"
        whyNoVerdictHolds = problem
        logger.warning("Verdicts fail: \(problem).")
    }

    /// Replicas that were started without a scenario are judged by any.
    static let noScenario = Array("{}".utf8)

    /// Forgets everything that was shipped.
    func startOver(_ epoch: StreamID) {
        keys.epoch = epoch
        // The replicas say with which scenario they have started over.
        (scenario, sharesScenario, whyNoVerdictHolds) = (Digest.text(of: server.scenarioText), false, nil)
        (earlierRun, scenariosOfReplicas) = (nil, [])
        merge = FleetMerge()
        logs = []
        let living = replicas.filter { $0.state == .alive }
        // The live ones have not joined again yet. One that is known from the stream only may be live or not.
        replicas = living.filter(\.hasLived).map(\.beforeStartingOver)
        for (entry, _) in control {
            if case .join(let join) = ControlMessage(entry), join.epoch == epoch { follow(join, entry.id) }
        }
    }

    func index(of name: String, started: UInt64) -> Int? {
        replicas.firstIndex { $0.name == name && $0.started == started }
    }

    private func add(_ name: String, started: UInt64, mark: StreamID = .zero) -> Int {
        var replica = CollectedReplica(name: name, started: started)
        (replica.seen, replica.mark) = (now, mark)
        for index in replicas.indices where replicas[index].name == name {
            replica.sharesName = true
            replicas[index].sharesName = true
            guard replicas[index].state == .alive else { continue }
            // Its name has gone to another process.
            if replicas[index].started < started { replicas[index].state = .dead } else { replica.state = .dead }
        }
        replicas.append(replica)
        noteLiving(name)
        return replicas.count - 1
    }

    /// Returns the number by which the server knows a replica, from its first frame on.
    func number(of index: Int) -> Int {
        if let number = replicas[index].number { return number }
        let number = replicas.count { $0.number != nil }
        replicas[index].number = number
        server.addReplica(replicas[index].name)
        return number
    }

    /// Notes whether anything is still expected of the replicas of a name.
    func noteLiving(_ name: String) {
        guard let log = logs.firstIndex(where: { $0.name == name }) else { return }
        merge.setLiving(replicas.contains { $0.name == name && $0.state == .alive }, log)
    }
}
