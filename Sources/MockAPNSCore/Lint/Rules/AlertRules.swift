// What a person reads: the type of `alert` and of its texts, and what the texts say.
extension PayloadLint {
    mutating func checkAlert() {
        guard let value = aps[.alert] else { return }
        switch value.content {
        case .string(let text):
            if text.isEmpty {
                reportEmptyAlert(value)
            } else {
                report(.alertIsString, at: "/aps/alert", value.offset, "/aps/alert is \(value.asFound)")
            }
        case .object:
            if !hasText {
                reportEmptyAlert(value)
            } else if hasTexts([.body, .locKey]), !hasTexts([.title, .titleLocKey]) {
                report(
                    .alertTitleMissing, at: "/aps/alert", value.offset,
                    "/aps/alert has a body and no title; expected both")
            }
            checkTextTypes()
        default: reportType(.alertType, at: "/aps/alert", value, takes: "a string or an object")
        }
        for text in shownTexts { check(text) }
    }

    /// Whether an alert has something to read.
    private var hasText: Bool { hasTexts([.title, .subtitle, .body, .titleLocKey, .subtitleLocKey, .locKey]) }

    /// Returns whether `alert` has one of these with something in it, whatever its type.
    func hasTexts(_ keys: [AlertKey]) -> Bool {
        keys.contains { key in
            guard let value = alert[key], !value.isNull else { return false }
            return value.string.map { !$0.isEmpty } ?? (value.object.map { !$0.isEmpty } ?? true)
        }
    }

    private mutating func reportEmptyAlert(_ value: JSONText.Value) {
        guard type == .alert else { return }
        report(.alertEmpty, at: "/aps/alert", value.offset, "/aps/alert has no text; expected a title or a body")
    }

    private mutating func checkTextTypes() {
        for key in [AlertKey.title, .subtitle, .body, .titleLocKey, .subtitleLocKey, .locKey] {
            guard let value = alert[key], value.string == nil else { continue }
            // The guide of 2017 lets keys be null.
            if value.isNull, key == .titleLocKey || key == .subtitleLocKey || key == .locKey { continue }
            let mayBeLocalized = isLiveActivity && (key == .title || key == .body)
            if mayBeLocalized, value["loc-key"]?.string != nil { continue }
            let expected = mayBeLocalized ? "a string, or an object with \"loc-key\"" : "a string"
            reportType(.alertTextType, at: "/aps/alert/\(key.rawValue)", value, takes: expected)
        }
    }

    /// A text that a device shows.
    struct ShownText {
        var pointer: String
        var offset: Int
        var text: String
    }

    /// All texts of the alert that a device shows, arguments too.
    private var shownTexts: [ShownText] {
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

    private mutating func check(_ shown: ShownText) {
        if let escape = shown.text.literalEscape {
            report(
                .alertEscapedU, at: shown.pointer, shown.offset,
                "\(shown.pointer) has the letters \(escape.quotedForPeople); expected the character itself")
        }
        if let placeholder = shown.text.unfilledPlaceholder {
            report(
                .alertPlaceholder, at: shown.pointer, shown.offset,
                "\(shown.pointer) is the string \(shown.text.cut(at: 80).quotedForPeople), which has \"\(placeholder)\"; "
                    + "expected what belongs there")
        }
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

    /// What looks as if a program should have put something in its place.
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
