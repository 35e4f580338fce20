import ArgumentParser
import MockAPNS
import SystemPackage

/// How the upstream of a relay is trusted, and what it is shown.
struct UpstreamOptions: ParsableArguments {
    @Option(
        name: .customLong("upstream-ca"),
        help: ArgumentHelp(
            "The authorities that the upstream is trusted by (PEM). (default: those of the system)", valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var authorities: String?

    @Option(
        name: .customLong("upstream-certificate"),
        help: ArgumentHelp(
            "A client certificate for the upstream (PEM), for pushes of providers that have one: theirs cannot be passed on.",
            valueName: "file"), completion: .file(), transform: NonemptyOption.read)
    var certificate: String?

    @Option(
        name: .customLong("upstream-key"),
        help: ArgumentHelp("The private key of --upstream-certificate (PEM).", valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var privateKey: String?

    func validate() throws {
        if (certificate == nil) != (privateKey == nil) {
            throw ValidationError("--upstream-certificate and --upstream-key belong together; give both.")
        }
    }

    /// Refuses the options without an upstream.
    func demandUpstream(_ option: String) throws {
        if authorities != nil || certificate != nil {
            throw ValidationError("--upstream-ca, --upstream-certificate and --upstream-key are for \(option).")
        }
    }

    /// Returns the relay to an address.
    func relay(to url: String) -> Configuration.Relay {
        var relay = Configuration.Relay(to: url)
        relay.authorities = authorities.map { FilePath($0) }
        if let certificate, let privateKey { relay.certificate = (FilePath(certificate), FilePath(privateKey)) }
        return relay
    }
}
