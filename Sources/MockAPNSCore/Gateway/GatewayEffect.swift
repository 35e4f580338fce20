/// A side effect of a decision, other than the answer, for the server to report or carry out. Effects are kept in
/// order.
package enum GatewayEffect: Sendable {
    /// Something happened that the log and event streams report; the gateway's own state has followed already.
    case event(LogEvent)
    /// Connections have orders to carry out. `connection` events report what comes of them.
    case connections([ConnectionOrder])
    /// A regular expression could not be decided, which is reported to people.
    case pattern(PatternEvent)
}
