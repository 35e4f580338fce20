import MockAPNS
import MockAPNSCore
import NIOHTTP1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `/api/v1/identity`: everything a provider needs, so that a job next to a container needs no shared files; and
/// `/api/v1/identity/certificate`: other client certificates.
struct IdentityResource {
    let server: MockAPNSServer
    let address: AdminAddress
    /// The path that a session adds to the admin address.
    let sessionPath: String
    /// The token that the admin listener requires, if any.
    let token: String?

    func add(to api: inout CallRoutes) {
        api.on(.clientCertificate) { request in Response.json(try certificate(request)) }
        api.on(.identity) { request in
            let asked = try asked(by: request)
            switch try request.parameter("format") {
            case nil, "json": return Response.json(try object(asked))
            case "shell":
                if server.collecting != nil {
                    throw APIError.fleet("A collector serves no providers; ask a replica for what they need.")
                }
                return Response.text(shell(asked), type: "text/x-shellscript; charset=utf-8")
            case let format?:
                throw APIError.badRequest(
                    "badParameter", "format is \"\(format)\"; expected \"json\" or \"shell\".", pointer: "/format")
            }
        }
    }

    /// Returns all members, for a client that uses this authority.
    func object(askedBy authority: String?) throws -> JSONObject {
        try object(RequestedHost(server, admin: address.value, authority: authority))
    }

    /// Returns a client certificate of the kind and the topics that a request asks for.
    private func certificate(_ request: Request) throws -> JSONObject {
        let parameters = try request.parameters
        var kind: CertificateKind?
        if let name = parameters.first(where: { $0.name == "kind" })?.value {
            kind = CertificateKind(rawValue: name)
            if kind == nil {
                throw APIError.badRequest(
                    "badParameter",
                    "kind is \"\(name.prefix(80))\"; expected \(CertificateKind.allCases.map(\.rawValue).joined(separator: ", ")).",
                    pointer: "/kind")
            }
        }
        let topics = parameters.filter { $0.name == "topic" }.map(\.value)
        if let topic = topics.first(where: { !Topic.isName($0) }) {
            throw APIError.badRequest(
                "badParameter",
                "topic is \"\(topic.prefix(80))\"; expected a bundle id: letters, digits, hyphens and dots, at most \(Topic.longestName) bytes.",
                pointer: "/topic")
        }
        do {
            let (pair, names) = try server.clientCertificate(kind, topics: topics)
            let isOwn = kind == nil && topics.isEmpty
            let store = try isOwn ? server.identity.clientStore : pair.store(name: "client")
            return [
                "kind": kind?.rawValue, "topics": names, "certificate": text(pair.certificate),
                "key": text(pair.privateKey), "store": base64(store), "password": CertificateFolder.password,
            ]
        } catch let error as StartError {
            throw APIError(status: .conflict, code: "noAuthority", message: error.description)
        }
    }

    private func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    private func asked(by request: Request) throws -> RequestedHost {
        let authority = request.authority
        var asked: RequestedHost
        if let url = try request.parameters.first(where: { $0.name == "url" })?.value {
            asked = try RequestedHost(url, admin: address.value, authority: authority)
        } else {
            asked = RequestedHost(server, admin: address.value, authority: authority)
        }
        asked.admin += request.prefix
        return asked
    }

    private func object(_ asked: RequestedHost) throws -> JSONObject {
        let identity = server.identity
        let ready = ReadyLine(server: server, admin: address.value)
        let members: JSONObject = [
            // A collector serves no providers.
            "event": "ready", "apns": server.collecting == nil ? asked.apns : nil, "admin": asked.admin + sessionPath,
            "certificateAuthority": text(identity.certificateAuthority),
            "signingKey": identity.signingKeyOrigin == .made ? text(identity.signingKey) : nil,
            "clientCertificate": text(identity.client.certificate),
            "clientKey": text(identity.client.privateKey), "clientStore": base64(try identity.clientStore),
            "keyID": ready.keyID, "teamID": ready.teamID,
            "topic": ready.topic, "environment": server.environment.rawValue, "seed": ready.seed,
            "pid": ready.pid, "adminIsPublic": token == nil && !address.isOnLoopback,
        ]
        if ready.manage.isEmpty { return members }
        return members.adding("manage", management(asked)).adding("manageEnvironments", ready.manageEnvironments)
    }

    /// Returns the addresses for broadcast channels, by the host that the client uses.
    private func management(_ asked: RequestedHost) -> [String] {
        let host = asked.host.contains(":") ? "[\(asked.host)]" : asked.host
        return server.managementPorts.map { "https://\(host):\($0)" }
    }

