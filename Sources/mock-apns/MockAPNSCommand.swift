import ArgumentParser

@main
struct MockAPNSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock-apns",
        abstract: "A mock of the Apple Push Notification service that a provider cannot tell from Apple.",
        discussion: """
            Point a provider, in any language and unmodified, at localhost; read what it sent, and why each push was \
            answered as it was.

            Example:
              mock-apns serve
            """,
        subcommands: [Serve.self, Exec.self, Check.self, Certs.self, Token.self, Ready.self])

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
