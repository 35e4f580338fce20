import MockAPNSCore

extension MockAPNSServer {
    /// A test for a field's value: a literal for equality, or one of these.
    ///
    /// ```swift
    /// let pushes = try await apns.requests(matching: .topic("com.example.app.voip").field(.priority, 10))
    /// let titled = try await apns.requests(matching: .payload("/aps/alert/title", .prefix("Goal")))
    /// ```
    public struct Matcher: Sendable, CustomStringConvertible {
        let json: JSONText.Value

        init(_ json: JSONText.Value) { self.json = json }

        private init(_ key: String, _ value: JSONText.Value) { json = JSONText.Value([JSONText.Member(key, value)]) }

        /// Exactly this text.
        public static func equals(_ text: String) -> Self { Self(JSONText.Value(text)) }
        /// Exactly this number.
        public static func equals(_ number: Int) -> Self { Self(JSONText.Value(number)) }
        /// Exactly this value.
        public static func equals(_ value: JSONValue) -> Self { Self(value.core) }
        /// A text that starts with this.
        public static func prefix(_ text: String) -> Self { Self("prefix", JSONText.Value(text)) }
        /// A text that contains this.
        public static func contains(_ text: String) -> Self { Self("contains", JSONText.Value(text)) }
        /// A text that a PCRE2 regular expression matches as a whole.
        public static func matches(_ pattern: String) -> Self { Self("matches", JSONText.Value(pattern)) }
        /// Any value, or with `false`, none.
        public static func exists(_ exists: Bool = true) -> Self { Self("exists", JSONText.Value(exists)) }
        /// A value that meets one of these.
        public static func oneOf(_ matchers: Matcher...) -> Self {
            Self("oneOf", JSONText.Value(matchers.map(\.json)))
        }
        /// A number of at least this.
        public static func atLeast(_ number: Int) -> Self { Self("atLeast", JSONText.Value(number)) }
        /// A number of at most this.
        public static func atMost(_ number: Int) -> Self { Self("atMost", JSONText.Value(number)) }
        /// A number in this range.
        public static func between(_ range: ClosedRange<Int>) -> Self {
            Self(
                JSONText.Value([
                    JSONText.Member("atLeast", JSONText.Value(range.lowerBound)),
                    JSONText.Member("atMost", JSONText.Value(range.upperBound)),
                ]))
        }
        /// A value that does not meet this.
        public static func not(_ matcher: Matcher) -> Self { Self("not", matcher.json) }

        /// The JSON that a scenario would contain.
        public var description: String { json.text }
    }
}

extension MockAPNSServer.Matcher: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// Creates a test for exactly this text.
    public init(stringLiteral value: String) { self.init(JSONText.Value(value)) }
    /// Creates a test for exactly this number.
    public init(integerLiteral value: Int) { self.init(JSONText.Value(value)) }
    /// Creates a test for exactly this number.
    public init(floatLiteral value: Double) { self.init(JSONText.Value(value)) }
    /// Creates a test for `true` or `false`.
    public init(booleanLiteral value: Bool) { self.init(JSONText.Value(value)) }
}
