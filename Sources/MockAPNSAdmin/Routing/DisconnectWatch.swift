import Hummingbird
import NIOCore

/// Whether the call being answered came over a connection that can be watched; those of other members of a fleet do not.
enum CallOrigin {
    @TaskLocal static var isConnection = true
}

extension Request {
    /// How long work on an answer continues before its client is watched.
    private static var watchDelay: Duration { .milliseconds(100) }

    /// Produces an answer that may take long, and gives up if the client disconnects or the server stops. The body has
    /// to be read first.
    ///
    /// A client is watched only if its answer takes some time, because nothing more is read from a watched connection,
    /// and it is closed after the answer.
    func answer(by work: @escaping @Sendable () async throws -> Response) async throws -> Response {
        guard CallOrigin.isConnection else { return try await work() }
        let (end, ended) = AsyncStream<Never>.makeStream()
        let answer = Task {
            defer { ended.finish() }
            return try await work()
        }
        return try await withTaskCancellationHandler {
            let isQuick = await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for await _ in end {}
                    return true
                }
                group.addTask {
                    try? await Task.sleep(for: Self.watchDelay)
                    return false
                }
                defer { group.cancelAll() }
                return await group.next() ?? true
            }
            if isQuick { return try await answer.value }
            return try await whileWatched {
                try await withTaskCancellationHandler {
                    try await answer.value
                } onCancel: {
                    answer.cancel()
                }
            }
        } onCancel: {
            answer.cancel()
        }
    }

    /// Produces an answer while the client is watched: the work is canceled if the client disconnects. The body has to
    /// be read first.
    func whileWatched(_ work: () async throws -> Response) async throws -> Response {
        var response = try await body.consumeWithCancellationOnInboundClose { _ in try await work() }
        // Nothing more is read from a watched connection.
        response.headers[.connection] = "close"
        return response
    }
}
