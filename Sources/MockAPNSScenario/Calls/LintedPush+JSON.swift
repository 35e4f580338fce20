package import MockAPNSCore
package import MockAPNSJudge

extension Scenario {
    /// Reads a push to be judged: the body of `POST /api/v1/lint`.
    package func lintedPush(from value: JSONText.Value) -> (LintedPush?, [ScenarioMistake]) {
        read { $0.lintedPush(value) }
    }
}

extension ScenarioReader {
    fileprivate mutating func lintedPush(_ value: Value) -> LintedPush? {
        enum Key: String, CaseIterable { case payload, body, pushType, topic, headers }
        var push = LintedPush(body: [])
        let isObject = object(
            value, "a push to be judged", example: #"{"payload": {"aps": {"alert": "Hello"}}}"#, Key.self
        ) { reader, key, value in
            switch key {
            case .payload: push.body.appendJSON(value)
            case .body: push.body = Array((reader.text(value) ?? "").utf8)
            case .pushType: push.pushType = reader.text(value, "a push type such as \"alert\"")
            case .topic: push.topic = reader.text(value, "a topic")
            case .headers:
                reader.freeObject(
                    value, "an object with the names of header fields as its keys, such as {\"apns-priority\": \"5\"}"
                ) { reader, member in
                    guard let name = reader.fieldName(member, allowsPseudo: true) else { return }
                    switch member.value.content {
                    case .string(let text): push.setHeader(name, text)
                    case .number(let number): push.setHeader(name, number.text)
                    default: reader.wrong(member.value, expected: "a string or a number")
                    }
                }
            }
        }
        guard isObject else { return nil }
        contradiction("payload", "body", in: value, "a push has only one body")
        if value["payload"] == nil, value["body"] == nil, !isMeant(["payload", "body"], in: value) {
            note(value.offset, "has no payload; expected \"payload\" or \"body\"")
        }
        return push
    }
}
