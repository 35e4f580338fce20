import MockAPNSCore

/// Reads the pushes asked of a suite's driver, and the abilities they need.
extension ScenarioReader {
    /// Maximum number of pushes that one entry begins.
    private static let times: ClosedRange<Int64> = 1...1000

    mutating func needs(_ value: Value) -> [DriverNeed] {
        list(value, of: "what a driver has to be able to do") { $0.word($1, DriverNeed.self) }
    }

    mutating func workload(_ value: Value, _ devices: [DeclaredDevice]) -> [WorkloadEntry] {
        var index = 0
        return list(value, of: "entries") { reader, value in
            defer { index += 1 }
            return reader.workloadEntry(value, at: index, devices)
        }
    }

    private mutating func workloadEntry(_ value: Value, at index: Int, _ devices: [DeclaredDevice]) -> WorkloadEntry? {
        enum Key: String, CaseIterable { case push, times, after, wait }
        var push: WorkloadEntry.Push?
        var entry = WorkloadEntry(.init(token: ""), times: 1)
        let isObject = object(value, "an entry of the workload", example: #"{"push": {"device": "alice"}}"#, Key.self) {
            reader, key, value in
            switch key {
            case .push: push = reader.workloadPush(value, devices)
            case .times: entry.times = reader.integer(value, in: Self.times) ?? 1
            case .after: entry.after = reader.prerequisite(value, of: index)
            case .wait: entry.wait = reader.duration(value) ?? 0
            }
        }
        guard isObject else { return nil }
        if value["push"] == nil { missing("push", in: value, expected: "what to push") }
        entry.push = push ?? entry.push
        return entry
    }

    private mutating func prerequisite(_ value: Value, of index: Int) -> WorkloadEntry.Prerequisite {
        guard value.array != nil || value.string == "all" else {
            wrongWord(value, ["all"], expected: "\"all\", or a list of numbers of earlier entries, 0 for the first")
            return .nothing
        }
        guard index > 0 else {
            note(value.offset, "waits for earlier entries, but this is the first", isCrossReference: true)
            return .nothing
        }
        guard value.array != nil else { return .all }
        return .entries(
            list(value, of: "numbers of earlier entries", atLeast: 1) { reader, value in
                guard let number = reader.integer(value, in: Self.counts, "the number of an entry,") else { return nil }
                guard number >= index else { return number }
                let last = index == 1 ? "0" : "0 to \(index - 1)"
                reader.wrong(value, expected: "the number of an earlier entry, \(last)", isCrossReference: true)
                return nil
            })
    }

    private mutating func workloadPush(_ value: Value, _ devices: [DeclaredDevice]) -> WorkloadEntry.Push? {
        enum Key: String, CaseIterable {
            case device, token, topic, pushType, priority, expiration, collapseID, payload
        }
        var push = WorkloadEntry.Push(token: "")
        var declared: DeclaredDevice?
        let isObject = object(
            value, "a push", example: #"{"device": "alice", "payload": {"aps": {"alert": "Hello"}}}"#, Key.self
        ) { reader, key, value in
            switch key {
            case .device:
                // Of a list with mistakes the indices are not those of the file.
                guard let index = reader.deviceIndex(value), devices.indices.contains(index) else { return }
                declared = devices[index]
            case .token: push.token = reader.filledText(value, "a device token") ?? ""
            case .topic: push.topic = reader.topic(value)
            case .pushType: push.pushType = reader.word(value, PushType.self)
            case .priority: push.priority = reader.pushPriority(value)
            case .expiration: push.expiration = reader.pushExpiration(value)
            case .collapseID: push.collapseID = reader.filledText(value, "a collapse id")
            case .payload:
                if value.object == nil {
                    reader.wrong(value, expected: "an object such as {\"aps\": {\"alert\": \"Hello\"}}")
                }
                var payload: [UInt8] = []
                payload.appendJSON(value)
                push.payload = payload
            }
        }
        guard isObject else { return nil }
        contradiction("device", "token", in: value, "a push goes to one of them")
        if value["device"] == nil, value["token"] == nil, !isMeant(["device", "token"], in: value) {
            note(value.offset, "goes nowhere; expected \"device\" with the name of one, or \"token\"")
        }
        if let declared {
            push.token = declared.token.hex
            push.topic = push.topic ?? declared.topics.first
        }
        return push
    }

    private mutating func pushPriority(_ value: Value) -> Int? {
        if let number = value.int64, [1, 5, 10].contains(number) { return Int(number) }
        wrong(value, expected: "1, 5 or 10")
        return nil
    }

    private mutating func pushExpiration(_ value: Value) -> WorkloadEntry.Expiration? {
        if value.string != nil { return duration(value, or: ", or seconds since 1970 as a number").map { .after($0) } }
        let expected = "seconds since 1970, or a duration such as \"1h\":"
        return integer(value, in: 0...(1 << 53 - 1), expected + " a whole number").map { .at(Int64($0)) }
    }
}
