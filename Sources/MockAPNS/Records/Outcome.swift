import MockAPNSCore

extension MockAPNSServer {
    /// What the server did with a request: the member `outcome` of its record.
    public struct Outcome: RawRepresentable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        let core: MockAPNSCore.Outcome

        init(_ core: MockAPNSCore.Outcome) { self.core = core }

        /// Creates the value for that word; `nil` for any other word.
        public init?(rawValue: String) {
            guard let core = MockAPNSCore.Outcome.allCases.first(where: { $0.name == rawValue }) else { return nil }
            self.core = core
        }

        /// The word used in records and scenarios.
        public var rawValue: String { core.name }

        /// The word.
        public var description: String { rawValue }

        /// All values.
        public static var allCases: [Self] { MockAPNSCore.Outcome.allCases.map(Self.init) }
    }
}

extension MockAPNSServer.Outcome {
    /// An answer was sent.
    public static let responded = Self(.responded)
    /// The answer is due later.
    public static let delayed = Self(.delayed)
    /// There is no answer; the stream stays open.
    public static let stalled = Self(.stalled)
    /// The server reset the stream.
    public static let reset = Self(.reset)
    /// It was not processed because of a GOAWAY sent with it.
    public static let goAway = Self(.goAway)
    /// The connection was closed instead of sending an answer.
    public static let closed = Self(.closed)
    /// It was on a stream above the last one of a GOAWAY, and was not read.
    public static let ignored = Self(.ignored)
    /// The client canceled it before it was answered.
    public static let cancelled = Self(.cancelled)
}
