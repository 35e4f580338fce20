import CMockPage
import NIOCore

/// The files of the page and of the API, embedded in the executable.
struct PageFiles: Sendable {
    /// A file that the page refers to.
    struct File {
        let content: ByteBuffer
        /// The same, compressed with gzip.
        let compressed: ByteBuffer
        let contentType: String
    }

    /// Their names, in the order of `CMockPage.c`.
    private static let names = ["index.html", "app.css", "app.css.gz", "app.js", "app.js.gz"]

    /// The OpenAPI document, which comes after them.
    static let openAPI = bytes(ofFile: names.count)

    private static func bytes(ofFile number: Int) -> [UInt8] {
        let file = Int32(number)
        return (0..<mock_page_length(file)).map { mock_page_byte(file, $0) }
    }

    private let contents: [String: ByteBuffer]
    /// A word that identifies exactly these contents: it changes with each file.
    let version: String
    /// The page, which refers to the other files by version, with a mark where the prefix of paths belongs.
    private let page: String

    /// Reads all files.
    init() {
        var contents: [String: ByteBuffer] = [:]
        var hash = Hash()
        for (number, name) in Self.names.enumerated() {
            let bytes = Self.bytes(ofFile: number)
            hash.add(Array(name.utf8))
            hash.add(bytes)
            contents[name] = ByteBuffer(bytes: bytes)
        }
        version = hash.text
        let page = contents.removeValue(forKey: Self.names[0]).map { String(buffer: $0) } ?? ""
        self.page = Self.replace("VERSION", in: page, with: hash.text)
        self.contents = contents
    }

    /// Returns the page as a client sees it that puts a prefix before all paths.
    func page(below prefix: String) -> ByteBuffer {
        ByteBuffer(string: Self.replace("PREFIX", in: page, with: prefix))
    }

    private static func replace(_ mark: String, in text: String, with word: String) -> String {
        text.split(separator: mark, omittingEmptySubsequences: false).joined(separator: word)
    }

    /// Returns a file that the page refers to; `nil` if there is none with that name.
    subscript(name: String) -> File? {
        guard let content = contents[name], let compressed = contents["\(name).gz"] else { return nil }
        let type = name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
        return File(content: content, compressed: compressed, contentType: type)
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
