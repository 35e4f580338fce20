/// The answer of a provider port to a program that speaks HTTP/1.1 to it, as that program reads it.
package struct ProviderPortAnswer: Sendable {
    /// The URL of the admin API, if the answer names it.
    package let adminURL: String?

    private static let start = " The admin API is at "

    /// Returns the sentence that names the URL of the admin API, to be appended to what the client spoke.
    static func sentence(adminURL: String) -> String { "\(start)\(adminURL)." }

    /// Reads the body of an answer. Fails for any other answer.
    package init?(_ body: String) {
        let spoken = ForeignProtocol.http1.sentence
        guard body.hasPrefix(spoken) else { return nil }
        let rest = body.dropFirst(spoken.count)
        let url = rest.hasPrefix(Self.start) ? rest.dropFirst(Self.start.count).prefix { !$0.isWhitespace } : ""
        adminURL = url.last == "." ? String(url.dropLast()) : nil
    }
}

/// A protocol that a client speaks on a provider port instead of TLS, by its first bytes.
enum ForeignProtocol: Equatable {
    /// HTTP/2 without TLS, with prior knowledge.
    case http2
    /// HTTP/1.x without TLS.
    case http1
    /// HTTP/1.x that asks a proxy for a tunnel.
    case connect
    /// The binary interface that APNs had until March 2021.
    case binary

    /// Fails for TLS, and for anything else.
    init?(_ bytes: [UInt8]) {
        let method = bytes.prefix { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
        if let first = bytes.first, first <= 2 {
            self = .binary
        } else if bytes.starts(with: "PRI ".utf8) {
            self = .http2
        } else if bytes.starts(with: "CONNE".utf8) {
            self = .connect
        } else if 3...10 ~= method.count, method.count == bytes.count || bytes[method.count] == UInt8(ascii: " ") {
            self = .http1
        } else {
            return nil
        }
    }

    /// The protocol of the client, and the remedy.
    var sentence: String {
        let spoken =
            switch self {
            case .http2: "The client spoke plain HTTP/2"
            case .http1: "The client spoke plain HTTP/1.1"
            case .connect: "The client sent CONNECT, in plain HTTP/1.1"
            case .binary: "The client spoke the binary interface, which Apple closed in March 2021"
            }
        return "\(spoken). \(advice)"
    }

    /// The remedy.
    var advice: String {
        switch self {
        case .http2, .http1: "This port takes HTTP/2 over TLS; the address must begin with https://."
        case .connect: "This port is no proxy; let the client connect to it directly (no_proxy)."
        case .binary: "APNs takes HTTP/2 only: POST /3/device/…, with a provider token or a certificate."
        }
    }

    /// Returns the answer that a client reads which speaks HTTP/1.1.
    func answer(_ sentence: String) -> [UInt8]? {
        guard self == .http1 || self == .connect else { return nil }
        let body = sentence + "\n"
        let fields = [
            "content-type: text/plain; charset=utf-8", "content-length: \(body.utf8.count)", "connection: close",
        ]
        return Array("HTTP/1.1 400 Bad Request\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n\(body)".utf8)
    }
}
