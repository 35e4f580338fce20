import ArgumentParser
import MockAPNS
import MockAPNSCore

struct Ready: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Exit with 0 if a server is ready and 1 if not, as a container's health check.",
        discussion: """
            With --timeout, waits for a server that is starting.

            Examples:
              mock-apns ready --admin http://127.0.0.1:2198
              mock-apns ready --timeout 30s
            """)

    @Option(
        help: ArgumentHelp(
            "The admin address. (default: the variable MOCK_APNS_ADMIN_URL, else that of a server with the options in MOCK_APNS_OPTIONS)",
            valueName: "url"))
    var admin: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait for a server that is not ready yet, such as 30s. (default: ask once)",
            valueName: "duration"),
        transform: DurationOption.read)
    var timeout: Duration?

    /// The pause before the server is asked again.
    private static let pause = Duration.milliseconds(100)

    func run() async throws {
        let address =
            admin ?? AdminClient.variable("MOCK_APNS_ADMIN_URL") ?? EnvironmentOptions.adminAddress
            ?? AdminClient.defaultAddress
        let client = try AdminClient(address, from: admin == nil ? "MOCK_APNS_ADMIN_URL" : "--admin")
        let deadline = ContinuousClock.now + (timeout ?? .zero)
        while let problem = await problem(client, until: deadline) {
            guard ContinuousClock.now + Self.pause < deadline else {
                Messages.write("mock-apns: \(problem)")
                throw ExitCode.failure
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Why the server is not ready; `nil` if it is.
    private func problem(_ client: AdminClient, until deadline: ContinuousClock.Instant) async -> String? {
        let left = (deadline - .now).components.seconds
        do {
            let answer = try await client.send(
                .isReady, within: timeout == nil ? 5 : min(5, max(1, left)), atMost: 1 << 16)
            if answer.status == 200 { return nil }
            let said = answer.explanation(at: client.address)
            return "the server at \(client.address) answers \(answer.statusLine); it is not ready.\(said)"
        } catch {
            return "no server answers at \(client.address)."
        }
    }
}

extension EnvironmentOptions {
    /// The admin address of a server that runs with the options of the variable, as a client on its machine reaches it;
    /// `nil` without such options.
    fileprivate static var adminAddress: String? {
        guard let text = text(for: "serve"), let words = try? words(in: text), let serve = try? Serve.parse(words)
        else {
            return nil
        }
        let options = serve.options
        let port = options.adminPort ?? UInt16(ServeHelp.defaultAdminPort)
        return "http://\(HostText.reachable(options.adminHost ?? options.host)):\(port)"
    }
}
