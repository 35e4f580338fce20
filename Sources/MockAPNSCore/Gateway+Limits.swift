/// What a push does to its connection beside being answered.
extension Gateway {
    /// Whether an answer may change something about its connection. Mostly not: a push that is accepted where all
    /// streams are allowed.
    @inline(__always)
    func mayChangeConnection(_ answer: Answer, on place: Int) -> Bool {
        answer.reason != nil || !connections.open[place].hasFullLimit
    }

    /// Throttles and ends connections, as Apple's page
    /// [Handling notification responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns)
    /// says: errors slow a connection down, too many end it, sooner with BadDeviceToken, and 410 is none of them.
    @inline(never)
    mutating func changeConnection(
        after answer: Answer, _ credentials: borrowing Credentials, on place: Int, _ decision: inout Decision
    ) {
        let rules = configuration.connection
        let isError = answer.reason?.isErrorCondition ?? false
        if rules.wedgeAfterExpiredToken, answer.reason == .expiredProviderToken {
            connections.open[place].orders.wedge()
            connections.open[place].streamLimit = 1
            connections.open[place].hasFullLimit = true
            decision.streamLimit = 1
        } else {
            decision.streamLimit = connections.open[place].streamLimit(
                isAccepted: answer.reason == nil, isError: isError, isSenderKnown: credentials.refusal == nil, by: rules
            )
        }
        guard isError, let reason = answer.reason, let most = rules.closeAfterErrors else { return }
        connections.open[place].orders.errors += reason == .badDeviceToken ? 2 : 1
        guard connections.open[place].orders.errors >= most else { return }
        let frames = [
            GoAway(lastStream: Int32(clamping: connections.open[place].orders.highestStream), reason: reason)
        ]
        connections.open[place].orders.goAway(frames, then: .close(.end), by: .errors)
        decision.actions.append(.goAway(frames, then: .close(.end)))
    }
}

extension Connection {
    /// The new limit of streams after an answer, if it changes.
    fileprivate mutating func streamLimit(
        isAccepted: Bool, isError: Bool, isSenderKnown: Bool, by rules: GatewayConfiguration.Connection
    ) -> Int? {
        guard !orders.holdsLimit else { return nil }
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

extension Reason {
    /// Whether it counts against the connection: "an error code beginning with 4", but not 410.
    var isErrorCondition: Bool { status < 500 && status != 410 }
}
