package import MockAPNS
import MockAPNSCore
package import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The environment variables that tell a provider where the server is, and make most languages trust it without
/// changes.
package struct ProviderEnvironment: Sendable {
    /// Names and values, starting with those of the server; a variable without a value is not set.
    package let variables: [(name: String, value: String?)]

    /// Creates the variables for a wrapped command.
    ///
    /// - Parameters:
    ///   - ready: the addresses of the server.
    ///   - server: the server.
    ///   - adminToken: the token that the admin listener requires; `nil` if it requires none.
    ///   - usesProxy: whether clients go by the proxy of the server, so that Apple's hosts lead to it.
    ///   - folder: the folder for bundles of authorities: those that were trusted before, and the server's own.
    ///   - inherited: the variables that the command would have otherwise.
    package init(
        _ ready: ReadyLine, _ server: MockAPNSServer, adminToken: String? = nil, usesProxy: Bool = false,
        bundlesIn folder: FilePath, inherited: [String: String]
    ) throws {
        let certificates = ready.certificateFolder
        let client = try Self.client(server.identity, certificates, folder)
        var variables: [(name: String, value: String?)] = [
            ("MOCK_APNS_URL", ready.apns), ("MOCK_APNS_HOST", server.host),
            ("MOCK_APNS_PORT", String(server.ports[0])), ("MOCK_APNS_ADMIN_URL", ready.admin),
            ("MOCK_APNS_ADMIN_TOKEN", adminToken),
            ("MOCK_APNS_CERTS", certificates), ("MOCK_APNS_CA", ready.certificateAuthority),
            // A key given as text in the scenario has no file.
            ("MOCK_APNS_KEY", ready.signingKey), ("MOCK_APNS_KEY_ID", ready.keyID), ("MOCK_APNS_TEAM_ID", ready.teamID),
            ("MOCK_APNS_TOPIC", ready.topic),
            ("MOCK_APNS_CLIENT_CERT", client + "/client.pem"),
            ("MOCK_APNS_CLIENT_KEY", client + "/client.key"), ("MOCK_APNS_PROXY", ready.proxy),
        ]
        variables += Self.management(urls: ready.manage, ports: server.managementPorts, ready.manageEnvironments)
        for (name, origins) in Self.bundles {
            let named = origins.compactMap { inherited[$0] }
            // Node trusts its own roots besides.
            let sources = named + (name == Self.nodeBundle ? [] : Self.systemRoots)
            let bundle =
                (sources.lazy.compactMap(Self.certificates).first ?? Data())
                + Data(server.identity.certificateAuthority)
            let file = folder.appending("\(name.lowercased()).pem").string
            try bundle.write(to: URL(filePath: file))
            variables.append((name, file))
        }
        for name in ["no_proxy", "NO_PROXY"] {
            let inherited = inherited[name] ?? inherited["no_proxy"] ?? inherited["NO_PROXY"] ?? ""
            let known = usesProxy ? Self.withoutAPNs(inherited) : inherited
            variables.append((name, Self.addingHosts(Self.hostsWithoutProxy(server.host), to: known)))
        }
        if usesProxy { variables += [("https_proxy", ready.proxy), ("HTTPS_PROXY", ready.proxy)] }
        self.variables = variables
    }

    private static let nodeBundle = "NODE_EXTRA_CA_CERTS"

    /// The variables that name certificates to trust, each with the variables that its clients fall back to: the
    /// first that is set says what is trusted besides the server's authority.
    static let bundles: [(name: String, origins: [String])] = [
        ("SSL_CERT_FILE", ["SSL_CERT_FILE"]),
        ("REQUESTS_CA_BUNDLE", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"]),
        ("CURL_CA_BUNDLE", ["CURL_CA_BUNDLE", "SSL_CERT_FILE"]),
        (nodeBundle, [nodeBundle]),
    ]

    /// Returns the certificates in a file or a folder, each file with a line end; `nil` if nothing can be read.
    private static func certificates(at path: String) -> Data? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted()
        let files = names.map { $0.map { "\(path)/\($0)" } } ?? [path]
        let contents = files.compactMap { (try? CertificateFolder.readBundle(FilePath($0))).map { Data($0) } }
        return contents.isEmpty ? nil : contents.reduce(Data()) { $0 + $1 + Data("\n".utf8) }
    }

    /// Returns the names of the server that a client must not reach through a proxy.
    static func hostsWithoutProxy(_ host: String) -> [String] {
        let loopback = ["localhost", "127.0.0.1", "::1"]
        return loopback.contains(host) ? loopback : [host] + loopback
    }

    /// Returns a list of hosts with others added; `*` stands for all already.
    private static func addingHosts(_ hosts: [String], to list: String) -> String {
        if list == "*" { return list }
        return ((list.isEmpty ? [] : [list]) + hosts).joined(separator: ",")
    }

    /// Returns a list of hosts without those that stand for one of Apple's for APNs: they are reached by the proxy.
    static func withoutAPNs(_ list: String) -> String {
        list.split(separator: ",").filter { entry in
            let name = entry.lowercased().filter { $0 != " " && $0 != "*" }.drop { $0 == "." }
            return !name.isEmpty && !Identity.namesOfAPNs.contains { $0 == name || $0.hasSuffix("." + name) }
        }.joined(separator: ",")
    }

    /// Returns the folder of the client certificate: that of all certificates, or another for one with topics that only
    /// this scenario names.
    private static func client(_ identity: Identity, _ certificates: String, _ other: FilePath) throws -> String {
        if identity.hasClientFile { return certificates }
        let client = identity.client
        for (name, bytes) in [
            ("client.pem", client.certificate), ("client.key", client.privateKey),
            ("client.p12", try identity.clientStore),
        ] {
            try Data(bytes).write(to: URL(filePath: other.appending(name).string))
        }
        return other.string
    }

    /// The variables for the ports of broadcast channels: the first one, and the first of each environment. Those that
    /// there are none for are not set.
    static func management(
        urls: [String], ports: [Int], _ environments: [String]
    ) -> [(name: String, value: String?)] {
        func url(_ environment: String) -> String? { environments.firstIndex(of: environment).map { urls[$0] } }
        return [
            ("MOCK_APNS_MANAGE_URL", urls.first), ("MOCK_APNS_MANAGE_PORT", ports.first.map { String($0) }),
            ("MOCK_APNS_MANAGE_SANDBOX_URL", url("sandbox")), ("MOCK_APNS_MANAGE_PRODUCTION_URL", url("production")),
        ]
    }

    /// Where systems keep their trusted authorities: Debian, Alpine and others; macOS and BSD; Fedora.
    static let systemRoots = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt",
    ]
}
