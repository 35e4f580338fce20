import ArgumentParser

@main
struct MockAPNSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock-apns",
        abstract: "A server that answers like the Apple Push Notification service, for tests.",
        discussion: """
            Point a provider, in any language and unmodified, at localhost; read what it sent, and why each push was \
            answered as it was. A scenario scripts failures and devices, and says what a good provider shows.

            Examples:
              mock-apns serve
              mock-apns exec --scenario scenarios/tour.json -- npm test
            """,
        subcommands: [Serve.self, Exec.self, Verify.self, Check.self, Certs.self, Token.self, Ready.self])

    /// `MOCK_APNS_OPTIONS` holds options that are read before those of the command line, so that a CI job can set them
    /// for a command that it does not write itself.
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "serve" || arguments.first == "exec", let options = EnvironmentOptions.read() {
            arguments.insert(contentsOf: options, at: 1)
        }
        await main(arguments)
    }
}
