/// The members of a request's record, in the order in which a line of the log has them.
///
/// The reader of recorded logs goes by this table. Tests hold the writer, ``RequestField``, the library's record and the
/// OpenAPI document to it, so a new member begins here and the tests name what lacks it.
package enum RecordMember: String, CaseIterable, Sendable {
    case event
    case sequence, time, clock
    case connection, connectionID, stream
    case method, path, token, device, headers
    case topic, pushType, priority, expiration, collapseID
    case apnsID, uniqueID, inFlight
    case payload, payloadText, payloadBase64, payloadBytes
    case sentBy, authentication, providerTokenNumber
    case status, reason, outcome, decidedBy, explanation, delivery, replacedBy
    case latencyMicroseconds

    /// Whether a line without it is no record. Any other member that an older version did not write is absent.
    package var isEssential: Bool {
        switch self {
        case .event, .sequence, .time, .outcome: true
        default: false
        }
    }

    /// Whether every line has it. Only a body that is no text is told in `payloadBase64`.
    package var isInEveryLine: Bool { self != .payloadBase64 }
}

/// The members of a record's `authentication`, in their order.
package enum AuthenticationMember: String, CaseIterable, Sendable {
    case method, keyID, teamID, issuedAt, providerToken, signature, verdict
}
