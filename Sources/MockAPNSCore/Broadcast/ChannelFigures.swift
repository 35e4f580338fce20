/// The figures of a channel, as Apple's console has them.
package struct ChannelFigures: Sendable, Hashable {
    /// The number of pushes published to it.
    package internal(set) var published = 0
    /// The number of times that a push reached a device, at once or from storage.
    package internal(set) var delivered = 0
    /// The number of Live Activities that listen to it.
    package internal(set) var subscribers = 0
    /// The sequence number of the push that is stored for devices that are offline; `nil` if none is.
    package internal(set) var stored: Int?

    /// Creates the figures of a channel that nothing was published to.
    package init() {}
}
