/// What a rule does about a PING frame.
public enum PingOutcome: Sendable {
    /// It is acknowledged as usual.
    case pass
    /// It is not acknowledged.
    case ignore
}
