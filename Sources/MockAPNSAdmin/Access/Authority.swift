import NIOCore

/// A host with an optional port, as in the `Host` field and in URLs (RFC 3986, section 3.2): `mock-apns`,
/// `127.0.0.1:2198`, `[::1]:2198`.
struct Authority: Equatable {
    /// The part before the port.
    enum Host: Equatable {
        /// An IP address without brackets.
        case address(String)
        /// A name in lower case, without a trailing dot.
        case name(String)
    }

    let host: Host
    /// The port; `nil` if there is none.
    let port: Int?

    /// Parses it strictly: anything that a URL parser, a shell or a resolver could interpret differently is not a name.
    init?(_ text: String) {
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[...end]
            rest = text[text.index(after: end)...]
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
        }
        guard let parsed = Host(host) else { return nil }
        self.host = parsed
        switch rest.first {
        case nil: port = nil
        case ":":
            let digits = rest.dropFirst()
            if digits.isEmpty {
                port = nil
            } else if digits.utf8.allSatisfy(isDigit), let number = Int(digits), number <= 65535 {
                port = number
            } else {
                return nil
            }
        default: return nil
        }
    }
}

extension Authority.Host {
    fileprivate init?(_ text: Substring) {
        if text.hasPrefix("[") {
            let parts = text.dropFirst().dropLast().split(
                separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
            guard let address = parts.first, address.contains(":"), Self.isAddress(address) else { return nil }
            // A zone names an interface of the client's machine (RFC 6874).
            if parts.count == 2 {
                guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ isNameByte($0) || $0 == percent }) else {
                    return nil
                }
            }
            self = .address(text.dropFirst().dropLast().lowercased())
            return
        }
        let name = text.hasSuffix(".") ? text.dropLast() : text
        guard name.utf8.count <= 253, name.utf8.allSatisfy({ isNameByte($0) || $0 == dot }),
            name.utf8.split(separator: dot, omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
        else { return nil }
        self = Self.isAddress(name) ? .address(String(name)) : .name(name.lowercased())
    }

    private static func isAddress(_ text: Substring) -> Bool {
        (try? SocketAddress(ipAddress: String(text), port: 0)) != nil
    }

    /// The usual notation, with IPv6 addresses without brackets.
    var text: String {
        switch self {
        case .address(let text), .name(let text): text
        }
    }
}

private let dot = UInt8(ascii: ".")
private let percent = UInt8(ascii: "%")

private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

/// Returns whether a byte is a letter, a digit, a hyphen, or an underscore, which container names may have.
private func isNameByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
}
