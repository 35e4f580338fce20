import MockAPNSCore

// Texts that a device takes from the app's own strings.
extension LintRule {
    static let localizationRules = [
        locArgsWithoutKey, locKeyAndText, locArgsType, locKeyWithoutArgs, locKeyUnknown, locArgsCount,
    ]

    static let locArgsWithoutKey = LintRule(
        id: "loc-args-without-key", severity: .warning, finds: "arguments without the key that they are for",
        effect: "They are ignored.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            for text in lint.localizedTexts {
                guard let arguments = text.arguments, text.key == nil else { continue }
                lint.report(
                    at: text.argumentsPointer, arguments.offset,
                    "\(text.argumentsPointer) is there without \"\(text.prefix)loc-key\"; expected both")
            }
        })

    static let locKeyAndText = LintRule(
        id: "loc-key-and-text", severity: .note, finds: "a text and a key for the same text",
        effect: "Sources disagree about which of them is shown; send one of them.", sources: [.generating, .guide],
        check: PayloadCheck(.aps) { lint in
            for text in lint.localizedTexts {
                guard let key = text.key, let other = text.text, !other.isNull else { continue }
                lint.report(
                    at: text.keyPointer, key.offset,
                    "\(text.keyPointer) is beside /aps/alert/\(text.textKey); expected one of them")
            }
        })

    static let locArgsType = LintRule(
        id: "loc-args-type", severity: .error, finds: "arguments that are not an array of strings",
        effect: "What a device shows of anything else is not documented.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            for text in lint.localizedTexts {
                guard let arguments = text.arguments else { continue }
                let pointer = text.argumentsPointer
                guard let items = arguments.array else {
                    lint.report(at: pointer, arguments, expected: "an array of strings")
                    continue
                }
                for (index, item) in items.enumerated() where item.string == nil {
                    lint.report(at: "\(pointer)/\(index)", item, expected: "a string")
                }
            }
        })

    static let locKeyWithoutArgs = LintRule(
        id: "loc-key-without-args", severity: .warning, finds: "a key with `%@` or `%1$@`, and no arguments",
        effect: "The placeholders are shown literally.", sources: [.generating, .guide],
        check: PayloadCheck(.aps) { lint in
            for text in lint.localizedTexts where text.lacksArguments {
                guard let value = text.key else { continue }
                lint.report(
                    at: text.keyPointer, value.offset,
                    "\(text.keyPointer) is \(value.asFound), and there is no \"\(text.prefix)loc-args\"; "
                        + "expected its arguments")
            }
        })

    static let locKeyUnknown = LintRule(
        id: "loc-key-unknown", severity: .warning, finds: "a key that the app's strings do not have",
        effect: "The device shows the key itself.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            for text in lint.localizedTexts {
                guard let value = text.key, let formats = lint.formats(of: text), formats.isEmpty else { continue }
                let count = lint.app?.strings.languages.count ?? 0
                let what = count == 1 ? "the app's strings" : "any of the \(count) languages of the app"
                lint.report(
                    at: text.keyPointer, value.offset,
                    "\(text.keyPointer) is \(value.asFound), which is not in \(what); expected a key that is")
            }
        })

    static let locArgsCount = LintRule(
        id: "loc-args-count", severity: .warning, finds: "more or fewer arguments than the string has placeholders",
        effect: "Placeholders without an argument are shown literally; arguments without a placeholder are ignored.",
        sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            for text in lint.localizedTexts where text.arguments == nil || text.arguments?.array != nil {
                guard let value = text.key, let formats = lint.formats(of: text) else { continue }
                let count = text.arguments?.array?.count ?? 0
                let wrong = formats.filter { AppStrings.argumentCount(of: $0.1) != count }.sorted { $0.0 < $1.0 }
                guard let first = wrong.first else { continue }
                let names = wrong.map(\.0).filter { !$0.isEmpty }.prefix(5).joined(separator: ", ")
                lint.report(
                    at: text.arguments == nil ? text.keyPointer : text.argumentsPointer,
                    text.arguments?.offset ?? value.offset,
                    """
                    There \(count == 1 ? "is 1 argument" : "are \(count) arguments") for \(value.asFound); expected \
                    \(AppStrings.argumentCount(of: first.1))\(names.isEmpty ? "" : " in \(names)")
                    """)
            }
        })
}

