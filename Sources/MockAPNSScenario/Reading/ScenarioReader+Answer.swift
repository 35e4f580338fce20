import MockAPNSCore

/// Reads the answer of `respond`, which is sent as it is, within the bounds of ``SendLimit``.
extension ScenarioReader {
    mutating func respond(_ value: Value) -> ScriptedAnswer? {
        enum Key: String, CaseIterable { case status, headers, body }
        var status: Int?
        var answer = ScriptedAnswer(status: 200)
        let isObject = object(value, "an answer", example: #"{"status": 503, "body": "down"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .status: status = reader.integer(value, in: 200...599, "an HTTP status")
            case .headers: answer.fields = reader.answerFields(value)
            case .body: answer.body = reader.answerBody(value)
            }
        }
        guard isObject else { return nil }
        if value["status"] == nil { missing("status", in: value, expected: "an HTTP status from 200 to 599") }
        guard let status else { return nil }
        answer.status = status
        return answer
    }

    private mutating func answerBody(_ value: Value) -> [UInt8]? {
        if value.string != nil {
            return text(value, atMost: SendLimit.body).map { Array($0.utf8) }
        }
        guard value.object != nil || value.array != nil else {
            wrong(value, expected: "a string, or an object or list that is sent as JSON")
            return nil
        }
        var body: [UInt8] = []
        body.appendJSON(value)
        guard body.count > SendLimit.body else { return body }
        note(
            value.offset, "has \(body.count.withCommas) bytes as JSON; expected at most \(SendLimit.body.withCommas)",
            isCrossReference: true)
        return nil
    }

    private mutating func answerFields(_ value: Value) -> [ScriptedAnswer.Field] {
        var fields: [ScriptedAnswer.Field] = []
        var size = 0
        var areReadable = true
        freeObject(value, "an object with the names of header fields as its keys, such as {\"retry-after\": \"5\"}") {
            reader, member in
            let name = reader.answerFieldName(member)
            areReadable = areReadable && name != nil
            for text in reader.oneOrMore(member.value, of: "values", { $0.fieldValue($1) }) {
                guard let name else { continue }
                size += name.utf8.count + text.utf8.count + SendLimit.headerField
                // Fields beyond the limit count, but are not kept.
                if size <= SendLimit.headerList { fields.append(ScriptedAnswer.Field(name: name, value: text)) }
            }
        }
        // A name that is too long alone is mistake enough.
        if size > SendLimit.headerList, areReadable {
            note(
                value.offset,
                "has \(size.withCommas) bytes in all, counting \(SendLimit.headerField) for each field beside its name and value; expected at most \(SendLimit.headerList.withCommas)",
                isCrossReference: true)
        }
        return fields
    }

    private mutating func answerFieldName(_ member: JSONText.Member) -> String? {
        guard let name = fieldName(member, allowsPseudo: false) else { return nil }
        guard name.utf8.count > SendLimit.fieldName else { return name }
        note(
            member.keyOffset,
            "is the name of a header field with \(name.utf8.count.withCommas) bytes; expected at most \(SendLimit.fieldName.withCommas)"
        )
        return nil
    }

    private mutating func fieldValue(_ value: Value) -> String? {
        guard let text = value.string, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 9 }) else {
            wrong(value, expected: "the text of a header field, without control characters")
            return nil
        }
        return self.text(value, atMost: SendLimit.fieldValue)
    }
}
