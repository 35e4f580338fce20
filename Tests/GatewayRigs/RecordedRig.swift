package import Testing

@testable package import MockAPNSCore
@testable package import MockAPNSJudge

/// A gateway that plays a scenario, and the lines that a server would have written to its log.
package struct RecordedRig: ~Copyable {
    package var rig: JudgeRig
    package var lines: [UInt8] = []
    /// What the server keeps of the same.
    package var events = LatestEvents()
    private var writer = RecordWriter()
    private var written = 0

    /// - Parameters:
    ///   - expectations: the elements of `expect`.
    ///   - more: further members of the scenario, with a comma at the end.
    package init(_ expectations: String, _ more: String = "", logLimit: Int = 1000) throws {
        rig = try JudgeRig(expectations, more, logLimit: logLimit)
        note(rig.gateway.takeEffects())
    }

    /// Begins the log anew as a server that says so; those of before there was such an event did not.
    package mutating func start() {
        lines = []
        work { $0.gateway.start(at: $0.time) }
    }

    /// Does something, and writes what a server writes about it.
    package mutating func work(_ body: (inout JudgeRig) throws -> Void) rethrows {
        try body(&rig)
        note(rig.gateway.takeEffects())
    }

    /// Takes requests before their effects, as the server does.
    package mutating func note(_ effects: [GatewayEffect]) {
        if rig.gateway.log.latestSequence < written { written = 0 }
        for sequence in written + 1..<rig.gateway.log.latestSequence + 1 {
            rig.gateway.log.appendLine(of: sequence, using: &writer, to: &lines)
        }
        written = rig.gateway.log.latestSequence
        for event in effects.compactMap(\.event) {
            event.appendLine(at: rig.time, to: &lines)
            events.append(LoggedEvent(event, at: rig.time, after: written))
        }
    }

    package mutating func send(_ push: ExamplePush, on other: Int? = nil) {
        work { rig in
            let (bytes, headerLength) = push.bytes
            _ = rig.gateway.receive(
                RequestFacts(
                    streamID: push.stream, headerLength: headerLength, bodyLength: push.bodyLength ?? push.body.count,
                    inFlight: 1, fault: push.fault,
                    providerToken: push.token.flatMap { rig.gateway.providerToken($0) }),
                bytes: bytes.span, on: other ?? rig.connection,
                at: rig.gateway.moment(at: rig.time))
        }
    }

    package mutating func change(_ device: String, _ change: (inout DeviceChange) -> Void) throws {
        var value = DeviceChange()
        change(&value)
        let found = rig.gateway.devices.find(name: device)
        note(rig.gateway.change(try #require(found), value, at: rig.gateway.clock.time(at: rig.time)).1)
    }

    package mutating func open(_ facts: ConnectionFacts = .example, after milliseconds: Int64 = 0) -> Int {
        rig.time.milliseconds += milliseconds
        let connection = rig.gateway.openConnection(facts, at: rig.time)
        note(rig.gateway.takeEffects())
        return connection
    }

    package mutating func close(_ connection: Int, pings: Int = 0) {
        var counters = ConnectionCounters()
        counters.pings = pings
        rig.gateway.closeConnection(connection, by: .client, counters: counters, at: rig.time)
        note(rig.gateway.takeEffects())
    }

    package mutating func append(_ text: String) { lines += Array(text.utf8) }

    /// Expects that the scenario's expectations hold, live and by the log.
    package func expect(_ what: Comment) throws {
        let live = rig.gateway.verificationInput(at: rig.time).verify()
        #expect(live.passed, "\(what): \(live)")
        let recorded = try recorded().input.verify()
        #expect(recorded.passed, "\(what), from the log: \(recorded)")
    }

    /// What comes of the log as it was written, read in pieces of so many bytes.
    package func recorded(pieces: Int = 1000) throws -> (input: VerificationInput, remarks: [String]) {
        try RecordedLog.read(lines, rig.gateway.scenario, pieces: pieces)
    }
}

extension RecordedLog {
    package static func read(
        _ bytes: [UInt8], _ scenario: Scenario = Scenario(), pieces: Int = 1000
    ) throws(Mistake) -> (input: VerificationInput, remarks: [String]) {
        var log = RecordedLog(of: scenario)
        var start = 0
        while start < bytes.count {
            let end = min(start + pieces, bytes.count)
            try log.read(bytes.span.extracting(start..<end))
            start = end
        }
        try log.finish()
        return (log.input, log.remarks)
    }
}

extension RecordedHistory {
    /// Reads a log that is to be merged with others.
    package init(named name: String, of scenario: Scenario, _ bytes: [UInt8]) throws(RecordedLog.Mistake) {
        var log = RecordedLog(of: scenario, isToBeMerged: true)
        try log.read(bytes.span)
        try log.finish()
        self = log.takeHistory(named: name)
    }
}

extension RequestSnapshot {
    /// All records as text.
    package var texts: [String] {
        sequences(RequestMatch()).compactMap { record($0) }.map { String(decoding: $0, as: UTF8.self) }
    }
}