/// A text of the alert that may be named by a key, with arguments.
struct LocalizedText {
    /// The object that has the key.
    var pointer: String
    /// The prefix of `loc-key` and `loc-args`.
    var prefix = ""
    var text: JSONText.Value?
    var textKey = ""
    var key: JSONText.Value?
    var arguments: JSONText.Value?

    var keyPointer: String { "\(pointer)/\(prefix)loc-key" }
    var argumentsPointer: String { "\(pointer)/\(prefix)loc-args" }

    /// Whether the key itself has placeholders, and nothing is there for them.
    fileprivate var lacksArguments: Bool {
        guard let name = key?.string, arguments?.array?.isEmpty != false else { return false }
        return AppStrings.argumentCount(of: name) > 0
    }
}

extension PayloadLint {
    /// Returns the texts with a key or arguments; in Live Activities these are inside title and body.
    func readLocalizedTexts() -> [LocalizedText] {
        guard alert.isObject else { return [] }
        if isLiveActivity {
            return [AlertKey.title, .body].compactMap { key in
                guard let value = alert[key], value.object != nil else { return nil }
                return LocalizedText(
                    pointer: "/aps/alert/\(key.rawValue)", key: value["loc-key"].notNull,
                    arguments: value["loc-args"].notNull)
            }
        }
        var texts: [LocalizedText] = []
        for (prefix, textKey, key, arguments) in [
            ("title-", AlertKey.title, AlertKey.titleLocKey, AlertKey.titleLocArgs),
            ("subtitle-", .subtitle, .subtitleLocKey, .subtitleLocArgs), ("", .body, .locKey, .locArgs),
        ] where alert[key] != nil || alert[arguments] != nil {
            texts.append(
                LocalizedText(
                    pointer: "/aps/alert", prefix: prefix, text: alert[textKey], textKey: textKey.rawValue,
                    key: alert[key].notNull, arguments: alert[arguments].notNull))
        }
        return texts
    }

    /// Returns what the app's strings have for a key, by language; `nil` if nothing is to be looked up.
    fileprivate func formats(of text: LocalizedText) -> [(String, String)]? {
        guard let key = text.key?.string, !text.lacksArguments, let languages = app?.strings.languages,
            !languages.isEmpty
        else { return nil }
        return languages.compactMap { language, strings in strings[key].map { (language, $0) } }
    }
}

extension JSONText.Value? {
    /// The value, unless it is `null`, which stands for none.
    fileprivate var notNull: JSONText.Value? { flatMap { $0.isNull ? nil : $0 } }
}

extension AppStrings {
    /// Returns how many arguments a text takes: one for each `%@`, or as many as the highest `%2$@` says.
    static func argumentCount(of format: String) -> Int {
        var (next, highest) = (0, 0)
        var rest = Substring(format)
        while let percent = rest.utf8.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[rest.utf8.index(after: percent)...]
            if rest.utf8.first == UInt8(ascii: "%") {
                rest = rest[rest.utf8.index(after: rest.startIndex)...]
                continue
            }
            let digits = rest.utf8.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            if rest.utf8.first == UInt8(ascii: "@") || rest.utf8.first == UInt8(ascii: "d") {
                next += 1
            } else if let position = Int(String(Substring(digits))), 1...1000 ~= position,
                ["$@", "$d"].contains(where: { rest.utf8[digits.endIndex...].starts(with: $0.utf8) })
            {
                highest = max(highest, position)
            }
        }
        return max(next, highest)
    }
}
