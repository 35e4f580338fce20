import HTTPTypes
import Hummingbird
import NIOCore

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

    func add(to router: Router<BasicRequestContext>) {
        router.get { _, _ in Response(status: .found, headers: [.location: "/ui/"]) }
        router.get("ui") { _, _ in Self.answer() }
        router.get("ui/**") { request, _ in
            let parts = request.uri.path.split(separator: "/").dropFirst()
            guard let version = parts.first, Self.isVersion(version) else { return Self.answer() }
            let name = parts.dropFirst().joined(separator: "/")
            guard version == Self.files.version, let file = Self.files[name] else {
                throw APIError.notFound(
                    "This version of the page has no such file; it is \(Self.files.version).")
            }
            let isCompressed = request.headers.acceptGzip
            var headers: HTTPFields = [
                .contentType: file.contentType, .vary: "Accept-Encoding",
                .cacheControl: "public, max-age=31536000, immutable",
            ]
            if isCompressed { headers[.contentEncoding] = "gzip" }
            return Response(
                status: .ok, headers: headers,
                body: ResponseBody(byteBuffer: isCompressed ? file.compressed : file.content))
        }
    }

    /// Returns whether a part of a path is the version of some files, whether these or others.
    private static func isVersion(_ part: Substring) -> Bool {
        part.utf8.count == 16 && part.allSatisfy { $0.isHexDigit && !$0.isUppercase }
    }

    private static func answer() -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy,
                .referrerPolicy: "no-referrer", .crossOriginOpenerPolicy: "same-origin",
            ],
            body: ResponseBody(byteBuffer: files.page))
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    fileprivate static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
}
