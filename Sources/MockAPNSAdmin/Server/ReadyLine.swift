package import MockAPNS
import MockAPNSCore
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
/// The addresses and identity of a server: the line that `serve` prints when it is ready.
package struct ReadyLine: Sendable {
    /// The first provider address, such as `https://127.0.0.1:2197`.
    package let apns: String
    /// The admin address, such as `http://127.0.0.1:2198`.
    package let admin: String
    /// The addresses for the management of broadcast channels.
    package let manage: [String]
    /// Their environments, in the same order.
    package let manageEnvironments: [String]
    /// The proxy for providers whose host is fixed; `nil` without one.
    package let proxy: String?
    /// The absolute path of the certificate folder.
    package let certificateFolder: String
    /// The absolute path of the signing key's file; `nil` if there is none, because the key was generated in memory or
    /// given as text in the scenario.
    package let signingKey: String?
    /// The default key id.
    package let keyID: String
    /// The default team id.
    package let teamID: String
    /// The topic of the examples.
    package let topic: String
    /// The seed, which reproduces the ids of this run.
    package let seed: UInt64

    /// Creates the line for a server and its admin listener.
    package init(server: MockAPNSServer, admin: String) {
        apns = server.url
        self.admin = admin
        manage = server.managementURLs
        manageEnvironments = server.managementEnvironments
        proxy = server.proxyURL
        certificateFolder = server.configuration.certificates.map(Self.absolute) ?? ""
        signingKey =
            switch server.identity.signingKeyOrigin {
            case .made where certificateFolder.isEmpty: nil
            case .made: certificateFolder + "/AuthKey_\(server.identity.keyID).p8"
            case .file(let path): Self.absolute(path)
            case .scenario: nil
            }
        keyID = server.identity.keyID
        teamID = server.identity.teamID
        topic = server.identity.topic
        seed = server.seed
    }

    /// The file of the authority.
    package var certificateAuthority: String { certificateFolder + "/ca.pem" }

    /// The id of the server process.
    package var pid: Int { Int(ProcessInfo.processInfo.processIdentifier) }

    /// The line as one JSON object.
    package var json: String {
        var line = object
        if !manage.isEmpty {
            line = line.adding("manage", manage).adding("manageEnvironments", manageEnvironments)
        }
        if let proxy { line = line.adding("proxy", proxy) }
        return line.json
    }

    private var object: JSONObject {
        [
            "event": "ready", "apns": apns, "admin": admin, "certificateAuthority": certificateAuthority,
            "signingKey": signingKey, "keyID": keyID, "teamID": teamID, "topic": topic, "seed": seed,
            "pid": pid,
        ]
    }

    /// The line of the collector of a fleet.
    package static func json(ofFleet fleet: String, admin: String, engine: String) -> String {
        let process = Int(ProcessInfo.processInfo.processIdentifier)
        let object: JSONObject = [
            "event": "ready", "admin": admin, "fleet": fleet, "engine": engine, "pid": process,
        ]
        return object.json
    }

    private static func absolute(_ path: FilePath) -> String {
        path.isAbsolute
            ? path.string
            : FilePath(FileManager.default.currentDirectoryPath).pushing(path).lexicallyNormalized().string
    }
}
