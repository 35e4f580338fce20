/// What a reverse proxy puts before all paths of the page and the API, as in `/mock/api/v1/requests`.
struct PathPrefix: Sendable {
    /// The field in which proxies that take it away say so.
    static let field = "X-Forwarded-Prefix"
    /// Maximum length in bytes.
    static let longest = 200

    /// The server's own; empty for none.
    var own = ""

    /// Returns whether a text is a prefix: one or more parts of plain characters, each behind a slash.
    static func isPrefix(_ text: String) -> Bool {
        guard text.hasPrefix("/"), text.utf8.count <= longest else { return false }
        return text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part != "." && part != ".."
                && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }
        }
    }
}
