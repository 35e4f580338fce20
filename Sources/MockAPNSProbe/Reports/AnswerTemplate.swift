package import MockAPNSCore

/// A template of an answer, as probes have it.
///
/// An object fits if each of its members does; `null` fits what is absent. `{"oneOf": […]}` fits if one of the values
/// does, `{"first": …}`, `{"last": …}` and `{"count": n}` are about a list, `{"atLeast": n}` about a number,
/// `{"prefix": text}` about a text. Anything else has to be equal.
package enum AnswerTemplate {
    /// Returns whether an answer fits a template.
    package static func fits(_ answer: JSONText.Value?, _ template: JSONText.Value) -> Bool {
        guard let members = template.object else {
            if template.isNull { return answer?.isNull != false }
            guard let answer else { return false }
            if let templates = template.array, let answers = answer.array {
                return templates.count == answers.count && zip(answers, templates).allSatisfy { fits($0, $1) }
            }
            return answer.means(template)
        }
        if members.count == 1, let special = special(answer, members[0]) { return special }
        guard answer?.object != nil else { return false }
        return members.allSatisfy { fits(answer?[$0.key], $0.value) }
    }

    /// Returns whether an answer fits a member that is not about a member of the answer; `nil` if it is.
    private static func special(_ answer: JSONText.Value?, _ member: JSONText.Member) -> Bool? {
        let value = member.value
        switch member.key {
        case "oneOf": return value.array?.contains { fits(answer, $0) } ?? false
        case "first": return answer?.array.map { fits($0.first, value) } ?? false
        case "last": return answer?.array.map { fits($0.last, value) } ?? false
        case "count": return answer?.array.map { fits(.number($0.count), value) } ?? false
        case "atLeast": return (answer?.double).flatMap { number in value.double.map { number >= $0 } } ?? false
        case "prefix": return answer?.string?.hasPrefix(value.string ?? "") ?? false
        default: return nil
        }
    }

    /// Returns an answer or a template for people: `status 400, reason BadPriority`.
    package static func text(_ value: JSONText.Value) -> String {
        guard let members = value.object, !members.isEmpty else { return plain(value) }
        return members.map { "\($0.key) \(plain($0.value))" }.joined(separator: ", ")
    }

    /// Returns the gist of an answer: status and reason, or how the stream or the connection ended, and all that was
    /// asked of it.
    ///
    /// - Parameter templates: what was expected.
    package static func summary(_ answer: JSONText.Value, _ templates: [JSONText.Value] = []) -> String {
        var keys = ["status", "reason", "reset", "goAway", "alert", "noAnswer", "handshake", "state"]
        keys.removeAll { answer[$0] == nil }
        for member in templates.first(where: { fits(answer, $0) })?.object ?? [] where !keys.contains(member.key) {
            keys.append(member.key)
        }
        let members = keys.map { "\($0) \(plain(answer[$0] ?? .null))" }
        return members.isEmpty ? text(answer) : members.joined(separator: ", ")
    }

    /// Returns the alternatives for people.
    package static func text(_ alternatives: [JSONText.Value]) -> String {
        alternatives.map { text($0) }.joined(separator: "; or ")
    }

    private static func plain(_ value: JSONText.Value) -> String {
        if value.isNull { return "absent" }
        if let options = value["oneOf"]?.array { return options.map(plain).joined(separator: " or ") }
        return value.string ?? value.text
    }
}
