import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// A device as it was at one moment: what it is, what it displays, what is stored for it.
    ///
    /// ```swift
    /// let alice = await apns.device("alice")
    /// alice?.displayed.last?.payload?["aps"]?["alert"]  // "Hello"
    /// alice?.badge                    // 0
    /// ```
    public struct DeviceState: Sendable, Equatable {
        /// A notification that the device shows.
        public struct Displayed: Sendable, Equatable {
            /// The push's number in the log.
            public let sequence: Int
            /// The collapse id it was sent with.
            public let collapseID: String?
            /// The payload as it was sent.
            public let payload: JSONValue?
            /// When it came, by the scenario's clock.
            public let displayedAt: Date
            /// What a person reads of it.
            public let shown: Shown?
        }

        /// A push that is stored until the device can take it.
        public struct Stored: Sendable, Equatable {
            /// The push's number in the log.
            public let sequence: Int
            /// The collapse id it was sent with.
            public let collapseID: String?
            /// The payload as it was sent.
            public let payload: JSONValue?
            /// When it is discarded, by the scenario's clock.
            public let expiresAt: Date
        }

        /// What the scenario, or the API, calls it.
        public let name: String?
        /// Its device token, in lower-case hexadecimal digits.
        public let token: String
        /// The topics that its token is good for; none: every topic.
        public let topics: [String]
        /// Whether it can be reached.
        public let isOnline: Bool
        /// Whether its token stands for it; pushes to one that does not are answered 410, at least some time later.
        public let isRegistered: Bool
        /// Whether the user lets the app show notifications.
        public let allowsNotifications: Bool
        /// Whether it spares its battery.
        public let savesPower: Bool
        /// The number on the app's icon; 0 for none.
        public let badge: Int
        /// The notifications it shows, the newest last; one that replaced another is where that was.
        public let displayed: [Displayed]
        /// The Live Activities on its screen, the newest last.
        public let activities: [LiveActivity]
        /// What is stored for it, the oldest first.
        public let stored: [Stored]
        /// How many pushes have reached it.
        public let received: Int

        init(_ view: DeviceView, at now: Timestamp) {
            name = view.device.name
            token = view.token.text
            topics = view.topics
            isOnline = view.device.isOnline
            isRegistered = view.device.registration.status(at: now) == .registered
            allowsNotifications = view.device.allowsNotifications
            savesPower = view.device.savesPower
            badge = view.badge
            displayed = view.displayed.map { push in
                Displayed(
                    sequence: push.sequence, collapseID: push.collapseID,
                    payload: JSONValue(text: push.payload), displayedAt: push.displayedAt.date,
                    shown: push.shown.map(Shown.init))
            }
            activities = view.activities.map { LiveActivity($0, at: now) }
            stored = view.stored.map { push in
                Stored(
                    sequence: push.sequence, collapseID: push.collapseID,
                    payload: JSONValue(text: push.payload), expiresAt: push.expiresAt.date)
            }
            received = view.device.received
        }
    }
}

extension DeviceToken {
    /// Its lower-case hexadecimal digits.
    package var text: String {
        var digits: [UInt8] = []
        appendHex(to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }
}
