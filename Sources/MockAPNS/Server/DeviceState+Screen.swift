import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer.DeviceState {
    /// A notification as a person reads it, in the language that the scenario's `apps` give the device.
    ///
    /// [Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification)
    /// has the keys of the payload that it comes from.
    public struct Shown: Sendable, Equatable {
        /// How much it may disturb: `interruption-level`.
        public enum Level: String, Sendable, CaseIterable {
            /// In the list, without light and sound.
            case passive
            /// With light and sound.
            case active
            /// At once, though the user has asked for silence.
            case timeSensitive = "time-sensitive"
            /// With its sound, though the device is muted.
            case critical
        }

        /// A button that its category gives it.
        public struct Action: Sendable, Equatable {
            /// What the button says.
            public let title: String
            /// Whether it is shown as one that destroys something.
            public let isDestructive: Bool
        }

        /// What the device calls the app.
        public let app: String
        /// The line in bold; `nil`: the app's name stands there.
        public let title: String?
        /// The line below it.
        public let subtitle: String?
        /// The text; an alert that is only a string.
        public let body: String?
        /// How much it may disturb.
        public let level: Level
        /// The name of its sound; `nil`: silent.
        public let sound: String?
        /// The number that it sets on the app's icon, 0 for none; `nil` leaves it as it is.
        public let badge: Int?
        /// What it is grouped by; `nil`: with the others of the app.
        public let thread: String?
        /// The id of its category.
        public let category: String?
        /// The buttons of its category.
        public let actions: [Action]
        /// Whether a notification service extension may change it first; none is run.
        public let isMutable: Bool
        /// What a device does that the payload does not say, in sentences.
        public let notes: [String]

        init(_ shown: ShownNotification) {
            app = shown.app
            title = shown.title
            subtitle = shown.subtitle
            body = shown.body
            level = Level(rawValue: shown.level.rawValue) ?? .active
            sound = shown.sound
            badge = shown.badge
            thread = shown.thread
            category = shown.category
            actions = shown.actions.map { Action(title: $0.title, isDestructive: $0.isDestructive) }
            isMutable = shown.isMutable
            notes = shown.notes
        }
    }

    /// A Live Activity on the screen.
    public struct LiveActivity: Sendable, Equatable {
        /// What a push does to it.
        public enum Event: String, Sendable, CaseIterable {
            case start, update, end
        }

        /// A push that changed nothing.
        public struct Ignored: Sendable, Equatable {
            /// Its number in the log.
            public let sequence: Int
            /// Why, in a sentence.
            public let why: String
        }

        /// The push that changed it last, by its number in the log.
        public let sequence: Int
        /// What that push said, or ``Event/end`` when its 8 hours are over.
        public let event: Event
        /// What it shows: `content-state` of the latest push that had one.
        public let state: MockAPNSServer.JSONValue?
        /// The type of its attributes; `nil` when the app has started it.
        public let attributesType: String?
        /// Its attributes, as they were sent.
        public let attributes: MockAPNSServer.JSONValue?
        /// When it began, by the scenario's clock.
        public let startedAt: Date
        /// Whether its `stale-date` has come.
        public let isStale: Bool
        /// When it ends by itself or, once it has ended, when it leaves the screen.
        public let endsAt: Date
        /// The latest pushes that changed nothing.
        public let ignored: [Ignored]

        init(_ activity: MockAPNSCore.LiveActivity, at now: Timestamp) {
            sequence = activity.sequence
            event = Event(rawValue: activity.event.rawValue) ?? .update
            state = activity.state.map { MockAPNSServer.JSONValue($0) }
            attributesType = activity.attributesType
            attributes = activity.attributes.map { MockAPNSServer.JSONValue($0) }
            startedAt = activity.startedAt.date
            isStale = activity.isStale(at: now)
            endsAt = activity.endsAt.date
            ignored = activity.ignored.map { Ignored(sequence: $0.sequence, why: $0.why) }
        }
    }
}
