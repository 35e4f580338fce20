import MockAPNSCore

/// A header field that seems to be meant for APNs, which does not know it.
struct UnknownField {
    /// The field, and the one that was probably meant.
    let text: String

    /// The fields of pushes and of calls about broadcast channels.
    private static let known =
        HeaderName.allCases.map(\.name).filter { $0.hasPrefix("apns-") } + ["apns-channel-id", "apns-request-id"]
    /// Keys that are everyday words, which others send as fields, too.
    private static let words = ["event", "timestamp", "attributes", "title", "body"]
    private static let keys =
        (ApsKey.allCases.map(\.rawValue) + AlertKey.allCases.map(\.rawValue)).filter { !words.contains($0) }

    /// Fails for a field that APNs knows, and for one that has nothing to do with it.
    init?(_ name: String) {
        guard name.utf8.count <= 200, !Self.known.contains(name) else { return nil }
        let plain = name.plainKey
        let isOfAPNs = plain.hasPrefix("apns")
        let key = Self.keys.first { plain == $0.plainKey || isOfAPNs && plain.dropFirst(4) == $0.plainKey }
        let shown = name.cut(at: 80).quotedForPeople
        if let field = Self.known.first(where: { $0.plainKey == plain }) {
            text = "\(shown) (did you mean \"\(field)\"?)"
        } else if let key {
            text = "\(shown) (\"\(key)\" is a key of the payload)"
        } else if isOfAPNs {
            let field = nearestWord(to: name, among: Self.known)
            text = shown + (field.map { " (did you mean \"\($0)\"?)" } ?? "")
        } else if name != "priority", let field = Self.known.first(where: { $0 == "apns-\(name)" }), name != "id" {
            // RFC 9218 has a field "priority", which many clients send.
            text = "\(shown) (did you mean \"\(field)\"?)"
        } else {
            return nil
        }
    }

    /// Returns what a finding says of some of them.
    static func message(_ what: String, _ fields: [String]) -> String {
        "\(what) has \(fields.joined(separator: " and ")), which APNs does not know as a header field; expected only "
            + "fields that it knows"
    }
}