    /// Returns the lines of the variables for broadcast channels, if there are ports for these.
    private func managementVariables(_ asked: RequestedHost) -> String {
        ProviderEnvironment.management(
            urls: management(asked), ports: server.managementPorts, server.managementEnvironments
        ).map { name, value in "\n" + (value.map { "export \(name)='\($0)'" } ?? "unset \(name)") }.joined()
    }

    /// Returns the variables of a wrapped command, and the files they name, which the evaluating shell writes below
    /// `$TMPDIR`.
    private func shell(_ asked: RequestedHost) -> String {
        let identity = server.identity
        return """
            MOCK_APNS_CERTS="$(mktemp -d "${TMPDIR:-/tmp}/mock-apns.XXXXXX")"
            \(file("ca.pem", identity.certificateAuthority))
            \(file("client.pem", identity.client.certificate))
            \(file("client.key", identity.client.privateKey))
            export MOCK_APNS_CERTS
            export MOCK_APNS_URL='\(asked.apns)'
            export MOCK_APNS_HOST='\(asked.host)'
            export MOCK_APNS_PORT='\(asked.port)'
            export MOCK_APNS_ADMIN_URL='\(asked.admin)\(sessionPath)'\(adminToken)\(managementVariables(asked))
            export MOCK_APNS_CA="$MOCK_APNS_CERTS/ca.pem"
            \(signingKey)
            export MOCK_APNS_KEY_ID='\(identity.keyID)'
            export MOCK_APNS_TEAM_ID='\(identity.teamID)'
            export MOCK_APNS_TOPIC='\(identity.topic)'
            export MOCK_APNS_CLIENT_CERT="$MOCK_APNS_CERTS/client.pem"
            export MOCK_APNS_CLIENT_KEY="$MOCK_APNS_CERTS/client.key"
            \(bundles)
            no_proxy="${no_proxy:-${NO_PROXY:-}}"
            NO_PROXY="${NO_PROXY:-$no_proxy}"
            [ "$no_proxy" = '*' ] || no_proxy="${no_proxy:+$no_proxy,}\(hosts(asked))"
            [ "$NO_PROXY" = '*' ] || NO_PROXY="${NO_PROXY:+$NO_PROXY,}\(hosts(asked))"
            export no_proxy NO_PROXY

            """
    }

    private func hosts(_ asked: RequestedHost) -> String {
        ProviderEnvironment.hostsWithoutProxy(asked.host).joined(separator: ",")
    }

    /// The lines that write the bundles of what the shell trusts, a file or a folder, and the server's authority. The
    /// variables change only when all are written.
    private var bundles: String {
        let files = ProviderEnvironment.bundles.map { name, origins in
            let roots = name == "NODE_EXTRA_CA_CERTS" ? [] : ProviderEnvironment.systemRoots
            let sources = origins.map { "\"${\($0):-}\"" } + roots
            return """
                for roots in \(sources.joined(separator: " ")); do
                    if [ -d "$roots" ]; then
                        for roots in "$roots"/*; do if [ -f "$roots" ]; then cat "$roots"; echo; fi; done
                        break
                    elif [ -r "$roots" ]; then
                        cat "$roots"; echo; break
                    fi
                done > "$MOCK_APNS_CERTS/\(name.lowercased()).pem"
                cat "$MOCK_APNS_CA" >> "$MOCK_APNS_CERTS/\(name.lowercased()).pem"
                """
        }
        let exports = ProviderEnvironment.bundles.map { name, _ in
            "export \(name)=\"$MOCK_APNS_CERTS/\(name.lowercased()).pem\""
        }
        return (files + exports).joined(separator: "\n")
    }

    /// The variable for the file of the signing key: a key generated by the server is written to a file, a provider's
    /// own is only named, and there is none for a key given as text in the scenario.
    private var signingKey: String {
        let identity = server.identity
        let name = "AuthKey_\(identity.keyID).p8"
        switch identity.signingKeyOrigin {
        case .made:
            return file(name, identity.signingKey) + "\nexport MOCK_APNS_KEY=\"$MOCK_APNS_CERTS/\(name)\""
        case .file:
            let file = ReadyLine(server: server, admin: address.value).signingKey ?? ""
            return "export MOCK_APNS_KEY=\(quoted(file))"
        case .scenario:
            return "unset MOCK_APNS_KEY"
        }
    }

    /// The line with the token, if there is one.
    private var adminToken: String { token.map { "\nexport MOCK_APNS_ADMIN_TOKEN=\(quoted($0))" } ?? "" }

    /// Returns a text quoted so that a shell does not change it.
    private func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    private func file(_ name: String, _ bytes: [UInt8]) -> String {
        "(umask 077; printf '%s' '\(text(bytes))' > \"$MOCK_APNS_CERTS/\(name)\")"
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
