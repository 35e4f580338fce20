/// A request as a list row: JSON without header fields and payload, in events of at most ``limit`` bytes.
///
/// Absent members are left out, except the `call` of a request about broadcast channels that fits none. If such a row is
/// too long, a generated `apnsID` is dropped first, then texts are cut, the longest first and never within a character,
/// then the client's `apnsID` is dropped.
package struct RequestRow {
    /// Maximum size in bytes of a row in an event.
    static let limit = 300
    /// Minimum length of cut texts in bytes: to keep the client's `apnsID`, and in any case.
    private static let leastText = (withID: 16, withoutID: 10)
    /// Members dropped last, in this order.
    private static let dispensable =
        [RecordMember.collapseID.name, "title"]
        + [RecordMember.ignored, .channel, .topic, .pushType, .device, .token].map(\.name)

    private enum Value {
        /// JSON that is never cut.
        case whole([UInt8])
        case text(String)
        /// Like `whole`, but may be dropped.
        case id([UInt8], isGenerated: Bool)
    }

    private var members: [(key: String, value: Value)] = []
    private let limit: Int

    /// - Parameters:
    ///   - apps: the apps whose strings localized alerts refer to.
    ///   - limit: the maximum size in bytes.
    package init(_ segment: borrowing RequestSegment, at index: Int, in apps: Apps, limit: Int = Self.limit) {
        self.limit = limit
        let record = segment.records[index]
        let bytes = segment.bytes(of: record, at: index)
        func text(_ range: RequestRecord.StoredRange) -> String? { bytes.text(range) }
        add(.event, "request")
        add(.sequence, segment.firstSequence + index)
        add(.time, record.time.text)
        addText(.device, text(record.deviceRange))
        addText(.token, text(record.tokenRange).map { String($0.prefix(8)) })
        addText(.pushType, text(record.pushTypeRange))
        addText(.topic, text(record.topicRange))
        add(.status, record.status.map(Int.init))
        add(.reason, record.reason?.name)
        add(.outcome, record.outcome.name)
        let body = Int(record.headerCount)..<Int(record.headerCount) + Int(record.bodyCount)
        if record.hasWholeBody {
            addText("title", Self.title(bytes.extracting(body), topic: text(record.topicRange) ?? "", in: apps))
        }
        add(.delivery, record.delivery?.name)
        let rule = text(record.ruleRange)
        addText(.decidedBy, record.decidedBy.name + (record.decidedBy == .rule ? ":\(rule ?? "")" : ""))
        add(.replacedBy, record.replacedBy)
        if record.sender != .provider { add(.sentBy, record.sender.name) }
        addText(.collapseID, text(record.collapseIDRange))
        if let call = record.callIndex.map({ segment.calls[$0] }) {
            // A request that fits no call is still no push to a device.
            members.append((RecordMember.call.name, .whole(call.call.map { Self.json($0.name) } ?? Array("null".utf8))))
            addText(.channel, text(call.channelNameRange) ?? text(call.channelRange))
            add(.delivered, call.delivered)
            addText(.ignored, text(call.ignoredRange))
        }
        add(record.apnsID, bytes)
    }

    /// Returns the text that a user reads first.
    private static func title(_ payload: Span<UInt8>, topic: String, in apps: Apps) -> String? {
        guard let payload = try? JSONText.read(payload, .recorded),
            let shown = ShownNotification(payload, topic: topic, in: apps)
        else { return nil }
        return [shown.title, shown.body, shown.subtitle].lazy.compactMap { $0 }.first { !$0.isEmpty }
    }

    private mutating func add(_ member: RecordMember, _ text: String?) {
        guard let text else { return }
        members.append((member.name, .whole(Self.json(text))))
    }

    private mutating func add(_ member: RecordMember, _ number: Int?) {
        guard let number else { return }
        members.append((member.name, .whole(Array("\(number)".utf8))))
    }

    private mutating func addText(_ member: RecordMember, _ text: String?) { addText(member.name, text) }

    private mutating func addText(_ key: String, _ text: String?) {
        guard let text, !text.isEmpty else { return }
        members.append((key, .text(text)))
    }

    private mutating func add(_ id: RequestRecord.ID?, _ bytes: Span<UInt8>) {
        switch id {
        case nil: break
        case .sent(let range):
            members.append((RecordMember.apnsID.name, .id(Self.json(bytes.text(range)), isGenerated: false)))
        case .made(let id):
            members.append((RecordMember.apnsID.name, .id(Self.json(id.text(uppercase: true)), isGenerated: true)))
        }
    }

    private static func json(_ text: String) -> [UInt8] {
        var json: [UInt8] = []
        json.appendJSON(text)
        return json
    }
}

