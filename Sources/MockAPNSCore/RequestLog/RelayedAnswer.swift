/// What another APNs answered to a push that was passed on to it, beside what this server would have answered: the members
/// `relayed`, `own` and `agrees` of its record.
package struct RelayedAnswer: Sendable, Hashable {
    /// An answer, as far as it is compared.
    package struct Verdict: Sendable, Hashable {
        /// The HTTP status; `nil` if the stream was reset.
        package var status: Int?
        /// The reason in the body, or the error code of a reset such as `REFUSED_STREAM`.
        package var reason: String?

        package init(status: Int?, reason: String? = nil) { (self.status, self.reason) = (status, reason) }
    }

    /// A header field of the answer.
    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// The answer of the other APNs.
    package var theirs: Verdict
    /// What this server would have answered.
    package var own: Verdict
    /// The header fields of their answer in the form of ``HeaderFields``, without pseudo-header fields.
    package var fields: [UInt8] = []
    /// The time from passing the push on to the answer.
    package var latencyMicroseconds = 0
    /// Whether both are the same.
    package var agrees: Bool { theirs == own }

    /// The header fields of their answer.
    package var headers: [Field] {
        var found: [Field] = []
        var rest = HeaderFields(length: fields.count)
        while let field = rest.next(in: fields.span) {
            found.append(
                Field(
                    name: String(decoding: fields[field.name.range], as: UTF8.self),
                    value: String(decoding: fields[field.value.range], as: UTF8.self)))
        }
        return found
    }

    /// Returns header fields in the form of ``HeaderFields``.
    package static func block(of headers: [Field]) -> [UInt8] {
        var block: [UInt8] = []
        for header in headers { HeaderFields.append(header.name.utf8, header.value.utf8, to: &block) }
        return block
    }
}

// MARK: JSON

extension RelayedAnswer.Verdict {
    /// The members, with a comma before each but the first.
    fileprivate func appendMembers(to json: inout [UInt8]) {
        json.append(contentsOf: #""status":\#(status.map(String.init) ?? "null")"#.utf8)
        json.appendMember("reason", reason)
    }

    /// Appends it as a JSON object.
    package func appendJSON(to json: inout [UInt8]) {
        json.append(UInt8(ascii: "{"))
        appendMembers(to: &json)
        json.append(UInt8(ascii: "}"))
    }

    init(_ value: JSONText.Value?) {
        status = value?["status"]?.int64.map { Int(clamping: $0) }
        reason = value?["reason"]?.string
    }
}

extension RelayedAnswer {
    /// The members of a record, with a comma before each.
    var members: [UInt8] {
        var json: [UInt8] = []
        json.appendKey(RecordMember.relayed)
        json.append(UInt8(ascii: "{"))
        theirs.appendMembers(to: &json)
        json.appendMember("latencyMicroseconds", latencyMicroseconds)
        json.appendKey("headers")
        json.appendList(headers) { json, field in
            json.append(UInt8(ascii: "["))
            json.appendJSON(field.name)
            json.append(UInt8(ascii: ","))
            json.appendJSON(field.value)
            json.append(UInt8(ascii: "]"))
        }
        json.append(UInt8(ascii: "}"))
        json.appendKey(RecordMember.own)
        own.appendJSON(to: &json)
        json.appendKey(RecordMember.agrees)
        json.append(contentsOf: "\(agrees)".utf8)
        return json
    }

    /// Reads a member of a record into an answer that may have others already.
    static func read(_ member: RecordMember, _ value: JSONText.Value, into answer: inout RelayedAnswer?) {
        guard value.object != nil else { return }
        var read = answer ?? RelayedAnswer(theirs: .init(status: nil), own: .init(status: nil))
        if member == .own {
            read.own = Verdict(value)
        } else {
            read.theirs = Verdict(value)
            read.latencyMicroseconds = value["latencyMicroseconds"]?.int64.map { Int(clamping: $0) } ?? 0
            let headers = (value["headers"]?.array ?? []).compactMap { pair -> Field? in
                guard let name = pair[0]?.string, let value = pair[1]?.string else { return nil }
                return Field(name: name, value: value)
            }
            read.fields = block(of: headers)
        }
        answer = read
    }
}
