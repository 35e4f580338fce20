package import MockAPNSCore

/// The logs of several servers that played the same scenario side by side, judged as if one server had written them.
///
/// Their lines are merged by time; within one log, the order of the lines decides. Reports refer to requests and
/// connections by their numbers in their own log.
package struct MergedLogs: ~Copyable {
    private let histories: [RecordedHistory]
    private let scenario: Scenario
    private var run: RecordedRun
    private var origins: MergedLogNumbers
    /// The merged numbers of each log's requests.
    private var sequences: [[Int: Int]]
    /// The merged ids of each log's connections.
    private var connectionIDs: [[Int: Int]]
    private var latestConnectionID = 0
    private var tokens: MergedTokens
    /// The number of connections from before the runs.
    private var connectionsBefore = 0
    /// The requests so far.
    private var order = MergeOrder()
    /// The time of the latest request of each log, in milliseconds.
    private var latestTimes: [Int64]

    /// Merges logs that have been read.
    package init(_ histories: [RecordedHistory], of scenario: Scenario) {
        self.histories = histories
        self.scenario = scenario
        run = RecordedRun(of: scenario)
        origins = MergedLogNumbers(logs: histories.map(\.log))
        latestTimes = Array(repeating: .min, count: histories.count)
        sequences = Array(repeating: [:], count: histories.count)
        connectionIDs = Array(repeating: [:], count: histories.count)
        tokens = MergedTokens(logs: histories.count)
        merge()
    }

    private mutating func merge() {
        for log in histories.indices {
            for index in 0..<histories[log].entriesBefore { take(index, of: log) }
        }
        connectionsBefore = latestConnectionID
        if connectionsBefore > 0 { run.begin(.reset, scenario) }
        let histories = histories
        var next = histories.map(\.entriesBefore)
        let times = histories.indices.lazy.map { log in
            // A line without a time follows the one before it.
            next[log] < histories[log].entries.count
                ? histories[log].entries[next[log]].time?.milliseconds ?? .min : nil
        }
        while let log = MergeOrder.earliest(times)?.stream {
            take(next[log], of: log)
            next[log] += 1
        }
    }

    // MARK: Renumbering

    /// Returns the number of a push in the merged logs; `nil` for one that its log lacks. A replacement that came to
    /// another replica of a fleet keeps its number in the fleet's order, which no log has.
    private func merged(_ sequence: Int, of log: Int) -> Int? {
        sequence < FleetOrder.firstNumber ? sequences[log][sequence] : sequence
    }

    private mutating func take(_ index: Int, of log: Int) {
        let (entry, time) = histories[log].entries[index]
        switch entry {
        case .request(var request):
            latestTimes[log] = max(latestTimes[log], request.record.time.milliseconds)
            order.noteRequest(at: latestTimes[log], of: log)
            let sequence = run.latestSequence + 1
            sequences[log][request.sequence] = sequence
            origins.requests.append((log, request.sequence))
            request.renumber(
                sequence: sequence, connection: renumbered(request.connection, of: log),
                replacedBy: request.record.replacedBy.flatMap { merged($0, of: log) },
                token: request.token.map { tokens.token($0, of: log) })
            // Merged numbers have no gaps, so there is none to report.
            try? run.replay(request)
        case .event(let event):
            let own = event.renumbered(
                request: { sequences[log][$0] }, replacement: { merged($0, of: log) },
                connection: { renumbered($0, of: log) })
            if let own { run.replay(own) }
        }
        run.note(time)
    }

    private mutating func renumbered(_ connection: ConnectionReference, of log: Int) -> ConnectionReference {
        var merged = ConnectionReference()
        guard connection.key > 0 else { return merged }
        let id = connectionIDs[log][connection.key] ?? latestConnectionID + 1
        if id > latestConnectionID {
            latestConnectionID = id
            connectionIDs[log][connection.key] = id
            origins.connections.append((log, connection.number ?? connection.key))
        }
        merged.id = id
        merged.number = id > connectionsBefore ? id - connectionsBefore : nil
        return merged
    }

    // MARK: Result

    /// What the scenario's expectations are judged by.
    package var input: VerificationInput {
        var input = run.verificationInput(scenario)
        input.missing = histories.reduce(0) { $0 + $1.missing }
        input.missingLines = histories.reduce(0) { $0 + $1.missingLines }
        input.beginsElsewhere = histories.contains(where: \.beginsElsewhere)
        input.origins = origins.leavingOut(connections: connectionsBefore)
        return input
    }

    /// Sentences on anything unusual in each log, and on what cannot be put in order.
    package var remarks: [String] {
        var remarks = histories.flatMap { history in history.remarks.map { "\(history.log): \($0)" } }
        let uncertain = order.closeCount + order.lateCount
        if uncertain > 0, scenario.dependsOnOrder {
            remarks.append(
                "\(counted(uncertain, "request")) came less than \(MergeOrder.tolerance) ms after one in another log. Their "
                    + "order is only as reliable as the machines' clocks; inOrder and spacing depend on it.")
        }
        return remarks
    }

    /// The real times of the first and the last line that were judged; `nil` if there were none.
    package var times: (first: Timestamp, last: Timestamp)? { run.times }
}

extension Scenario {
    /// Whether an expectation depends on the order of requests or connections, or on the time between them.
    package var dependsOnOrder: Bool { expectations.contains(where: \.dependsOnOrder) }
}

extension Expectation {
    /// Whether it depends on the order of requests or connections, or on the time between them.
    package var dependsOnOrder: Bool {
        switch form {
        case .inOrder, .spacing: true
        case .requests, .device, .connections, .providerTokens, .pings, .channel, .channels, .lint, .nothingElse: false
        }
    }
}
