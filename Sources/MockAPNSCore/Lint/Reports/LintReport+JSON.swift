extension LintReport {
    /// `{"findings": […]}`.
    package var json: String {
        var bytes = Array(#"{"findings":"#.utf8)
        bytes.appendList(findings) { $0.append(contentsOf: $1.json) }
        if omitted > 0 { bytes.append(contentsOf: #","omitted":\#(omitted)"#.utf8) }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension LintFinding {
    /// The finding as an object of JSON: with the numbers of its pushes, or with its file.
    package var json: [UInt8] {
        var bytes = Array(#"{"rule":"\#(rule.rawValue)","severity":"\#(severity.rawValue)""#.utf8)
        if let firstSequence { bytes.append(contentsOf: #","sequence":\#(firstSequence)"#.utf8) }
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
