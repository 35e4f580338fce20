import NIOCore

/// Time limits for what a client has to do.
struct ConnectionTimeouts: Sendable, Equatable {
    /// From the TCP handshake to the end of the TLS handshake.
    var handshake = TimeAmount.seconds(10)
    /// From our closing of the connection to the client's.
    var closing = TimeAmount.seconds(1)
}
