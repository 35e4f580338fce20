extension Summary {
    /// Adds the totals of another server, such as a session. The peak is the higher of the two.
    package mutating func add(_ other: Summary) {
        requests += other.requests
        requestsByAdmin += other.requestsByAdmin
        byStatus = Self.sum(byStatus, other.byStatus).sorted { ($0.name.count, $0.name) < ($1.name.count, $1.name) }
        byReason = zip(byReason, other.byReason).map { (reason: $0.reason, count: $0.count + $1.count) }
        byOutcome = zip(byOutcome, other.byOutcome).map { Count(name: $0.name, count: $0.count + $1.count) }
        for count in other.byDelivery {
            let index = byDelivery.firstIndex { ($0.pushType, $0.state) == (count.pushType, count.state) }
            if let index { byDelivery[index].count += count.count } else { byDelivery.append(count) }
        }
        let topics = Self.sum(byTopic, other.byTopic).sorted { ($1.count, $0.name) < ($0.count, $1.name) }
        byTopic = Array(topics.prefix(Self.topicLimit))
        otherTopics += other.otherTopics + topics.dropFirst(Self.topicLimit).reduce(0) { $0 + $1.count }
        perSecond += other.perSecond
        peakPerSecond = max(peakPerSecond, other.peakPerSecond)
        latency.add(other.latency)
        connectionsOpened += other.connectionsOpened
        connectionsOpen += other.connectionsOpen
        dropped += other.dropped
        logWriteErrors += other.logWriteErrors
        devices += other.devices
        devicesEvicted += other.devicesEvicted
        limits.add(other.limits)
        relay.add(other.relay)
    }

    private static func sum(_ one: [Count], _ other: [Count]) -> [Count] {
        var counts = Dictionary(uniqueKeysWithValues: one.map { ($0.name, $0.count) })
        for count in other { counts[count.name, default: 0] += count.count }
        return counts.map { Count(name: $0.key, count: $0.value) }
    }
}
