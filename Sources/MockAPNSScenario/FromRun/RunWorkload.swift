import MockAPNSCore

/// The pushes of a run as the workload of a scenario: each once, however often a provider tried it.
struct RunWorkload {
    /// The latest entry, to which equal pushes are added.
    private var latest: (push: String, times: Int, text: String, sequence: Int)?
    /// The number of entries so far, and the first of them that got no answer, which nothing waits for.
    private var (entries, firstUnanswered): (Int, Int?)
    /// Whether each of the latest pushes got an answer.
    private var isAnswered = true
    /// The ids of pushes that a provider gave one.
    private var ids: Set<[UInt8]> = []

    /// The reasons for which a push is refused that is like no push of a workload.
    private static let inexpressible: Set<Reason> = [
        .badExpirationDate, .badMessageID, .badPath, .duplicateHeaders, .methodNotAllowed, .missingDeviceToken,
        .missingProviderToken, .missingTopic,
    ]
    /// Maximum number of pushes that one entry begins.
    private static let mostTimes = 1000

    /// - Parameter entries: the number of those that the scenario has already.
    init(after entries: Int) { (self.entries, firstUnanswered) = (entries, nil) }

    /// Adds a push.
    ///
    /// - Parameters:
    ///   - target: the condition for pushes to its device.
    ///   - topic: the topic it gets if it names none.
    /// - Returns: whether a provider that is given the workload sends it.
    mutating func take(
        _ subject: inout RecordSubject, to target: ObjectText, _ topic: String?, into run: inout RunSteps
    ) -> Bool {
        let sequence = subject.sequence
        func leaveOut(_ why: String) -> Bool {
            run.leaveOut(sequence, why)
            return false
        }
        let record = subject.record
        if let reason = record.reason, Self.inexpressible.contains(reason) { return leaveOut(reason.name) }
        if target.isEmpty { return leaveOut("it has no device token") }
        if !record.sentIDRange.isAbsent, let id = subject.text(.apnsID) {
            // Tried again: a provider does that by itself.
            if ids.contains(id) { return true }
            if ids.count < RunSteps.limit { ids.insert(id) }
        }
        var push = target
        if let sent = subject.text(.topic).map({ String(decoding: $0, as: UTF8.self) }), sent != topic {
            push.add("topic", sent)
        }
        if let type = subject.text(.pushType).map({ String(decoding: $0, as: UTF8.self) }) {
            guard PushType(rawValue: type) != nil else { return leaveOut("its push type") }
            push.add("pushType", type)
        }
        if let priority = record.priority {
            guard [1, 5, 10].contains(priority) else { return leaveOut("its priority") }
            push.add("priority", json: "\(priority)")
        } else if !subject.values(ofHeader: Array("apns-priority".utf8)).isEmpty {
            return leaveOut("its priority")
        }
        if let expiration = record.expiration {
            guard 0...(1 << 53 - 1) ~= expiration else { return leaveOut("its expiration") }
            push.add("expiration", json: "\(expiration)")
        }
        if let id = subject.text(.collapseID), !id.isEmpty {
            push.add("collapseID", String(decoding: id, as: UTF8.self))
        }
        if record.payloadBytes > 0 {
            guard let payload = subject.payload(JSONPointer([])), payload.object != nil else {
                return leaveOut("its payload is no JSON object")
            }
            push.add("payload", payload)
        }
        if let latest, latest.push == push.text, latest.times < Self.mostTimes {
            self.latest?.times += 1
        } else {
            finish(into: &run)
            isAnswered = true
            let who = subject.text(.device) ?? subject.text(.token).map { Array($0.prefix(8)) + Array("…".utf8) } ?? []
            let type = subject.text(.pushType).map { String(decoding: $0, as: UTF8.self) } ?? "push"
            latest = (push.text, 1, "\(type) to \(String(decoding: who, as: UTF8.self))", sequence)
        }
        if record.outcome == .stalled { isAnswered = false }
        return true
    }

    /// Adds the latest entry to the steps.
    mutating func finish(into run: inout RunSteps) {
        guard let latest else { return }
        var entry = ObjectText()
        entry.add("push", json: latest.push)
        if latest.times > 1 { entry.add("times", json: "\(latest.times)") }
        if entries > 0, firstUnanswered == nil {
            entry.add("after", "all")
        } else if let firstUnanswered, firstUnanswered > 0 {
            entry.add("after", json: "[\((0..<firstUnanswered).map(String.init).joined(separator: ", "))]")
        }
        if !isAnswered, firstUnanswered == nil { firstUnanswered = entries }
        entries += 1
        run.add(.workload, entry, latest.text + (latest.times > 1 ? ", \(latest.times) times" : ""), latest.sequence)
        self.latest = nil
    }
}
