/// The names by which clients may address the admin port.
///
/// All IP addresses are allowed, because a page cannot use them through another name, and so are all names that exist
/// only in private networks: `localhost`, names without a dot, as containers have, and those with certain endings.
struct HostNames: Sendable {
    /// Endings of names that no public DNS server resolves (RFC 6761, RFC 6762, ICANN's `.internal`), and those of
    /// Kubernetes services; `.svc.cluster.local` ends in `.local`.
    private static let privateEndings = [".localhost", ".internal", ".local", ".svc"]

    private let names: Set<String>
    private let isEveryName: Bool

    /// - Parameter names: additional names; `*` means every name, `*.example.com` all names with one label before that.
    init(_ names: [String]) {
        isEveryName = names.contains("*")
        self.names = Set(names.map(Self.normalized))
    }

    func contains(_ host: Authority.Host) -> Bool {
        guard case .name(let name) = host, let dot = name.firstIndex(of: ".") else { return true }
        return isEveryName || names.contains(name) || names.contains("*\(name[dot...])")
            || Self.privateEndings.contains { name.hasSuffix($0) }
    }

    /// Returns whether a text is valid as a name: a host name, `*`, or a host name after `*.`.
    static func isName(_ text: String) -> Bool {
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        return text == "*" || Authority(name).map { $0.port == nil && !name.contains(":") } ?? false
    }

    private static func normalized(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
