import MockAPNSCore

extension MockAPNSServer {
    /// Something that happens by itself, in the words of a scenario's `timeline`. Times are those of the scenario's clock.
    ///
    /// ```swift
    /// let timeline: [MockAPNSServer.TimelineEntry] = [
    ///     .at(.seconds(600), do: .device("alice", online: true)),
    ///     .after(.device("alice").status(200), count: 2, do: .goAway(), .key("ABC123DEFG", revoked: true)),
    /// ]
    /// ```
    ///
    /// It is checked when its scenario is read.
    public struct TimelineEntry: Sendable, CustomStringConvertible {
        let json: JSONText.Value

        private init(_ members: [JSONText.Member?], _ actions: [Action]) {
            let actions = JSONText.Member("do", JSONText.Value(oneOrMore: actions.map(\.json)))
            json = JSONText.Value(members.compactMap(\.self) + [actions])
        }

        /// At a time after the scenario's start.
        public static func at(_ time: Duration, do actions: Action...) -> Self {
            Self([JSONText.Member("at", JSONText.Value(time))], actions)
        }

        /// After requests that match.
        ///
        /// - Parameters:
        ///   - match: which requests.
        ///   - count: how many of them.
        ///   - delay: how long after the last of them.
        ///   - actions: what happens, in this order.
        public static func after(
            _ match: Match, count: Int = 1, delay: Duration = .zero, do actions: Action...
        ) -> Self {
            let requests = JSONText.Value([
                JSONText.Member("requests", match.json), JSONText.Member("count", JSONText.Value(count)),
            ])
            return Self([JSONText.Member("after", requests), JSONText.Member("at", JSONText.Value(delay))], actions)
        }

        /// As in a scenario.
        public var description: String { json.text }
    }
}

extension MockAPNSServer.TimelineEntry {
    /// An action at a time of the timeline. A connection is named by its number, 1 for the first of the run; `nil`
    /// means all that are open.
    public struct Action: Sendable, CustomStringConvertible {
        let json: JSONText.Value

        private init(_ key: String, _ value: JSONText.Value, _ others: [JSONText.Member] = []) {
            json = JSONText.Value([JSONText.Member(key, value)] + others)
        }

        private init(_ key: String, _ value: JSONText.Value, connection: Int?) {
            self.init(key, value, connection.map { [JSONText.Member("connection", JSONText.Value($0))] } ?? [])
        }

        /// A device changes; what is `nil` stays as it is.
        ///
        /// - Parameters:
        ///   - name: its name in the scenario.
        ///   - online: whether it is online.
        ///   - registered: whether its token is registered.
        ///   - notifications: what the user allows the app to do with notifications.
        ///   - app: the state of the app.
        ///   - savesPower: whether it saves power.
        public static func device(
            _ name: String, online: Bool? = nil, registered: MockAPNSServer.Registration? = nil,
            notifications: MockAPNSServer.NotificationSettings? = nil, app: MockAPNSServer.AppCondition? = nil,
            savesPower: Bool? = nil
        ) -> Self {
            let change = MockAPNSServer.DeviceChange(
                online: online, registered: registered, notifications: notifications, app: app, savesPower: savesPower)
            return Self("device", JSONText.Value(name), change.members)
        }

        /// A device changes, also in its Live Activities on broadcast channels.
        public static func device(_ name: String, _ change: MockAPNSServer.DeviceChange) -> Self {
            Self("device", JSONText.Value(name), change.members)
        }

        /// The broadcast capability of an app is turned on, or off, which deletes all its channels.
        ///
        /// - Parameters:
        ///   - isOn: whether the app has the capability.
        ///   - topic: the bundle id of the app.
        public static func broadcast(_ isOn: Bool, topic: String) -> Self {
            Self("topic", JSONText.Value(topic), [JSONText.Member("broadcast", JSONText.Value(isOn))])
        }

        /// GOAWAY frames are sent, one after the other.
        public static func goAway(
            _ frame: MockAPNSServer.GoAway = .shutdown, _ others: MockAPNSServer.GoAway..., connection: Int? = nil
        ) -> Self {
            Self("goAway", JSONText.Value(oneOrMore: ([frame] + others).map(\.json)), connection: connection)
        }

        /// Connections end.
        public static func close(_ ending: MockAPNSServer.Ending, connection: Int? = nil) -> Self {
            Self("close", JSONText.Value(ending.rawValue), connection: connection)
        }

        /// SETTINGS are sent.
        ///
        /// - Parameters:
        ///   - maxConcurrentStreams: the new limit of streams.
        ///   - duration: when the old limit is restored, in real time; `nil`: never.
        ///   - connection: the number of a connection.
        public static func settings(
            maxConcurrentStreams: Int, for duration: Duration? = nil, connection: Int? = nil
        ) -> Self {
            Self("settings", .settings(maxConcurrentStreams, for: duration), connection: connection)
        }

        /// Every push is rejected with that reason, for that time.
        public static func outage(_ reason: MockAPNSServer.Reason, for duration: Duration) -> Self {
            Self("outage", .outage(reason, for: duration))
        }

        /// A signing key is revoked, or good again.
        public static func key(_ id: String, revoked: Bool) -> Self {
            Self("key", JSONText.Value(id), [JSONText.Member("revoked", JSONText.Value(revoked))])
        }

        /// A manual clock moves on.
        public static func advance(by duration: Duration) -> Self { Self("advance", JSONText.Value(duration)) }

        /// As in a scenario.
        public var description: String { json.text }
    }
}
