/// The rate of new provider tokens in one scope: on a connection, for a team, or for the listener.
///
/// A token is new when it is shown for the first time. A token shown too early is not remembered, so it stays new and
/// too early until the window has passed.
struct ProviderTokenUpdateRate: Sendable {
    private var shown: [(token: ProviderToken, firstAt: Timestamp)] = []
    /// Tokens older than the window are kept so that they are not new again, but not forever.
    private static let longest = 64

    /// Records a token, unless it exceeds the limit; then returns the time from which it would be accepted.
    mutating func tooEarly(
        _ token: ProviderToken, at now: Timestamp, by rule: Authentication.ProviderTokenUpdates
    ) -> Timestamp? {
        var inWindow = 0
        var oldest = now
        for (known, firstAt) in shown {
            if known.isSame(as: token) { return nil }
            if now.milliseconds - firstAt.milliseconds < rule.per {
                inWindow += 1
                oldest = min(oldest, firstAt)
            }
        }
        guard inWindow < rule.allowed else { return Timestamp(milliseconds: oldest.milliseconds + rule.per) }
        if shown.count - inWindow >= Self.longest { shown.removeFirst() }
        shown.append((token, now))
        return nil
    }
}

/// The distinct provider tokens shown on a connection, numbered from 1.
struct TokensOnConnection: Sendable {
    private var known: [(token: ProviderToken, number: UInt32)] = []
    /// A provider that makes a token for each push must not exhaust memory; a dropped token gets a new number.
    private static let longest = 64
    /// The number of tokens seen.
    private(set) var seen = 0

    /// Returns the number of a token.
    mutating func number(of token: ProviderToken) -> UInt32 {
        for (other, number) in known where other.isSame(as: token) { return number }
        seen += 1
        let number = UInt32(truncatingIfNeeded: seen)
        if known.count == Self.longest { known.removeFirst() }
        known.append((token, number))
        return number
    }

    mutating func forget() { known = [] }
}
