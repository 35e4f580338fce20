public import MockAPNS

enum Current {
    @TaskLocal static var server: MockAPNSServer?
}

/// There is no server, because the test does not have the trait ``MockAPNSTrait``.
public struct NoServer: Error, CustomStringConvertible {
    /// How to fix it.
    public let description =
        "There is no server in this task: give the test the trait .mockAPNS(), and ask in its task or in a child of it."
}

extension MockAPNSServer {
    /// The server of the running test, provided by its trait ``MockAPNSTrait``.
    ///
    /// - Throws: ``NoServer`` if there is none: the test does not have the trait, or this is a detached task.
    public static var current: MockAPNSServer {
        get throws(NoServer) {
            guard let server = Current.server else { throw NoServer() }
            return server
        }
    }
}
