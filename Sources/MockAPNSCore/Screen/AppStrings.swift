/// The localized strings of an app, by the keys that payloads refer to with `loc-key`.
package struct AppStrings: Sendable, Equatable {
    /// The development language of the app; `nil` if unknown.
    package var sourceLanguage: String?
    /// The strings by language, then by key. A file in a single unspecified language has them under "".
    package var languages: [String: [String: String]] = [:]

    package init() {}

    /// Returns the string for a key; `nil` if there is none, in which case a device shows the key itself.
    ///
    /// - Parameter language: the language of the device. Without strings in it, or if it is `nil`, the development language
    ///   counts, otherwise English. Each also finds strings in a shorter one: `zh-Hant-TW` in `zh-Hant`, `de-AT` in `de`.
    func text(for key: String, in language: String?) -> String? {
        shownLanguage(on: language).flatMap { languages[$0]?[key] }
    }

    /// Returns the language whose strings a device shows; `nil` if there are none for it.
    func shownLanguage(on language: String?) -> String? {
        if languages[""] != nil { return "" }
        let wanted = [language, sourceLanguage, "en"].compactMap(\.self).flatMap(Self.shortened)
        if let found = wanted.first(where: { languages[$0] != nil }) { return found }
        // Of an unknown device, any language is as good as another.
        return language == nil ? languages.keys.min() : nil
    }

    /// Returns a language tag, then without its last part, and so on.
    private static func shortened(_ tag: String) -> [String] {
        let parts = tag.split(separator: "-")
        return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
    }
}

extension AppStrings {
    /// The end of a specifier. String catalogs have `lld` where a text is made of an `Int`.
    private static let conversions = ["@", "d", "ld", "lld", "i", "u", "lu", "llu"]

    private static func conversion(_ text: Substring) -> String? { conversions.first { text.hasPrefix($0) } }

    /// Substitutes arguments, as a device does with `loc-args`: `%@`, `%d` and `%lld` take the next one, `%2$@` and `%2$d`
    /// the second, `%%` is a percent sign.
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
            if let position = Int(digits), afterDigits.first == "$",
                let conversion = conversion(afterDigits.dropFirst())
            {
                specifier += digits + "$" + conversion
                argument = position - 1
            } else if let conversion = conversion(rest) {
                specifier += conversion
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

extension JSONText.Value {
    /// An argument of a text. What is not a text, as `loc-args` should be, is written as in the payload.
    var asArgument: String { string ?? text }
}
