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
                server.note(rest.rules)
                if rest.count > 0 {
                    logger.notice(
                        "The replica \(replica.label) sends no heartbeat; \(counted(rest.count, "request")) that it had not shipped came from \(path)."
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

    /// Reads the logs, and uses the one with the longest part of a member's run.
    @concurrent private static func rest(
        of member: FleetMember, in paths: [String], after position: ReplicaLog.Position, _ clockOffset: Int64,
        limit: Int, _ logger: Logger
    ) async -> FoundInLogs {
        var found: (index: Int, latest: Int)?
        var logs: [OpenLog] = []
        for path in paths {
            let log = OpenLog(ReplicaLog(of: member, after: position, limit: limit), path)
            do throws(MockAPNSServer.StartError) { try log.read() } catch {
                logger.error("\(error)")
                continue
            }
            logs.append(log)
            guard log.log.isFound, log.log.latestSequence > found?.latest ?? -1 else { continue }
            found = (logs.count - 1, log.log.latestSequence)
        }
        guard let index = found?.index else {
            return .nothing(
                "none of the files of --log\(logs.count < paths.count ? " that could be read" : "") contains its run")
        }
        let path = logs[index].path
        if logs.contains(where: { $0.log.continues(logs[index].log) }) {
            return .nothing("\(path) goes on in another file of --log; put both together, as with cat")
        }
        if logs[index].log.isBehindFrames {
            return .nothing("\(path) ends at request \(logs[index].log.latestSequence), before what it had shipped")
        }
        return .rest(logs[index].log.rest(clockOffset: clockOffset), path: path)
    }

    /// A log that is read.
    private final class OpenLog {
        var log: ReplicaLog
        let path: String

        init(_ log: consuming ReplicaLog, _ path: String) {
            self.log = log
            self.path = path
        }

        func read() throws(MockAPNSServer.StartError) {
            try RecordedFile.read(path, into: &log) { log throws(RecordedLog.Mistake) in try log.finish() }
        }
    }
}
