import ArgumentParser
import MockAPNS
import SystemPackage

struct Certs: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make missing certificates and keys, or renew them.",
        discussion: """
            Valid files are not overwritten. Leaf certificates are reissued by the same authority if their names or \
            topics differ, if they expire in less than 30 days, or with --renew. Once the authority itself has \
            expired, after ten years, --renew also creates a new one, which providers then have to trust.

            Example:
              mock-apns certs --server-name push.internal --topic com.example.app
            """)

    @Option(help: ArgumentHelp("The folder of certificates and keys.", valueName: "dir"), completion: .directory)
    var certs = "certs"

    @Option(
        name: .customLong("server-name"), parsing: .singleValue,
        help: ArgumentHelp("Another name in the server's certificate; repeatable.", valueName: "name"))
    var serverNames: [String] = []

    @Option(
        name: .customLong("topic"), parsing: .singleValue,
        help: ArgumentHelp(
            "A topic of the provider certificate; repeatable. (default: com.example.app)", valueName: "topic"))
    var topics: [String] = []

    @Option(help: "Make client-KIND.pem, .key and .p12, a provider certificate that is rejected for this fault.")
    var kind: CertificateKind?

    @Flag(help: "Renew all leaf certificates, and the authority if it has expired.")
    var renew = false

    func run() throws {
        let folder = CertificateFolder(FilePath(certs))
        let topics = topics.isEmpty ? [Identity.defaultTopic] : topics
        do throws(StartError) {
            let outcome = try folder.prepare(serverNames: serverNames, topics: topics, renew: renew)
            var warnings = outcome.warnings
            if outcome.identity.certificateAuthorityKey == nil {
                warnings.append(
                    "There is no ca.key in \(folder.path), so no more certificates can be created; put it back, or remove ca.pem and run this with --renew to create a new authority."
                )
            }
            for warning in warnings { Messages.write("mock-apns: warning: \(warning)") }
            var made = outcome.made
            if let kind { made += try folder.make(kind, topics: topics) }
            for name in made { Messages.result(folder.path.appending(name).string) }
            if made.isEmpty && warnings.isEmpty { Messages().say("Nothing was missing in \(folder.path).") }
        } catch {
            throw Messages().exit(error)
        }
    }
}

extension CertificateKind: ExpressibleByArgument {}
