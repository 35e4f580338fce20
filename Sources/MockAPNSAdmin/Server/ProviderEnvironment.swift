package import MockAPNS
import MockAPNSCore
package import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The variables by which a provider finds the server, and by which most languages trust it without a change.
package struct ProviderEnvironment: Sendable {
    /// Names and values, those of the server first; one without a value is not to be set.
    package let variables: [(name: String, value: String?)]

    /// What a wrapped command is given.
    ///
    /// - Parameters:
    ///   - ready: where the server is.
    ///   - server: the server.
    ///   - adminToken: what the admin listener asks for; `nil` when it asks for nothing.
    ///   - folder: where bundles of authorities are written: the system's roots, or those that the variable named before,
    ///     and the server's own.
    ///   - inherited: the variables that the command would have without this.
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
            // Of a key whose text is in the scenario there is no file.
            ("MOCK_APNS_KEY", ready.signingKey), ("MOCK_APNS_KEY_ID", ready.keyID), ("MOCK_APNS_TEAM_ID", ready.teamID),
            ("MOCK_APNS_TOPIC", ready.topic),
            ("MOCK_APNS_CLIENT_CERT", certificates + "/client.pem"),
            ("MOCK_APNS_CLIENT_KEY", certificates + "/client.key"),
            ("NODE_EXTRA_CA_CERTS", ready.certificateAuthority),
        ]
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

    /// Where systems keep the authorities that they trust: Debian, Alpine and others; macOS and BSD; Fedora.
    private static let systemRoots = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt",
    ]
}
