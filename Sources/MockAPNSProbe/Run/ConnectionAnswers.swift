import MockAPNSCore
import MockAPNSTransport

// The answers of a server, as JSON that is the same each time: generated ids and times are named by their form.

extension ProbeConnection {
    /// The answer to a request.
    ///
    /// - Parameters:
    ///   - sentID: the `apns-id` or `apns-request-id` of the request, if it had one.
    ///   - showsSettings: whether SETTINGS that have arrived before the answer are part of it.
    ///   - filter: what must not be part of it.
    func answer(on stream: Int, sentID: String?, showsSettings: Bool, _ filter: AnswerFilter) -> JSONText.Value {
        guard let answered = streams[stream] else { return .object([]) }
        // It may have no end, and is no answer.
        if !answered.isOver, let excess { return .object([("noAnswer", .text(excess))]) }
        var members: [(String, JSONText.Value)] = []
        if !answered.fields.isEmpty { members += Self.head(answered, sentID, filter.secrets) }
        if !answered.body.isEmpty { members += Self.body(answered.body, filter) }
        if !answered.frames.isEmpty { members.append(("frames", Self.list(answered.frames.lazy.map { .text($0) }))) }
        if !answered.resets.isEmpty {
            members.append(("reset", Self.list(answered.resets.lazy.map { .text(HTTP2Frame.errorName($0)) })))
        }
        let settingsBefore = showsSettings ? settings(before: answered) : []
        if !settingsBefore.isEmpty { members.append(("settingsBefore", Self.object(settingsBefore))) }
        if !answered.isOver {
            members.append(("noAnswer", .text(end == nil ? "within the time limit" : "the connection has ended")))
            if end != nil { members += endMembers(filter.secrets) }
        }
        return .object(members)
    }

    /// The excess that the server has sent, as a sentence without a full stop; `nil` if there is none.
    private var excess: String? { if case .excess(let sentence) = end { sentence } else { nil } }

    /// Maximum number of items of a list in an answer.
    private static let listLimit = 100
    /// Maximum number of characters of a name that the server chooses.
    private static let nameLimit = 200

    /// Returns a list of what a server has sent, as much of it as people and later runs want to compare.
    private static func list(_ items: some Collection<JSONText.Value>) -> JSONText.Value {
        guard items.count > listLimit else { return .list(Array(items)) }
        return .list(items.prefix(listLimit - 1) + [.text("and \(items.count - listLimit + 1) more")])
    }

    /// The state of the connection.
    ///
    /// - Parameters:
    ///   - moment: when it was looked at.
    ///   - hasCome: whether that moment has come; if not, the time was over, or the connection has ended before.
    func state(_ moment: ProbeStep.Moment, hasCome: Bool, _ secrets: Secrets) -> JSONText.Value {
        if let excess { return .object([("noAnswer", .text(excess)), ("state", .text("endless"))]) }
        var members: [(String, JSONText.Value)] = [
            ("tls", .text(tls.version)), ("alpn", tls.applicationProtocol.map { .text($0) } ?? .null),
            ("asksForCertificate", .bool(tls.isAskedForCertificate)),
            ("settings", Self.list(settings.lazy.map(Self.object))),
        ]
        // Before that, it is chance.
        if moment == .settled, hasCome { members.append(("settingsAcknowledged", .number(settingsAcknowledged))) }
        if !tls.isHandshakeComplete { members = [("handshake", .text("failed"))] }
        members += endMembers(secrets)
        members.append(("state", .text(end != nil ? "ended" : hasCome ? "open" : "silent")))
        return .object(members)
    }

    private func endMembers(_ secrets: Secrets) -> [(String, JSONText.Value)] {
        var members: [(String, JSONText.Value)] = []
        if !goAways.isEmpty {
            members.append(("goAway", Self.list(goAways.lazy.map { Self.goAway($0, secrets) })))
        }
        if case .failed(let error) = end {
            if let alert = error.alertReceived {
                members.append(("alert", .number(Int(alert))))
            } else {
                members.append(("failure", .text(error.reason)))
            }
        }
        if isGarbled { members.append(("garbled", .bool(true))) }
        return members
    }

    private static func goAway(_ goAway: GoAway, _ secrets: Secrets) -> JSONText.Value {
        let text = secrets.hidden(in: goAway.text, first: 200)
        let reason = (try? JSONText.read(goAway.text))?["reason"]?.string
        var members: [(String, JSONText.Value)] = [
            ("errorCode", .text(HTTP2Frame.errorName(goAway.errorCode))),
            ("lastStream", .number(goAway.lastStream)),
        ]
        if let reason { members.append(("reason", .text(secrets.hidden(in: reason.utf8, first: nameLimit)))) }
        if !text.isEmpty { members.append(("text", .text(text))) }
        return .object(members)
    }

