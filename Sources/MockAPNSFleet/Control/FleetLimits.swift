/// How long members of a fleet wait for its engine and for one another, and how much they keep in it. Tests on a busy
/// machine wait longer, and others keep less.
package struct FleetLimits: Sendable {
    /// The default of ``frames``.
    static let frameByteLimit = 1 << 30

    /// A push, for its position in the order.
    package var push = Duration.seconds(1)
    /// A call, until all replicas have carried it out.
    package var call = Duration.seconds(2)
    /// A replica that stops, until the engine has its last frames.
    package var leaving = Duration.seconds(5)
    /// A verdict, until all replicas have shipped what they had decided.
    package var verdict = Duration.seconds(10)
    /// A call that changes the collector, until it has what replicas had decided before.
    package var earlier = Duration.seconds(1)
    /// The entries of the control stream that the engine keeps. More than a member reads at once.
    package var control = ControlStream.limit
    /// The bytes of a replica's frames that the engine keeps; older frames are dropped, which verdicts notice.
    package var frames = frameByteLimit

    /// Creates the limits of the product.
    package init() {}
}
