public import Logging
public import MockAPNS

extension MockAPNSServer {
    /// Opens an admin listener on a free port of the loopback interface while the body runs.
    ///
    /// ```swift
    /// try await apns.withAdmin { url in
    ///     // `url` is `http://127.0.0.1:PORT`; requests are at `/api/v1/requests`
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - access: who may send requests; by default anyone on this machine, but no web page.
    ///   - logger: for warnings.
    ///   - body: called with the listener's address.
    /// - Throws: ``StartError`` if no port is available, and any error of the body.
    public func withAdmin<Result>(
        access: AdminAccess = AdminAccess(),
        logger: Logger = Logger(label: "mock-apns") { _ in SwiftLogNoOpLogHandler() },
        isolation: isolated (any Actor)? = #isolation, _ body: (_ url: String) async throws -> sending Result
    ) async throws -> sending Result {
        let admin = try await AdminServer.start(for: self, access: access, logger: logger)
        do {
            let result = try await body(admin.url)
            await admin.stop()
            return result
        } catch {
            await admin.stop()
            throw error
        }
    }
}
