/// Something that must hold at the end: an element of `expect`.
package struct Expectation: Sendable, Equatable {
    /// Its own name, or its path as in `expect[0]`.
    package var name: String
    /// What must hold.
    package var form: Form

    /// An expectation of that name.
    package init(name: String, form: Form) {
        self.name = name
        self.form = form
    }

    /// How many regular expressions are asked of requests.
    var patternCount: Int {
        switch form {
        case .requests(let match, _, _, _): match.patternCount
        case .inOrder(let matches, _): matches.reduce(0) { $0 + $1.patternCount }
        case .spacing(let spacing, _): spacing.requests?.patternCount ?? 0
        case .device, .connections, .providerTokens, .pings, .nothingElse: 0
        }
    }

    /// What must hold.
    package enum Form: Sendable, Equatable {
        /// The number of requests that match, or of different values among them, for each value of a field by itself.
        case requests(MatchExpression, count: CountRange, distinct: Distinct? = nil, each: RequestField? = nil)
        /// Requests that match these come in this order, others between them or not.
        case inOrder([MatchExpression], each: RequestField? = nil)
        /// Neighbours are so far apart.
        case spacing(Spacing, each: RequestField? = nil)
        /// A device, by its index in the scenario's list, shows and holds this.
        case device(Int, DeviceState)
        /// The number of connections that were opened.
        case connections(CountRange)
        /// The number of provider tokens that were seen.
        case providerTokens(CountRange)
        /// The number of PING frames that were received.
        case pings(CountRange)
        /// There is no request but those that an expectation before it counted.
        case nothingElse
    }

    /// Whose different values are counted.
    package enum Distinct: Sendable, Hashable {
        /// A field of the record.
        case field(RequestField)
        /// What this leads to in the payload.
        case payload(JSONPointer)
    }

    /// The gaps between neighbours in time.
    package struct Spacing: Sendable, Equatable {
        /// The requests whose gaps are meant; `nil`: the openings of connections.
        package var requests: MatchExpression?
        /// What the gaps have at least.
        package var atLeast: Bound?
        /// What the gaps have at most.
        package var atMost: Bound?

        /// A bound of gaps, in milliseconds of real time.
        package enum Bound: Sendable, Hashable {
            /// For every gap.
            case all(Int64)
            /// One for each gap: there are as many.
            case list([Int64])
        }
    }

    /// What a device shows and holds; `nil` does not matter.
    package struct DeviceState: Sendable, Equatable {
        /// What it shows, the newest last: as many as there are, each with these values.
        package var displayed: [[Value]]?
        /// The Live Activities on its screen, the newest last: as many as there are, each with these values in its state.
        package var activities: [[Value]]?
        /// The number on the app's icon.
        package var badge: Int64?
        /// How many notifications are stored for it.
        package var stored: CountRange?
        /// How many it has received.
        package var received: CountRange?
    }

    /// A value of a notification that is shown, or of the state of a Live Activity.
    package struct Value: Sendable, Equatable {
        /// Where it is looked for.
        package enum Source: Sendable, Equatable {
            /// In the payload, or in the state.
            case sent
            /// In what a person reads, ``ShownNotification``.
            case shown
        }

        /// Where it is looked for.
        package var source = Source.sent
        /// Where it is there.
        package var pointer: JSONPointer
        /// What it is.
        package var content: Content

        /// What a value is.
        package enum Content: Sendable, Equatable {
            /// Anything that means the same.
            case json(JSONText.Value)
            /// What fulfils this.
            case matcher(ValueMatcher)

            /// Whether both ask for the same.
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

/// COUNT: how many there may be, both ends included.
package struct CountRange: Sendable, Hashable {
    /// Not fewer.
    package var atLeast: Int
    /// Not more; `nil`: any number.
    package var atMost: Int?

    /// From that many to that many.
    package init(atLeast: Int = 0, atMost: Int? = nil) {
        self.atLeast = atLeast
        self.atMost = atMost
    }

    /// Whether that many are right.
    package func contains(_ count: Int) -> Bool { count >= atLeast && count <= atMost ?? .max }
}
