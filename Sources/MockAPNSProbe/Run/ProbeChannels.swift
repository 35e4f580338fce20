/// The broadcast channels that a run has made.
package struct ProbeChannels: Sendable {
    /// The ids of those that probes need, by kind; one that was deleted is still here.
    var ids: [ChannelKind: String] = [:]
    /// The ids of those that exist, in the order in which they were made.
    package internal(set) var open: [String] = []
    /// Why the server makes none.
    var problem: String?
}
