package import MockAPNSCore

/// What happened in a run, as elements of a scenario's lists: played, they make it happen again.
package struct RunSteps: Sendable {
    /// A list of a scenario.
    package enum List: String, Sendable, CaseIterable {
        case devices, rules, timeline, workload
    }

    /// Something that happened.
    package struct Step: Sendable {
        /// The list that it belongs to.
        package var list: List
        /// Its element of that list, as JSON.
        package var element: String
        /// What happened, as a sentence without a full stop.
        package var text: String
        /// The request that it is, or the latest one before it.
        package var sequence: Int
    }

    /// An expectation that a push is answered as it was.
    package struct Answer: Sendable {
        /// The push.
        package var sequence: Int
        /// The element of `expect`, as JSON.
        package var expectation: String
    }

    /// The pushes that are left out for one cause.
    private struct LeftOut {
        /// The number of pushes that are named.
        private static let named = 10

        var why: String
        private var first: [Int] = []
        private var number = 0

        init(why: String) { self.why = why }

        /// The subject and the verb of a sentence.
        var pushes: String {
            guard number > 1 else { return "Push \(first[0]) is" }
            let names = first.map(String.init)
            guard number > first.count else {
                return "Pushes \(names.dropLast().joined(separator: ", ")) and \(first[number - 1]) are"
            }
            return "Pushes \(names.joined(separator: ", ")) (and \(number - first.count) more) are"
        }

        mutating func add(_ sequence: Int) {
            number += 1
            if first.count < Self.named { first.append(sequence) }
        }
    }

    /// Maximum number of steps of one list, and of answers.
    package static let limit = 1000

    /// The steps, in the order in which they happened; of rules, the one that was added last comes first.
    package internal(set) var steps: [Step] = []
    /// The answers to pushes, in order.
    package internal(set) var answers: [Answer] = []
    /// What no scenario can repeat, or was left out, as sentences.
    package var notes: [String] {
        remarks + leftOut.map { "\($0.pushes) left out of the workload, in which no push can be like that: \($0.why)." }
    }
    /// The notes of which there is one for each text.
    private var remarks: [String] = []
    /// The pushes that no workload can have, by what is the matter with them.
    private var leftOut: [LeftOut] = []
    /// The number of pushes of the run.
    package internal(set) var pushes = 0
    /// Whether a step moves the clock, which has to be a manual one.
    package internal(set) var movesClock = false

    /// Adds a step, unless there are too many of its kind.
    mutating func add(_ list: List, _ element: ObjectText, _ text: String, _ sequence: Int) {
        guard steps.count(where: { $0.list == list }) < Self.limit else {
            return note("Only the first \(Self.limit) elements of \"\(list.rawValue)\" are here; the run has more.")
        }
        steps.append(Step(list: list, element: element.text, text: text, sequence: sequence))
    }

    /// Adds a note, once.
    mutating func note(_ text: String) {
        if remarks.count < Self.limit, !remarks.contains(text) { remarks.append(text) }
    }

    /// Adds a note that a push is left out of the workload; those for the same cause share one.
    mutating func leaveOut(_ sequence: Int, _ why: String) {
        let index = leftOut.firstIndex { $0.why == why }
        if index == nil { leftOut.append(LeftOut(why: why)) }
        leftOut[index ?? leftOut.count - 1].add(sequence)
    }

    /// Returns a scenario of nothing but the steps.
    ///
    /// - Parameter seed: that of the run, if it is known.
    package func scenario(ofRunWith seed: UInt64?) throws(JSONText.Mistake) -> [UInt8] {
        var beginning = ["\"description\": \"Made from a log with \(counted(pushes, "push", "pushes")).\""]
        if let seed { beginning.append("\"seed\": \(seed)") }
        if movesClock { beginning.append(#""clock": {"manual": "now"}"#) }
        return try scenario(addedTo: Array("{\n  \(beginning.joined(separator: ",\n  "))\n}\n".utf8))
    }

    /// Returns a scenario with all steps added.
    ///
    /// - Parameter text: the scenario that was played, or `{}`.
    package func scenario(addedTo text: [UInt8]) throws(JSONText.Mistake) -> [UInt8] {
        let value = try JSONText.read(text)
        var edits: [JSONText.Edit] = []
        var members: [String] = []
        for list in List.allCases {
            let elements = steps.filter { $0.list == list }.map(\.element)
            guard !elements.isEmpty else { continue }
            let lines = elements.joined(separator: ",\n    ")
            guard let old = value[list.rawValue]?.array, let first = old.first, let last = old.last else {
                let json = "[\n    \(lines)\n  ]"
                guard let empty = value[list.rawValue] else {
                    members.append("\"\(list.rawValue)\": \(json)")
                    continue
                }
                edits.append(.init(JSONText.range(of: empty, in: text), Array(json.utf8)))
                continue
            }
            // A rule that was added goes before all others.
            if list == .rules {
                edits.append(.init(first.offset..<first.offset, Array("\(lines),\n    ".utf8)))
            } else {
                let end = JSONText.range(of: last, in: text).upperBound
                edits.append(.init(end..<end, Array(",\n    \(lines)".utf8)))
            }
        }
        guard !members.isEmpty else { return JSONText.applying(edits, to: text) }
        let json = members.joined(separator: ",\n  ")
        guard let last = value.object?.last else {
            let start = value.offset + 1
            return JSONText.applying([.init(start..<start, Array("\n  \(json)\n".utf8))], to: text)
        }
        let end = JSONText.range(of: last.value, in: text).upperBound
        edits.append(.init(end..<end, Array(",\n  \(json)".utf8)))
        return JSONText.applying(edits, to: text)
    }
}

/// The text of a JSON object as people write it, with a space after each colon and comma.
struct ObjectText {
    private var members: [String] = []

    var isEmpty: Bool { members.isEmpty }
    var text: String { "{\(members.joined(separator: ", "))}" }

    /// Adds a member, if it has a value.
    mutating func add(_ key: String, json: String?) {
        if let json { members.append("\(Self.json(key)): \(json)") }
    }

    /// Adds a member, if it has a value.
    mutating func add(_ key: String, _ text: String?) { add(key, json: text.map(Self.json)) }

    /// Adds a member.
    mutating func add(_ key: String, _ value: JSONText.Value) { add(key, json: Self.json(value)) }

    /// Adds the members of another.
    mutating func add(_ other: ObjectText) { members += other.members }

    static func json(_ text: String) -> String {
        var json: [UInt8] = []
        json.appendJSON(text)
        return String(decoding: json, as: UTF8.self)
    }

    static func json(_ value: JSONText.Value) -> String {
        var json: [UInt8] = []
        json.appendJSON(value)
        return String(decoding: json, as: UTF8.self)
    }
}
