import MockAPNSCore

extension MockAPNSServer {
    /// Something that must hold, described as in a scenario's `expect`.
    ///
    /// ```swift
    /// let verification = try await apns.verify(
    ///     .requests(.device("alice").status(200), count: 1).named("tried again until it worked"),
    ///     .spacing(.device("alice"), atLeast: .seconds(1)), .connections(1))
    /// #expect(verification.passed)
    /// ```
    public struct Expectation: Sendable, CustomStringConvertible {
        private var members: [JSONText.Member]

        private init(_ members: JSONText.Member?...) { self.members = members.compactMap(\.self) }

        var json: JSONText.Value { JSONText.Value(members) }

        /// The JSON that a scenario would contain.
        public var description: String { json.text }

        /// Returns the expectation with a name, which the report shows.
        public func named(_ name: String) -> Self {
            var expectation = self
            expectation.members.append(JSONText.Member("name", JSONText.Value(name)))
            return expectation
        }

        /// Expects a number of matching requests.
        ///
        /// - Parameters:
        ///   - match: the requests to count.
        ///   - count: the expected number; with `distinct`, the number of distinct values.
        ///   - distinct: a field such as `apnsID`, or a JSON Pointer into the payload, whose distinct values are
        ///     counted.
        ///   - each: a field for each of whose values the expectation has to hold separately.
        ///   - orNone: whether it also holds if there is no value, with `each`.
        public static func requests(
            _ match: Match = .all, count: Count, distinct: String? = nil, each: Field? = nil, orNone: Bool = false
        ) -> Self {
            Self(
                JSONText.Member("requests", match.json), JSONText.Member("count", count.json),
                JSONText.Member("distinct", distinct.map { JSONText.Value($0) }),
                JSONText.Member("each", each.map { JSONText.Value($0.rawValue) }), allowance(orNone))
        }

        private static func allowance(_ orNone: Bool) -> JSONText.Member? {
            orNone ? JSONText.Member("orNone", JSONText.Value(true)) : nil
        }

        /// Expects requests that match these in this order, possibly with other requests between them.
        ///
        /// - Parameters:
        ///   - matches: the requests.
        ///   - each: a field for each of whose values the expectation has to hold separately.
        ///   - orNone: whether it also holds if no request matches, or, with `each`, if there is no value.
        public static func inOrder(_ matches: Match..., each: Field? = nil, orNone: Bool = false) -> Self {
            Self(
                JSONText.Member("inOrder", JSONText.Value(matches.map(\.json))),
                JSONText.Member("each", each.map { JSONText.Value($0.rawValue) }), allowance(orNone))
        }

        /// Expects successive requests to be this far apart, in real time.
        ///
        /// - Parameters:
        ///   - match: the requests to look at.
        ///   - atLeast: the minimum gap.
        ///   - atMost: the maximum gap.
        ///   - each: a field for each of whose values the expectation has to hold separately.
        ///   - orNone: whether it also holds if there is no gap.
        public static func spacing(
            _ match: Match, atLeast: Duration? = nil, atMost: Duration? = nil, each: Field? = nil,
            orNone: Bool = false
        ) -> Self {
            Self(
                JSONText.Member(
                    "spacing",
                    spacing(JSONText.Member("requests", match.json), atLeast.map { JSONText.Value($0) }, atMost)),
                JSONText.Member("each", each.map { JSONText.Value($0.rawValue) }), allowance(orNone))
        }

        /// Expects one gap between successive requests for each of these durations, and at least that long.
        ///
        /// - Parameters:
        ///   - match: the requests to look at.
        ///   - gaps: the minimum of each gap.
        ///   - each: a field for each of whose values the expectation has to hold separately.
        ///   - orNone: whether it also holds if there is no gap.
        public static func spacing(
            _ match: Match, atLeast gaps: [Duration], each: Field? = nil, orNone: Bool = false
        ) -> Self {
            Self(
                JSONText.Member(
                    "spacing",
                    spacing(
                        JSONText.Member("requests", match.json), JSONText.Value(gaps.map { JSONText.Value($0) }), nil)),
                JSONText.Member("each", each.map { JSONText.Value($0.rawValue) }), allowance(orNone))
        }

        /// Expects successive connections to be this far apart, in real time.
        ///
        /// - Parameters:
        ///   - atLeast: the minimum gap.
        ///   - atMost: the maximum gap.
        ///   - orNone: whether it also holds if there are fewer than two connections.
        public static func connectionSpacing(
            atLeast: Duration? = nil, atMost: Duration? = nil, orNone: Bool = false
        ) -> Self {
            Self(
                JSONText.Member(
                    "spacing",
                    spacing(
                        JSONText.Member("connections", JSONText.Value(true)), atLeast.map { JSONText.Value($0) }, atMost
                    )), allowance(orNone))
        }

        private static func spacing(
            _ what: JSONText.Member, _ atLeast: JSONText.Value?, _ atMost: Duration?
        ) -> JSONText.Value {
            let members = [
                what, JSONText.Member("atLeast", atLeast),
                JSONText.Member("atMost", atMost.map { JSONText.Value($0) }),
            ]
            return JSONText.Value(members.compactMap(\.self))
        }

