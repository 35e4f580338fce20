import ArgumentParser

struct Ready: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Exit with 0 if a server is ready and 1 if not, as a container's health check.",
        discussion: """
            Example:
              mock-apns ready --admin http://127.0.0.1:2198
            """)

    @Option(
        help: ArgumentHelp(
            "The admin address. (default: the variable MOCK_APNS_ADMIN_URL, else http://127.0.0.1:2198)",
            valueName: "url"))
    var admin: String?

    func run() async throws {
        let address = admin ?? AdminClient.variable("MOCK_APNS_ADMIN_URL") ?? AdminClient.defaultAddress
        let client = try AdminClient(address, from: admin == nil ? "MOCK_APNS_ADMIN_URL" : "--admin")
        do {
            let answer = try await client.send(.get, "/readyz", within: 5, atMost: 1 << 16)
            guard answer.status != 200 else { return }
            Messages.write("mock-apns: the server at \(address) answers \(answer.statusLine); it is not ready.")
        } catch {
            Messages.write("mock-apns: no server answers at \(address).")
        }
        throw ExitCode.failure
    }
}