// MARK: Fitting

extension RequestRow {
    /// Appends the row.
    package func append(to output: inout [UInt8]) {
        var row = self
        if row.appendIfItFits(leastText: .max, to: &output) { return }
        row.members.removeAll { if case .id(_, isGenerated: true) = $0.value { true } else { false } }
        if row.appendIfItFits(leastText: Self.leastText.withID, to: &output) { return }
        row.members.removeAll { if case .id = $0.value { true } else { false } }
        var dispensable = Self.dispensable[...]
        while !row.appendIfItFits(leastText: Self.leastText.withoutID, to: &output), let key = dispensable.popFirst() {
            row.members.removeAll { $0.key == key }
        }
    }

    /// Appends the row if it fits with texts of at least this many bytes each, or uncut texts.
    private func appendIfItFits(leastText: Int, to output: inout [UInt8]) -> Bool {
        // The braces, and for each member a comma (except the first), two quotation marks and a colon.
        var rest = limit - 1
        var texts: [(index: Int, json: [UInt8])] = []
        for (index, member) in members.enumerated() {
            rest -= member.key.utf8.count + 4
            switch member.value {
            case .whole(let json), .id(let json, _): rest -= json.count
            case .text(let text): texts.append((index, Self.json(text)))
            }
        }
        guard let longest = Self.longestText(texts.map(\.json.count), in: rest, atLeast: leastText) else {
            return false
        }
        var shown: [Int: [UInt8]] = [:]
        for (index, json) in texts {
            guard json.count > longest, case .text(let text) = members[index].value else { continue }
            shown[index] = Self.cut(text, to: longest)
        }
        for (index, member) in members.enumerated() {
            output.append(contentsOf: "\(index == 0 ? "{" : ",")\"\(member.key)\":".utf8)
            switch member.value {
            case .whole(let json), .id(let json, _): output.append(contentsOf: json)
            case .text(let text): output.append(contentsOf: shown[index] ?? Self.json(text))
            }
        }
        output.append(UInt8(ascii: "}"))
        return true
    }

    /// Returns the length in bytes to which texts of these lengths have to be cut to fit; `nil` if it is below `least`.
    private static func longestText(_ lengths: [Int], in room: Int, atLeast least: Int) -> Int? {
        guard room >= 0 else { return nil }
        if lengths.reduce(0, +) <= room { return .max }
        var longest = room
        while longest >= least {
            if lengths.reduce(0, { $0 + min($1, longest) }) <= room { return longest }
            longest -= 1
        }
        return nil
    }

    /// Returns the beginning of a text with an ellipsis as JSON, of at most `length` bytes including the quotation
    /// marks.
    private static func cut(_ text: String, to length: Int) -> [UInt8] {
        let ellipsis = Array("…\"".utf8)
        var json = [UInt8(ascii: "\"")]
        for character in text {
            let more = Self.json(String(character)).dropFirst().dropLast()
            guard json.count + more.count + ellipsis.count <= length else { break }
            json += more
        }
        return json + ellipsis
    }
}

extension RequestSnapshot {
    /// Appends the row for the request with this sequence number.
    ///
    /// - Parameters:
    ///   - apps: the apps whose strings localized alerts refer to.
    ///   - isWhole: whether it may be longer than in an event.
    /// - Returns: false if it is not kept.
    package func appendRow(of sequence: Int, in apps: Apps, isWhole: Bool = false, to output: inout [UInt8]) -> Bool {
        guard let (segment, index) = location(of: sequence) else { return false }
        let limit = isWhole ? Int.max : RequestRow.limit
        RequestRow(segment, at: index, in: apps, limit: limit).append(to: &output)
        return true
    }
}
