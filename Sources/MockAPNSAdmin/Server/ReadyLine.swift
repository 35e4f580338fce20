package import MockAPNS
import MockAPNSCore
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
/// Where a server is and who it is: the line that `serve` prints when it is ready.
package struct ReadyLine: Sendable {
    /// The first provider address, `https://127.0.0.1:2197`.
    package let apns: String
    /// The admin address, `http://127.0.0.1:2198`.
    package let admin: String
    /// The folder of certificates, as an absolute path.
    package let certificateFolder: String
    /// The signing key's file, as an absolute path; `nil` where there is none: the key was made in memory, or its text is
    /// in the scenario.
    package let signingKey: String?
    /// The default key's id.
    package let keyID: String
    /// The default team's id.
    package let teamID: String
    /// The topic of the examples.
    package let topic: String
    /// What repeats this run's ids.
    package let seed: UInt64

    /// Describes a server and its admin listener.
    package init(server: MockAPNSServer, admin: String) {
        apns = server.url
        self.admin = admin
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

    /// The authority's file.
    package var certificateAuthority: String { certificateFolder + "/ca.pem" }

    /// The process that serves.
    package var pid: Int { Int(ProcessInfo.processInfo.processIdentifier) }

    /// The line, one JSON object.
    package var json: String { object.json }

    private var object: JSONObject {
        [
            "event": "ready", "apns": apns, "admin": admin, "certificateAuthority": certificateAuthority,
            "signingKey": signingKey, "keyID": keyID, "teamID": teamID, "topic": topic, "seed": seed,
            "pid": pid,
        ]
    }

    private static func absolute(_ path: FilePath) -> String {
        path.isAbsolute
            ? path.string
            : FilePath(FileManager.default.currentDirectoryPath).pushing(path).lexicallyNormalized().string
    }
}
