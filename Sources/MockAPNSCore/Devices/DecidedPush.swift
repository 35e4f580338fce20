/// A decided push as the state follows it: a view of its record, new, or read from a log.
package struct DecidedPush: ~Escapable {
    let record: RequestRecord
    /// Its sequence number; if another replica of the fleet records it, its number in the fleet's order.
    var sequence: Int
    /// The latest request before it.
    var latest: Int
    /// The bytes that the record's ranges refer to.
    let fields: Span<UInt8>
    let payload: Span<UInt8>
    /// The topic, from the request or the certificate; empty for none.
    let topic: Span<UInt8>
    /// The environment of its connection.
    package var isSandbox = true
    /// Whether another push has already replaced it.
    var isReplaced = false
    /// Its number in the order of a fleet; 0 for one that was decided without the others.
    var number = 0

    @_lifetime(copy fields, copy payload, copy topic)
    package init(
        _ record: RequestRecord, as sequence: Int, fields: Span<UInt8>, payload: Span<UInt8>, topic: Span<UInt8>
    ) {
        self.record = record
        self.sequence = sequence
        latest = sequence - 1
        self.fields = fields
        self.payload = payload
        self.topic = topic
    }

    /// Creates the view of a record in the log.
    ///
    /// - Parameter bytes: the bytes of the record: its header fields, its body, and texts that were attached.
    @_lifetime(copy bytes)
    init(_ record: RequestRecord, as sequence: Int, in bytes: Span<UInt8>) {
        let body = Int(record.headerCount)..<Int(record.headerCount) + Int(record.bodyCount)
        self.init(
            record, as: sequence, fields: bytes, payload: bytes.extracting(body),
            topic: bytes.extracting(record.topic?.range ?? 0..<0))
    }

    /// Its device token.
    var token: DeviceToken? { record.token.flatMap { DeviceToken(hex: fields.extracting($0.range)) } }

    var collapseID: Span<UInt8> {
        @_lifetime(copy self)
        get { fields.extracting(record.collapseID?.range ?? 0..<0) }
    }

    /// Its push type, or what its topic stands for; `nil` if it is unknown.
    var pushType: PushType? {
        guard let range = record.pushType else { return PushType(ofTopic: topic) }
        return PushType(fields.extracting(range.range))
    }

    /// The part of the screen that it may change.
    var screenPart: ScreenPart { pushType.map { ScreenPart($0) } ?? .none }

    /// Whether it may start a Live Activity that listens to a broadcast channel.
    var mayStartActivity: Bool { screenPart == .liveActivities && LiveActivityPush.mayNameChannel(payload) }

    /// Whether it is stored. A record that is read back may already say that it was delivered from storage, before the
    /// event that says when.
    var isStored: Bool {
        guard let delivery = record.delivery, !isReplaced else { return false }
        return !delivery.isFinal || delivery == .deliveredFromStorage
    }
}
