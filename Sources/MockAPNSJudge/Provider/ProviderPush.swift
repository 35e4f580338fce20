import MockAPNSCore

/// A push of the log as the rules for providers look at it: its record, and hashes of its texts.
struct ProviderPush {
    let sequence: Int
    let record: RequestRecord
    let token: ProviderToken?
    /// The number of the provider token in the log; 0 without one.
    let tokenNumber: UInt32
    /// The name by which the client asked for the server.
    let serverName: [UInt8]?
    /// Whether the connection was opened in the run.
    let isOfRun: Bool
    /// The device token.
    let device: UInt64
    /// The topic; that of a request without one is a value of its own.
    let topic: UInt64
    /// A hash of device token, topic and payload: requests with the same one are the same push.
    let key: UInt64
    /// The header fields with which it is sent in the same way; without `apns-id` and `authorization`.
    let fields: UInt64
    /// The client's `apns-id`; 0 without one.
    let sentID: UInt64
    /// `apns-collapse-id`; 0 without one.
    let collapseID: UInt64
    /// The facts in the names of its header fields.
    let fieldNames: FieldNames.Facts
    let payload: PayloadFacts

    init(_ subject: borrowing RecordSubject, _ payload: PayloadFacts, _ names: inout FieldNames) {
        let record = subject.record
        let bytes = subject.bytes
        func hash(_ range: RequestRecord.StoredRange, settingBits bits: UInt8 = 0) -> UInt64 {
            range.isAbsent ? 0 : PushHash.of(bytes.extracting(range.indices), settingBits: bits)
        }
        sequence = subject.sequence
        self.record = record
        token = subject.token
        tokenNumber = subject.tokenNumber
        serverName = subject.text(.serverName)
        isOfRun = subject.connection != nil
        device = hash(record.tokenRange, settingBits: 0x20)
        topic = hash(record.topicRange)
        sentID = hash(record.sentIDRange, settingBits: 0x20)
        collapseID = hash(record.collapseIDRange)
        var key = PushHash()
        key.mix(device)
        key.mix(topic)
        let start = Int(record.headerCount)
        key.mix(bytes.extracting(start..<start + Int(record.bodyCount)))
        key.mix(UInt64(record.payloadBytes))
        self.key = key.value
        var fields = PushHash()
        fields.mix(hash(record.pushTypeRange))
        fields.mix(UInt64(record.storedPriority))
        fields.mix(UInt64(bitPattern: record.storedExpiration))
        fields.mix(collapseID)
        self.fields = fields.value
        fieldNames = names.facts(of: subject)
        self.payload = payload
    }

    /// The real time, in milliseconds.
    var time: Int64 { record.time.milliseconds }
    /// The time on the scenario's clock, in milliseconds.
    var clock: Int64 { record.clock.milliseconds }
    /// Whether it was accepted.
    var isAccepted: Bool { record.status == 200 }
    /// Whether the stream was reset with REFUSED_STREAM.
    var isRefusedStream: Bool { record.outcome == .reset && record.resetCode == ErrorCode.refusedStream.code }
    /// How long to wait before the next attempt, in milliseconds: `retry-after` of an answer that asks to try later.
    var retryAfter: Int64? { record.isBusy ? record.retryAfter.map { Int64($0) * 1000 } : nil }
    /// Whether a rule or an outage decided about it, so that nothing follows for the device.
    var isScripted: Bool { record.decidedBy == .rule || record.decidedBy == .outage }
}

extension RequestRecord {
    /// Whether it was refused with a status that asks to try again later.
    var isBusy: Bool { status == 429 || status.map { 500...599 ~= $0 } ?? false }
}
