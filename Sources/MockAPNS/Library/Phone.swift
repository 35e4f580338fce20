import MockAPNSCore
import MockAPNSScenario

extension MockAPNSServer {
    /// The state of an app on a device, on which it depends whether a push wakes it or shows something. What is `nil` stays
    /// as it is; on a new device, it is in the background, may be refreshed, and shows nothing in the foreground.
    public struct AppCondition: Sendable, Hashable {
        /// Whether it runs.
        public var state: AppState?
        /// Whether the user allows Background App Refresh.
        public var backgroundRefresh: Bool?
        /// Whether it shows its notifications while it is in the foreground.
        public var presentsInForeground: Bool?

        /// Creates the state of an app.
        public init(_ state: AppState? = nil, backgroundRefresh: Bool? = nil, presentsInForeground: Bool? = nil) {
            (self.state, self.backgroundRefresh) = (state, backgroundRefresh)
            self.presentsInForeground = presentsInForeground
        }

        var json: JSONText.Value {
            JSONText.Value(
                [
                    JSONText.Member("state", state.map { JSONText.Value($0.rawValue) }),
                    JSONText.Member("backgroundRefresh", backgroundRefresh.map { JSONText.Value($0) }),
                    JSONText.Member("presentsInForeground", presentsInForeground.map { JSONText.Value($0) }),
                ].compactMap(\.self))
        }
    }

    /// What the user allows an app to do with notifications. What is `nil` stays as it is; on a new device, everything is
    /// allowed.
    public struct NotificationSettings: Sendable, Hashable, ExpressibleByBooleanLiteral {
        /// Whether the user allows notifications. If ``MockAPNSWords/NotificationAuthorization/denied``, APNs discards those
        /// that show something.
        public var authorization: NotificationAuthorization?
        /// Whether they are shown as banners; if not, they are in Notification Center only.
        public var alert: Bool?
        /// Whether they put a number on the app's icon.
        public var badge: Bool?
        /// Whether they play a sound.
        public var sound: Bool?

        /// Creates settings.
        public init(
            _ authorization: NotificationAuthorization? = nil, alert: Bool? = nil, badge: Bool? = nil,
            sound: Bool? = nil
        ) {
            (self.authorization, self.alert, self.badge, self.sound) = (authorization, alert, badge, sound)
        }

        /// `true` allows everything, `false` nothing.
        public init(booleanLiteral value: Bool) { self.init(value) }

        /// Allows everything, or nothing.
        public init(_ allowsAll: Bool) {
            self.init(allowsAll ? .authorized : .denied, alert: true, badge: true, sound: true)
        }

        var json: JSONText.Value {
            JSONText.Value(
                [
                    JSONText.Member("authorization", authorization.map { JSONText.Value($0.rawValue) }),
                    JSONText.Member("alert", alert.map { JSONText.Value($0) }),
                    JSONText.Member("badge", badge.map { JSONText.Value($0) }),
                    JSONText.Member("sound", sound.map { JSONText.Value($0) }),
                ].compactMap(\.self))
        }
    }

    /// How the user responds to a notification.
    public enum Response: Sendable, Hashable {
        /// The user opens it.
        case open
        /// The user dismisses it.
        case dismiss
        /// The user chooses one of its actions, by the action's id, and may have to type a text.
        case action(_ id: String, text: String? = nil)

        var notificationResponse: NotificationResponse {
            switch self {
            case .open: NotificationResponse(action: ResponseEvent.open)
            case .dismiss: .dismissal
            case .action(let id, let text): NotificationResponse(action: id, text: text)
            }
        }
    }
}

extension [MockAPNSServer.DeviceBudget: MockAPNSServer.Device.Rate?] {
    var json: JSONText.Value {
        JSONText.Value(
            sorted { $0.key.rawValue < $1.key.rawValue }.map {
                JSONText.Member($0.key.rawValue, $0.value?.json ?? .null)
            })
    }
}

extension [String: MockAPNSServer.AppCondition?] {
    var json: JSONText.Value {
        JSONText.Value(sorted { $0.key < $1.key }.map { JSONText.Member($0.key, $0.value?.json ?? .null) })
    }
}

extension JSONText.Value {
    fileprivate static let null = Self(offset: 0, content: .null)
}