    private static func head(
        _ stream: Stream, _ sentID: String?, _ secrets: Secrets
    ) -> [(String, JSONText.Value)] {
        var members: [(String, JSONText.Value)] = []
        if let status = stream.first(":status") {
            members.append(("status", Int(status).map { .number($0) } ?? .text(String(status.prefix(nameLimit)))))
        }
        let names = stream.fields.map(\.name).filter { $0 != ":status" }
        members.append(("fields", list(names.lazy.map { .text(String($0.prefix(nameLimit))) })))
        for (name, member) in [
            ("apns-id", "apnsID"), ("apns-unique-id", "uniqueID"), ("apns-request-id", "requestID"),
        ] {
            if let id = stream.first(name) {
                members.append((member, .text(id == sentID ? "sent" : IDForm.name(of: id))))
            }
        }
        if let channel = stream.first("apns-channel-id") {
            members.append(("channelID", .text(IDForm.channel(channel))))
        }
        if let type = stream.first("content-type") {
            members.append(("contentType", .text(secrets.hidden(in: type.utf8, first: nameLimit))))
        }
        return members
    }

    private static func body(_ body: [UInt8], _ filter: AnswerFilter) -> [(String, JSONText.Value)] {
        var text = filter.secrets.hidden(in: body, first: 400)
        var members: [(String, JSONText.Value)] = []
        if let json = try? JSONText.read(body) {
            if let reason = json["reason"]?.string {
                members.append(("reason", .text(filter.secrets.hidden(in: reason.utf8, first: nameLimit))))
            }
            if let timestamp = json["timestamp"], let number = timestamp.int64 {
                // Milliseconds of this century have twelve digits or more.
                members.append(("timestamp", .text(number >= 100_000_000_000 ? "milliseconds" : "seconds")))
                text = text.replacing("\(number)", with: "…")
            }
            if let channels = json["channels"]?.array?.compactMap(\.string) {
                members.append(("channels", .text(filter.form(ofList: channels))))
                text = "a list of channels"
            }
        }
        members.append(("body", .text(text)))
        return members
    }

    /// Returns the last value of each setting, in the order of these.
    private static func object(_ entries: [(name: String, value: Int)]) -> JSONText.Value {
        var seen: Set<String> = []
        let last = entries.reversed().filter { seen.insert($0.name).inserted }.prefix(listLimit)
        return .object(last.reversed().map { ($0.name, .number($0.value)) })
    }
}

extension ProbeConnection.Stream {
    /// Returns the value of the first field with this name.
    func first(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// Leaves out the parts of an answer that are secret or different each time.
struct AnswerFilter {
    var secrets: Secrets
    /// The ids of the channels that the run has made, in this order.
    var channels: [String]

    /// Names the form of a list of channels, which may have those of others, too.
    func form(ofList list: [String]) -> String {
        let known = list.filter(channels.contains)
        if known == channels { return "all that were made, in this order" }
        return Set(known) == Set(channels) ? "all that were made, in another order" : "not all that were made"
    }
}

/// The form of a generated id.
enum IDForm {
    static func name(of id: String) -> String {
        let digits = id.unicodeScalars.map { $0 == "-" ? "-" : "x" }.joined()
        let letters = id.unicodeScalars.filter { $0 != "-" }
        guard digits == "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
            letters.allSatisfy({ Character($0).isHexDigit && $0.isASCII })
        else { return "another" }
        if letters.allSatisfy({ !$0.properties.isUppercase }) { return "a UUID in lower case" }
        if letters.allSatisfy({ !$0.properties.isLowercase }) { return "a UUID in upper case" }
        return "a UUID in mixed case"
    }

    /// The form of a channel's id: 16 bytes in standard base64 with padding.
    static func channel(_ id: String) -> String {
        let isUsual =
            id.utf8.count == 24 && id.hasSuffix("==")
            && id.utf8.dropLast(2).allSatisfy { byte in
                Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
                    || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
            }
        return isUsual ? "16 bytes in base64" : "\(id.utf8.count) characters"
    }
}

/// Secrets that no report may contain: provider tokens and device tokens.
struct Secrets: Sendable {
    private var texts: [String] = []

    mutating func add(_ text: String) {
        guard text.utf8.count >= 8, !texts.contains(text) else { return }
        texts.append(text)
    }

    /// Returns the first characters of a text without secrets, for servers that send back what they have received.
    func hidden(in text: some Collection<UInt8>, first count: Int) -> String {
        var shown: [UInt8] = []
        var rest = text[...]
        // A character may have several bytes.
        while let byte = rest.first, shown.count < 4 * count {
            // One may be a part of another.
            let secret = texts.filter { $0.utf8.first == byte && rest.starts(with: $0.utf8) }.map(\.utf8.count).max()
            shown += secret == nil ? [byte] : Array("…".utf8)
            rest = rest.dropFirst(secret ?? 1)
        }
        return String(String(decoding: shown, as: UTF8.self).prefix(count))
    }
}
