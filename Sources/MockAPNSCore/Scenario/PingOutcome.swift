/// The outcome of a rule for a PING frame.
package enum PingOutcome: Sendable {
    /// It is acknowledged as usual.
    case pass
    /// It is not acknowledged.
    case ignore
}
