import MockAPNSCore
import MockAPNSTransport

// The header fields and the body of an answer.

extension FieldBlock {
    /// Writes the header fields of an answer: only the status and the ids, as APNs sends them.
    mutating func write(_ answer: Answer) {
        reset(status: Int(answer.status))
        append(answer.nameOfID, count: APNSID.length) { answer.apnsID.append(to: &$0) }
        writeRest(of: answer)
    }

    /// Writes the header fields of an answer, with an unusual `apns-id` or none if the scenario asks for that.
    mutating func write(_ answer: Answer, _ hostility: Hostility?) {
        switch hostility {
        case .noAPNsID: reset(status: Int(answer.status))
        case .otherCaseAPNsID:
            reset(status: Int(answer.status))
            let id = answer.apnsID.inOtherCase
            append(answer.nameOfID, count: APNSID.length) { id.append(to: &$0) }
        case nil, .emptyBody, .splitBody, .emptyLastData, .notJSON, .trailers, .informational, .settingsFlood,
            .unknownFrame, .windowStall:
            return write(answer)
        }
        writeRest(of: answer)
    }

    /// Writes an answer defined by the scenario.
    mutating func write(_ response: ScriptedAnswer) {
        reset(status: response.status)
        for field in response.fields { append(Array(field.name.utf8).span, Array(field.value.utf8).span) }
    }

    private mutating func writeRest(of answer: Answer) {
        if let channelID = answer.call?.channelID { append("apns-channel-id", channelID.span) }
        if answer.namesContentType, answer.reason != nil || answer.call?.body != nil {
            append("content-type", Array("application/json".utf8).span)
        }
        if let uniqueID = answer.uniqueID {
            append("apns-unique-id", count: APNSID.length) { uniqueID.append(to: &$0) }
        }
    }
}

extension Answer {
    /// The name of the field with the id of the request.
    fileprivate var nameOfID: StaticString { call == nil ? "apns-id" : "apns-request-id" }

    /// The body; `nil` for an answer without one.
    var body: [UInt8]? {
        guard !omitsBody else { return nil }
        guard let reason else { return call?.body }
        return timestamp.map(reason.body(timestamp:)) ?? reason.body
    }
}
