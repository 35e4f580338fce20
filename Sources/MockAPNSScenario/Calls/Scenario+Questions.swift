package import MockAPNSCore

/// Reads API queries about requests. Each method returns the query, or `nil` and the mistakes; names refer to what this
/// scenario declares.
extension Scenario {
    /// Reads a query for a page of requests: `{"requests": MATCH, "q": "goal is:refused", "lint": {"severity": "error"}, "after": 17,
    /// "limit": 100, "order": "desc"}`; each member is optional.
    package func requestQuery(from value: JSONText.Value, at now: Timestamp) -> (RequestQuery?, [ScenarioMistake]) {
        enum Key: String, CaseIterable { case requests, q, lint, after, limit, order }
        return read { reader in
            var query = RequestQuery()
            reader.object(value, "a query for requests", example: #"{"requests": {"status": 400}}"#, Key.self) {
                reader, key, value in
                switch key {
                case .requests: query.match.take(reader.requestMatch(value, in: self))
                case .q: query.match.search = reader.requestSearch(value, at: now)
                case .lint: query.lint = reader.lintedPushes(value)
                case .after: query.after = reader.integer(value, in: ScenarioReader.sequences)
                case .limit:
                    let limits = 0...Int64(RequestQuery.maximumLimit)
                    query.limit = reader.integer(value, in: limits) ?? query.limit
                case .order: query.order = reader.word(value, RequestQuery.Order.self) ?? query.order
                }
            }
            return query
        }
    }

    /// Reads a query for the number of requests: `{"requests": MATCH, "lint": {"severity": "error"}, "by": ["status"]}`;
    /// each member is optional.
    package func countedRequests(from value: JSONText.Value, at now: Timestamp) -> (
        RequestCountQuery?, [ScenarioMistake]
    ) {
        enum Key: String, CaseIterable { case requests, q, lint, by }
        return read { reader in
            var query = RequestCountQuery()
            reader.object(value, "a query for a number of requests", example: #"{"by": ["status"]}"#, Key.self) {
                reader, key, value in
                switch key {
                case .requests: query.match.take(reader.requestMatch(value, in: self))
                case .q: query.match.search = reader.requestSearch(value, at: now)
                case .lint: query.lint = reader.lintedPushes(value)
                case .by:
                    query.fields = reader.list(value, of: "fields to count by", atLeast: 1) {
                        $0.word($1, RequestCountQuery.Field.self)
                    }
                }
            }
            return query
        }
    }

    /// Reads which requests to delete: `{"requests": MATCH, "lint": {"severity": "error"}}`. The first member is required,
    /// so that a mistake deletes nothing.
    package func deletedRequests(from value: JSONText.Value, at now: Timestamp) -> (RequestQuery?, [ScenarioMistake]) {
        enum Key: String, CaseIterable { case requests, q, lint }
        return read { reader in
            var query = RequestQuery()
            let isObject = reader.object(
                value, "a selection of requests", example: #"{"requests": {"status": 400}}"#, Key.self
            ) { reader, key, value in
                switch key {
                case .requests: query.match.take(reader.requestMatch(value, in: self))
                case .q: query.match.search = reader.requestSearch(value, at: now)
                case .lint: query.lint = reader.lintedPushes(value)
                }
            }
            if isObject, value["requests"] == nil {
                reader.missing(
                    "requests", in: value, expected: "which requests to delete; {} means all pushes from providers")
            }
            return query
        }
    }

    /// Reads a query to wait for requests, `{"requests": MATCH, "count": 2, "after": 17, "timeout": "5s"}`, or for none:
    /// `{"requests": MATCH, "count": 0, "for": "2s"}`. Each member is optional, except that 0 needs `for`.
    ///
    /// - Parameter most: the maximum number of requests to wait for, since the log keeps no more.
    package func awaitedRequests(
        from value: JSONText.Value, atMost most: Int
    ) -> (AwaitedRequests?, [ScenarioMistake]) {
        enum Key: String, CaseIterable { case requests, count, after, timeout, `for` }
        return read { reader in
            var awaited = AwaitedRequests()
            let isObject = reader.object(
                value, "a query to wait for", example: #"{"count": 2, "timeout": "5s"}"#, Key.self
            ) { reader, key, value in
                switch key {
                case .requests: awaited.match = reader.requestMatch(value, in: self)
                case .count:
                    let expected = "as many requests as the log keeps: a whole number"
                    awaited.count = reader.integer(value, in: 0...Int64(max(1, most)), expected) ?? 1
                case .after: awaited.after = reader.integer(value, in: ScenarioReader.sequences)
                case .timeout: awaited.timeout = reader.waitingTime(value) ?? 0
                case .for: awaited.quietTime = reader.waitingTime(value) ?? 0
                }
            }
            guard isObject else { return nil }
            if awaited.count == 0, value["for"] == nil {
                reader.missing("for", in: value, expected: "the time in which no request may come, such as \"2s\"")
            } else if awaited.count != 0, value["for"] != nil {
                reader.noteKey("for", of: value, "is for \"count\": 0; expected \"timeout\" with another count")
            }
            reader.contradiction("timeout", "for", in: value, "a wait for no request ends after \"for\"")
            return awaited
        }
    }

