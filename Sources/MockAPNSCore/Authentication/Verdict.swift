/// The result of checking a request's token or certificate: the member `authentication.verdict` of its record.
package enum Verdict: Sendable, Hashable {
    /// Not checked; written as `null`.
    case notJudged
    case valid
    /// Refused. The reason is recorded even if something else decided about the request.
    case refused(Reason)
}
