import Foundation
import Testing

/// The integer constants of the types in `Sources`, read from their text, so that private ones are among them.
struct SourceConstants {
    /// The texts of the expressions, by type and name: `RuleBook.limit`.
    private(set) var expressions: [String: String] = [:]

    /// Reads all files below a folder.
    init(folder: String) throws {
        let files = try #require(FileManager.default.enumerator(atPath: folder))
        for case let name as String in files where name.hasSuffix(".swift") {
            read(try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))
        }
    }

    /// The names of those that say by their name that they are limits.
    var limits: [String] {
        expressions.keys.filter { name in
            let own = name.split(separator: ".").last ?? ""
            return name.lowercased().contains("limit")
                || own.contains(#/^(most|maximum|longest|largest)([A-Z].*)?$/#)
        }
    }

    /// Returns the value of a constant; `nil` if it is no integer that can be worked out here.
    func value(of name: String) -> Int? {
        guard let expression = expressions[name] else { return nil }
        return value(expression, in: name.split(separator: ".").dropLast().joined(separator: "."))
    }

    private static let words: Set<Substring> = [
        "struct", "class", "enum", "actor", "extension", "protocol", "static",
    ]

    private mutating func read(_ text: String) {
        // The types around a line, each with its indentation.
        var types: [(indentation: Int, name: String)] = []
        for line in text.split(separator: "\n") {
            let indentation = line.prefix { $0 == " " }.count
            let code = line.dropFirst(indentation)
            // Regular expressions are slow, and few lines have a word for one.
            guard code.split(separator: " ", maxSplits: 6).contains(where: Self.words.contains) else { continue }
            if let match = code.prefixMatch(
                of: #/(?:[@\w()]+ )*(?:struct|class|enum|actor|extension|protocol) (\w[\w.]*)/#)
            {
                types.removeAll { $0.indentation >= indentation }
                types.append((indentation, String(match.1)))
            } else if let match = code.prefixMatch(
                of: #/(?:[\w()]+ )*static (?:let|var) (\w+)(?:: [\w.<>]+)?\s*(?:=|\{)\s*(.*?)\s*\}?$/#)
            {
                let around = types.filter { $0.indentation < indentation }.map(\.name)
                expressions[(around + [String(match.1)]).joined(separator: ".")] = String(match.2)
            }
        }
    }

    /// Works out sums, differences, products and shifts, which bind in this order, of numbers and other constants.
    private func value(_ expression: String, in type: String) -> Int? {
        let operations: [(sign: String, apply: (Int, Int) -> Int)] = [
            (" + ", { $0 + $1 }), (" - ", { $0 - $1 }), (" * ", { $0 * $1 }), (" << ", { $0 << $1 }),
        ]
        for (sign, apply) in operations {
            guard let range = expression.range(of: sign, options: .backwards) else { continue }
            guard let left = value(String(expression[..<range.lowerBound]), in: type),
                let right = value(String(expression[range.upperBound...]), in: type)
            else { return nil }
            return apply(left, right)
        }
        let word = expression.replacing("_", with: "").trimmingCharacters(in: .whitespaces)
        return Int(word) ?? (word.contains(".") ? value(of: word) : value(of: "\(type).\(word)"))
    }
}
