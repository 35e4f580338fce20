import MockAPNSCore

/// Writing SARIF 2.1.0, the format in which code hosts and editors take findings
/// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
extension LintReport {
    /// A log of SARIF with one run; all rules are described in it, whether or not they have found something.
    package var sarif: String {
        var bytes = Array(
            #"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"#.utf8)
        bytes.append(contentsOf: #""tool":{"driver":{"name":"mock-apns""#.utf8)
        bytes.appendMember("version", MockAPNSVersion.text)
        bytes.append(contentsOf: #","rules":"#.utf8)
        bytes.appendList(LintRule.all) { $0.append(contentsOf: $1.sarif) }
        bytes.append(contentsOf: #"}},"columnKind":"unicodeCodePoints","results":"#.utf8)
        let indices = Dictionary(uniqueKeysWithValues: zip(LintRule.all, 0...))
        bytes.appendList(findings) { $0.append(contentsOf: $1.sarif(ruleIndex: indices[$1.rule] ?? 0)) }
        bytes.append(contentsOf: "}]}".utf8)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension LintRule {
    fileprivate var sarif: [UInt8] {
        var bytes = Array(#"{"id":"\#(id)""#.utf8)
        bytes.appendText("shortDescription", finds.capitalizedFirst + ".")
        bytes.appendText("fullDescription", effect)
        bytes.appendText("help", "\(finds.capitalizedFirst). \(effect) Source: \(source).")
        if let address = sources.lazy.compactMap(\.address).first { bytes.appendMember("helpUri", address) }
        bytes.append(contentsOf: #","defaultConfiguration":{"level":"\#(severity.rawValue)"}}"#.utf8)
        return bytes
    }
}

extension LintFinding {
    fileprivate func sarif(ruleIndex: Int) -> [UInt8] {
        var bytes = Array(
            #"{"ruleId":"\#(rule.id)","ruleIndex":\#(ruleIndex),"level":"\#(severity.rawValue)""#.utf8)
        // Viewers show the message, and few show more.
        bytes.appendText("message", PrintableText.line(session.map { "session \($0): \(message)" } ?? message))
        bytes.append(contentsOf: #","locations":[{"logicalLocations":[{"fullyQualifiedName":"#.utf8)
        bytes.appendJSON(PrintableText.line(pointer))
        bytes.append(contentsOf: "}]".utf8)
        if let file {
            bytes.append(contentsOf: #","physicalLocation":{"artifactLocation":{"uri":"#.utf8)
            bytes.appendJSON(file.asURI)
            bytes.append(UInt8(ascii: "}"))
            if let position {
                bytes.append(
                    contentsOf: #","region":{"startLine":\#(position.line),"startColumn":\#(position.column)}"#.utf8)
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(contentsOf: #"}],"occurrenceCount":\#(count)"#.utf8)
        bytes.append(contentsOf: properties)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// The pushes and the run that it is about, as a further member; nothing for a payload that is no push of a log.
    private var properties: [UInt8] {
        let sequences = [("sequence", sequence), ("firstSequence", firstSequence), ("lastSequence", lastSequence)]
        var members = sequences.compactMap { name, number in number.map { Array("\"\(name)\":\($0)".utf8) } }
        let texts = [("session", session), ("before", end?.time.text)]
        members += texts.compactMap { name, text in
            text.map { text in
                var member = Array("\"\(name)\":".utf8)
                member.appendJSON(PrintableText.line(text))
                return member
            }
        }
        if members.isEmpty { return [] }
        return Array(#","properties":{"#.utf8) + members.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
    }
}

extension [UInt8] {
    /// Appends a further member of an object: a message of SARIF.
    fileprivate mutating func appendText(_ name: String, _ text: String) {
        append(contentsOf: #","\#(name)":{"text":"#.utf8)
        appendJSON(text)
        append(UInt8(ascii: "}"))
    }
}

extension String {
    /// With its first letter as at the beginning of a sentence; code stays as it is.
    var capitalizedFirst: String { first.map { $0.uppercased() + dropFirst() } ?? self }

    /// A path as a reference of RFC 3986.
    fileprivate var asURI: String {
        var text = ""
        // A colon in the first part of a relative path would end a scheme.
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + byte.hexText
            }
        }
        return text
    }
}
