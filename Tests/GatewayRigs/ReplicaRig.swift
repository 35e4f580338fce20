import MockAPNSJudge
import Testing

@testable package import MockAPNSCore

/// A gateway as a replica of a fleet, and what it has shipped.
package struct ReplicaRig: ~Copyable {
    package var rig: JudgeRig
    package var source: FrameSource
    private var others = LatestEvents()
    /// The log that it writes.
    private var lines = LineQueue()
    private var writer = RecordWriter()
    private var written: [UInt8] = []
    private var latestInLog = 0

    /// - Parameter expectations: the elements of `expect`.
    package init(_ more: String = "", logLimit: Int = 5000, expectations: String = "") throws {
        rig = try JudgeRig(expectations, more, logLimit: logLimit)
        source = FrameSource()
        noteEffects()
    }

    package mutating func note(_ event: LogEvent) {
        let event = LoggedEvent(event, at: rig.time, after: rig.gateway.log.latestSequence)
        others.append(event)
        writeRequests()
        lines.append(event)
    }

    /// Starts over as a server does, and ships from the beginning.
    package mutating func reset() {
        rig.gateway.reset(at: rig.time)
        (source, others) = (FrameSource(), LatestEvents())
        note(.reset)
    }

    private mutating func writeRequests() {
        let latest = rig.gateway.log.latestSequence
        if latest < latestInLog { latestInLog = 0 }
        // Of more at a time, some are not written.
        let first = max(latestInLog + 1, rig.gateway.log.open.firstSequence)
        for sequence in first..<max(first, latest + 1) { lines.append(sequence, of: rig.gateway.log) }
        latestInLog = latest
    }

    /// The log that it has written.
    package var log: [UInt8] {
        mutating get {
            writeRequests()
            lines.writeLines(using: &writer, to: &written)
            return written
        }
    }

    /// Does something, and notes what a server notes about it.
    package mutating func work(_ body: (inout JudgeRig) throws -> Void) rethrows {
        try body(&rig)
        writeRequests()
        noteEffects()
    }

    private mutating func noteEffects() { for event in rig.gateway.takeEffects().compactMap(\.event) { note(event) } }

    package mutating func change(_ device: String, _ change: (inout DeviceChange) -> Void) throws {
        let found = rig.gateway.devices.find(name: device)
        try self.change(#require(found), change)
    }

    package mutating func change(_ device: DeviceIndex, _ change: (inout DeviceChange) -> Void) {
        var value = DeviceChange()
        change(&value)
        control { gateway, now in gateway.change(device, value, at: now).1 }
    }

    /// Does something that the admin API can do, at a time of the scenario's clock.
    package mutating func control(_ body: (inout Gateway, _ now: Timestamp) throws -> [GatewayEffect]) rethrows {
        let effects = try body(&rig.gateway, rig.gateway.clock.time(at: rig.time))
        for event in effects.compactMap(\.event) { note(event) }
        noteEffects()
    }

    package mutating func open(_ facts: ConnectionFacts = .example) -> Int {
        let connection = rig.gateway.openConnection(facts, at: rig.time)
        noteEffects()
        return connection
    }

    package mutating func close(_ connection: Int, pings: Int = 0) {
        var counters = ConnectionCounters()
        counters.pings = pings
        rig.gateway.closeConnection(
            connection, by: .fault, explanation: "It was broken.", counters: counters, at: rig.time)
        noteEffects()
    }

    /// The frames with everything that has not been shipped.
    ///
    /// - Parameter recent: the time at which a record need not be shipped yet.
    package mutating func frames(
        offset: Int64 = 0, mark: StreamID = StreamID(milliseconds: 7, number: 8), isNeeded: Bool = false,
        isLast: Bool = false, except recent: ClosedRange<Timestamp>? = nil
    ) -> [ReplicaFrame] {
        let snapshot = rig.gateway.replicaSnapshot(
            others, knownTopics: source.knownTopics, after: source.position.sequence, except: recent)
        let header = FrameSource.Header(
            madeAt: rig.time, clockOffset: offset, mark: mark, isLast: isLast)
        var frames: [ReplicaFrame] = []
        var isNeeded = isNeeded || isLast
        while let frame = source.next(from: snapshot, header, isNeeded: isNeeded) {
            frames.append(frame)
            isNeeded = false
        }
        return frames
    }
}

/// A gateway that merges what replicas have shipped.
package struct CollectorRig: ~Copyable {
    package var gateway: Gateway
    package var merge = FleetMerge()
    package private(set) var lines: [String] = []

    package init(_ expectations: String = "", _ more: String = "", logLimit: Int = 5000, replicas: [String]) throws {
        let rig = try JudgeRig(expectations, more, logLimit: logLimit)
        var configuration = rig.gateway.configuration
        configuration.isCollector = true
        gateway = Gateway(configuration, scenario: rig.gateway.scenario, startedAt: GatewayRig.now)
        for name in replicas {
            gateway.addReplica(name)
            _ = merge.addStream()
        }
    }

    /// Starts over as a collector does, with replicas that join anew.
    package mutating func reset(replicas: [String]) {
        gateway.reset(at: GatewayRig.now)
        merge = FleetMerge()
        for name in replicas {
            gateway.addReplica(name)
            _ = merge.addStream()
        }
    }

    /// Takes frames by way of their binary form.
    package mutating func take(_ frames: [ReplicaFrame], of replica: Int, at now: Int64 = 0) throws {
        for frame in frames { merge.take(try ReplicaFrame(frame.bytes.span), of: replica, in: replica, at: now) }
    }

    /// Records everything.
    package mutating func proceed() {
        while let run = merge.next(through: .max) { gateway.take(run) }
    }

    /// Records everything that is not held back after a read.
    ///
    /// - Parameters:
    ///   - now: when the streams were asked.
    ///   - behind: the streams of which there is more.
    package mutating func proceed(at now: Int64, behind: Set<Int> = []) {
        merge.noteEnds(of: Set(gateway.replicas.replicas.indices).subtracting(behind), at: now)
        while let run = merge.next() { gateway.take(run) }
    }

    package var passed: [Bool] { gateway.verificationInput(at: GatewayRig.now).verify().results.map(\.passed) }
}
