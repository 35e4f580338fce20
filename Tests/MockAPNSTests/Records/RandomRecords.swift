@testable import MockAPNSCore

/// Random records with anything in each column, the same in every run.
struct RandomRecords {
    private var random: SeededRandom
    private static let texts: [[UInt8]] =
        ["", "alice", "alert", "com.example.app", "é€😀", "\"\\/\n\u{0}\u{1}\u{202E}", "\u{FEFF}x"]
        .map { Array($0.utf8) } + [
            [0xFF, 0x41], [0xC3], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98],
        ]
    private static let bodies: [[UInt8]] =
        texts
        + [
            "null", " null\n", "5", "{}", #" { "aps" : { "badge" : 1.50 , "alert" : "\u00e9\/" } } "#,
            #"{"a":1,"a":2}"#, #"{"a":{"b":[1,{"c":0,"c":null}]},"d":-0}"#, #"{"a":"\ud83d"}"#, #"["\ud83d\ude00"]"#,
            #"{"a":1e999}"#, "[12345678901234567890.10]", #"{"a":1,}"#, #"{"a":"#,
            String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
            String(repeating: "[", count: 501) + String(repeating: "]", count: 501),
            #"{"a":"\#(String(repeating: "é", count: 4000))"}"#, String(repeating: "€", count: 3000),
        ].map { Array($0.utf8) }

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func any<Value>(_ values: some Collection<Value>) -> Value {
        values.randomElement(using: &random)!
    }

    private mutating func maybe<Value>(_ value: Value) -> Value? {
        Bool.random(using: &random) ? value : nil
    }

    private mutating func number<Number: FixedWidthInteger>() -> Number {
        any([0, 1, .random(in: 0...1000, using: &random), .max])
    }

    private mutating func time() -> Timestamp {
        Timestamp(
            milliseconds: any([0, -1, 999, 1_795_255_200_123, .random(in: 0...4_000_000_000_000, using: &random)]))
    }

    private mutating func madeID() -> MadeID {
        .init(high: .random(in: 0...UInt64.max, using: &random), low: .random(in: 1...UInt64.max, using: &random))
    }

    private mutating func text() -> [UInt8] { any(Self.texts) }

    private mutating func providerToken(_ authorization: [UInt8]) -> ProviderToken {
        let names = Self.texts.map { String(decoding: $0, as: UTF8.self) }
        return ProviderToken(
            recorded: authorization, hash: .random(in: 0...UInt64.max, using: &random), keyID: maybe(any(names)),
            teamID: maybe(any(names)), issuedAt: maybe(time()), signatureForm: maybe(any([.raw, .der])))
    }

    /// Adds a record to a log, and the same one to that of a fleet.
    mutating func append(to log: inout RequestLog, andFleet fleet: inout RequestLog) {
        let push = fields()
        var record = push.record
        setNumbers(of: &record)
        setWords(of: &record)
        let body = any(Self.bodies)
        record.payloadBytes = UInt32(body.count)
        if Int.random(in: 0..<5, using: &random) == 0 { record.payloadBytes += 7 }
        record.isMinified = Int.random(in: 0..<5, using: &random) == 0
        log.append(
            record, request: (push.bytes + body).span, headerLength: push.bytes.count, token: push.token)
        for attachment in [RequestRecord.Attachment.explanation, .device, .topic] where Bool.random(using: &random) {
            log.attach(text().span, as: attachment)
        }
        if record.decidedBy == .rule { log.attach(text().span, as: .rule) }
        if Bool.random(using: &random) { attachCall(to: &log) }
        ship(log, to: &fleet)
    }

    private mutating func fields() -> (record: RequestRecord, bytes: [UInt8], token: ProviderToken?) {
        var record = RequestRecord()
        var bytes: [UInt8] = []
        var token: ProviderToken?
        let names = [":method", ":path", ":scheme", "authorization", "apns-topic", "apns-id", "x-\"", ""]
        for name in names.shuffled(using: &random) where Bool.random(using: &random) {
            var value = text()
            if name == "authorization" {
                value = Array("bearer ".utf8) + value + Array(".b.c".utf8)
                token = maybe(providerToken(value))
            }
            HeaderFields.append(Array(name.utf8), value, to: &bytes)
            let range = ByteRange(start: bytes.count - value.count, count: value.count)
            switch name {
            case ":method": record.method = range
            case ":path": (record.path, record.token) = (range, maybe(range))
            case "apns-topic": (record.topic, record.pushType, record.collapseID) = (range, maybe(range), maybe(range))
            case "apns-id": record.apnsID = .sent(range)
            default: break
            }
        }
        if record.apnsID == nil { record.apnsID = maybe(.made(madeID())) }
        return (record, bytes, token)
    }

    private mutating func setNumbers(of record: inout RequestRecord) {
        (record.time, record.clock) = (time(), time())
        (record.connectionID, record.stream, record.inFlight) = (number(), number(), number())
        (record.latencyMicroseconds, record.providerToken) = (number(), number())
        (record.priority, record.expiration) = (maybe(number()), maybe(number()))
        (record.replacedBy, record.uniqueID) = (maybe(number()), maybe(madeID()))
        record.status = maybe(number())
        if Bool.random(using: &random) { record.retryAfter = maybe(number()) } else { record.resetCode = maybe(code()) }
    }

    /// One with a name, or a number.
    private mutating func code() -> UInt32 { any([0, 7, 13, 14, 4711, .max]) }

    private mutating func setWords(of record: inout RequestRecord) {
        record.outcome = any(Outcome.allCases)
        record.decidedBy = any(DecidedBy.allCases)
        record.authentication = any(AuthenticationMethod.allCases)
        record.verdict = maybe(any(AuthenticationVerdict.allCases))
        record.reason = maybe(any(Reason.allCases))
        record.delivery = maybe(any(Delivery.allCases))
    }

    private mutating func attachCall(to log: inout RequestLog) {
        var call = CallRecord()
        call.call = maybe(any(BroadcastCall.allCases))
        call.policy = maybe(any(ChannelStorage.allCases))
        (call.subscribers, call.delivered) = (maybe(number()), maybe(number()))
        call.isStored = maybe(any([true, false]))
        var texts = CallRecord.Texts()
        (texts.channel, texts.channelName) = (maybe(text()), maybe(text()))
        (texts.requestID, texts.ignored) = (maybe(text()), maybe(text()))
        log.attach(call, texts)
    }

    /// Adds the latest record of a log to that of a fleet.
    private mutating func ship(_ log: RequestLog, to fleet: inout RequestLog) {
        let segment = log.open
        let index = segment.records.count - 1
        fleet.replicaNames = Self.texts
        _ = fleet.append(
            segment.records[index], bytes: segment.bytes(of: segment.records[index], at: index),
            token: segment.token(of: segment.records[index]),
            from: RecordOrigin(replica: any(0..<UInt16(Self.texts.count)), sequence: number()))
        if let call = segment.records[index].callIndex {
            fleet.addCall(segment.calls[call], to: fleet.open.records.count - 1)
        }
    }
}
