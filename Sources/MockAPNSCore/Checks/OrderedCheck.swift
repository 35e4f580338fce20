/// A check of a list that APNs goes through in order: the first failure decides.
///
/// There are two lists: of checks on pushes to devices (``Check``), and on calls about broadcast channels (``CallCheck``).
protocol OrderedCheck: Sendable, RawRepresentable<UInt8> {
    /// Returns the checks that are made on a request, in order, by ascending raw values.
    ///
    /// - Parameter call: the call about broadcast channels that it is; `nil` for a push, or if it fits no call.
    static func made(on call: BroadcastCall?) -> [Self]

    /// Background on the check.
    var facts: CheckFacts { get }

    /// Returns the rejection of this check, if it fails.
    ///
    /// - Parameters:
    ///   - request: the request. A check may note in it what it has found out.
    ///   - state: what the server knows. No check changes it. It is `inout` because the compiler copies a borrowed value of
    ///     this size onto the stack for each push.
    func rejection(
        of request: inout RequestContext, by rules: borrowing GatewayConfiguration, _ state: inout ServiceState
    ) -> Rejection?

    /// Returns the value that the check examines, as far as a record has it; `nil` if it is absent.
    ///
    /// - Parameter push: the parsed header fields of the record.
    func found(in subject: borrowing RecordSubject, _ push: borrowing Push) -> String?
}

extension OrderedCheck {
    /// The name of the check, as in the articles.
    var name: String { String(describing: self) }

    /// Returns the rejection of the first check that fails; `nil` for a valid request.
    @inline(__always)
    static func firstRejection(
        of request: inout RequestContext, by rules: borrowing GatewayConfiguration, _ state: inout ServiceState
    ) -> Rejection? {
        for check in made(on: request.call?.call) {
            if var rejection = check.rejection(of: &request, by: rules, &state) {
                rejection.check = check.rawValue
                return rejection
            }
        }
        return nil
    }
}
