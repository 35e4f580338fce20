import Logging
import MockAPNS
import MockAPNSCore
import Synchronization

// What the replicas ship and say of themselves in the streams of the engine.

extension FleetCollector {
    /// Maximum number of frames of each replica read at once.
    private static let readCount = 16

    func readRepeatedly() async {
        while !isEnding {
            do throws(FleetError) {
                let streams = positions.map { (key: $0.key, after: $0.value) }
                for (key, entries) in try await links.read.read(streams, count: Self.readCount, within: 500) {
                    for entry in entries { take(entry, of: key) }
                }
                proceed()
                await followControl()
            } catch {
                note(error)
                if !isEnding { try? await Task.sleep(for: .milliseconds(200)) }
            }
        }
    }

    private func take(_ entry: StreamEntry, of key: String) {
        // What is not read any more is of an earlier epoch.
        guard let position = positions[key] else { return }
        positions[key] = max(position, entry.id)
        if key == keys.control { return control.append((entry, now)) }
        guard let name = replicas.first(where: { keys.log($0.name) == key })?.name else { return }
        let started = entry.id.milliseconds
        let index = index(of: name, started: started) ?? add(name, started: started)
        guard replicas[index].noteArrival(of: entry.id.number) else { return }
        do throws(ReplicaFrame.Mistake) {
            guard let bytes = entry.value("d") else {
                throw ReplicaFrame.Mistake(offset: 0, message: "an entry has no frame")
            }
            let frame = try ReplicaFrame(bytes.span)
            replicas[index].note(frame)
            merge.take(frame, of: mergeNumber(of: index), at: now)
        } catch {
            if replicas[index].lostFrames == 0 {
                logger.error("A frame of the replica \(replicas[index].label) cannot be read: \(error).")
            }
            replicas[index].note("\(error)")
        }
    }

    /// Notes that a replica has joined.
    func take(_ join: JoinMessage) {
        // The replicas have started over, and this member has not, as without an admin API.
        if join.epoch > keys.epoch {
            startOver(join.epoch)
            server.reset()
        }
        guard join.epoch == keys.epoch else { return }
        if positions[keys.log(join.replica)] == nil { positions[keys.log(join.replica)] = .zero }
        let index =
            index(of: join.replica, started: join.started) ?? add(join.replica, started: join.started)
        if server.performer != nil, join.scenario != scenario, otherScenarios.insert(join.scenario).inserted {
            logger.warning(
                "The replica \(join.replica) was started with another scenario than this collector, which judges by its own; if that is not meant, give both the same one with --scenario."
            )
        }
        replicas[index].records = join.records
        if join.records != .all { completeness.withLock { $0 = false } }
    }

    /// Forgets everything that was shipped.
    func startOver(_ epoch: Int) {
        keys.epoch = epoch
        merge = FleetMerge()
        // Those that live have not joined again yet.
        let shipsAll = replicas.allSatisfy { $0.state != .alive || $0.records == .all }
        completeness.withLock { $0 = shipsAll }
        replicas = []
        positions = positions.filter { $0.key == keys.control }
    }

    private func index(of name: String, started: UInt64) -> Int? {
        replicas.firstIndex { $0.name == name && $0.started == started }
    }

    @discardableResult
    private func add(_ name: String, started: UInt64) -> Int {
        var replica = CollectedReplica(name: name, started: started)
        replica.seen = now
        for index in replicas.indices where replicas[index].name == name {
            replica.sharesName = true
            replicas[index].sharesName = true
            guard replicas[index].state == .alive else { continue }
            // Its name has gone to another process.
            if replicas[index].started < started { setDead(index) } else { replica.state = .dead }
        }
        replicas.append(replica)
        return replicas.count - 1
    }

    private func mergeNumber(of index: Int) -> Int {
        if let number = replicas[index].number { return number }
        let number = merge.add()
        replicas[index].number = number
        server.addReplica(replicas[index].name)
        if replicas[index].state == .dead { merge.setLiving(false, number) }
        return number
    }

    func setDead(_ index: Int) {
        replicas[index].state = .dead
        if let number = replicas[index].number { merge.setLiving(false, number) }
    }
}
