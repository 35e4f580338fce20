import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// A device to add, described as in a scenario's `devices`.
    ///
    /// ```swift
    /// try apns.addDevice(.device(name: "alice", token: alice, topic: "com.example.app", online: false))
    /// ```
    public struct Device: Sendable, CustomStringConvertible {
        /// The number of pushes a device accepts in a period; further ones are rejected with TooManyRequests.
        public struct Rate: Sendable, Hashable {
            /// Number of pushes.
            public var allowed: Int
            /// The period.
            public var per: Duration

            /// Creates a rate limit.
            public init(allowed: Int, per: Duration) { (self.allowed, self.per) = (allowed, per) }

            var json: JSONText.Value {
                JSONText.Value([
                    JSONText.Member("allowed", JSONText.Value(allowed)), JSONText.Member("per", JSONText.Value(per)),
                ])
            }
        }

        /// A Live Activity that the app starts: on a broadcast channel, or with a token of its own.
        public struct Activity: Sendable, Hashable {
            /// Its name, to end it by.
            public var name: String?
            /// The name or the id of the channel; `nil` for one with a token of its own.
            public var channel: String?
            /// The bundle id of its app, if it has a token of its own; `nil` for the first app of the device.
            public var topic: String?
            /// Its update token, 64 to 200 hexadecimal digits; `nil` for one that is drawn from the seed.
            public var token: String?

            /// Creates a Live Activity on a broadcast channel.
            public init(name: String? = nil, channel: String) { (self.name, self.channel) = (name, channel) }

            /// Creates a Live Activity with a token of its own.
            public init(name: String? = nil, topic: String? = nil, token: String? = nil) {
                (self.name, self.topic, self.token) = (name, topic, token)
            }

            var json: JSONText.Value {
                JSONText.Value(
                    [
                        JSONText.Member("name", name.map { JSONText.Value($0) }),
                        JSONText.Member("channel", channel.map { JSONText.Value($0) }),
                        JSONText.Member("topic", topic.map { JSONText.Value($0) }),
                        JSONText.Member("token", token.map { JSONText.Value($0) }),
                    ].compactMap(\.self))
            }
        }

        /// The device's name.
        public var name: String?
        /// Its device token, 64 to 200 hexadecimal digits; `nil` for one that is drawn from the seed.
        public var token: String?
        /// The exact topics that its token is valid for; if empty, every topic.
        public var topics: [String] = []
        /// The environment that its token belongs to; `nil` for the server's.
        public var environment: Configuration.Environment?
        /// Whether the device is reachable.
        public var online = true
        /// Whether its token is registered.
        public var registered = Registration.registered
        /// What the user allows the app to do with notifications.
        public var notifications: NotificationSettings = true
        /// The state of the apps that ``apps`` does not name.
        public var app = AppCondition()
        /// The states of apps, by bundle id.
        public var apps: [String: AppCondition] = [:]
        /// The system of the device.
        public var platform = Platform.iOS
        /// What the device lets the app do only so often.
        public var budgets: [DeviceBudget: Rate] = [:]
        /// Whether the device is saving power.
        public var savesPower = false
        /// The rate limit; `nil` for none.
        public var rate: Rate?
        /// The push-to-start tokens by the bundle id of the app, if its Live Activities have tokens of their own; those of other
        /// apps are drawn from the seed.
        public var pushToStartTokens: [String: String] = [:]
        /// The Live Activities that the app has started.
        public var activities: [Activity] = []

        /// Creates a device that accepts everything.
        public init(name: String? = nil, token: String? = nil) { (self.name, self.token) = (name, token) }

        /// Creates a device.
        ///
        /// - Parameters:
        ///   - name: the device's name.
        ///   - token: its device token, 64 to 200 hexadecimal digits; `nil` for one that is drawn from the seed.
        ///   - topic: the only topic that its token is valid for; `nil` for every topic.
        ///   - online: whether the device is reachable.
        ///   - registered: whether its token is registered.
        ///   - notifications: what the user allows the app to do with notifications.
        public static func device(
            name: String? = nil, token: String? = nil, topic: String? = nil, online: Bool = true,
            registered: Registration = true, notifications: NotificationSettings = true
        ) -> Self {
            var device = Self(name: name, token: token)
            device.topics = topic.map { [$0] } ?? []
            (device.online, device.registered, device.notifications) = (online, registered, notifications)
            return device
        }

        var json: JSONText.Value {
            let members = [
                JSONText.Member("name", name.map { JSONText.Value($0) }),
                JSONText.Member("token", token.map { JSONText.Value($0) }),
                JSONText.Member("topics", topics.isEmpty ? nil : JSONText.Value(topics.map { JSONText.Value($0) })),
                JSONText.Member("environment", environment.map { JSONText.Value($0.rawValue) }),
                JSONText.Member("online", JSONText.Value(online)),
                JSONText.Member("registered", registered.json),
                JSONText.Member("notifications", notifications.json),
                JSONText.Member("app", app.json),
                JSONText.Member("apps", apps.isEmpty ? nil : (apps as [String: AppCondition?]).json),
                JSONText.Member("platform", JSONText.Value(platform.rawValue)),
                JSONText.Member("budgets", budgets.isEmpty ? nil : (budgets as [DeviceBudget: Rate?]).json),
                JSONText.Member("power", JSONText.Value(savesPower ? "saving" : "normal")),
                JSONText.Member("rate", rate?.json),
                JSONText.Member("pushToStartToken", pushToStartToken),
                JSONText.Member(
                    "activities", activities.isEmpty ? nil : JSONText.Value(activities.map(\.json))),
            ]
            return JSONText.Value(members.compactMap(\.self))
        }

        /// One token as text where the device has no topics, which has one for all apps.
        private var pushToStartToken: JSONText.Value? {
            guard !pushToStartTokens.isEmpty else { return nil }
            if let token = pushToStartTokens[""] { return JSONText.Value(token) }
            return JSONText.Value(
                pushToStartTokens.sorted { $0.key < $1.key }.map { JSONText.Member($0.key, JSONText.Value($0.value)) })
        }

        /// The JSON that a scenario would contain.
        public var description: String { json.text }
    }

    /// Whether a device's token is registered.
    public enum Registration: Sendable, Hashable, ExpressibleByBooleanLiteral {
        /// The token is registered.
        case registered
        /// Unregistered since the date, the `timestamp` of the answer 410 Unregistered; `nil` for now. For the given
        /// duration after the date, pushes are still accepted but not delivered.
        case unregistered(at: Date? = nil, acceptFor: Duration = .zero)
        /// Expired: 410 ExpiredToken from the date on.
        case expired(at: Date)

        /// `true` for registered, `false` for unregistered as of now.
        public init(booleanLiteral value: Bool) { self = value ? .registered : .unregistered() }

        var json: JSONText.Value {
            switch self {
            case .registered: JSONText.Value(true)
            case .unregistered(nil, _): JSONText.Value(false)
            case .unregistered(let date?, let duration):
                JSONText.Value([
                    JSONText.Member("unregisteredAt", JSONText.Value(date)),
                    JSONText.Member("acceptFor", JSONText.Value(duration)),
                ])
            case .expired(let date): JSONText.Value([JSONText.Member("expiredAt", JSONText.Value(date))])
            }
        }
    }

    /// Changes to a device; members that are `nil` change nothing.
    public struct DeviceChange: Sendable, Hashable {
        /// Whether the device is reachable.
        public var online: Bool?
        /// Whether its token is registered.
        public var registered: Registration?
        /// What the user allows the app to do with notifications.
        public var notifications: NotificationSettings?
        /// The state of the apps that ``apps`` does not name.
        public var app: AppCondition?
        /// The states of apps, by bundle id; `.some(nil)` takes away the state that an app has of its own.
        public var apps: [String: AppCondition?] = [:]
        /// The system of the device.
        public var platform: Platform?
        /// What the device lets the app do only so often; `.some(nil)` takes a budget away.
        public var budgets: [DeviceBudget: Device.Rate?] = [:]
        /// Whether the device is saving power.
        public var savesPower: Bool?
        /// Whether the device gets a new token, as after a restore; the old one is unregistered.
        public var renewsToken = false
        /// The Live Activity that the app starts on a broadcast channel.
        public var subscribe: Device.Activity?
        /// The name or the id of the broadcast channel whose Live Activities the user dismisses.
        public var unsubscribe: String?
        /// The Live Activity with a token of its own that the app starts.
        public var startActivity: Device.Activity?
        /// The name or the update token of the Live Activity that the app ends.
        public var endActivity: String?
        /// The name or the update token of the Live Activity that the user dismisses.
        public var dismissActivity: String?

        /// Creates a set of changes.
        public init(
            online: Bool? = nil, registered: Registration? = nil, notifications: NotificationSettings? = nil,
            app: AppCondition? = nil, savesPower: Bool? = nil
        ) {
            (self.online, self.registered) = (online, registered)
            (self.notifications, self.app, self.savesPower) = (notifications, app, savesPower)
        }

        /// The device gets a new token, as when it is restored or its app is installed again.
        public static var renewToken: Self {
            var change = Self()
            change.renewsToken = true
            return change
        }

        /// The app starts a Live Activity on a broadcast channel, by the channel's name or id.
        public static func subscribe(to channel: String, name: String? = nil) -> Self {
            var change = Self()
            change.subscribe = Device.Activity(name: name, channel: channel)
            return change
        }

        /// The user dismisses the Live Activities on a broadcast channel, by the channel's name or id.
        public static func unsubscribe(from channel: String) -> Self {
            var change = Self()
            change.unsubscribe = channel
            return change
        }

        /// The app starts a Live Activity with a token of its own.
        ///
        /// - Parameters:
        ///   - name: its name, to end it by.
        ///   - topic: the bundle id of its app; `nil` for the first app of the device.
        public static func startActivity(_ name: String? = nil, topic: String? = nil) -> Self {
            var change = Self()
            change.startActivity = Device.Activity(name: name, topic: topic)
            return change
        }

        /// The user dismisses the Live Activity of that name or update token.
        public static func dismissActivity(_ name: String) -> Self {
            var change = Self()
            change.dismissActivity = name
            return change
        }

        /// The app ends the Live Activity of that name or update token.
        public static func endActivity(_ name: String) -> Self {
            var change = Self()
            change.endActivity = name
            return change
        }

        var json: JSONText.Value { JSONText.Value(members) }

        var members: [JSONText.Member] {
            [
                JSONText.Member("online", online.map { JSONText.Value($0) }),
                JSONText.Member("registered", registered?.json),
                JSONText.Member("notifications", notifications?.json),
                JSONText.Member("app", app?.json),
                JSONText.Member("apps", apps.isEmpty ? nil : apps.json),
                JSONText.Member("platform", platform.map { JSONText.Value($0.rawValue) }),
                JSONText.Member("budgets", budgets.isEmpty ? nil : budgets.json),
                JSONText.Member("power", savesPower.map { JSONText.Value($0 ? "saving" : "normal") }),
                JSONText.Member("newToken", renewsToken ? JSONText.Value(true) : nil),
                JSONText.Member("subscribe", subscribe?.json),
                JSONText.Member("unsubscribe", unsubscribe.map { JSONText.Value($0) }),
                JSONText.Member("startActivity", startActivity?.json),
                JSONText.Member("endActivity", endActivity.map { JSONText.Value($0) }),
                JSONText.Member("dismissActivity", dismissActivity.map { JSONText.Value($0) }),
            ].compactMap(\.self)
        }
    }
}
