import NIOHTTP1

extension AccessPolicy.Caller {
    init(_ request: Request) {
        method = request.method.rawValue
        path = request.pathParts.map(String.init)
        host = request.fields["Host"]
        origin = request.fields["Origin"]
        fetchSite = request.fields["Sec-Fetch-Site"]
        fetchMode = request.fields["Sec-Fetch-Mode"]
        authorization = request.fields["Authorization"]
    }
}

extension APIError {
    /// Creates the error for a request that the policy does not allow.
    init(_ rejection: AccessPolicy.Rejection) {
        switch rejection {
        case .unknownHost(let host):
            let asked = host.map { "Host is \"\($0.prefix(80))\"" } ?? "The request has no Host"
            let name = host.flatMap(Authority.init).map(\.host.text) ?? "NAME"
            self.init(
                status: .misdirectedRequest, code: "unknownHost",
                message:
                    "\(asked); the admin port answers to IP addresses, localhost, names without a dot, names that end in .localhost, .internal, .local or .svc, and those of --server-name and --admin-name. Add this one with --admin-name \(name)."
            )
        case .severalHosts(let count):
            self.init(
                status: .misdirectedRequest, code: "unknownHost",
                message: "The request has \(count) Host fields; the admin port takes requests with exactly one.")
        case .foreignOrigin(let field, let value):
            self.init(
                status: .forbidden, code: "foreignOrigin",
                message:
                    "\(field) is \"\(value.prefix(80))\": a web page of another origin may not use the admin port.")
        case .unauthorized(let isWrong):
            let found = isWrong ? "Authorization does not have this server's token" : "This server requires a token"
            self.init(
                status: .unauthorized, code: "unauthorized",
                message:
                    "\(found); send Authorization: Bearer TOKEN with the token given by --admin-token or the variable MOCK_APNS_ADMIN_TOKEN when it was started."
            )
            challenge = "Bearer"
        }
    }
}
