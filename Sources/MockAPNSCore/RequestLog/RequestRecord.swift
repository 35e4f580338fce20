/// What the log keeps of one request beside its bytes: flat, without references, so that it is copied as it is.
///
/// Ranges refer to the request's bytes as the transport hands them over; ``RequestLog`` moves them when it takes the
/// provider token out. What is not among those bytes (an explanation, the name of a declared device, a topic from a
/// certificate) is added after the record with ``RequestLog/attach(_:as:)``.
///
/// One takes 160 bytes. It has no sequence number: that follows from its position in the log.
package struct RequestRecord: Sendable {
    /// When the request was decided, by the real clock.
    package var time = Timestamp(milliseconds: 0)
    /// The same by the scenario's clock.
    package var clock = Timestamp(milliseconds: 0)
    /// The id of the connection, 0 for a push of the admin API; which number it has in the run, the log knows.
    package var connectionID: UInt32 = 0
    /// The HTTP/2 stream; 0 for a push of the admin API.
    package var stream: UInt32 = 0
    /// The number of the request on its connection, 1 being the first.
    package var requestOnConnection: UInt32 = 0
    /// The connection's open streams, this one included.
    package var inFlight: UInt32 = 0
    /// The length of the whole body, of which the log may hold less.
    package var payloadBytes: UInt32 = 0
    /// From the last byte of the request to the decision.
    package var latencyMicroseconds: UInt32 = 0
    /// The number of the provider token among the different ones of its connection, 1 being the first; 0 for none.
    package var providerToken: UInt32 = 0
    /// Which server name the client asked for; see ``RequestLog/index(ofServerName:)``.
    package var serverName: UInt16 = 0

    /// What was done with it.
    package var outcome = Outcome.responded
    /// Who decided about it.
    package var decidedBy = DecidedBy.checks
    /// How it said who sends it.
    package var authentication = AuthenticationMethod.none
    /// What came of judging that.
    package var verdict = Verdict.notJudged
    /// Why the request was refused; `nil` when it was not.
    package var reason: Reason?
    /// What became of the push; `nil` when it was not accepted.
    package var delivery: Delivery?

    var storedStatus: UInt16 = 0
    var storedPriority: UInt16 = .max
    var storedExpiration: Int64 = .min
    var storedReplacedBy: Int64 = 0
    /// The id of the server's making; all zero when the client sent one, or when there is none.
    var madeID = MadeID.zero
    var storedUniqueID = MadeID.zero

    var methodRange = StoredRange.absent
    var pathRange = StoredRange.absent
    var tokenRange = StoredRange.absent
    var topicRange = StoredRange.absent
    var pushTypeRange = StoredRange.absent
    var collapseIDRange = StoredRange.absent
    var sentIDRange = StoredRange.absent
    /// Attached texts.
    var deviceRange = StoredRange.absent
    var explanationRange = StoredRange.absent
    var ruleRange = StoredRange.absent

    // What the log itself fills in.
    /// Where this record's bytes begin in the segment.
    var start: UInt32 = 0
    /// How many bytes of header fields it has, then how many of body.
    var headerCount: UInt16 = 0
    var bodyCount: UInt16 = 0
    /// The index of the provider token in the segment's table.
    var tokenIndex = Self.noToken
    /// Where among the header fields `authorization` was left out.
    var authorizationOffset = Self.noAuthorization
    /// Taken out by a client of the API; kept only so that positions go on to tell sequence numbers.
    var isDeleted = false
    /// Its path is that of a device: hexadecimal digits and nothing else of the client's, so no provider token.
    var isPathPlain = false
    /// Its body is kept without insignificant white space, as a recorded log has it.
    var isMinified = false
    /// What came of the checks, where that does not follow from the rest. The log's file does not have it.
    var checksResult = ChecksResult.derived

    static let noToken = UInt16.max
    static let noAuthorization = UInt16.max

    /// A record without anything in it.
    package init() {}

    /// An `apns-id` or `apns-unique-id` of the server's own making, 128 random bits.
    package struct MadeID: Sendable, Hashable {
        /// The digits before the third hyphen.
        package var high: UInt64
        /// The digits after it.
        package var low: UInt64

        /// An id of these bits.
        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        static let zero = Self(high: 0, low: 0)
    }

    /// The `apns-id` of a request.
    package enum ID: Sendable, Hashable {
        /// The client's, where it is among the bytes.
        case sent(ByteRange)
        /// The server's, in upper case on the wire.
        case made(MadeID)
    }

    /// Whether all of the body is kept.
    var hasWholeBody: Bool { isMinified || Int(bodyCount) == Int(payloadBytes) }

    /// A text that is not among the request's bytes.
    package enum Attachment: Sendable {
        case explanation
        case device
        case topic
        case rule
    }
}

