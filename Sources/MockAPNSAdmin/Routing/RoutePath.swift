import MockAPNSCore

/// The path of a route, such as `/api/v1/devices/{device}`; `**` at its end stands for one part or more.
struct RoutePath: Sendable, Equatable, CustomStringConvertible {
    private enum Part: Sendable, Equatable {
        case literal(Substring)
        case variable(String)
        case anything
    }

    let description: String
    private let parts: [Part]

    init(_ text: String) {
        description = text
        parts = text.split(separator: "/").map { part in
            if part == "**" { return .anything }
            return part.first == "{" ? .variable(String(part.dropFirst().dropLast())) : .literal(part)
        }
    }

    /// Returns the values of the variable parts; `nil` for the parts of another path.
    func variables(in asked: [Substring]) -> [String: Substring]? {
        let isOpen = parts.last == .anything
        guard isOpen ? asked.count >= parts.count : asked.count == parts.count else { return nil }
        var variables: [String: Substring] = [:]
        for (part, value) in zip(parts, asked) {
            switch part {
            case .literal(let text): guard text == value else { return nil }
            case .variable(let name): variables[name] = value
            case .anything: break
            }
        }
        return variables
    }

    /// Which path is meant if several have the same parts: the one with more literals, then the one with an end.
    var precedence: Int {
        parts.reduce(0) { sum, part in
            switch part {
            case .literal: sum + 2
            case .variable: sum
            case .anything: sum - 1
            }
        }
    }

    /// Returns parts that this path is meant by, corrected to be such a path, with the number of corrections.
    func corrected(_ asked: [Substring]) -> (path: String, changes: Int)? {
        guard asked.count == parts.count, !parts.isEmpty else { return nil }
        var path = ""
        var changes = 0
        for (part, value) in zip(parts, asked) {
            switch part {
            case .anything: return nil
            case .variable: path += "/\(value)"
            case .literal(let text):
                guard text == value || MeantWord(String(value), among: [String(text)]) != nil else { return nil }
                path += "/\(text)"
                if text != value { changes += 1 }
            }
        }
        return (path, changes)
    }
}
