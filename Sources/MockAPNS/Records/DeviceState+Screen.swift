import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer.DeviceState {
    /// A notification as a person reads it, in the language that the scenario's `apps` set for the device.
    ///
    /// [Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification)
    /// describes the keys of the payload that it is built from.
    public struct Shown: Sendable, Equatable {
        /// A button defined by its category.
        public struct Action: Sendable, Equatable {
            /// The id by which it is chosen.
            public let id: String
            /// The title of the button.
            public let title: String
            /// Whether the button is marked as destructive.
            public let isDestructive: Bool
            /// Whether it asks for a text.
            public let takesText: Bool
        }

        /// The name of the app on the device.
        public let app: String
        /// The line in bold; if `nil`, the app's name is shown there.
        public let title: String?
        /// The line below it.
        public let subtitle: String?
        /// The text; an alert that is just a string.
        public let body: String?
        /// How much it may interrupt the user.
        public let level: Level
        /// The name of its sound; `nil` for none.
        public let sound: String?
        /// The number it sets on the app's icon, 0 to clear it; `nil` leaves the icon unchanged.
        public let badge: Int?
        /// The thread it is grouped by; `nil` for the app's default group.
        public let thread: String?
        /// The identifier of its category.
        public let category: String?
        /// The buttons of its category.
        public let actions: [Action]
        /// Whether it lights the screen; if not, it is in Notification Center only.
        public let hasBanner: Bool
        /// What stands for ``body`` where the user has hidden previews.
        public let hiddenBody: String?
        /// Whether a notification service extension may change it first; the scenario says what it does.
        public let isMutable: Bool
        /// Whether that extension has attached something, such as a picture.
        public let hasAttachment: Bool
        /// Remarks on what a device does that the payload does not show, in sentences.
        public let notes: [String]

        init(_ shown: ShownNotification) {
            app = shown.app
            title = shown.title
            subtitle = shown.subtitle
            body = shown.body
            level = shown.level
            sound = shown.sound
            badge = shown.badge
            thread = shown.thread
            category = shown.category
            actions = shown.actions.map { action in
                Action(
                    id: action.id, title: action.title, isDestructive: action.options.contains(.destructive),
                    takesText: action.textInput != nil)
            }
            (hasBanner, hiddenBody) = (shown.hasBanner, shown.hiddenBody)
            (isMutable, hasAttachment) = (shown.isMutable, shown.hasAttachment)
            notes = shown.notes
        }
    }

    /// What became of a push on the device, once APNs had delivered it.
    public struct HistoryEntry: Sendable, Equatable {
        /// The push's number in the log.
        public let sequence: Int
        /// When it happened, by the scenario's clock.
        public let at: Date
        /// What happened.
        public let state: State
        /// What happened, and why, in a sentence.
        public let why: String
    }

    /// A Live Activity on the screen.
    public struct LiveActivity: Sendable, Equatable {
        /// A push that had no effect.
        public struct Ignored: Sendable, Equatable {
            /// Its number in the log.
            public let sequence: Int
            /// The reason, in a sentence.
            public let why: String
        }

        /// What a push told the user beside changing it.
        public struct Alert: Sendable, Equatable {
            /// The bold line.
            public let title: String?
            /// The text.
            public let body: String?
            /// The name of its sound; `nil` for silent.
            public let sound: String?
        }

        /// The bundle id of its app; `nil` if it is not known.
        public let topic: String?
        /// Its update token, in lowercase hexadecimal digits; `nil` if it has none of its own.
        public let token: String?
        /// Its name, if the app started it by that.
        public let name: String?
        /// The latest push that changed it, by its number in the log; `nil` if none has since the app started it.
        public let sequence: Int?
        /// The event in that push, or ``MockAPNSWords/LiveActivityEvent/end`` after 8 hours.
        public let event: Event
        /// The state it shows: `content-state` of the latest push that had one.
        public let state: MockAPNSServer.JSONValue?
        /// The type of its attributes; `nil` if the app started it.
        public let attributesType: String?
        /// Its attributes as sent.
        public let attributes: MockAPNSServer.JSONValue?
        /// When it started, by the scenario's clock.
        public let startedAt: Date
        /// Whether its `stale-date` has passed.
        public let isStale: Bool
        /// When it ends automatically or, once it has ended, when it leaves the screen.
        public let endsAt: Date
        /// The id of the broadcast channel it listens to; `nil` for none.
        public let channel: String?
        /// What the push that last changed it told the user beside, which lights the screen; `nil` for nothing.
        public let alert: Alert?
        /// Which Live Activity of the app comes first: `relevance-score`.
        public let relevanceScore: Double?
        /// The latest pushes that had no effect.
        public let ignored: [Ignored]

        init(_ activity: MockAPNSCore.LiveActivity, at now: Timestamp) {
            topic = activity.app
            token = activity.token?.text
            name = activity.name
            sequence = activity.sequence
            event = activity.event
            state = activity.state.map { MockAPNSServer.JSONValue($0) }
            attributesType = activity.attributesType
            attributes = activity.attributes.map { MockAPNSServer.JSONValue($0) }
            startedAt = activity.startedAt.date
            isStale = activity.isStale(at: now)
            endsAt = activity.endsAt.date
            channel = activity.channel
            alert = activity.shownAlert.map { Alert(title: $0.title, body: $0.body, sound: $0.sound) }
            relevanceScore = activity.relevanceScore?.double
            ignored = activity.ignored.map { Ignored(sequence: $0.sequence, why: $0.why) }
        }
    }
}
