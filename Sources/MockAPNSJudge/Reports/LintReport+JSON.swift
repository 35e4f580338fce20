package import MockAPNSCore

extension LintReport {
    /// `{"findings": […]}`, and how many requests were judged, if that is known.
    package var json: String {
        var bytes = Array(#"{"findings":"#.utf8)
        bytes.appendList(findings) { $0.append(contentsOf: $1.json) }
        if omitted > 0 { bytes.append(contentsOf: #","omitted":\#(omitted)"#.utf8) }
        if let judged {
            bytes.append(contentsOf: #","pushes":\#(judged.pushes),"channelCalls":\#(judged.channelCalls)"#.utf8)
        }
        if let dropped { bytes.append(contentsOf: #","dropped":\#(dropped)"#.utf8) }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension LintReport {
    /// Parses the output of ``json``; `nil` for anything else.
    package init?(_ value: JSONText.Value) {
        guard let findings = value["findings"]?.array else { return nil }
        self.init()
        for finding in findings {
            guard let finding = LintFinding(finding) else { return nil }
            add(finding)
        }
        omit(Int(value["omitted"]?.int64 ?? 0))
        dropped = value["dropped"]?.int64.map { Int($0) }
        if let pushes = value["pushes"]?.int64 {
            var judged = LintReport.Judged()
            (judged.pushes, judged.channelCalls) = (Int(pushes), Int(value["channelCalls"]?.int64 ?? 0))
            self.judged = judged
        }
    }
}

extension LintFinding {
    /// Parses the output of ``json`` for a push of a log.
    fileprivate init?(_ value: JSONText.Value) {
        guard let rule = value["rule"]?.string.flatMap(LintRule.named),
            let severity = value["severity"]?.string.flatMap(LintSeverity.init(rawValue:)),
            let pointer = value["pointer"]?.string, let message = value["message"]?.string
        else { return nil }
        self.init(rule, severity, pointer, message, offset: 0)
        count = Int(value["count"]?.int64 ?? 1)
        sequence = value["sequence"]?.int64.flatMap(UInt64.init(exactly:))
        firstSequence = value["firstSequence"]?.int64.flatMap(UInt64.init(exactly:))
        lastSequence = value["lastSequence"]?.int64.flatMap(UInt64.init(exactly:))
    }

    /// The finding as an object of JSON: with its session, if it is of one, the numbers of its pushes, and when their run
    /// ended, if it is not the last; or with its file.
    package var json: [UInt8] {
        var bytes = Array(#"{"rule":"\#(rule.id)","severity":"\#(severity.rawValue)""#.utf8)
        if let session { bytes.appendMember("session", session) }
        if let sequence { bytes.append(contentsOf: #","sequence":\#(sequence)"#.utf8) }
        if let end { bytes.appendMember("before", end.time.text) }
        if let file { bytes.appendMember("file", file) }
        if let position {
            bytes.append(contentsOf: #","line":\#(position.line),"column":\#(position.column)"#.utf8)
        }
        bytes.appendMember("pointer", pointer)
        bytes.appendMember("message", message)
        bytes.appendMember("source", rule.source)
        bytes.append(contentsOf: #","count":\#(count)"#.utf8)
        if let firstSequence, let lastSequence {
            bytes.append(contentsOf: #","firstSequence":\#(firstSequence),"lastSequence":\#(lastSequence)"#.utf8)
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}
