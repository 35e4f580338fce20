import NIOCore

/// A push that waits until all replicas of a fleet decide it.
struct PostponedPush {
    /// When it was read.
    let arrived: NIODeadline
    /// Takes the sequence number of its record; `nil` for a push from a provider.
    let continuation: CheckedContinuation<Int, Never>?
}
