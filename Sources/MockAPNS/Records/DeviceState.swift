import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// The state of a device at one moment: its settings, what it displays, and what is stored for it.
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
            /// The collapse identifier it was sent with.
            public let collapseID: String?
            /// The payload as it was sent.
            public let payload: JSONValue?
            /// When it was displayed, by the scenario's clock.
            public let displayedAt: Date
            /// The texts as the user reads them.
            public let shown: Shown?
        }

        /// A push stored until the device can receive it.
        public struct Stored: Sendable, Equatable {
            /// The push's number in the log.
            public let sequence: Int
            /// The collapse identifier it was sent with.
            public let collapseID: String?
            /// The payload as it was sent.
            public let payload: JSONValue?
            /// When it is discarded, by the scenario's clock.
            public let expiresAt: Date
        }

        /// The name given by the scenario or the API.
        public let name: String?
        /// Its device token, in lowercase hexadecimal digits.
        public let token: String
        /// The tokens that start a Live Activity by push, by the bundle id of the app; if it is empty, for all apps. None
        /// unless its Live Activities have tokens of their own.
        public let pushToStartTokens: [String: String]
        /// The topics that its token is valid for; if empty, every topic.
        public let topics: [String]
        /// Whether the device is reachable.
        public let isOnline: Bool
        /// Whether its token is registered; pushes to one that is not are answered with 410, possibly only after some
        /// time.
        public let isRegistered: Bool
        /// Whether the user allows the app to show notifications.
        public let authorization: NotificationAuthorization
        /// Whether ``authorization`` is not ``MockAPNSWords/NotificationAuthorization/denied``.
        public let allowsNotifications: Bool
        /// The state of the app; of apps with a state of their own, see the API.
        public let app: AppState
        /// The system of the device.
        public let platform: Platform
        /// Whether the device is saving power.
        public let savesPower: Bool
        /// The number on the app's icon; 0 for none.
        public let badge: Int
        /// The notifications it shows, the newest last; one that replaced another is in the position of that one.
        public let displayed: [Displayed]
        /// The Live Activities on its screen, the newest last.
        public let activities: [LiveActivity]
        /// The pushes stored for it, oldest first.
        public let stored: [Stored]
        /// Number of pushes that have reached it.
        public let received: Int
        /// What became of the pushes that have reached it, the newest last, at most 1000.
        public let history: [HistoryEntry]

        init(_ view: DeviceView, at now: Timestamp) {
            name = view.device.name
            token = view.token.text
            topics = view.topics
            pushToStartTokens = Dictionary(
                view.startTokens.map { ($0.app, $0.token.text) }, uniquingKeysWith: { first, _ in first })
            isOnline = view.device.isOnline
            isRegistered = view.device.registration.status(at: now) == .registered
            authorization = view.device.phone.permission.authorization
            allowsNotifications = view.device.allowsNotifications
            app = view.device.phone.app.state
            platform = view.device.phone.platform
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
            history = view.history.latest.map { entry in
                HistoryEntry(sequence: entry.sequence, at: entry.clock.date, state: entry.state, why: entry.why)
            }
        }
    }
}

extension DeviceToken {
    /// Its lowercase hexadecimal digits.
    package var text: String {
        var digits: [UInt8] = []
        appendHex(to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }
}
