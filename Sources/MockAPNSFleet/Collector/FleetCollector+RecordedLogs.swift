import Logging
import MockAPNS
import MockAPNSCore

// What replicas that were killed had not shipped, from the logs that they wrote themselves.

extension FleetCollector {
    /// Takes what replicas that are dead have not shipped from the logs at hand, as far as these have grown since.
    ///
    /// - Returns: whether everything is taken; not if something happened meanwhile.
    func readLogs() async -> Bool {
        guard !options.recordedLogs.isEmpty else { return true }
        var isComplete = true
        for replica in replicas where replica.isToBeReadFromLog {
            let sizes = options.recordedLogs.map { RecordedFile.size(of: $0) }
            guard sizes != replica.logSizes else { continue }
            let found = await rest(of: replica)
            latestProgress = .now
            guard let index = index(of: replica.name, started: replica.started),
                replicas[index].isUnchanged(since: replica),
                let log = logs.firstIndex(where: { $0.name == replica.name })
            else {
                isComplete = false
                continue
            }
            switch found {
            case .rest(let rest, let path):
                for frame in rest.frames { replicas[index].note(frame) }
                merge.takeRecorded(rest.frames, of: number(of: index), in: log, at: now)
                replicas[index].note(rest, sizes: sizes)
                if rest.count > 0 {
                    logger.notice(
                        "The replica \(replica.label) gives no sign of life; \(counted(rest.count, "request")) that it had not shipped came from \(path)."
                    )
                }
            case .nothing(let problem): replicas[index].noteNoLog(problem, sizes: sizes)
            }
        }
        return isComplete
    }

    /// What the logs at hand have of a replica.
    private enum FoundInLogs: Sendable {
        case rest(ReplicaLog.Rest, path: String)
        /// Why there is nothing.
        case nothing(String)
    }

    private func rest(of replica: CollectedReplica) async -> FoundInLogs {
        let member = FleetMember(
            fleet: keys.fleet, replica: replica.name, started: replica.started, epoch: keys.epoch)
        return await Self.rest(
            of: member, in: options.recordedLogs, after: replica.position, replica.clockOffset,
            limit: server.logLimit, logger)
    }

    /// Reads the logs, of which the one counts that has most of a member's run.
    @concurrent private static func rest(
        of member: FleetMember, in paths: [String], after position: ReplicaLog.Position, _ clockOffset: Int64,
        limit: Int, _ logger: Logger
    ) async -> FoundInLogs {
        var found: (rest: ReplicaLog.Rest, path: String, latest: Int)?
        var areAllRead = true
        for path in paths {
            var log = ReplicaLog(of: member, after: position, limit: limit)
            do throws(MockAPNSServer.StartError) {
                try RecordedFile.read(path, into: &log) { log throws(RecordedLog.Mistake) in try log.finish() }
            } catch {
                logger.error("\(error)")
                areAllRead = false
                continue
            }
            guard log.isFound, log.latestSequence > found?.latest ?? -1 else { continue }
            found = (log.rest(clockOffset: clockOffset), path, log.latestSequence)
        }
        if let found { return .rest(found.rest, path: found.path) }
        return .nothing("none of the files of --log \(areAllRead ? "" : "that can be read ")has its run")
    }
}
