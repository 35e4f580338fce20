import Logging
import MockAPNS
import MockAPNSCore

// What killed replicas had not shipped, from the logs that they wrote themselves.

extension FleetCollector {
    /// Takes what replicas that are dead had not shipped from the logs that are at hand.
    func readLogs() async {
        guard !options.recordedLogs.isEmpty else { return }
        let reading = self.reading ?? Task { await self.readLogsOfDead() }
        self.reading = reading
        await reading.value
        self.reading = nil
    }

    private func readLogsOfDead() async {
        for replica in replicas where replica.mayBeInLog {
            let member = FleetMember(
                fleet: keys.fleet, replica: replica.name, started: replica.started, epoch: keys.epoch)
            let found = await Self.rest(
                of: member, in: options.recordedLogs, after: replica.position, replica.clockOffset,
                limit: server.logLimit, logger)
            // Everything may have started over meanwhile.
            guard keys.epoch == member.epoch, let index = index(of: member.replica, started: member.started),
                replicas[index].mayBeInLog, let log = logs.firstIndex(where: { $0.name == member.replica })
            else { continue }
            guard let (rest, path) = found else {
                replicas[index].logState = .absent
                continue
            }
            for frame in rest.frames {
                replicas[index].note(frame)
                merge.takeRecorded(frame, of: number(of: index), in: log, at: now)
            }
            replicas[index].note(rest)
            noteLiving(member.replica)
            logger.notice(
                "Of the replica \(replicas[index].label), which has ended, \(counted(rest.count, "request")) came from \(path)."
            )
        }
    }

    /// Reads the logs until one has the run of a member.
    @concurrent private static func rest(
        of member: FleetMember, in paths: [String], after position: ReplicaLog.Position, _ clockOffset: Int64,
        limit: Int, _ logger: Logger
    ) async -> (rest: ReplicaLog.Rest, path: String)? {
        for path in paths {
            var log = ReplicaLog(of: member, after: position, limit: limit)
            do throws(MockAPNSServer.StartError) {
                try RecordedFile.read(path, into: &log) { log throws(RecordedLog.Mistake) in try log.finish() }
            } catch {
                logger.error("\(error)")
                continue
            }
            if log.isFound { return (log.rest(clockOffset: clockOffset), path) }
        }
        return nil
    }
}
