/// Where the answers of another APNs differ from those that this server would have given, in groups.
package struct RelayDifferences: Sendable, Equatable {
    /// Pushes that were answered in one way, and would have been in one other.
    package struct Group: Sendable, Equatable {
        /// What this server would have answered.
        package var own: RelayedAnswer.Verdict
        /// What the other APNs answered.
        package var theirs: RelayedAnswer.Verdict
        /// The number of pushes.
        package var count: Int
        /// The first of them.
        package var example: Int
    }

    private struct Key: Hashable {
        var own: RelayedAnswer.Verdict
        var theirs: RelayedAnswer.Verdict
    }

    /// Maximum number of groups; beyond it, differences are only counted.
    package static let limit = 1000

    /// The number of pushes that the other APNs has answered.
    package private(set) var relayed = 0
    /// The number of them that this server would have answered in the same way.
    package private(set) var agreed = 0
    /// The number of pushes without its answer: it could not be reached, broke off, did not answer in time, or could not
    /// get them.
    package private(set) var unanswered = 0
    /// The groups, in the order of their examples.
    package private(set) var groups: [Group] = []
    private var indices: [Key: Int] = [:]

    package init() {}

    /// The number of pushes that were answered otherwise.
    package var different: Int { relayed - agreed }

    /// Whether a push was answered otherwise, or not at all.
    package var hasDifferences: Bool { different > 0 || unanswered > 0 }

    /// Whether there was no push for the other APNs.
    package var isEmpty: Bool { relayed == 0 && unanswered == 0 }

    /// Counts a push that the other APNs did not answer.
    package mutating func countUnanswered() { unanswered += 1 }

    /// Counts an answer of the other APNs.
    package mutating func count(_ answer: RelayedAnswer, of sequence: Int) {
        relayed += 1
        if answer.agrees {
            agreed += 1
            return
        }
        let key = Key(own: answer.own, theirs: answer.theirs)
        if let index = indices[key] {
            groups[index].count += 1
        } else if groups.count < Self.limit {
            indices[key] = groups.count
            groups.append(Group(own: answer.own, theirs: answer.theirs, count: 1, example: sequence))
        }
    }

    /// Adds the differences of another server, whose examples are numbers of its own.
    package mutating func add(_ other: Self) {
        relayed += other.relayed
        agreed += other.agreed
        unanswered += other.unanswered
        for group in other.groups {
            let key = Key(own: group.own, theirs: group.theirs)
            if let index = indices[key] {
                groups[index].count += group.count
            } else if groups.count < Self.limit {
                indices[key] = groups.count
                groups.append(group)
            }
        }
    }

    /// Sentences for people; none if nothing was passed on.
    package var lines: [String] {
        if isEmpty { return [] }
        var lines = [
            "The upstream answered \(agreed) of \(counted(relayed, "push", "pushes")) as mock-apns would have answered."
        ]
        if unanswered > 0 { lines.append("It did not answer \(counted(unanswered, "push", "pushes")).") }
        for group in groups {
            lines.append(
                "  \(group.theirs.text) where mock-apns answers \(group.own.text): \(counted(group.count, "push", "pushes")), the first is push \(group.example)"
            )
        }
        return lines
    }
}

extension RelayedAnswer.Verdict {
    /// The answer for people, such as `400 BadDeviceToken`.
    package var text: String {
        guard let status else { return "RST_STREAM \(reason ?? "")" }
        return reason.map { "\(status) \($0)" } ?? "\(status)"
    }
}

// MARK: JSON

extension RelayDifferences {
    /// The object of the API.
    package var json: [UInt8] {
        var json = Array(#"{"relayed":\#(relayed),"agreed":\#(agreed),"unanswered":\#(unanswered),"differences":"#.utf8)
        json.appendList(groups) { json, group in
            json.append(contentsOf: #"{"own":"#.utf8)
            group.own.appendJSON(to: &json)
            json.append(contentsOf: #","theirs":"#.utf8)
            group.theirs.appendJSON(to: &json)
            json.append(contentsOf: #","count":\#(group.count),"example":\#(group.example)}"#.utf8)
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// Reads the object of another server; what is missing counts as none.
    package init(_ json: JSONText.Value) {
        func number(_ value: JSONText.Value?) -> Int { value?.int64.map { Int(clamping: $0) } ?? 0 }
        relayed = number(json["relayed"])
        agreed = number(json["agreed"])
        unanswered = number(json["unanswered"])
        groups = (json["differences"]?.array ?? []).prefix(Self.limit).map { group in
            Group(
                own: .init(group["own"]), theirs: .init(group["theirs"]), count: number(group["count"]),
                example: number(group["example"]))
        }
    }
}
