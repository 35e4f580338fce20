import CMockPage

/// The files of the page, embedded in the executable.
struct PageFiles: Sendable {
    /// Their names, in the order of `CMockPage.c`.
    static let names = [
        "index.html", "app.css", "app.js", "base.js", "views.css", "base/api.js", "base/dialogs.js", "base/dom.js",
        "base/keys.js", "base/router.js", "base/store.js", "base/stream.js", "base/text.js", "parts/clock.js",
        "parts/copies.js", "parts/detail.js", "parts/empty.js", "parts/faults.js", "parts/filters.js", "parts/frame.js",
        "parts/groups.js", "parts/json.js", "parts/picture.js", "parts/query.js", "parts/rules.js", "parts/screens.js",
        "parts/status.js", "parts/table.js", "parts/tabs.js", "parts/why.js", "views/device.js", "views/devices.js",
        "views/expect.js", "views/faults.js", "views/push.js", "views/pushes.js", "views/reasons.js",
        "views/scenario.js", "views/send.js",
    ]

    private let contents: [String: [UInt8]]
    /// A word that identifies exactly these contents: it changes with each file.
    let version: String

    /// Reads all files.
    init() {
        var contents: [String: [UInt8]] = [:]
        var hash = Hash()
        for (number, name) in Self.names.enumerated() {
            let file = Int32(number)
            let bytes = Self.served((0..<mock_page_length(file)).map { mock_page_byte(file, $0) }, as: name)
            hash.add(Array(name.utf8))
            hash.add(bytes)
            contents[name] = bytes
        }
        self.contents = contents
        version = hash.text
    }

    /// Returns the bytes of a file; `nil` if there is none with that name.
    subscript(name: String) -> [UInt8]? { contents[name] }

    /// Returns a file as sent to browsers: without comment lines, indentation and empty lines, which make up a fifth of
    /// it.
    static func served(_ bytes: [UInt8], as name: String) -> [UInt8] {
        var served: [UInt8] = []
        served.reserveCapacity(bytes.count)
        var isInComment = false
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            if text.isEmpty { continue }
            if isInComment || text.starts(with: "/*".utf8) {
                isInComment = !text.ends(with: "*/".utf8)
                continue
            }
            if text.starts(with: "//".utf8) { continue }
            served.append(contentsOf: name.hasSuffix(".css") ? squeezed(text) : Array(text))
            served.append(UInt8(ascii: "\n"))
        }
        return served
    }

    /// Returns a line of a style sheet without blanks beside braces, and after colons, semicolons and commas, where they
    /// mean nothing. No text in a style sheet of the page has such a blank.
    private static func squeezed(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        for byte in line {
            if byte == UInt8(ascii: " "), let last = kept.last, "{}:;,".utf8.contains(last) { continue }
            if "{}".utf8.contains(byte), kept.last == UInt8(ascii: " ") { kept.removeLast() }
            kept.append(byte)
        }
        return kept
    }

    /// Returns the content type of a file.
    static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        default: "text/javascript; charset=utf-8"
        }
    }
}

/// FNV-1a with 64 bits: distinguishes versions, and provides no security.
private struct Hash {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }

    /// Sixteen hexadecimal digits.
    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension Collection where Element == UInt8 {
    fileprivate func ends(with end: String.UTF8View) -> Bool { suffix(end.count).elementsEqual(end) }
}
