/// The members of a request record, in the order of a log line.
///
/// Writer and reader use this table. Tests check the order of the writer, ``RequestField``, the library's record and the
/// OpenAPI document against it, so add a new member here first; compiler and tests then name what is missing.
package enum RecordMember: Int, CaseIterable, Sendable {
    case event
    case sequence, replica, replicaSequence, time, clock
    case connection, connectionID, stream
    case method, path, token, device, headers
    case topic, pushType, priority, expiration, collapseID
    case apnsID, uniqueID, inFlight
    case payload, payloadText, payloadBase64, payloadBytes
    case sentBy, authentication, providerTokenNumber
    case status, reason, retryAfter, resetCode, outcome, decidedBy, explanation, delivery, replacedBy
    case latencyMicroseconds
    // Only in records of calls about broadcast channels.
    case call, channel, channelName, requestID, storagePolicy, subscribers, delivered, stored, ignored

    /// The key in a line.
    package var name: String { Self.names[rawValue] }
    private static let names = allCases.map { "\($0)" }

    /// Whether a line without this member is not a record. Any other member may be missing from logs of older versions.
    package var isEssential: Bool {
        switch self {
        case .event, .sequence, .time, .outcome: true
        default: false
        }
    }

    /// Whether every line has this member. `payloadBase64` appears only for a body that is not text, the replica only in
    /// the log of a fleet, `retryAfter` and `resetCode` only if the answer or the reset has them.
    package var isInEveryLine: Bool {
        ![.payloadBase64, .replica, .replicaSequence, .retryAfter, .resetCode].contains(self) && !isOfCalls
    }

    /// Whether only calls about broadcast channels have it.
    package var isOfCalls: Bool {
        switch self {
        case .call, .channel, .channelName, .requestID, .storagePolicy, .subscribers, .delivered, .stored, .ignored:
            true
        default: false
        }
    }
}

/// The members of a record's `authentication`, in order.
package enum AuthenticationMember: Int, CaseIterable, Sendable {
    case method, keyID, teamID, issuedAt, providerToken, signature, verdict

    /// The key in the object.
    package var name: String { Self.names[rawValue] }
    private static let names = allCases.map { "\($0)" }
}
