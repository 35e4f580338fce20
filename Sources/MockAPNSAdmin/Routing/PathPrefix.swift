import NIOHTTP1

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

    /// Takes the prefix away from the path of a request, which then knows what its client puts before addresses. Paths
    /// without it are understood, too, as those of health checks.
    ///
    /// - Parameter isLocal: whether it comes from this machine: then its proxy may name a prefix.
    func strip(_ request: inout Request, isLocal: Bool) {
        let named = isLocal ? request.fields[canonicalForm: Self.field].first.map(String.init) : nil
        let forwarded = named.flatMap { Self.isPrefix($0) ? $0 : nil }
        request.prefix = forwarded ?? ""
        for prefix in [forwarded, own] {
            guard let prefix, !prefix.isEmpty, request.path.hasPrefix(prefix) else { continue }
            let rest = request.path.dropFirst(prefix.count)
            guard rest.isEmpty || rest.first == "/" else { continue }
            request.prefix = prefix
            request.path = rest.isEmpty ? "/" : String(rest)
            return
        }
    }
}