extension RequestRecord {
    /// Who sent the push.
    package var sender: Sender { connectionID == 0 ? .admin : .provider }

    /// The HTTP status of the answer; `nil` when none was sent.
    package var status: UInt16? {
        get { storedStatus == 0 ? nil : storedStatus }
        set { storedStatus = newValue ?? 0 }
    }

    /// `apns-priority` as a number; `nil` when it was not sent or is none from 0 to 255.
    package var priority: UInt8? {
        get { storedPriority > 255 ? nil : UInt8(storedPriority) }
        set { storedPriority = newValue.map(UInt16.init) ?? .max }
    }

    /// `apns-expiration`, seconds since 1970; `nil` when it was not sent or is no number.
    package var expiration: Int64? {
        get { storedExpiration == .min ? nil : storedExpiration }
        set { storedExpiration = newValue ?? .min }
    }

    /// The sequence number of the push that replaced this one in storage.
    package var replacedBy: Int? {
        get { storedReplacedBy == 0 ? nil : Int(storedReplacedBy) }
        set { storedReplacedBy = Int64(newValue ?? 0) }
    }

    /// The `apns-id` of the answer.
    package var apnsID: ID? {
        get {
            if let range = sentIDRange.range { return .sent(range) }
            return madeID == .zero ? nil : .made(madeID)
        }
        set {
            sentIDRange = .absent
            madeID = .zero
            switch newValue {
            case .sent(let range): sentIDRange = StoredRange(range)
            case .made(let id): madeID = id
            case nil: break
            }
        }
    }

    /// The `apns-unique-id` of the answer, in lower case on the wire; `nil` in production.
    package var uniqueID: MadeID? {
        get { storedUniqueID == .zero ? nil : storedUniqueID }
        set { storedUniqueID = newValue ?? .zero }
    }

    /// `:method`.
    package var method: ByteRange? {
        get { methodRange.range }
        set { methodRange = StoredRange(newValue) }
    }

    /// `:path`.
    package var path: ByteRange? {
        get { pathRange.range }
        set { pathRange = StoredRange(newValue) }
    }

    /// The device token, that is what follows `/3/device/` in the path.
    package var token: ByteRange? {
        get { tokenRange.range }
        set { tokenRange = StoredRange(newValue) }
    }

    /// `apns-topic`; attach the topic instead when it comes from the certificate.
    package var topic: ByteRange? {
        get { topicRange.range }
        set { topicRange = StoredRange(newValue) }
    }

    /// `apns-push-type` as it was sent, also one that APNs does not know.
    package var pushType: ByteRange? {
        get { pushTypeRange.range }
        set { pushTypeRange = StoredRange(newValue) }
    }

    /// `apns-collapse-id`.
    package var collapseID: ByteRange? {
        get { collapseIDRange.range }
        set { collapseIDRange = StoredRange(newValue) }
    }

    /// Where something is among a record's bytes, in four bytes; a record has at most 65 535 bytes.
    struct StoredRange: Sendable, Hashable {
        var start: UInt16
        var count: UInt16

        static let absent = Self(start: .max, count: 0)

        init(start: UInt16, count: UInt16) {
            self.start = start
            self.count = count
        }

        init(_ range: ByteRange?) {
            if let range, range.start < UInt32(UInt16.max), range.count <= UInt32(UInt16.max) {
                start = UInt16(truncatingIfNeeded: range.start)
                count = UInt16(truncatingIfNeeded: range.count)
            } else {
                self = .absent
            }
        }

        var isAbsent: Bool { start == .max }
        var range: ByteRange? { isAbsent ? nil : ByteRange(start: Int(start), count: Int(count)) }
    }
}
