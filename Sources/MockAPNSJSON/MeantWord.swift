/// The word in a list that another was probably meant to be: what other tools, Apple's header fields or a token's claims
/// call the same thing, or else the nearest.
package struct MeantWord: Sendable, Hashable {
    /// The word in the list.
    package let word: String
    /// The difference between the two, such as `, which includes its bound`; usually empty.
    let remark: String

    /// Fails if nothing in the list is meant.
    package init?(_ written: String, among words: [String]) {
        // No synonym is as long as that.
        let plain = written.prefix(40).lowercased()
        let letters = plain.filter(\.isLetter)
        let synonyms = Self.synonyms[plain] ?? Self.synonyms[letters] ?? []
        if let word = synonyms.first(where: words.contains) {
            (self.word, remark) = (word, Self.remarks[letters.isEmpty ? plain : letters] ?? "")
            return
        }
        guard let word = nearestWord(to: written, among: words) else { return nil }
        (self.word, remark) = (word, "")
    }

    /// For a message: `did you mean "token"?`
    package var question: String { "did you mean \"\(word)\"\(remark)?" }

    /// Words without their separators, with what they are called here; which one is meant depends on the list.
    private static let synonyms: [String: [String]] = [
        // Fields of a request.
        "devicetoken": ["token"], "pushtoken": ["token"], "registrationtoken": ["token"], "deviceid": ["device"],
        "apnstopic": ["topic"], "bundle": ["topic"], "bundleid": ["topic"], "bundleidentifier": ["topic"],
        "appid": ["topic"], "apnspushtype": ["pushType"], "type": ["pushType"], "apnspriority": ["priority"],
        "apnsexpiration": ["expiration"], "ttl": ["expiration"], "expiry": ["expiration"], "expires": ["expiration"],
        "apnscollapseid": ["collapseID"], "collapsekey": ["collapseID"], "apnsid": ["apnsID"],
        "id": ["apnsID", "channelID", "keyID", "name"],
        "messageid": ["apnsID"], "notificationid": ["apnsID"], "uuid": ["apnsID"], "kid": ["keyID"], "iss": ["teamID"],
        "issuer": ["teamID"], "json": ["payload"], "message": ["payload"], "notification": ["payload"],
        "data": ["payload"], "size": ["payloadBytes"], "bodysize": ["payloadBytes"], "payloadsize": ["payloadBytes"],
        "sni": ["serverName"], "host": ["serverName"], "hostname": ["serverName"], "code": ["status"],
        "statuscode": ["status"], "httpstatus": ["status"], "error": ["errorCode", "reason", "reject"],
        // Matchers and counts.
        "regex": ["matches"], "regexp": ["matches"], "pattern": ["matches"], "re": ["matches"],
        "startswith": ["prefix"], "beginswith": ["prefix"], "hasprefix": ["prefix"],
        "endswith": ["matches"], "hassuffix": ["matches"], "suffix": ["matches"],
        "includes": ["contains"], "substring": ["contains"], "in": ["oneOf"], "any": ["oneOf"], "anyof": ["oneOf"],
        "eq": ["equals"], "is": ["equals"], "equalto": ["equals"], "==": ["equals"], "exactly": ["equals", "count"],
        "ne": ["not"], "neq": ["not"], "notequals": ["not"], "isnot": ["not"], "!=": ["not"],
        "min": ["atLeast", "count"], "minimum": ["atLeast", "count"],
        "gte": ["atLeast", "count"],
        "ge": ["atLeast", "count"], ">=": ["atLeast", "count"], "gt": ["atLeast"],
        "greaterthan": ["atLeast"],
        "morethan": ["atLeast"], ">": ["atLeast"], "max": ["atMost", "times", "count"],
        "maximum": ["atMost", "times", "count"], "lte": ["atMost", "times", "count"],
        "le": ["atMost", "times", "count"],
        "<=": ["atMost", "times", "count"], "lt": ["atMost"], "lessthan": ["atMost"], "fewerthan": ["atMost"],
        "<": ["atMost"], "atleast": ["atLeast", "count"], "atmost": ["atMost", "times", "count"],
        "times": ["count"],
        "present": ["exists"], "defined": ["exists"], "absent": ["exists"], "missing": ["exists"],
        // Rules, their steps, and the rest of a scenario.
        "match": ["matches", "when", "requests"], "request": ["requests", "when"], "condition": ["when"],
        "conditions": ["when"], "if": ["when"], "where": ["when", "requests"], "filter": ["when", "requests"],
        "do": ["then"], "action": ["do", "then"], "actions": ["do", "then"], "response": ["respond", "then"],
        "return": ["respond", "then"], "answer": ["respond", "then"], "reply": ["respond", "then"],
        "latency": ["delay"], "sleep": ["delay"], "hang": ["stall"], "timeout": ["stall"], "disconnect": ["close"],
        "stubs": ["rules"], "mappings": ["rules"], "mocks": ["rules"], "expectations": ["expect", "verify"],
        "assertions": ["expect", "verify"], "tokens": ["devices"],
        // Paths of the admin API.
        "health": ["readyz"], "healthz": ["readyz"], "healthcheck": ["readyz"], "status": ["readyz"],
        "live": ["livez"], "liveness": ["livez"], "ping": ["livez"], "log": ["requests"], "logs": ["requests"],
        "messages": ["requests", "pushes"], "notifications": ["requests", "pushes"], "stats": ["summary"],
        "time": ["clock"],
        "faults": ["rules"],
    ]

    /// The remarks, by the same words.
    private static let remarks: [String: String] = {
        let included = ", which includes its bound"
        let ending = #" with a pattern that begins with ".*""#
        return [
            "gt": included, "greaterthan": included, "morethan": included, ">": included, "lt": included,
            "lessthan": included, "fewerthan": included, "<": included, "endswith": ending, "hassuffix": ending,
            "suffix": ending, "absent": ": false", "missing": ": false",
        ]
    }()
}