    /// Reads a query to wait for Live Activities of a device: `{"count": 1, "topic": "com.example.app", "timeout": "5s"}`.
    /// Each member is optional.
    package func awaitedActivities(from value: JSONText.Value) -> (AwaitedActivities?, [ScenarioMistake]) {
        enum Key: String, CaseIterable { case count, topic, timeout }
        return read { reader in
            var awaited = AwaitedActivities()
            let isObject = reader.object(
                value, "a wait for Live Activities", example: #"{"count": 1, "timeout": "5s"}"#, Key.self
            ) { reader, key, value in
                switch key {
                case .count:
                    let expected = "as many Live Activities as a device keeps: a whole number"
                    awaited.count = reader.integer(value, in: 1...Int64(LiveActivities.limit), expected) ?? 1
                case .topic: awaited.app = reader.topic(value).map { Topic.app(of: $0) }
                case .timeout: awaited.timeout = reader.waitingTime(value) ?? 0
                }
            }
            return isObject ? awaited : nil
        }
    }

    /// Reads a query to judge expectations: `{"expect": […], "within": MATCH}`, or `{}` for the scenario's own.
    package func verificationQuestion(from value: JSONText.Value) -> (VerificationQuestion?, [ScenarioMistake]) {
        enum Key: String, CaseIterable { case expect, within }
        return read { reader in
            var question = VerificationQuestion()
            reader.object(
                value, "a query for verification", example: #"{"expect": [{"requests": {}, "count": 1}]}"#, Key.self
            ) { reader, key, value in
                switch key {
                case .expect: question.expectations = reader.expectations(value)
                case .within: question.within = reader.match(value, .record)
                }
            }
            if question.within != nil, value["expect"] == nil, !reader.isMeant(["expect"], in: value) {
                reader.noteKey(
                    "within", of: value,
                    "needs \"expect\", because the scenario's own expectations are counted already")
            }
            if value["within"] != nil, let expectations = value["expect"] { reader.checkWithin(expectations) }
            return question
        }
    }
}

extension Scenario {
    /// Returns the query to a running server for judging the expectations in a scenario file; `nil` if the server's own
    /// scenario has the same expectations.
    ///
    /// - Parameters:
    ///   - text: the text of the file.
    ///   - played: the text of the server's scenario.
    package static func verificationQuestion(for text: [UInt8], unlessPlayed played: [UInt8]) -> [UInt8]? {
        let expectations = (try? JSONText.read(text))?["expect"]
        if let expectations, let others = (try? JSONText.read(played))?["expect"], others.means(expectations) {
            return nil
        }
        var question = Array(#"{"expect":"#.utf8)
        question.appendJSON(expectations ?? JSONText.Value(offset: 0, content: .array([])))
        return question + [UInt8(ascii: "}")]
    }
}

extension ScenarioReader {
    /// The sequence numbers of requests, and 0 for before the first.
    fileprivate static let sequences: ClosedRange<Int64> = 0...Int64.max

    /// Rejects expectations of connections in combination with a selection of requests.
    fileprivate mutating func checkWithin(_ expectations: Value) {
        func refuse(_ key: String, of value: Value, _ reader: inout Self) {
            guard value[key] != nil else { return }
            reader.noteKey(
                key, of: value,
                "cannot be combined with \"within\", which selects requests; leave that out, or count connections with requests by \"distinct\": \"connection\""
            )
        }
        at("expect") { reader in
            for (index, expectation) in (expectations.array ?? []).enumerated() {
                reader.at(index: index) { reader in
                    refuse("connections", of: expectation, &reader)
                    refuse("pings", of: expectation, &reader)
                    refuse("channel", of: expectation, &reader)
                    refuse("channels", of: expectation, &reader)
                    guard let spacing = expectation["spacing"] else { return }
                    reader.at("spacing") { refuse("connections", of: spacing, &$0) }
                }
            }
        }
    }

    /// Reads how long to wait, in milliseconds.
    fileprivate mutating func waitingTime(_ value: Value) -> Int64? {
        let time = duration(value)
        if let time, time > AwaitedRequests.longestTimeout {
            wrong(value, expected: "a duration of at most \"\(DurationText.text(AwaitedRequests.longestTimeout))\"")
        }
        return time
    }

    /// - Parameter now: the real time, for times of day.
    fileprivate mutating func requestSearch(_ value: Value, at now: Timestamp) -> RequestSearch? {
        guard let text = text(value, atMost: RequestSearch.lengthLimit) else { return nil }
        do { return try RequestSearch(text, at: now) } catch {
            note(value.offset, error.message)
            return nil
        }
    }

    fileprivate mutating func requestMatch(_ value: Value, in scenario: Scenario) -> RequestMatch {
        RequestMatch(match(value, .record), in: scenario)
    }
}

/// Requests to wait for.
package struct AwaitedRequests: Sendable {
    /// The longest timeout in milliseconds.
    package static let longestTimeout: Int64 = 600_000

    /// The conditions they have to meet.
    package var match = RequestMatch()
    /// Their number; 0 means that none may come.
    package var count = 1
    /// Only requests with a higher sequence number count; `nil` means all, or those from now on if none may come.
    package var after: Int?
    /// How long none may come, in milliseconds.
    package var quietTime: Int64 = 0
    /// The maximum time to wait in milliseconds.
    package var timeout: Int64 = 5000
}

/// A query to judge expectations.
package struct VerificationQuestion: Sendable {
    /// The expectations; `nil` means the scenario's own.
    package var expectations: [Expectation]?
    /// Only requests that match this are considered; `nil` means all. It excludes expectations of connections and PING
    /// frames.
    package var within: MatchExpression?

    /// The number of regular expressions.
    package var patternCount: Int {
        (expectations ?? []).reduce(within?.patternCount ?? 0) { $0 + $1.patternCount }
    }
}
