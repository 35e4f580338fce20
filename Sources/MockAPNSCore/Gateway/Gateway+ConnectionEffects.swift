/// The effect of a push on its connection, apart from the answer.
extension Gateway {
    /// Whether an answer may change its connection. Usually not: the push is accepted and all streams are already
    /// allowed.
    @inline(__always)
    func mayChangeConnection(_ answer: Answer?, on index: Int) -> Bool {
        answer?.status != 200 || !connections.open[index].hasFullLimit
    }

    /// Throttles and closes connections as described in Apple's
    /// [Handling notification responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns):
    /// errors slow a connection down, and too many close it. BadDeviceToken counts more, 410 does not count.
    ///
    /// - Parameter countsErrors: whether the answer is sent now; a delayed one is counted when it is sent.
    @inline(never)
    mutating func changeConnection(
        after answer: Answer?, _ request: inout RequestContext, countsErrors: Bool, _ decision: inout Decision
    ) {
        let index = request.origin.index
        decision.streamLimit = streamLimit(
            after: answer?.status, answer?.reason, isSenderKnown: request.credentials.rejection == nil, on: index)
        if countsErrors, let action = countError(answer?.status, answer?.reason, on: index) {
            decision.actions.append(action)
        }
    }

    /// Returns the new stream limit after an answer, if it changes.
    ///
    /// - Parameters:
    ///   - status: the status of the answer; `nil` if there is none.
    ///   - reason: the reason, if the status is not 200.
    ///   - isSenderKnown: whether the push authenticated its sender.
    private mutating func streamLimit(
        after status: UInt16?, _ reason: Reason?, isSenderKnown: Bool, on index: Int
    ) -> Int? {
        let rules = configuration.connection
        if rules.wedgeAfterExpiredToken, reason == .expiredProviderToken {
            connections.open[index].life.wedge()
            connections.open[index].streamLimit = 1
            connections.open[index].hasFullLimit = true
            return 1
        }
        return connections.open[index].streamLimit(
            isAccepted: status.map { 200..<300 ~= $0 } ?? false, isError: Self.isErrorCondition(status),
            isSenderKnown: isSenderKnown, by: rules)
    }

    /// Counts an error answer. Returns the end of the connection if there were too many.
    mutating func countError(_ status: UInt16?, _ reason: Reason?, on index: Int) -> ConnectionAction? {
        guard let most = configuration.connection.closeAfterErrors, Self.isErrorCondition(status) else { return nil }
        connections.open[index].errors += reason == .badDeviceToken ? 2 : 1
        guard connections.open[index].errors >= most else { return nil }
        let plan = GoAwayPlan([reason.map { .init(reason: $0) } ?? .init()], then: .close)
        return connections.open[index].life.goAway(plan, by: .errors)
    }

    /// Whether an answer counts as an error: "an error code beginning with 4", but not 410.
    private static func isErrorCondition(_ status: UInt16?) -> Bool {
        status.map { 400...499 ~= $0 && $0 != 410 } ?? false
    }
}

extension OpenConnection {
    /// Returns the new stream limit after an answer, if it changes.
    fileprivate mutating func streamLimit(
        isAccepted: Bool, isError: Bool, isSenderKnown: Bool, by rules: GatewayConfiguration.ConnectionSettings
    ) -> Int? {
        guard !heldLimit.isHeld else { return nil }
        var limit = streamLimit
        if isError, let lowered = rules.afterRejection {
            limit = min(limit, lowered)
            isSlowedDown = true
        } else if isSenderKnown, isAccepted || !isSlowedDown {
            limit = rules.maxConcurrentStreams
            isSlowedDown = false
        }
        hasFullLimit = limit == rules.maxConcurrentStreams
        guard limit != streamLimit else { return nil }
        streamLimit = limit
        return limit
    }
}
