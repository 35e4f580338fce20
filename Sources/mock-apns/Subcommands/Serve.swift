import ArgumentParser
import MockAPNS

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server until SIGTERM or SIGINT.",
        discussion: """
            When all listeners are open, it prints their addresses to standard output, as one line of JSON. SIGHUP reloads \
            certificates and scenario, in a fleet only certificates. SIGUSR1 reopens the file of --log, after a \
            rotation has renamed it. A second SIGINT or SIGTERM ends the server at once, with exit code 130. The variable MOCK_APNS_OPTIONS holds \
            options that are read before those of the command line.

            With --fleet the server is a replica of a fleet: what it decides is shipped through Redis or Valkey to the \
            collector (mock-apns collect), which counts and judges over all replicas.

            Examples:
              mock-apns serve --scenario scenarios/tour.json --log pushes.jsonl
              mock-apns serve --fleet redis://127.0.0.1 --fleet-name build-7
            """)

    @OptionGroup var options: ServerOptions<ServeHelp>

    @OptionGroup var replica: ReplicaOptions

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
        (serving.replica, serving.endsWithParent, serving.opensPage) = (replica, parent.endsWithParent, opensPage)
        try await serving.run()
    }
}
