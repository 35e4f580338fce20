/// The localized strings of an app, by the keys that payloads refer to with `loc-key`.
package struct AppStrings: Sendable, Equatable {
    /// The development language of the app; `nil` if unknown.
    package var sourceLanguage: String?
    /// The strings by language, then by key. A file in a single unspecified language has them under "".
    package var languages: [String: [String: String]] = [:]

    package init() {}

    /// Returns the string for a key; `nil` if there is none, in which case a device shows the key itself.
    ///
    /// - Parameter language: the language, where `de-AT` also finds strings in `de`; `nil` means the development
    ///   language, otherwise English, otherwise the first available one.
    func text(for key: String, in language: String?) -> String? {
        guard let chosen = strings(in: language) else { return nil }
        return chosen[key]
    }

    private func strings(in language: String?) -> [String: String]? {
        if let any = languages[""] { return any }
        guard let language else {
            return sourceLanguage.flatMap { languages[$0] } ?? languages["en"]
                ?? languages.keys.min().flatMap { languages[$0] }
        }
        return languages[language] ?? language.split(separator: "-").first.flatMap { languages[String($0)] }
    }
}

extension AppStrings {
    /// Substitutes arguments, as a device does with `loc-args`: `%@` takes the next one, `%2$@` the second, `%%` is a
    /// percent sign.
    ///
    /// - Returns: the text, and whether there was an argument for each specifier. A specifier without one stays
    ///   unchanged.
    static func fill(_ format: String, _ arguments: [String]) -> (text: String, isWhole: Bool) {
        var text = ""
        var isWhole = true
        var next = 0
        var rest = Substring(format)
        while let percent = rest.firstIndex(of: "%") {
            text += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            if rest.first == "%" {
                text += "%"
                rest.removeFirst()
                continue
            }
            let digits = rest.prefix(while: \.isWholeNumber)
            let afterDigits = rest[digits.endIndex...]
            var specifier = "%"
            var argument: Int?
            if let position = Int(digits), afterDigits.hasPrefix("$@") {
                specifier += digits + "$@"
                argument = position - 1
            } else if rest.hasPrefix("@") {
                specifier += "@"
                argument = next
                next += 1
            }
            rest = rest.dropFirst(specifier.count - 1)
            if let argument, arguments.indices.contains(argument) {
                text += arguments[argument]
            } else {
                text += specifier
                isWhole = false
            }
        }
        return (text + rest, isWhole)
    }
}
