import MockAPNSCore

// The texts that the user reads: the types of `alert` and of its texts, and their content.
extension LintRule {
    static let alertRules = [
        alertType, alertEmpty, alertIsString, alertTitleMissing, alertTextType, alertEscapedU, alertPlaceholder,
    ]

    static let alertType = LintRule(
        id: "alert-type", severity: .error, finds: "`alert` is neither a string nor an object",
        effect: "It is ignored, so nothing is shown.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.alert], value.object == nil, value.string == nil else { return }
            lint.report(at: "/aps/alert", value, expected: "a string or an object")
        })

    static let alertEmpty = LintRule(
        id: "alert-empty", severity: .warning, finds: "an alert without any text",
        effect: "Nothing is shown.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            guard lint.type == .alert, let value = lint.aps[.alert],
                value.string?.isEmpty ?? (value.object != nil && !lint.hasTexts(AlertKey.texts))
            else { return }
            lint.report(at: "/aps/alert", value.offset, "/aps/alert has no text; expected a title or a body")
        })

    static let alertIsString = LintRule(
        id: "alert-is-string", severity: .note, finds: "`alert` is a string",
        effect: "It becomes the body; an object can also have a title.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.alert], value.string?.isEmpty == false else { return }
            lint.report(at: "/aps/alert", value.offset, "/aps/alert is \(value.asFound)")
        })

    static let alertTitleMissing = LintRule(
        id: "alert-title-missing", severity: .note, finds: "a body without a title",
        effect: "The short look of an Apple Watch shows the title.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            guard lint.hasTexts([.body, .locKey]), !lint.hasTexts([.title, .titleLocKey]) else { return }
            lint.report(at: "/aps/alert", lint.alert.offset, "/aps/alert has a body and no title; expected both")
        })

    static let alertTextType = LintRule(
        id: "alert-text-type", severity: .error,
        finds: "a title, subtitle, body or loc-key is not a string; in Live Activities, title and body may be an "
            + "object with `loc-key`",
        effect: "It is ignored.", sources: [.generating, .liveActivities],
        check: PayloadCheck(.aps) { lint in
            for key in AlertKey.texts {
                guard let value = lint.alert[key], value.string == nil else { continue }
                // The guide of 2017 lets keys be null.
                if value.isNull, key == .titleLocKey || key == .subtitleLocKey || key == .locKey { continue }
                let mayBeLocalized = lint.isLiveActivity && (key == .title || key == .body)
                if mayBeLocalized, value["loc-key"]?.string != nil { continue }
                let expected = mayBeLocalized ? "a string, or an object with \"loc-key\"" : "a string"
                lint.report(at: "/aps/alert/\(key.rawValue)", value, expected: expected)
            }
        })

    static let alertEscapedU = LintRule(
        id: "alert-escaped-u", severity: .warning, finds: #"a text has `\U` or `\u` and hexadecimal digits"#,
        effect: "They are shown literally; write the character itself, in UTF-8.", sources: [.guide],
        check: PayloadCheck(.aps) { lint in
            for shown in lint.shownTexts {
                guard let escape = shown.text.literalEscape else { continue }
                lint.report(
                    at: shown.pointer, shown.offset,
                    "\(shown.pointer) has the letters \(escape.quotedForPeople); expected the character itself")
            }
        })

    static let alertPlaceholder = LintRule(
        id: "alert-placeholder", severity: .warning,
        finds: "a text has `{{`, `${` or `%@`, or the word `undefined`, `null`, `NaN` or `[object Object]`",
        effect: "It looks like a placeholder that was never filled in, and is shown literally.", sources: [.judgement],
        check: PayloadCheck(.aps) { lint in
            for shown in lint.shownTexts {
                guard let placeholder = shown.text.unfilledPlaceholder else { continue }
                lint.report(
                    at: shown.pointer, shown.offset,
                    "\(shown.pointer) is the string \(shown.text.cut(at: 80).quotedForPeople), which has "
                        + "\"\(placeholder)\"; expected what belongs there")
            }
        })
}

extension AlertKey {
    /// The keys of what an alert has to read.
    static let texts: [AlertKey] = [.title, .subtitle, .body, .titleLocKey, .subtitleLocKey, .locKey]
}

extension PayloadLint {
    /// Returns whether `alert` has one of these with something in it, whatever its type.
    func hasTexts(_ keys: [AlertKey]) -> Bool {
        keys.contains { key in
            guard let value = alert[key], !value.isNull else { return false }
            return value.string.map { !$0.isEmpty } ?? (value.object.map { !$0.isEmpty } ?? true)
        }
    }

    /// A text that a device shows.
    struct ShownText {
        var pointer: String
        var offset: Int
        var text: String
    }

    /// Returns all texts of the alert that a device shows, arguments too.
    func readShownTexts() -> [ShownText] {
        if let value = aps[.alert], let text = value.string {
            return [ShownText(pointer: "/aps/alert", offset: value.offset, text: text)]
        }
        var texts: [ShownText] = []
        for key in [AlertKey.title, .subtitle, .body] {
            if let value = alert[key], let text = value.string {
                texts.append(ShownText(pointer: "/aps/alert/\(key.rawValue)", offset: value.offset, text: text))
            }
        }
        for localized in localizedTexts {
            for (index, value) in (localized.arguments?.array ?? []).enumerated() {
                guard let text = value.string else { continue }
                texts.append(
                    ShownText(pointer: "\(localized.argumentsPointer)/\(index)", offset: value.offset, text: text))
            }
        }
        return texts
    }
}

extension String {
    /// The first `\u00e9` or `\U0001F600` that stands in the text itself.
    fileprivate var literalEscape: String? {
        let bytes = utf8
        var index = bytes.startIndex
        while let backslash = bytes[index...].firstIndex(of: UInt8(ascii: "\\")) {
            index = bytes.index(after: backslash)
            guard index < bytes.endIndex, bytes[index] | 0x20 == UInt8(ascii: "u") else { continue }
            let digits = bytes[bytes.index(after: index)...].prefix(8).prefix { $0.isHexDigit }
            if digits.count >= 4 { return String(self[backslash..<digits.endIndex]) }
        }
        return nil
    }

    /// The mark of a placeholder that a program seems to have left unfilled.
    fileprivate var unfilledPlaceholder: String? {
        let bytes = utf8
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "$"), UInt8(ascii: "%"):
                for mark in ["{{", "${", "%@"] where bytes[index...].starts(with: mark.utf8) { return mark }
            case UInt8(ascii: "["):
                if bytes[index...].starts(with: "[object Object]".utf8) { return "[object Object]" }
            case UInt8(ascii: "u"), UInt8(ascii: "n"), UInt8(ascii: "N"):
                for word in ["undefined", "null", "NaN"] where bytes[index...].starts(with: word.utf8) {
                    let end = bytes.index(index, offsetBy: word.utf8.count)
                    let before = index == startIndex ? nil : unicodeScalars[unicodeScalars.index(before: index)]
                    let after = end == endIndex ? nil : unicodeScalars[end]
                    if before?.isOfWord != true, after?.isOfWord != true { return word }
                }
            default: break
            }
        }
        return nil
    }
}

extension Unicode.Scalar {
    fileprivate var isOfWord: Bool {
        properties.isAlphabetic || properties.numericType != nil || self == "_"
    }
}
