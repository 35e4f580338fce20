/// The address of the engine: `redis://[USER:PASSWORD@]HOST[:PORT][/DB]` or `unix:PATH`.
package struct FleetURL: Sendable, Hashable {
    /// Where it listens.
    package enum Address: Sendable, Hashable {
        case host(String, port: Int)
        case path(String)
    }

    /// Where it listens.
    package var address: Address
    /// The name to log in with; `nil` for the default one.
    package var user: String?
    /// The password to log in with.
    package var password: String?
    /// The number of the database.
    package var database = 0

    /// Parses an address; `nil` if the text is not one.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty else { return nil }
            address = .path(path)
            return
        }
        guard text.hasPrefix("redis://") else { return nil }
        var rest = text.dropFirst(8)
        if let slash = rest.lastIndex(of: "/"), !rest[slash...].contains("@") {
            let number = rest[rest.index(after: slash)...]
            guard number.isEmpty || Int(number).map({ $0 >= 0 }) ?? false else { return nil }
            database = Int(number) ?? 0
            rest = rest[..<slash]
        }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            user = parts[0].isEmpty ? nil : Self.decoded(parts[0])
            password = Self.decoded(parts[1])
            rest = rest[rest.index(after: at)...]
        }
        var host = rest
        var port = 6379
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else { return nil }
            port = Int(number)
            host = rest[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains("/") else { return nil }
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
