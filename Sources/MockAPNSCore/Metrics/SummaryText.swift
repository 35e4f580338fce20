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
        json.append(contentsOf: "}}".utf8)
        return json
    }

    /// The totals as text, several lines with a line feed each.
    package var text: String {
        var lines: [String] = []
        lines.append(
            requests == 0
                ? "No requests."
                : "\(requests) \(requests == 1 ? "request" : "requests"), at most \(peakPerSecond) in a second.")
        if requestsByAdmin > 0 { lines.append("\(counted(requestsByAdmin, "push", "pushes")) by the admin API.") }
        for status in byStatus {
            let reasons = rejections.filter { String($0.reason.status) == status.name }
            let named = reasons.map { "\($0.reason.name) \($0.count)" }.joined(separator: ", ")
            lines.append("  \(status.name)  \(status.count)" + (named.isEmpty ? "" : "  (\(named))"))
        }
        for outcome in byOutcome where outcome.count > 0 && outcome.name != Outcome.responded.name {
            lines.append("  \(outcome.name)  \(outcome.count)")
        }
        if byTopic.count > 1 {
            for topic in byTopic.prefix(10) { lines.append("  \(topic.name)  \(topic.count)") }
            let others = otherTopics + byTopic.dropFirst(10).reduce(0) { $0 + $1.count }
            if others > 0 { lines.append("  other topics  \(others)") }
        }
        if requests > 0 {
            let percentiles = [50, 90, 99].map { "p\($0) \(latency.percentile($0))" }.joined(separator: ", ")
            lines.append("Decided within \(percentiles), at most \(latency.maximum) microseconds.")
        }
        lines.append(
            "\(connectionsOpened) \(connectionsOpened == 1 ? "connection" : "connections"), \(connectionsOpen) open.")
        if dropped > 0 {
            lines.append(
                "\(dropped == 1 ? "1 record was" : "\(dropped) records were") dropped from memory; --log-limit keeps more."
            )
        }
        if logWriteErrors > 0 { lines.append("\(counted(logWriteErrors, "line")) could not be written to the log.") }
        if devicesEvicted > 0 { lines.append("\(counted(devicesEvicted, "device")) had to make room for newer ones.") }
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
