/// Expectations that have ended, with what they are judged by: an independent value, which MockAPNSJudge judges
/// without a lock.
package struct EndedExpectations: Sendable {
    /// When and why they ended.
    package let end: EarlyEnd
    package let input: VerificationInput
    /// Whether they were discarded before any request came to judge them by.
    package let areUnjudged: Bool
}
