import NIOHTTP1

extension PathPrefix {
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
