/// Regular expressions as texts: whether one may be used.
///
/// Core keeps the text; whoever matches compiles it, because `Regex` cannot be shared between threads.
enum PatternText {
    /// How long a pattern may be, in Unicode scalars.
    static let longest = 1000
    /// How deep its groups may lie in each other; its compiler goes down as deep.
    static let deepest = 50

    /// What is wrong with a pattern, if anything.
    static func problem(_ text: String) -> String? {
        var scanner = Scanner(text)
        if let problem = scanner.problem() { return problem }
        do {
            _ = try Regex(text)
            return nil
        } catch {
            return "does not compile: \("\(error)".shortened)"
        }
    }

    /// Goes through a pattern and looks for quantifiers inside quantified groups, such as `(a+)+`, which may try each
    /// of exponentially many ways before they give up.
    ///
    /// It knows as much of the syntax as it needs for that: escapes and quoted stretches, character classes, groups
    /// and quantifiers. What it takes for a quantifier in a pattern that does not compile does not matter.
    private struct Scanner {
        let scalars: [Unicode.Scalar]
        var place = 0
        /// For each open group whether a quantifier was seen in it.
        var groups: [Bool] = [false]
        /// Whether blanks and comments do not count, as after `(?x)`. Once is enough for the whole pattern: a
        /// quantifier too many is found then, none too few.
        let isExtended: Bool

        init(_ text: String) {
            scalars = Array(text.unicodeScalars)
            isExtended = Self.hasExtendedFlag(scalars)
        }

        mutating func problem() -> String? {
            while place < scalars.count {
                switch scalars[place] {
                case "\\": skipEscape()
                case "[": skipClass()
                case "(":
                    place += 1
                    if starts(with: "?#") {
                        skip(after: ")")
                    } else {
                        if starts(with: "?") { place += 1 }
                        groups.append(false)
                        if groups.count > PatternText.deepest {
                            return "has groups more than \(PatternText.deepest) deep in each other"
                        }
                    }
                case ")":
                    place += 1
                    guard groups.count > 1 else { return nil }
                    let hasQuantifier = groups.removeLast()
                    skipBlanks()
                    let isQuantified = lengthOfQuantifier() > 0
                    if hasQuantifier, isQuantified {
                        return "has a quantifier inside a quantified group, which could run for ever"
                    }
                    groups[groups.count - 1] = groups[groups.count - 1] || hasQuantifier
                case "#" where isExtended: skip(after: "\n")
                default:
                    let length = lengthOfQuantifier()
                    if length > 0 { groups[groups.count - 1] = true }
                    place += max(length, 1)
                }
            }
            return nil
        }

        private func starts(with text: String) -> Bool {
            scalars.dropFirst(place).starts(with: text.unicodeScalars)
        }

        private mutating func skip(after end: Unicode.Scalar) {
            while place < scalars.count, scalars[place] != end { place += 1 }
            place += 1
        }

        private mutating func skipBlanks() {
            while isExtended, place < scalars.count {
                if scalars[place].properties.isWhitespace {
                    place += 1
                } else if scalars[place] == "#" {
                    skip(after: "\n")
                } else if starts(with: "(?#") {
                    skip(after: ")")
                } else {
                    return
                }
            }
            while starts(with: "(?#") { skip(after: ")") }
        }

        private mutating func skipEscape() {
            guard starts(with: "\\Q") else {
                place += 2
                // A quantifier in braces is none after these: they name a character or a property.
                if place <= scalars.count, "xuUopPNkg".unicodeScalars.contains(scalars[place - 1]), starts(with: "{") {
                    skip(after: "}")
                }
                return
            }
            while place < scalars.count, !starts(with: "\\E") { place += 1 }
            place += 2
        }

        private mutating func skipClass() {
            var depth = 0
            repeat {
                switch scalars[place] {
                case "\\": skipEscape()
                case "[":
                    depth += 1
                    place += 1
                case "]":
                    depth -= 1
                    place += 1
                default: place += 1
                }
            } while depth > 0 && place < scalars.count
        }

        /// How long the quantifier is that begins here, 0 for none.
        private func lengthOfQuantifier() -> Int {
            guard place < scalars.count else { return 0 }
            switch scalars[place] {
            case "*", "+", "?": return 1
            case "{":
                guard let end = scalars[place...].firstIndex(of: "}") else { return 0 }
                let inside = scalars[(place + 1)..<end].filter { !$0.properties.isWhitespace }
                guard inside.contains(where: { $0 != "," }),
                    inside.allSatisfy({ $0 == "," || "0"..."9" ~= $0 })
                else { return 0 }
                return end - place + 1
            default: return 0
            }
        }

        private static func hasExtendedFlag(_ scalars: [Unicode.Scalar]) -> Bool {
            for index in scalars.indices.dropLast() where scalars[index] == "(" && scalars[index + 1] == "?" {
                for scalar in scalars[(index + 2)...] {
                    if scalar == "x" { return true }
                    guard scalar == "^" || scalar == "-" || "a"..."z" ~= scalar || "A"..."Z" ~= scalar else { break }
                }
            }
            return false
        }
    }
}
