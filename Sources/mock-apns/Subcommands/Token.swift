import ArgumentParser
import MockAPNS
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a provider token, for curl.",
        discussion: """
            Send it in the header field authorization, after the word bearer. What serve prints at startup includes a \
            complete command for curl.

            Example:
              curl --cacert certs/ca.pem -d '{"aps":{"alert":"Hello"}}' \\
                -H "authorization: bearer $(mock-apns token)" \\
                -H "apns-topic: com.example.app" https://localhost:2197/3/device/TOKEN
            """)

    @Option(
        help: ArgumentHelp(
            "The folder of the default signing key, which is created if it is missing.",
            valueName: "dir"), completion: .directory, transform: NonemptyOption.read)
    var certs = "certs"

    @Option(
        help: ArgumentHelp(
            "Sign with this private key (PEM) instead; needs --key-id and --team-id.", valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var key: String?

    @Option(help: ArgumentHelp("The key's id.", valueName: "id"), transform: NonemptyOption.read)
    var keyID: String?

    @Option(help: ArgumentHelp("The team's id.", valueName: "id"), transform: NonemptyOption.read)
    var teamID: String?

    @Option(
        help: ArgumentHelp(
            "The time at which the token was issued, in seconds since 1970. (default: now)", valueName: "seconds"),
        transform: NumberOption.reader(of: 0...Int64.max, "a whole number of seconds since 1970"))
    var issuedAt: Int64?

    func validate() throws {
        if key != nil, keyID == nil || teamID == nil {
            throw ValidationError("--key needs --key-id and --team-id: a token names both.")
        }
    }

    func run() throws {
        do {
            let folder = CertificateFolder(FilePath(certs))
            if key == nil, !FileManager.default.fileExists(atPath: certs) {
                throw StartError.unavailable(
                    "There is no folder \(certs), so there is no key to sign with. Start a server or run mock-apns certs to create one, or name another folder with --certs."
                )
            }
            let file = folder.path.appending("AuthKey_\(Identity.defaultKeyID).p8")
            let isNew = key == nil && !FileManager.default.fileExists(atPath: file.string)
            let privateKey =
                if let key { try CertificateFolder.read(FilePath(key)) } else { try folder.signingKey() }
            if isNew {
                Messages.write(
                    "mock-apns: A new signing key was created in \(folder.path); only a server with this folder accepts its tokens."
                )
            }
            let signer = try ProviderTokenSigner(
                privateKey: privateKey, keyID: keyID ?? Identity.defaultKeyID, teamID: teamID ?? Identity.defaultTeamID)
            Messages.result(try signer.token(issuedAt: issuedAt))
        } catch let error as StartError {
            throw Messages().exit(error)
        }
    }
}
