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
    ///   - folder: the folder for bundles of authorities: the system's roots, or those that the variable named before,
    ///     and the server's own.
    ///   - inherited: the variables that the command would have otherwise.
    package init(
        _ ready: ReadyLine, _ server: MockAPNSServer, adminToken: String? = nil, bundlesIn folder: FilePath,
        inherited: [String: String]
    ) throws {
        let certificates = ready.certificateFolder
        var variables: [(name: String, value: String?)] = [
            ("MOCK_APNS_URL", ready.apns), ("MOCK_APNS_HOST", server.host),
            ("MOCK_APNS_PORT", String(server.ports[0])), ("MOCK_APNS_ADMIN_URL", ready.admin),
            ("MOCK_APNS_ADMIN_TOKEN", adminToken),
            ("MOCK_APNS_CERTS", certificates), ("MOCK_APNS_CA", ready.certificateAuthority),
            // A key given as text in the scenario has no file.
            ("MOCK_APNS_KEY", ready.signingKey), ("MOCK_APNS_KEY_ID", ready.keyID), ("MOCK_APNS_TEAM_ID", ready.teamID),
            ("MOCK_APNS_TOPIC", ready.topic),
            ("MOCK_APNS_CLIENT_CERT", certificates + "/client.pem"),
            ("MOCK_APNS_CLIENT_KEY", certificates + "/client.key"),
            ("NODE_EXTRA_CA_CERTS", ready.certificateAuthority),
        ]
        variables += Self.management(urls: ready.manage, ports: server.managementPorts, ready.manageEnvironments)
        for name in ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"] {
            let roots = ([inherited[name]].compactMap { $0 } + Self.systemRoots).lazy.compactMap {
                FileManager.default.contents(atPath: $0)
            }.first
            let bundle = (roots ?? Data()) + Data("\n".utf8) + Data(server.identity.certificateAuthority)
            let file = folder.appending("\(name.lowercased()).pem").string
            try bundle.write(to: URL(filePath: file))
            variables.append((name, file))
        }
        self.variables = variables
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
    private static let systemRoots = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt",
    ]
}
