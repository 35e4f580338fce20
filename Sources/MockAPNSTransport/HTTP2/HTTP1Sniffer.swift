/// Examines the first bytes of a connection: the HTTP/2 preface, an HTTP/1.x request, or neither.
///
/// It searches like Netty's `Http2ConnectionHandler`, whose wording APNs has been seen to use: for "HTTP/1." within the
/// first kilobyte; the text before it is reported.
struct HTTP1Sniffer {
    enum Verdict: Equatable {
        /// Too few bytes to tell.
        case undecided
        /// Not HTTP/1.x: left to nghttp2, which also refuses a wrong preface.
        case other
        /// An HTTP/1.x request, with the text before its version: method and path, each followed by a space.
        case http1(request: [UInt8])
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let version = Array("HTTP/1.".utf8)
    private static let searchLimit = 1024

    /// The bytes so far; nghttp2 has seen none of them while undecided.
    private(set) var bytes: [UInt8] = []

    mutating func look(at more: Span<UInt8>) -> Verdict {
        for index in more.indices { bytes.append(more[index]) }
        if bytes.count < Self.preface.count {
            if Self.preface.starts(with: bytes) { return .undecided }
        } else if bytes.starts(with: Self.preface) {
            return .other
        }
        let searched = bytes.prefix(Self.searchLimit)
        for start in searched.indices where searched[start...].starts(with: Self.version) {
            return .http1(request: Array(searched[..<start]))
        }
        // A method is capital letters followed by a space; with anything else, or a whole line, there is no request to
        // wait for.
        let method = searched.prefix { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
        let isMethod = !method.isEmpty && (method.count == searched.count || searched[method.count] == 0x20)
        return isMethod && !searched.contains(0x0A) && searched.count < Self.searchLimit ? .undecided : .other
    }
}
