extension Summary {
    /// The answer of `GET /api/v1/summary`.
    ///
    /// Zero counts are left out of `byReason` and `byOutcome`.
    package var json: [UInt8] {
        var json: [UInt8] = []
        json.appendMember("{\"requests\":", requests)
        json.appendMember(",\"requestsByAdmin\":", requestsByAdmin)
        json.appendCounts(",\"byStatus\":", byStatus)
        json.appendCounts(",\"byReason\":", rejections.map { Count(name: $0.reason.name, count: $0.count) })
        json.appendCounts(",\"byTopic\":", byTopic)
        json.appendMember(",\"otherTopics\":", otherTopics)
        json.appendCounts(",\"byOutcome\":", byOutcome.filter { $0.count > 0 })
        json.append(contentsOf: ",\"requestsPerSecond\":{\"last10Seconds\":\(perSecondText)".utf8)
        json.appendMember(",\"peak\":", peakPerSecond)
        json.appendMember("},\"latencyMicroseconds\":{\"p50\":", latency.percentile(50))
        json.appendMember(",\"p90\":", latency.percentile(90))
        json.appendMember(",\"p99\":", latency.percentile(99))
        json.appendMember(",\"max\":", latency.maximum)
        json.appendMember("},\"connections\":{\"opened\":", connectionsOpened)
        json.appendMember(",\"closed\":", connectionsOpened - connectionsOpen)
        json.appendMember(",\"open\":", connectionsOpen)
        json.appendMember("},\"devices\":{\"known\":", devices)
        json.appendMember(",\"evicted\":", devicesEvicted)
        json.appendMember("},\"log\":{\"dropped\":", dropped)
        json.appendMember(",\"writeErrors\":", logWriteErrors)
        json.append(UInt8(ascii: "}"))
        if isRelay || !relay.isEmpty {
            json.append(contentsOf: ",\"relay\":".utf8)
            json.append(contentsOf: relay.json)
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// The totals as text, several lines with a line feed each.
    package var text: String { (try? JSONText.read(json)).flatMap { Self.text(of: $0) } ?? "" }

    /// Returns the totals of another server as text, from its answer; `nil` if that is something else.
    package static func text(of json: JSONText.Value) -> String? {
        func number(_ value: JSONText.Value?, _ path: String...) -> Int? {
            path.reduce(value) { $0?[$1] }?.int64.map { Int($0) }
        }
        func counts(_ name: String) -> [Count] {
            (json[name]?.object ?? []).compactMap { member in
                number(member.value).map { Count(name: member.key, count: $0) }
            }
        }
        guard let requests = number(json, "requests"), let opened = number(json, "connections", "opened"),
            let open = number(json, "connections", "open"), let peak = number(json, "requestsPerSecond", "peak")
        else { return nil }
        var lines: [String] = []
        lines.append(requests == 0 ? "No requests." : "\(counted(requests, "request")), at most \(peak) in a second.")
        let byAdmin = number(json, "requestsByAdmin") ?? 0
        if byAdmin > 0 { lines.append("\(counted(byAdmin, "push", "pushes")) by the admin API.") }
        let statuses = Dictionary(Reason.allCases.map { ($0.name, String($0.status)) }) { first, _ in first }
        for status in counts("byStatus") {
            let reasons = counts("byReason").filter { statuses[$0.name] == status.name }
            let named = reasons.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
            lines.append("  \(status.name)  \(status.count)" + (named.isEmpty ? "" : "  (\(named))"))
        }
        for outcome in counts("byOutcome") where outcome.name != Outcome.responded.name {
            lines.append("  \(outcome.name)  \(outcome.count)")
        }
        let topics = counts("byTopic")
        if topics.count > 1 {
            for topic in topics.prefix(10) { lines.append("  \(topic.name)  \(topic.count)") }
            let others = topics.dropFirst(10).reduce(number(json, "otherTopics") ?? 0) { $0 &+ $1.count }
            if others > 0 { lines.append("  other topics  \(others)") }
        }
        if requests > 0 {
            let times = ["p50", "p90", "p99", "max"].map { number(json, "latencyMicroseconds", $0) ?? 0 }
            lines.append(
                "Decided within p50 \(times[0]), p90 \(times[1]), p99 \(times[2]), at most \(times[3]) microseconds.")
        }
        lines.append("\(counted(opened, "connection")), \(open) open.")
        lines += json["relay"].map { RelayDifferences($0).lines } ?? []
        let dropped = number(json, "log", "dropped") ?? 0
        if dropped > 0 {
            lines.append(
                "\(dropped == 1 ? "1 record was" : "\(dropped) records were") dropped from memory; --log-limit keeps more."
            )
        }
        let unwritten = number(json, "log", "writeErrors") ?? 0
        if unwritten > 0 { lines.append("\(counted(unwritten, "line")) could not be written to the log.") }
        let evicted = number(json, "devices", "evicted") ?? 0
        if evicted > 0 { lines.append("\(counted(evicted, "device")) had to make room for newer ones.") }
        return PrintableText.text(lines)
    }

    private var rejections: [(reason: Reason, count: Int)] { byReason.filter { $0.count > 0 } }
}

extension Array<UInt8> {
    fileprivate mutating func appendMember(_ beginning: String, _ count: Int) {
        append(contentsOf: beginning.utf8)
        appendJSON(count)
    }

    fileprivate mutating func appendCounts(_ beginning: String, _ counts: [Summary.Count]) {
        append(contentsOf: beginning.utf8)
        append(UInt8(ascii: "{"))
        for (index, count) in counts.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            appendJSON(count.name)
            append(UInt8(ascii: ":"))
            appendJSON(count.count)
        }
        append(UInt8(ascii: "}"))
    }
}
