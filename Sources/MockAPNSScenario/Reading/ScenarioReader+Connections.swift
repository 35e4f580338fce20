import MockAPNSCore

/// Reads actions on connections: in steps, in the timeline and in API requests.
extension ScenarioReader {
    /// The context of a GOAWAY.
    enum GoAwayUse {
        /// In a step of a rule on pushes.
        case push
        /// In a step of a rule on new connections.
        case connect
        /// In the timeline or in an API request.
        case order
    }

    private enum FrameKey: String, CaseIterable { case reason, text, errorCode, lastStream, then, beforeSettings }

    /// Reads one GOAWAY frame or a list of them, and whether they are sent before SETTINGS.
    mutating func goAway(_ value: Value, _ use: GoAwayUse) -> (GoAwayPlan, beforeSettings: Bool)? {
        var then = AfterGoAway.drain
        var isEarly = false
        let count = value.array?.count ?? 1
        var index = 0
        let frames = oneOrMore(value, of: "GOAWAY frames", atMost: SendLimit.frames) {
            reader, value -> GoAwayPlan.Frame? in
            index += 1
            if index < count {
                reader.noteIfPresent("then", in: value, "is in a frame before the last; expected it in the last")
            }
            return reader.frame(value, use, &then, &isEarly)
        }
        return frames.isEmpty ? nil : (GoAwayPlan(frames, then: then), isEarly)
    }

    private mutating func noteIfPresent(_ key: String, in value: Value, _ message: String) {
        if value[key] != nil { noteKey(key, of: value, message, isCrossReference: true) }
    }

    private mutating func frame(
        _ value: Value, _ use: GoAwayUse, _ then: inout AfterGoAway, _ isEarly: inout Bool
    ) -> GoAwayPlan.Frame? {
        var frame = GoAwayPlan.Frame(lastStream: use == .connect ? .zero : .this)
        var (end, early) = (then, isEarly)
        let isObject = object(value, "a GOAWAY", example: #"{"reason": "Shutdown"}"#, FrameKey.self) {
            reader, key, value in
            switch key {
            case .reason: frame.debugData = reader.reason(value)?.body ?? []
            case .text:
                frame.debugData = reader.text(value, atMost: SendLimit.goAwayText).map { Array($0.utf8) } ?? []
            case .errorCode: frame.errorCode = reader.errorCode(value) ?? 0
            case .lastStream:
                let words: [LastStream] = use == .connect ? [.zero, .all] : [.this, .previous, .zero, .all]
                frame.lastStream = reader.choice(value, words.map { ($0.rawValue, $0) }) ?? frame.lastStream
            case .then: end = reader.word(value, AfterGoAway.self) ?? end
            case .beforeSettings: early = reader.bool(value) ?? false || early
            }
        }
        guard isObject else { return nil }
        (then, isEarly) = (end, early)
        contradiction("reason", "text", in: value, "the debug data is JSON with a reason, or text")
        if use != .connect, value["beforeSettings"] != nil {
            noteKey("beforeSettings", of: value, "is only for rules with \"on\": \"connect\"")
        }
        return frame
    }

    /// Reads how to close a connection.
    mutating func ending(_ value: Value) -> Ending? { word(value, Ending.self) }

    mutating func outage(_ value: Value) -> Outage? {
        enum Key: String, CaseIterable { case reason, `for` }
        var reason: Reason?
        var duration: Int64?
        let isObject = object(value, "an outage", example: #"{"reason": "ServiceUnavailable", "for": "10m"}"#, Key.self)
        { reader, key, value in
            switch key {
            case .reason: reason = reader.reason(value)
            case .for: duration = reader.duration(value, isPositive: true)
            }
        }
        guard isObject else { return nil }
        if value["reason"] == nil { missing("reason", in: value, expected: "a reason such as \"ServiceUnavailable\"") }
        if value["for"] == nil { missing("for", in: value, expected: "a duration such as \"10m\"") }
        guard let reason, let duration else { return nil }
        return Outage(reason: reason, duration: duration)
    }

    mutating func settings(_ value: Value) -> StreamLimitChange? {
        enum Key: String, CaseIterable { case maxConcurrentStreams, `for` }
        var limit: Int?
        var duration: Int64?
        let isObject = object(value, "\"settings\"", example: #"{"maxConcurrentStreams": 1, "for": "10s"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .maxConcurrentStreams: limit = reader.streamLimit(value)
            case .for: duration = reader.duration(value, isPositive: true)
            }
        }
        guard isObject else { return nil }
        if value["maxConcurrentStreams"] == nil {
            missing("maxConcurrentStreams", in: value, expected: "a number of streams")
        }
        return limit.map { StreamLimitChange(maxConcurrentStreams: $0, duration: duration) }
    }

    /// Reads an HTTP/2 error code by its name (RFC 9113, section 7) or number.
    mutating func errorCode(_ value: Value) -> UInt32? {
        if value.number != nil {
            return integer(value, in: 0...Int64(UInt32.max), "an error code: a name, or a number").map { UInt32($0) }
        }
        if let code = ErrorCode.names.firstIndex(where: { $0 == value.string }) { return UInt32(code) }
        wrongWord(value, ErrorCode.names, expected: "an error code of HTTP/2, such as \"REFUSED_STREAM\", or a number")
        return nil
    }
}