        /// Expects the state of a device.
        ///
        /// - Parameters:
        ///   - name: the device's name.
        ///   - displayed: the notifications that it shows, the newest last; for each, what JSON Pointers refer to in
        ///     its payload, or, by name, what a person reads, as in `[["/aps/badge": 1, "title": "2-1"]]`.
        ///   - activities: its Live Activities, the newest last; for each, what JSON Pointers refer to in its state.
        ///   - badge: the number on the app's icon.
        ///   - stored: the number of notifications stored for it.
        ///   - received: the number of notifications it has received.
        public static func device(
            _ name: String, displayed: [[String: Matcher]]? = nil, activities: [[String: Matcher]]? = nil,
            badge: Int? = nil, stored: Count? = nil, received: Count? = nil
        ) -> Self {
            func list(_ screen: [[String: Matcher]]?) -> JSONText.Value? {
                screen.map { each in
                    JSONText.Value(
                        each.map { values in
                            JSONText.Value(
                                values.sorted { $0.key < $1.key }.map { JSONText.Member($0.key, $0.value.json) })
                        })
                }
            }
            return Self(
                JSONText.Member("device", JSONText.Value(name)),
                JSONText.Member("displayed", list(displayed)), JSONText.Member("activities", list(activities)),
                JSONText.Member("badge", badge.map { JSONText.Value($0) }), JSONText.Member("stored", stored?.json),
                JSONText.Member("received", received?.json))
        }

        /// Expects how often the history of a device has a state, as in `.history(of: "alice", [.woke: 0, .dropped: 1])`.
        ///
        /// - Parameters:
        ///   - name: the device's name.
        ///   - counts: the number of entries with each state; others may be there, too.
        public static func history(of name: String, _ counts: [DeviceState.HistoryEntry.State: Count]) -> Self {
            let members = counts.map { JSONText.Member($0.rawValue, $1.json) }.sorted { $0.key < $1.key }
            return Self(
                JSONText.Member("device", JSONText.Value(name)), JSONText.Member("history", JSONText.Value(members)))
        }

        /// Expects a number of opened connections.
        public static func connections(_ count: Count) -> Self { Self(JSONText.Member("connections", count.json)) }
        /// Expects a number of distinct provider tokens.
        public static func providerTokens(_ count: Count) -> Self {
            Self(JSONText.Member("providerTokens", count.json))
        }
        /// Expects a number of received PING frames.
        public static func pings(_ count: Count) -> Self { Self(JSONText.Member("pings", count.json)) }
        /// Expects a number of findings of lint, one for each rule and JSON Pointer.
        ///
        /// - Parameters:
        ///   - rule: only those of this rule, such as `badge-type`.
        ///   - severity: only those that are at least as bad.
        ///   - count: the expected number.
        public static func lint(rule: String? = nil, severity: LintSeverity? = nil, count: Count) -> Self {
            let members = [
                JSONText.Member("rule", rule.map { JSONText.Value($0) }),
                JSONText.Member("severity", severity.map { JSONText.Value($0.rawValue) }),
            ]
            return Self(
                JSONText.Member("lint", JSONText.Value(members.compactMap(\.self))),
                JSONText.Member("count", count.json))
        }
        /// Expects the figures of a broadcast channel.
        ///
        /// - Parameters:
        ///   - name: the name of the channel.
        ///   - published: the number of pushes published to it.
        ///   - subscribers: the number of Live Activities that listen to it.
        ///   - delivered: the number of times that a push reached a device.
        public static func channel(
            _ name: String, published: Count? = nil, subscribers: Count? = nil, delivered: Count? = nil
        ) -> Self {
            Self(
                JSONText.Member("channel", JSONText.Value(name)), JSONText.Member("published", published?.json),
                JSONText.Member("subscribers", subscribers?.json), JSONText.Member("delivered", delivered?.json))
        }
        /// Expects a number of broadcast channels that exist.
        public static func channels(_ count: Count) -> Self { Self(JSONText.Member("channels", count.json)) }
        /// Expects no requests other than those counted by an earlier expectation.
        public static let nothingElse = Self(JSONText.Member("nothingElse", JSONText.Value(true)))
    }

    /// An allowed number: a literal for an exact number, or one of these.
    public struct Count: Sendable, ExpressibleByIntegerLiteral {
        let json: JSONText.Value

        private init(_ members: [JSONText.Member]) { json = JSONText.Value(members) }

        /// Exactly this number.
        public init(integerLiteral value: Int) { json = JSONText.Value(value) }

        /// Exactly this number.
        public static func exactly(_ number: Int) -> Self { Self(integerLiteral: number) }
        /// At least this number.
        public static func atLeast(_ number: Int) -> Self {
            Self([JSONText.Member("atLeast", JSONText.Value(number))])
        }
        /// At most this number.
        public static func atMost(_ number: Int) -> Self { Self([JSONText.Member("atMost", JSONText.Value(number))]) }
        /// Any number in this range.
        public static func between(_ range: ClosedRange<Int>) -> Self {
            Self([
                JSONText.Member("atLeast", JSONText.Value(range.lowerBound)),
                JSONText.Member("atMost", JSONText.Value(range.upperBound)),
            ])
        }
    }
}
