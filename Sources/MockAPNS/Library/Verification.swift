import MockAPNSCore

extension MockAPNSServer {
    /// The results of judging expectations.
    ///
    /// Its description is the report for people. A test that fails at its own line, with that report, is:
    ///
    /// ```swift
    /// let verification = await apns.verify()
    /// #expect(verification.passed)
    /// ```
    ///
    /// In XCTest, the same is `XCTAssert(verification.passed, "\(verification)")`.
    public struct Verification: Sendable, CustomStringConvertible {
        /// What came of one expectation.
        public struct Result: Sendable, CustomStringConvertible {
            /// The expectation's name, or its path as in `expect[0]`.
            public let name: String
            /// Whether it holds.
            public let passed: Bool
            /// What was expected.
            public let expected: String
            /// What was seen.
            public let seen: String
            /// Where it failed for want of requests: at most three that come nearest, the nearest first.
            public let nearMisses: [NearMiss]
            /// Some lines for people, with a line feed at the end of each.
            public let description: String

            init(_ core: ExpectationResult) {
                (name, passed, expected, seen) = (core.name, core.passed, core.expected, core.seen)
                nearMisses = core.nearMisses.map(NearMiss.init)
                description = core.description
            }
        }

        let core: MockAPNSCore.Verification

        /// Whether all expectations hold.
        public var passed: Bool { core.passed }

        /// One for each expectation, in their order.
        public var results: [Result] { core.results.map(Result.init) }

        /// A line with the total, then some lines for each expectation that failed, with a line feed at the end of each.
        public var description: String { core.description }

        /// Throws the report for people where an expectation does not hold, which ends a test. Where errors are thrown test
        /// frameworks do not see: Swift Testing shows this one at the test's declaration, and its text begins with the line.
        ///
        /// - Parameters:
        ///   - fileID: the caller's file.
        ///   - line: the caller's line.
        public func check(fileID: String = #fileID, line: Int = #line) throws(ExpectationsFailed) {
            if !passed { throw ExpectationsFailed(verification: self, fileID: fileID, line: line) }
        }
    }

    /// Expectations that do not hold.
    public struct ExpectationsFailed: Error, CustomStringConvertible {
        /// What came of all of them.
        public let verification: Verification
        /// The file in which they were checked, as in `PushTests/Scores.swift`.
        public let fileID: String
        /// The line in it.
        public let line: Int

        /// The line and the report for people, as in `PushTests/Scores.swift:12: 1 of 2 expectations failed.`
        public var description: String { "\(fileID):\(line): \(verification)" }
    }

    /// A request that nearly was what was expected.
    public struct NearMiss: Sendable, Hashable, CustomStringConvertible {
        /// In what it differs.
        public struct Difference: Sendable, Hashable {
            /// The field of a match; of header fields and payloads with what is asked for, as in `header apns-topic` and
            /// `payload /aps/badge`.
            public let field: String
            /// What was expected, in words or as JSON.
            public let expected: String
            /// What it has, as JSON; `null` for nothing. A long value is cut.
            public let found: String
        }

        /// The request's number in the log.
        public let sequence: Int
        /// What does not hold for it, at least one.
        public let differences: [Difference]
        /// As in `request 3: status is 429, not 200`.
        public let description: String

        init(_ core: MockAPNSCore.NearMiss) {
            sequence = core.sequence
            differences = core.differences.map {
                Difference(field: $0.field, expected: $0.expected, found: $0.found)
            }
            description = core.description
        }
    }
}
