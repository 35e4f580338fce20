import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// A device to be added, in the words of a scenario's `devices`.
    ///
    /// ```swift
    /// try apns.addDevice(.device(name: "alice", token: alice, topic: "com.example.app", online: false))
    /// ```
    public struct Device: Sendable, CustomStringConvertible {
        /// How many pushes a device takes; beyond, they are refused with TooManyRequests.
        public struct Rate: Sendable, Hashable {
            /// Number of pushes.
            public var allowed: Int
            /// In how long.
            public var per: Duration

            /// That number in that time.
            public init(allowed: Int, per: Duration) { (self.allowed, self.per) = (allowed, per) }
        }

        /// What it is called.
        public var name: String?
        /// Its device token, 64 to 200 hexadecimal digits.
        public var token: String
        /// The topics that its token is good for, exactly; none: every topic.
        public var topics: [String] = []
        /// Whether its token is one of the sandbox or of production; `nil`: of the environment that is played.
        public var environment: Configuration.Environment?
        /// Whether it can be reached.
        public var online = true
        /// Whether its token stands for it.
        public var registered = Registration.registered
        /// Whether the user lets the app show notifications.
        public var notifications = true
        /// Whether it spares its battery.
        public var savesPower = false
        /// How many pushes it takes; `nil`: any number.
        public var rate: Rate?

        /// A device that takes everything.
        public init(name: String? = nil, token: String) { (self.name, self.token) = (name, token) }

        /// A device.
        ///
        /// - Parameters:
        ///   - name: what it is called.
        ///   - token: its device token, 64 to 200 hexadecimal digits.
        ///   - topic: the only topic that its token is good for; `nil`: every topic.
        ///   - online: whether it can be reached.
        ///   - registered: whether its token stands for it.
        ///   - notifications: whether the user lets the app show notifications.
        public static func device(
            name: String? = nil, token: String, topic: String? = nil, online: Bool = true,
            registered: Registration = true, notifications: Bool = true
        ) -> Self {
            var device = Self(name: name, token: token)
            device.topics = topic.map { [$0] } ?? []
            (device.online, device.registered, device.notifications) = (online, registered, notifications)
            return device
        }

        var json: JSONText.Value {
            let rate = rate.map { rate in
                JSONText.Value([
                    JSONText.Member("allowed", JSONText.Value(rate.allowed)),
                    JSONText.Member("per", JSONText.Value(rate.per)),
                ])
            }
            let members = [
                JSONText.Member("name", name.map { JSONText.Value($0) }),
                JSONText.Member("token", JSONText.Value(token)),
                JSONText.Member("topics", topics.isEmpty ? nil : JSONText.Value(topics.map { JSONText.Value($0) })),
                JSONText.Member("environment", environment.map { JSONText.Value($0.rawValue) }),
                JSONText.Member("online", JSONText.Value(online)),
                JSONText.Member("registered", registered.json),
                JSONText.Member("notifications", JSONText.Value(notifications)),
                JSONText.Member("power", JSONText.Value(savesPower ? "saving" : "normal")),
                JSONText.Member("rate", rate),
            ]
            return JSONText.Value(members.compactMap(\.self))
        }

        /// As in a scenario.
        public var description: String { json.text }
    }

    /// Whether a device's token stands for it.
    public enum Registration: Sendable, Hashable, ExpressibleByBooleanLiteral {
        /// It does.
        case registered
        /// Not since then, the `timestamp` of the answer 410 Unregistered; `nil`: since now. For so long after a date,
        /// pushes are accepted in vain.
        case unregistered(at: Date? = nil, acceptFor: Duration = .zero)
        /// 410 ExpiredToken from then on.
        case expired(at: Date)

        /// It does, or not since now.
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

    /// What changes about a device; what is `nil` stays as it is.
    public struct DeviceChange: Sendable, Hashable {
        /// Whether it can be reached.
        public var online: Bool?
        /// Whether its token stands for it.
        public var registered: Registration?
        /// Whether the user lets the app show notifications.
        public var notifications: Bool?
        /// Whether it spares its battery.
        public var savesPower: Bool?

        /// Changes of these.
        public init(
            online: Bool? = nil, registered: Registration? = nil, notifications: Bool? = nil, savesPower: Bool? = nil
        ) {
            (self.online, self.registered) = (online, registered)
            (self.notifications, self.savesPower) = (notifications, savesPower)
        }

        var json: JSONText.Value {
            let members = [
                JSONText.Member("online", online.map { JSONText.Value($0) }),
                JSONText.Member("registered", registered?.json),
                JSONText.Member("notifications", notifications.map { JSONText.Value($0) }),
                JSONText.Member("power", savesPower.map { JSONText.Value($0 ? "saving" : "normal") }),
            ]
            return JSONText.Value(members.compactMap(\.self))
        }
    }
}
