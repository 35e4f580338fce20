import ArgumentParser
import MockAPNS
import SystemPackage

struct Certs: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make missing certificates and keys, or renew them.",
        discussion: """
            Valid files are not overwritten. Leaf certificates are reissued by the same authority if they lack a name, \
            if the topics given differ, if they expire in less than 30 days, or with --renew. Once the authority itself \
            has expired, after ten years, --renew also creates a new one, which providers then have to trust.

            With --kind only that certificate is made: for one topic, to which a push without apns-topic goes (voip, \
            pass, website, watchkit, mdm), or one that is rejected (expired, revoked, wrong-environment, \
            unknown-authority, not-push).

            On SIGHUP a running server reads the new files, and learns which certificate is revoked.

            Examples:
              mock-apns certs --server-name push.internal --topic com.example.app
              mock-apns certs --kind voip --topic com.example.app
            """)

    @Option(
        help: ArgumentHelp("The folder of certificates and keys.", valueName: "dir"),
        completion: .directory, transform: NonemptyOption.read)
    var certs = "certs"

    @Option(
        name: .customLong("server-name"), parsing: .singleValue,
        help: ArgumentHelp("Another name in the server's certificate; repeatable.", valueName: "name"))
    var serverNames: [String] = []

    @Option(
        name: .customLong("topic"), parsing: .singleValue,
        help: ArgumentHelp(
            "A topic of the provider certificate; repeatable. (default: those it has, or com.example.app)",
            valueName: "topic"))
    var topics: [String] = []

    @Option(help: "Make client-KIND.pem, .key and .p12, and nothing else.")
    var kind: CertificateKind?

    @Flag(help: "Renew all leaf certificates, and the authority if it has expired.")
    var renew = false

    func validate() throws {
        for topic in topics { try TopicOption.check(topic) }
        try HostOption.check(serverNames: serverNames)
        guard let kind else { return }
        if !serverNames.isEmpty {
            throw ValidationError("--server-name is for the server's certificate, which --kind does not make.")
        }
        do { _ = try kind.topics(for: topics) } catch { throw ValidationError("\(error)") }
    }

    func run() throws {
        let folder = CertificateFolder(FilePath(certs))
        do throws(StartError) {
            if let kind {
                let topics = (try? kind.topics(for: topics)) ?? []
                tell(try folder.make(kind, topics: topics, renew: renew), folder, warnings: [])
                if kind == .revoked {
                    Messages().say("A running server rejects it only after SIGHUP (kill -HUP PID), or a restart.")
                }
                return
            }
            var request = CertificateFolder.Request()
            request.serverNames = serverNames
            request.topics = topics.isEmpty ? nil : topics
            request.renews = renew
            request.includesRSA = true
            let outcome = try folder.prepare(request)
            var warnings = outcome.warnings
            if outcome.identity.certificateAuthorityKey == nil {
                warnings.append(
                    "There is no ca.key in \(folder.path), so no more certificates can be created; put it back, or remove ca.pem and run this with --renew to create a new authority."
                )
            }
            tell(outcome.made, folder, warnings: warnings)
            // No server can be running with a folder that is new.
            if outcome.made.contains("server.pem"), !outcome.made.contains("ca.pem") {
                Messages().say("A running server uses them only after SIGHUP (kill -HUP PID), or a restart.")
            }
        } catch {
            throw Messages().exit(error)
        }
    }

    private func tell(_ made: [String], _ folder: CertificateFolder, warnings: [String]) {
        for warning in warnings { Messages.write("mock-apns: warning: \(warning)") }
        for name in made { Messages.result(folder.path.appending(name).string) }
        if made.isEmpty && warnings.isEmpty { Messages().say("Nothing was missing in \(folder.path).") }
    }
}

extension CertificateKind: ExpressibleByArgument {}
