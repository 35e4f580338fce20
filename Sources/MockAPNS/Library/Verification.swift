import MockAPNSCore
import MockAPNSJudge

extension MockAPNSServer {
    /// The results of judging expectations.
    ///
    /// Its description is the report for people. A test that fails on its own line, with that report, looks like this:
    ///
    /// ```swift
    /// let verification = await apns.verify()
    /// #expect(verification.passed)
    /// ```
    ///
    /// In XCTest, the same is `XCTAssert(verification.passed, "\(verification)")`.
    public struct Verification: Sendable, CustomStringConvertible {
        /// The result of one expectation.
        public struct Result: Sendable, CustomStringConvertible {
            /// The expectation's name, or its path as in `expect[0]`.
            public let name: String
            /// Whether it holds.
            public let passed: Bool
            /// The expected result.
            public let expected: String
            /// The observed result.
            public let seen: String
            /// If requests were missing: at most three requests that came closest, the closest first.
            public let nearMisses: [NearMiss]
            /// Lines for people, each ending with a line feed.
            public let description: String

            init(_ core: ExpectationResult) {
                (name, passed, expected, seen) = (core.name, core.passed, core.expected, core.seen)
                nearMisses = core.nearMisses.map(NearMiss.init)
                description = core.description
            }
        }

        let core: MockAPNSJudge.Verification

        /// Whether all expectations hold.
        public var passed: Bool { core.passed }

        /// The result of each expectation, in order.
        public var results: [Result] { core.results.map(Result.init) }

        /// The names of the rules that never applied, unless the scenario's `unusedRules` is `ignore`.
        public var unusedRules: [String] { core.unusedRules.names }

        /// A line with the total, followed by lines for each failed expectation, each ending with a line feed.
        public var description: String { core.description }

        /// Throws the report for people if an expectation does not hold, which ends a test. Test frameworks do not know
        /// where an error was thrown: Swift Testing shows this one at the test's declaration, and its text starts with
        /// the line.
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
        /// The results of all expectations.
        public let verification: Verification
        /// The file of the check, as in `PushTests/Scores.swift`.
        public let fileID: String
        /// The line of the check.
        public let line: Int

        /// The line and the report for people, as in `PushTests/Scores.swift:12: 1 of 2 expectations failed.`
        public var description: String { "\(fileID):\(line): \(verification)" }
    }

    /// A request that almost met an expectation.
    public struct NearMiss: Sendable, Hashable, CustomStringConvertible {
        /// One way in which it differs.
        public struct Difference: Sendable, Hashable {
            /// The field of a match; for header fields and payloads including the name or pointer, as in
            /// `header apns-topic` and `payload /aps/badge`.
            public let field: String
            /// The expected result, in words or as JSON.
            public let expected: String
            /// The actual value as JSON; `null` for none. A long value is truncated.
            public let found: String
        }

        /// The request's number in the log.
        public let sequence: Int
        /// The conditions that the request does not meet, at least one.
        public let differences: [Difference]
        /// For example `request 3: status is 429, not 200`.
        public let description: String

        init(_ core: MockAPNSJudge.NearMiss) {
            sequence = core.sequence
            differences = core.differences.map {
                Difference(field: $0.field, expected: $0.expected, found: $0.found)
            }
            description = core.description
        }
    }
}
