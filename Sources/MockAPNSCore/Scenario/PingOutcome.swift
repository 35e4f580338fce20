/// What a rule does about a PING frame.
package enum PingOutcome: Sendable {
    /// It is acknowledged as usual.
    case pass
    /// It is not acknowledged.
    case ignore
}
