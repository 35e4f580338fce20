/// Expectations that have ended, with the evidence to judge them: an independent value, judged without a lock.
package struct EndedExpectations: Sendable {
    /// When and why they ended.
    package let end: EarlyEnd
    let evidence: Evidence
    /// Whether they were discarded before any request came to judge them by.
    let areUnjudged: Bool
}
