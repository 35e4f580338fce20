// Constructs of JavaScript, JSON5 or YAML in a JSON text. They are still mistakes, but reading continues, so that other
// mistakes are reported at once.

extension JSONText {
    /// Reads one value like ``read(_:_:stop:)``, but continues after comments, missing or extra commas, single and
    /// typographic quotation marks, unquoted keys, and duplicate keys.
    ///
    /// - Parameter mistakes: receives these mistakes.
    /// - Throws: the mistake after which nothing more could be understood.
    package static func read(
        _ bytes: [UInt8], forgiving mistakes: inout [Mistake], stop: CancellationCheck = .never
    ) throws(Mistake) -> Value {
        var reader = JSONReader(bytes, .strict, stop: stop)
        reader.forgiven = []
        defer { mistakes += reader.forgiven ?? [] }
        return try reader.document()
    }

    /// Returns the offset of the first content of a text that is YAML and not JSON; `nil` for any other text.
    package static func startOfYAML(_ bytes: [UInt8]) -> Int? {
        var start = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let text = line.drop { $0.isJSONBlank }
            if let first = text.first, first != UInt8(ascii: "#") {
                return isYAML(text) ? start + (text.startIndex - line.startIndex) : nil
            }
            start += line.count + 1
        }
        return nil
    }

    /// Returns whether a line starts a YAML document, list or mapping.
    private static func isYAML(_ line: ArraySlice<UInt8>) -> Bool {
        if line.starts(with: "---".utf8) || line.starts(with: "%YAML".utf8) || line.starts(with: "- ".utf8) {
            return true
        }
        let key = line.prefix { $0.isLetterOfKey || $0 == UInt8(ascii: " ") }
        let rest = line[key.endIndex...]
        guard key.first?.isLetterOfKey == true, rest.first == UInt8(ascii: ":") else { return false }
        return rest.dropFirst().first.map { $0.isJSONBlank } ?? true
    }
}

extension JSONReader {
    /// Maximum number of tolerated mistakes; a text with more was not meant to be JSON.
    private static let forgivenLimit = 100

    /// Records a mistake if mistakes are tolerated; otherwise throws it.
    mutating func forgive(_ mistake: JSONText.Mistake) throws(JSONText.Mistake) {
        guard let count = forgiven?.count, count < Self.forgivenLimit else { throw mistake }
        forgiven?.append(mistake)
    }

    /// The sign of a comment that starts here; `nil` if there is none.
    var commentSign: String? {
        guard offset < bytes.count else { return nil }
        if bytes[offset] == UInt8(ascii: "#") { return "#" }
        guard bytes[offset] == UInt8(ascii: "/"), offset + 1 < bytes.count else { return nil }
        switch bytes[offset + 1] {
        case UInt8(ascii: "/"): return "//"
        case UInt8(ascii: "*"): return "/*"
        default: return nil
        }
    }

    /// Skips comments and reports the first one: one mistake stands for all of its kind.
    mutating func skipComments() {
        while let sign = commentSign {
            let message =
                "this is a comment (\(sign)), which JSON does not have; every object may contain a \"$comment\""
            if forgiven?.contains(where: { $0.message == message }) == false {
                forgiven?.append(JSONText.Mistake(offset: offset, message: message))
            }
            if sign == "/*" {
                offset += 2
                while offset < bytes.count, !bytes[offset...].starts(with: "*/".utf8) { offset += 1 }
                offset = min(offset + 2, bytes.count)
            } else {
                while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") { offset += 1 }
            }
            skipOnlyBlanks()
        }
    }

    /// Reads the comma before the next member or element. Reports a trailing or missing one.
    mutating func takeComma(in isObject: Bool) throws(JSONText.Mistake) -> Bool {
        if take(",") {
            guard forgiven != nil else { return true }
            skipBlanks()
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: isObject ? "}" : "]") else { return true }
            var mistake = unexpected("another \(isObject ? "key" : "value") after the comma")
            mistake.message += "; JSON has no comma after the last one"
            try forgive(mistake)
            return false
        }
        guard forgiven != nil, offset < bytes.count else { return false }
        let isQuote = "\"'".utf8.contains(bytes[offset]) || typographicQuote != nil
        let begins = isObject ? isQuote || bytes[offset].isLetterOfKey : isQuote || "{[-".utf8.contains(bytes[offset])
        guard begins else { return false }
        if let mistake = stringClosedTypographically { throw mistake }
        try forgive(unexpected(isObject ? "a comma or } after the member" : "a comma or ] after the element"))
        return true
    }

    /// Reads a key in other quotation marks or unquoted; returns `nil` for any other.
    mutating func forgivenKey() throws(JSONText.Mistake) -> String? {
        guard forgiven != nil, offset < bytes.count else { return nil }
        if bytes[offset] == UInt8(ascii: "'") { return try singleQuotedString() }
        if typographicQuote != nil { return try typographicallyQuotedString() }
        guard bytes[offset].isLetterOfKey else { return nil }
        let key = bytes[offset...].prefix { $0.isLetterOfKey }
        let text = String(decoding: key, as: UTF8.self)
        try forgive(
            JSONText.Mistake(
                offset: offset, message: "the key \(text) has no quotation marks; in JSON it is \"\(text)\""))
        offset = key.endIndex
        return text
    }

    /// Reads the text in single quotation marks that starts here.
    mutating func singleQuotedString() throws(JSONText.Mistake) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "'"), bytes[offset] != UInt8(ascii: "\n") {
            if bytes[offset] == UInt8(ascii: "\\"), offset + 1 < bytes.count { offset += 1 }
            text.append(bytes[offset])
            offset += 1
        }
        guard take("'") else { throw unexpected("a closing quotation mark") }
        try forgive(
            JSONText.Mistake(
                offset: start, message: "this text has single quotation marks, but JSON has only double ones"))
        return String(decoding: text, as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether an unquoted key may contain it.
    fileprivate var isLetterOfKey: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
