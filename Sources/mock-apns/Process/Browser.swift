import Logging
import Subprocess

/// The browser of the user who started the server.
enum Browser {
    #if os(macOS)
    private static let command = "open"
    #else
    private static let command = "xdg-open"
    #endif

    /// Opens an address in the browser. If there is none, that is logged, and nothing else happens.
    static func open(_ address: String, _ logger: Logger) async {
        do {
            let result = try await Subprocess.run(
                .name(command), arguments: [address], input: .none, output: .discarded, error: .discarded)
            if case .exited(0) = result.terminationStatus { return }
            logger.warning("The page could not be opened in a browser (\(command) failed); it is at \(address).")
        } catch {
            logger.warning("The page could not be opened in a browser (there is no \(command)); it is at \(address).")
        }
    }
}
