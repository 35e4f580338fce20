import MockAPNSCore

extension MockAPNSServer {
    /// Selects requests: those that meet all of its conditions, as in a scenario's MATCH.
    ///
    /// ```swift
    /// let pushes = try await apns.requests(matching: .device("alice").status(200), count: 2)
    /// ```
    ///
    /// It is validated when it is used. A device or rule that does not exist, or a pattern that does not compile, is a
    /// ``ControlError/malformed(_:)``.
    public struct Match: Sendable, CustomStringConvertible {
        private var members: [JSONText.Member] = []

        /// Every request.
        public static let all = Match()

        var json: JSONText.Value { JSONText.Value(members) }

        /// The JSON that a scenario would contain, `{"device":"alice","status":200}`.
        public var description: String { json.text }

        func adding(_ key: String, _ value: JSONText.Value) -> Match {
            var match = self
            match.members.append(JSONText.Member(key, value))
            return match
        }
    }
}
