public import MockAPNS

enum Current {
    @TaskLocal static var server: MockAPNSServer?
}

/// There is no server, because the test has no trait ``MockAPNSTrait``.
public struct NoServer: Error, CustomStringConvertible {
    /// What to do about it.
    public let description =
        "There is no server in this task: give the test the trait .mockAPNS(), and ask in its task or in a child of it."
}

extension MockAPNSServer {
    /// The server of the test that runs, given by its trait ``MockAPNSTrait``.
    ///
    /// - Throws: ``NoServer`` when there is none: the test has no such trait, or this is a detached task.
    public static var current: MockAPNSServer {
        get throws(NoServer) {
            guard let server = Current.server else { throw NoServer() }
            return server
        }
    }
}
