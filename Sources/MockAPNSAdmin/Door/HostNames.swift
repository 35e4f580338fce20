/// The names by which the admin port may be asked.
///
/// Every IP address is good, since no page gets there by another name, and so is every name that only private networks
/// have: `localhost`, names without a dot as containers have them, and those of some endings.
struct HostNames: Sendable {
    /// Endings of names that no public DNS server answers for (RFC 6761, RFC 6762, ICANN's `.internal`), and those of
    /// Kubernetes' services; `.svc.cluster.local` is one of `.local`.
    private static let privateEndings = [".localhost", ".internal", ".local", ".svc"]

    private let names: Set<String>
    private let isEveryName: Bool

    /// - Parameter names: further names; `*` is every name, `*.example.com` all with one part before that.
    init(_ names: [String]) {
        isEveryName = names.contains("*")
        self.names = Set(names.map(Self.normalized))
    }

    func contains(_ host: Authority.Host) -> Bool {
        guard case .name(let name) = host, let dot = name.firstIndex(of: ".") else { return true }
        return isEveryName || names.contains(name) || names.contains("*\(name[dot...])")
            || Self.privateEndings.contains { name.hasSuffix($0) }
    }

    /// Whether it can be one of the names: a host name, `*`, or a host name after `*.`.
    static func isName(_ text: String) -> Bool {
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        return text == "*" || Authority(name).map { $0.port == nil && !name.contains(":") } ?? false
    }

    private static func normalized(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
