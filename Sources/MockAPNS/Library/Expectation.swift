import MockAPNSCore

extension MockAPNSServer {
    /// Something that must hold, in the words of a scenario's `expect`.
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

        /// As in a scenario.
        public var description: String { json.text }

        /// The same with a name, which the report shows.
        public func named(_ name: String) -> Self {
            var expectation = self
            expectation.members.append(JSONText.Member("name", JSONText.Value(name)))
            return expectation
        }

        /// So many requests match.
        ///
        /// - Parameters:
        ///   - match: which.
        ///   - count: how many of them; of different values, with `distinct`.
        ///   - distinct: a field such as `apnsID`, or a JSON Pointer into the payload, whose different values are counted.
        ///   - each: it has to hold for every value of that field by itself.
        public static func requests(
            _ match: Match = .all, count: Count, distinct: String? = nil, each: Field? = nil
        ) -> Self {
            Self(
                JSONText.Member("requests", match.json), JSONText.Member("count", count.json),
                JSONText.Member("distinct", distinct.map { JSONText.Value($0) }),
                JSONText.Member("each", each.map { JSONText.Value($0.rawValue) }))
        }

        /// Requests match these in this order, others between them or not.
        public static func inOrder(_ matches: Match..., each: Field? = nil) -> Self {
            Self(
                JSONText.Member("inOrder", JSONText.Value(matches.map(\.json))),
                JSONText.Member("each", each.map { JSONText.Value($0.rawValue) }))
        }

        /// Successive requests are so far apart, in real time.
        ///
        /// - Parameters:
        ///   - match: which.
        ///   - atLeast: not less than this.
        ///   - atMost: not more than this.
        ///   - each: it has to hold for every value of that field by itself.
        public static func spacing(
            _ match: Match, atLeast: Duration? = nil, atMost: Duration? = nil, each: Field? = nil
        ) -> Self {
            Self(
                JSONText.Member(
                    "spacing",
                    spacing(JSONText.Member("requests", match.json), atLeast.map { JSONText.Value($0) }, atMost)),
                JSONText.Member("each", each.map { JSONText.Value($0.rawValue) }))
        }

        /// There are as many gaps between successive requests, each of at least the duration in its position.
        public static func spacing(_ match: Match, atLeast gaps: [Duration], each: Field? = nil) -> Self {
            Self(
                JSONText.Member(
                    "spacing",
                    spacing(
                        JSONText.Member("requests", match.json), JSONText.Value(gaps.map { JSONText.Value($0) }), nil)),
                JSONText.Member("each", each.map { JSONText.Value($0.rawValue) }))
        }

        /// Successive connections are so far apart, in real time.
        public static func connectionSpacing(atLeast: Duration? = nil, atMost: Duration? = nil) -> Self {
            Self(
                JSONText.Member(
                    "spacing",
                    spacing(
                        JSONText.Member("connections", JSONText.Value(true)), atLeast.map { JSONText.Value($0) }, atMost
                    )))
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

        /// A device shows and holds this.
        ///
        /// - Parameters:
        ///   - name: what the scenario calls it.
        ///   - displayed: the notifications that it shows, the newest last; of each what JSON Pointers lead to in its
        ///     payload, or by name what a person reads, as in `[["/aps/badge": 1, "title": "2-1"]]`.
        ///   - activities: its Live Activities, the newest last; of each what JSON Pointers lead to in its state.
        ///   - badge: the number on the app's icon.
        ///   - stored: how many notifications are stored for it.
        ///   - received: how many it has received.
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

        /// So many connections were opened.
        public static func connections(_ count: Count) -> Self { Self(JSONText.Member("connections", count.json)) }
        /// So many different provider tokens were seen.
        public static func providerTokens(_ count: Count) -> Self {
            Self(JSONText.Member("providerTokens", count.json))
        }
        /// So many PING frames were received.
        public static func pings(_ count: Count) -> Self { Self(JSONText.Member("pings", count.json)) }
        /// There is no request but those that an expectation before it counted.
        public static let nothingElse = Self(JSONText.Member("nothingElse", JSONText.Value(true)))
    }

    /// How many there may be: a literal for exactly so many, or one of these.
    public struct Count: Sendable, ExpressibleByIntegerLiteral {
        let json: JSONText.Value

        private init(_ members: [JSONText.Member]) { json = JSONText.Value(members) }

        /// Exactly so many.
        public init(integerLiteral value: Int) { json = JSONText.Value(value) }

        /// Exactly so many.
        public static func exactly(_ number: Int) -> Self { Self(integerLiteral: number) }
        /// Not fewer.
        public static func atLeast(_ number: Int) -> Self {
            Self([JSONText.Member("atLeast", JSONText.Value(number))])
        }
        /// Not more.
        public static func atMost(_ number: Int) -> Self { Self([JSONText.Member("atMost", JSONText.Value(number))]) }
        /// As many as are in this range.
        public static func between(_ range: ClosedRange<Int>) -> Self {
            Self([
                JSONText.Member("atLeast", JSONText.Value(range.lowerBound)),
                JSONText.Member("atMost", JSONText.Value(range.upperBound)),
            ])
        }
    }
}
