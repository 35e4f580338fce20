import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// A broadcast channel, with the figures of Apple's console.
    public struct BroadcastChannel: Sendable, Equatable {
        /// Its id, as in `apns-channel-id`.
        public let id: String
        /// Its name, if the scenario or the API gave it one.
        public let name: String?
        /// The bundle id of its app.
        public let topic: String
        /// Whether it belongs to the sandbox, or else to production.
        public let isSandbox: Bool
        /// Which of its pushes are stored.
        public let storage: Storage
        /// When it was created, by the scenario's clock.
        public let createdAt: Date
        /// Number of pushes published to it.
        public let published: Int
        /// Number of times that a push reached a device.
        public let delivered: Int
        /// Number of Live Activities that listen to it.
        public let subscribers: Int
        /// The push that is stored for devices that are offline, by the ``LoggedRequest/sequence`` of its record; `nil` if
        /// none is.
        public let stored: Int?

        init(_ channel: MockAPNSCore.BroadcastChannel, _ figures: ChannelFigures) {
            id = channel.id.description
            name = channel.name
            topic = channel.topic
            isSandbox = channel.isSandbox
            storage = channel.policy
            createdAt = channel.createdAt.date
            (published, delivered, subscribers) = (figures.published, figures.delivered, figures.subscribers)
            stored = figures.stored
        }
    }
}
