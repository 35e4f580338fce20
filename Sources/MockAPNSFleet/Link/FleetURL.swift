/// The address of the engine: `redis://[USER:PASSWORD@]HOST[:PORT][/DB]` or `unix:PATH`.
package struct FleetURL: Sendable, Hashable {
    /// Where it listens.
    package enum Address: Sendable, Hashable {
        case host(String, port: Int)
        case path(String)
    }

    /// Why a text is no address.
    package struct Mistake: Error, Hashable, CustomStringConvertible {
        /// The rest of a sentence that begins with the name of the option.
        package var description = "is not redis://[USER:PASSWORD@]HOST[:PORT][/DB] or unix:PATH"
    }

    /// Where it listens.
    package var address: Address
    /// The name to log in with; `nil` for the default one.
    package var user: String?
    /// The password to log in with.
    package var password: String?
    /// The number of the database.
    package var database = 0

    /// Parses an address.
    ///
    /// - Throws: ``Mistake`` for any other text.
    package init(_ text: String) throws(Mistake) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty else { throw Mistake() }
            address = .path(path)
            return
        }
        guard !text.hasPrefix("rediss://") else {
            throw Mistake(
                description: "asks for TLS to the engine, which is not supported; use redis:// instead of rediss://")
        }
        guard text.hasPrefix("redis://") else { throw Mistake() }
        var rest = text.dropFirst(8)
        if let slash = rest.lastIndex(of: "/"), !rest[slash...].contains("@") {
            let number = rest[rest.index(after: slash)...]
            guard number.isEmpty || Int(number).map({ $0 >= 0 }) ?? false else { throw Mistake() }
            database = Int(number) ?? 0
            rest = rest[..<slash]
        }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Mistake() }
            user = parts[0].isEmpty ? nil : Self.decoded(parts[0])
            password = Self.decoded(parts[1])
            rest = rest[rest.index(after: at)...]
        }
        var host = rest
        var port = 6379
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            let digits = rest[rest.index(after: colon)...]
            guard let number = UInt16(digits), number > 0 else {
                // Anything but a number may be a password, of a login without a host.
                let shown = !digits.isEmpty && digits.allSatisfy(\.isNumber) ? " \(digits)" : ""
                throw Mistake(description: "has a port\(shown) that is not a number from 1 to 65535")
            }
            port = Int(number)
            host = rest[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains("/") else { throw Mistake() }
        address = .host(String(host), port: port)
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address for messages, without the password.
    package var shown: String {
        switch address {
        case .host(let host, let port): "redis://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .path(let path): "unix:\(path)"
        }
    }
}
