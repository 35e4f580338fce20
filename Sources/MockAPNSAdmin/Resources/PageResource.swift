import NIOCore
import NIOHTTP1

/// `/ui/`: the page for people.
///
/// All addresses below `/ui/` return the page, whose own program displays what they stand for. Its files are below
/// their version, and browsers cache them: another version has another address.
struct PageResource {
    private static let files = PageFiles()

    /// The permissions of the page: requests to this server, and nothing else. Texts never become markup, scripts or
    /// styles.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    func add(to router: inout Router) {
        router.on(.GET, "/") { Response(.found, ["Location": "\($0.prefix)/ui/"]) }
        router.on(.GET, "/ui") { Self.answer(below: $0.prefix) }
        router.on(.GET, "/ui/**") { request in
            let parts = request.pathParts.dropFirst()
            guard let version = parts.first, Self.isVersion(version) else {
                return Self.answer(below: request.prefix)
            }
            let name = parts.dropFirst().joined(separator: "/")
            guard version == Self.files.version, let file = Self.files[name] else {
                throw APIError.notFound(
                    "This version of the page has no such file; it is \(Self.files.version).")
            }
            let isCompressed = request.fields.acceptGzip
            var fields: HTTPHeaders = [
                "Content-Type": file.contentType, "Vary": "Accept-Encoding",
                "Cache-Control": "public, max-age=31536000, immutable",
            ]
            if isCompressed { fields.add(name: "Content-Encoding", value: "gzip") }
            return Response(.ok, fields, .bytes(isCompressed ? file.compressed : file.content))
        }
    }

    /// Returns whether a part of a path is the version of some files, whether these or others.
    private static func isVersion(_ part: Substring) -> Bool {
        part.utf8.count == 16 && part.allSatisfy { $0.isHexDigit && !$0.isUppercase }
    }

    private static func answer(below prefix: String) -> Response {
        Response(
            .ok,
            [
                "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy,
                "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
            ],
            .bytes(files.page(below: prefix)))
    }
}
