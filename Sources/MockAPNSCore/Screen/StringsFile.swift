/// Reads files of localized strings: `.strings` (old-style property lists) and `.xcstrings` (string catalogs).
extension AppStrings {
    /// Reads the strings of a `.strings` file: `"KEY" = "TEXT";`, with comments. UTF-8, or UTF-16 with a byte order
    /// mark.
    ///
    /// - Throws: the first mistake, with its offset in the text as UTF-8.
    package init(stringsFile bytes: [UInt8]) throws(JSONText.Mistake) {
        var parser = StringsParser(Self.utf8(bytes))
        languages[""] = try parser.strings()
    }

    /// Reads the strings of a `.xcstrings` file, which is JSON. Of plural or device variations, only `other` is used.
    ///
    /// - Throws: the first mistake.
    package init(catalog bytes: [UInt8]) throws(JSONText.Mistake) {
        let catalog = try JSONText.read(bytes, .recorded)
        guard let entries = catalog["strings"]?.object, let source = catalog["sourceLanguage"]?.string else {
            throw JSONText.Mistake(
                offset: catalog.offset, message: "expected a string catalog, with \"sourceLanguage\" and \"strings\"")
        }
        sourceLanguage = source
        languages[source] = [:]
        for entry in entries {
            for localization in entry.value["localizations"]?.object ?? [] {
                languages[localization.key, default: [:]][entry.key] = Self.text(of: localization.value)
            }
            // In the source language, a key without a text of its own is the text.
            if languages[source]?[entry.key] == nil { languages[source]?[entry.key] = entry.key }
        }
    }

    private static func text(of localization: JSONText.Value) -> String? {
        if let text = localization["stringUnit"]?["value"]?.string { return text }
        for kind in ["plural", "device"] {
            if let other = localization["variations"]?[kind]?["other"] { return text(of: other) }
        }
        return nil
    }

    /// Converts a file to UTF-8. The offsets of mistakes refer to this text.
    package static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
        guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else {
            return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        }
        var units: [UInt16] = []
        for index in stride(from: 2, to: bytes.count - 1, by: 2) {
            let (one, other) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isBigEndian ? one << 8 | other : other << 8 | one)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

/// A cursor in the text of a `.strings` file.
private struct StringsParser {
    private let text: [UInt8]
    private var offset = 0

    init(_ text: [UInt8]) { self.text = text }

    private var byte: UInt8? { offset < text.count ? text[offset] : nil }

    mutating func strings() throws(JSONText.Mistake) -> [String: String] {
        var strings: [String: String] = [:]
        try skipSpace()
        while byte != nil {
            let key = try word("a key such as \"GREETING\"")
            try take("=", "\"=\" after the key")
            strings[key] = try word("a text in quotation marks")
            try take(";", "\";\" after the text")
        }
        return strings
    }

    private mutating func take(_ mark: Unicode.Scalar, _ expected: String) throws(JSONText.Mistake) {
        guard byte == UInt8(ascii: mark) else { throw mistake(expected) }
        offset += 1
        try skipSpace()
    }

    /// Reads a text in quotation marks, or a word without them.
    private mutating func word(_ expected: String) throws(JSONText.Mistake) -> String {
        var bytes: [UInt8] = []
        if byte == UInt8(ascii: "\"") {
            bytes = try quoted()
        } else {
            while let letter = byte, letter.isOfPlainWord {
                bytes.append(letter)
                offset += 1
            }
            if bytes.isEmpty { throw mistake(expected) }
        }
        try skipSpace()
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func quoted() throws(JSONText.Mistake) -> [UInt8] {
        let start = offset
        var units: [UInt16] = []
        var bytes: [UInt8] = []
        offset += 1
        while let letter = byte, letter != UInt8(ascii: "\"") {
            offset += 1
            guard letter == UInt8(ascii: "\\") else {
                bytes.append(letter)
                continue
            }
            guard let escaped = byte else { break }
            offset += 1
            switch escaped {
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "r"): bytes.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "U"), UInt8(ascii: "u"):
                units.append(try codeUnit())
                // A character outside the Basic Multilingual Plane takes two escapes.
                if UTF16.isLeadSurrogate(units[units.count - 1]) { continue }
                bytes.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
                units = []
            default: bytes.append(escaped)
            }
        }
        guard byte != nil else {
            offset = start
            throw mistake("a text that ends with a quotation mark")
        }
        offset += 1
        return bytes
    }

    private mutating func codeUnit() throws(JSONText.Mistake) -> UInt16 {
        let digits = text[offset..<min(offset + 4, text.count)]
        guard digits.count == 4, let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16) else {
            throw mistake("four hexadecimal digits after \\U")
        }
        offset += 4
        return unit
    }

    private mutating func skipSpace() throws(JSONText.Mistake) {
        while let letter = byte {
            let next = offset + 1 < text.count ? text[offset + 1] : 0
            switch (letter, next) {
            case (UInt8(ascii: " "), _), (UInt8(ascii: "\n"), _), (UInt8(ascii: "\r"), _), (UInt8(ascii: "\t"), _):
                offset += 1
            case (UInt8(ascii: "/"), UInt8(ascii: "/")):
                while let letter = byte, letter != UInt8(ascii: "\n") { offset += 1 }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                let start = offset
                offset += 2
                while offset + 1 < text.count,
                    text[offset] != UInt8(ascii: "*") || text[offset + 1] != UInt8(ascii: "/")
                {
                    offset += 1
                }
                guard offset + 1 < text.count else {
                    offset = start
                    throw mistake("a comment that ends with */")
                }
                offset += 2
            default: return
            }
        }
    }

    private func mistake(_ expected: String) -> JSONText.Mistake {
        JSONText.Mistake(offset: offset, message: "expected \(expected)")
    }
}

extension UInt8 {
    fileprivate var isOfPlainWord: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }
}
