public import MockAPNS
import MockAPNSCore
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
/// Where a server is and who it is: the line that `serve` prints when it is ready.
public struct ReadyLine: Sendable {
    /// The first provider address, `https://127.0.0.1:2197`.
    public let apns: String
    /// The admin address, `http://127.0.0.1:2198`.
    public let admin: String
    /// The folder of certificates, as an absolute path.
    public let certificateFolder: String
    /// The default key's id.
    public let keyID: String
    /// The default team's id.
    public let teamID: String
    /// The topic of the examples.
    public let topic: String
    /// What repeats this run's ids.
    public let seed: UInt64

    /// Describes a server and its admin listener.
    public init(server: MockAPNSServer, admin: String) {
        apns = server.url
        self.admin = admin
        certificateFolder =
            server.configuration.certificates.map { folder in
                folder.isAbsolute
                    ? folder.string
                    : FilePath(FileManager.default.currentDirectoryPath).pushing(folder).lexicallyNormalized().string
            } ?? ""
        keyID = server.identity.keyID
        teamID = server.identity.teamID
        topic = server.identity.topic
        seed = server.seed
    }

    /// The authority's file.
    public var certificateAuthority: String { certificateFolder + "/ca.pem" }

    /// The signing key's file.
    public var signingKey: String { certificateFolder + "/AuthKey_\(keyID).p8" }

    /// The process that serves.
    public var pid: Int { Int(ProcessInfo.processInfo.processIdentifier) }

    /// The line, one JSON object.
    public var json: String { object.json }

    private var object: JSONObject {
        [
            "event": "ready", "apns": apns, "admin": admin, "certificateAuthority": certificateAuthority,
            "signingKey": signingKey, "keyID": keyID, "teamID": teamID, "topic": topic, "seed": seed,
            "pid": pid,
        ]
    }
}
