/// Recognizes requests for the admin API that were sent to a provider port.
package enum AdminPath {
    /// Returns whether a path belongs to the admin API.
    package static func isOne(of path: some Sequence<UInt8>) -> Bool { path.starts(with: APICall.base.utf8) }

    /// Returns a sentence that says where the admin API is.
    package static func sentence(url: String) -> String {
        "This looks like a call of the admin API, which is at \(url)."
    }
}

extension Gateway {
    /// Adds to the explanation that the request is for the admin API, and remembers the connection the first time.
    @inline(never)
    mutating func explainAdminCall(_ request: inout RequestContext, _ rejection: inout Rejection) {
        guard let adminURL else { return }
        let path = request.text(request.push.pathText)
        var shown: [UInt8] = []
        for index in 0..<min(path.count, Explanation.quotedLength) { shown.append(path[index]) }
        guard AdminPath.isOne(of: shown) else { return }
        let sentence = AdminPath.sentence(url: adminURL)
        rejection.explanation = "\(rejection.explanation.description) \(sentence)"
        let index = request.origin.index
        guard !connections.open[index].hasCalledAdmin else { return }
        connections.open[index].hasCalledAdmin = true
        adminCaller = connections.open[index].id
    }

    /// Returns the id of a connection that requested the admin API on this port for the first time since the last call.
    package mutating func takeAdminCaller() -> Int? {
        defer { adminCaller = nil }
        return adminCaller
    }
}
