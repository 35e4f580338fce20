/// Something that must hold at the end: an element of `expect`.
package struct Expectation: Sendable, Equatable {
    /// The name, or the path if it has none, such as `expect[0]`.
    package var name: String
    /// The condition that must hold.
    package var form: Form
    /// Whether it also holds if there is nothing to judge: `orNone`.
    package var allowsNone: Bool

    /// Creates an expectation.
    package init(name: String, form: Form, allowsNone: Bool = false) {
        self.name = name
        self.form = form
        self.allowsNone = allowsNone
    }

    /// The number of regular expressions in conditions on requests.
    package var patternCount: Int {
        switch form {
        case .requests(let match, _, _, _): match.patternCount
        case .inOrder(let matches, _): matches.reduce(0) { $0 + $1.patternCount }
        case .spacing(let spacing, _): spacing.requests?.patternCount ?? 0
        case .device, .connections, .providerTokens, .pings, .channel, .channels, .lint, .nothingElse: 0
        }
    }

    /// The condition that must hold.
    package enum Form: Sendable, Equatable {
        /// The number of requests that match, or of distinct values among them; with `each`, separately for each value
        /// of a field.
        case requests(MatchExpression, count: CountRange, distinct: Distinct? = nil, each: RequestField? = nil)
        /// Requests that match these come in this order, possibly with others in between.
        case inOrder([MatchExpression], each: RequestField? = nil)
        /// Consecutive requests or connections are this far apart.
        case spacing(Spacing, each: RequestField? = nil)
        /// A device, by its index in the scenario, has this state.
        case device(Int, DeviceState)
        /// The number of connections opened.
        case connections(CountRange)
        /// The number of provider tokens seen.
        case providerTokens(CountRange)
        /// The number of PING frames received.
        case pings(CountRange)
        /// The counts of a channel, by its name.
        case channel(String, ChannelCounts)
        /// The number of broadcast channels that exist.
        case channels(CountRange)
        /// The number of findings of lint that this query wants.
        case lint(LintQuery, count: CountRange)
        /// There are no requests other than those counted by earlier expectations.
        case nothingElse
    }

    /// The property whose distinct values are counted.
    package enum Distinct: Sendable, Hashable {
        /// A field of the record.
        case field(RequestField)
        /// The value at this pointer in the payload.
        case payload(JSONPointer)
    }

    /// The gaps in time between consecutive requests or connections.
    package struct Spacing: Sendable, Equatable {
        /// The requests concerned; `nil` means the openings of connections.
        package var requests: MatchExpression?
        /// The minimum of the gaps.
        package var atLeast: Bound?
        /// The maximum of the gaps.
        package var atMost: Bound?

        /// Creates the gaps; any without arguments.
        package init(requests: MatchExpression? = nil, atLeast: Bound? = nil, atMost: Bound? = nil) {
            (self.requests, self.atLeast, self.atMost) = (requests, atLeast, atMost)
        }

        /// A bound of gaps in milliseconds of real time.
        package enum Bound: Sendable, Hashable {
            /// The same for every gap.
            case all(Int64)
            /// One for each gap, whose number has to be the same.
            case list([Int64])
        }
    }

    /// The expected state of a device; `nil` means any.
    package struct DeviceState: Sendable, Equatable {
        /// The displayed notifications, newest last: exactly this many, each with these values.
        package var displayed: [[Value]]?
        /// The Live Activities on its screen, newest last: exactly this many, each with these values in its state.
        package var activities: [[Value]]?
        /// The badge on the app's icon.
        package var badge: Int64?
        /// The number of stored pushes.
        package var stored: CountRange?
        /// The number of pushes received.
        package var received: CountRange?
        /// How often its history has a state.
        package var history: [HistoryCount] = []

        /// How often a device's history has a state.
        package struct HistoryCount: Sendable, Equatable {
            package var state: HistoryState
            package var count: CountRange

            package init(state: HistoryState, count: CountRange) { (self.state, self.count) = (state, count) }
        }

        /// Creates a state; any without arguments.
        package init(
            displayed: [[Value]]? = nil, activities: [[Value]]? = nil, badge: Int64? = nil, stored: CountRange? = nil,
            received: CountRange? = nil
        ) {
            (self.displayed, self.activities, self.badge, self.stored, self.received) = (
                displayed, activities, badge, stored, received
            )
        }
    }

    /// The expected figures of a broadcast channel; `nil` means any.
    package struct ChannelCounts: Sendable, Equatable {
        /// The number of pushes published to it.
        package var published: CountRange?
        /// The number of Live Activities that listen to it.
        package var subscribers: CountRange?
        /// The number of times that a push reached a device.
        package var delivered: CountRange?

        /// Creates figures; any without arguments.
        package init(published: CountRange? = nil, subscribers: CountRange? = nil, delivered: CountRange? = nil) {
            (self.published, self.subscribers, self.delivered) = (published, subscribers, delivered)
        }
    }

    /// A value of a displayed notification, or of the state of a Live Activity.
    package struct Value: Sendable, Equatable {
        /// Where the value is found.
        package enum Source: Sendable, Equatable {
            /// In the payload, or in the state.
            case sent
            /// In what the user sees, ``ShownNotification``.
            case shown
        }

        /// Where the value is found.
        package var source = Source.sent
        /// The pointer to the value.
        package var pointer: JSONPointer
        /// The expected content.
        package var content: Content

        /// Creates a value.
        package init(source: Source = Source.sent, pointer: JSONPointer, content: Content) {
            (self.source, self.pointer, self.content) = (source, pointer, content)
        }

        /// The expected content of a value.
        package enum Content: Sendable, Equatable {
            /// Any equivalent JSON value.
            case json(JSONText.Value)
            /// A value that matches.
            case matcher(ValueMatcher)

            /// Returns whether both are equivalent.
            package static func == (one: Self, other: Self) -> Bool {
                switch (one, other) {
                case (.json(let one), .json(let other)): one.means(other)
                case (.matcher(let one), .matcher(let other)): one == other
                default: false
                }
            }
        }
    }
}

/// COUNT: a range of counts, both ends included.
package struct CountRange: Sendable, Hashable {
    /// The minimum.
    package var atLeast: Int
    /// The maximum; `nil` means none.
    package var atMost: Int?

    /// Creates a range.
    package init(atLeast: Int = 0, atMost: Int? = nil) {
        self.atLeast = atLeast
        self.atMost = atMost
    }

    /// Returns whether a count is in the range.
    package func contains(_ count: Int) -> Bool { count >= atLeast && count <= atMost ?? .max }
}
