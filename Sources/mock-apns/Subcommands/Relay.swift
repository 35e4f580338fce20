import ArgumentParser
import MockAPNS

struct Relay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a server that passes pushes on to another APNs, and says where its own answers differ.",
        discussion: """
            What no rule of the scenario decides goes to the upstream as it came, with the provider's own token, and the \
            answer goes back as it came. Beside it, mock-apns works out what it would have answered itself: each record has \
            both, and the totals, the page and the call differences group where they differ. Each connection of a provider \
            has one to the upstream; its stream limit, GOAWAY and resets are passed back. If it cannot be reached or breaks \
            off, pushes are answered with 503 ServiceUnavailable, and nothing is sent twice.

            Only pushes are passed on. Calls about broadcast channels, and pushes of the page and the admin API, are \
            answered by mock-apns itself. The signature of a provider token is in no log.

            Examples:
              mock-apns relay --upstream https://api.sandbox.push.apple.com --log pushes.jsonl
              mock-apns exec --relay https://api.sandbox.push.apple.com --fail-on-difference -- npm test
            """)

    @Option(
        help: ArgumentHelp(
            "The APNs to pass pushes on to, such as https://api.sandbox.push.apple.com.", valueName: "url"))
    var upstream: String

    @OptionGroup var trust: UpstreamOptions

    @OptionGroup var options: ServerOptions<ServeHelp>

    @OptionGroup var parent: ParentOptions

    @Flag(name: .customLong("open"), help: "Open the page in the browser when the server is ready.")
    var opensPage = false

    func validate() throws {
        if opensPage && options.admin.hasNoPage {
            throw ValidationError("--open and --no-page contradict each other; give one of them.")
        }
    }

    func run() async throws {
        var serving = Serving(options: options)
        serving.relay = trust.relay(to: upstream)
        (serving.endsWithParent, serving.opensPage) = (parent.endsWithParent, opensPage)
        try await serving.run()
    }
}
