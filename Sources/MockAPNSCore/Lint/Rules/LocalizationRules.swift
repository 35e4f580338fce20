// Texts that a device takes from the app's own strings.
extension PayloadLint {
    /// A text of the alert that may be named by a key, with arguments.
    struct LocalizedText {
        /// The object that has the key.
        var pointer: String
        /// What comes before `loc-key` and `loc-args`.
        var prefix = ""
        var text: JSONText.Value?
        var textKey = ""
        var key: JSONText.Value?
        var arguments: JSONText.Value?

        var keyPointer: String { "\(pointer)/\(prefix)loc-key" }
        var argumentsPointer: String { "\(pointer)/\(prefix)loc-args" }
    }

    /// The texts with a key or arguments; in Live Activities these are inside title and body as well.
    var localizedTexts: [LocalizedText] {
        guard alert.isObject else { return [] }
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
        guard isLiveActivity else { return texts }
        for key in [AlertKey.title, .body] {
            guard let value = alert[key], value.object != nil else { continue }
            texts.append(
                LocalizedText(
                    pointer: "/aps/alert/\(key.rawValue)", key: value["loc-key"].notNull,
                    arguments: value["loc-args"].notNull))
        }
        return texts
    }

    mutating func checkLocalization() {
        for text in localizedTexts {
            checkArguments(of: text)
            if let key = text.key, let other = text.text, !other.isNull {
                let pointer = text.keyPointer
                report(
                    .locKeyAndText, at: pointer, key.offset,
                    "\(pointer) is beside /aps/alert/\(text.textKey); expected one of them")
            }
            guard let value = text.key, let key = value.string else { continue }
            let hasArguments = text.arguments?.array?.isEmpty == false
            if !hasArguments, AppStrings.argumentCount(of: key) > 0 {
                report(
                    .locKeyWithoutArgs, at: text.keyPointer, value.offset,
                    "\(text.keyPointer) is \(value.asFound), and there is no \"\(text.prefix)loc-args\"; "
                        + "expected its arguments")
            } else {
                checkStrings(key, value, text)
            }
        }
    }

    private mutating func checkArguments(of text: LocalizedText) {
        guard let arguments = text.arguments else { return }
        let pointer = text.argumentsPointer
        if text.key == nil {
            report(
                .locArgsWithoutKey, at: pointer, arguments.offset,
                "\(pointer) is there without \"\(text.prefix)loc-key\"; expected both")
        }
        guard let items = arguments.array else {
            return reportType(.locArgsType, at: pointer, arguments, takes: "an array of strings")
        }
        for (index, item) in items.enumerated() where item.string == nil {
            reportType(.locArgsType, at: "\(pointer)/\(index)", item, takes: "a string")
        }
    }

    /// Looks the key up in the app's strings, if they are known.
    private mutating func checkStrings(_ key: String, _ value: JSONText.Value, _ text: LocalizedText) {
        guard let languages = app?.strings.languages, !languages.isEmpty else { return }
        let formats = languages.compactMap { language, strings in strings[key].map { (language, $0) } }
        guard !formats.isEmpty else {
            let what = languages.count == 1 ? "the app's strings" : "any of the \(languages.count) languages of the app"
            return report(
                .locKeyUnknown, at: text.keyPointer, value.offset,
                "\(text.keyPointer) is \(value.asFound), which is not in \(what); expected a key that is")
        }
        let count = text.arguments?.array?.count ?? 0
        guard text.arguments == nil || text.arguments?.array != nil else { return }
        let wrong = formats.filter { AppStrings.argumentCount(of: $0.1) != count }.sorted { $0.0 < $1.0 }
        guard let first = wrong.first else { return }
        let names = wrong.map(\.0).filter { !$0.isEmpty }.prefix(5).joined(separator: ", ")
        let pointer = text.arguments == nil ? text.keyPointer : text.argumentsPointer
        report(
            .locArgsCount, at: pointer, text.arguments?.offset ?? value.offset,
            """
            There \(count == 1 ? "is 1 argument" : "are \(count) arguments") for \(value.asFound); expected \
            \(AppStrings.argumentCount(of: first.1))\(names.isEmpty ? "" : " in \(names)")
            """)
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
            if rest.utf8.first == UInt8(ascii: "@") {
                next += 1
            } else if let position = Int(String(Substring(digits))), 1...1000 ~= position,
                rest.utf8[digits.endIndex...].starts(with: "$@".utf8)
            {
                highest = max(highest, position)
            }
        }
        return max(next, highest)
    }
}
