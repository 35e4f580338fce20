/// How often new provider tokens were shown, in one scope: on a connection, by a team, or to the listener.
///
/// A token is new when it is shown for the first time. A token that came too early is not remembered, so it stays new and
/// too early until the window has passed.
struct ProviderTokenUpdateRate: Sendable {
    private var shown: [(token: ProviderToken, firstAt: Timestamp)] = []
    /// Tokens older than the window are kept so that they are not new again, but not for ever.
    private static let longest = 64

    /// Takes note of a token, unless it is one too many: then the time from which on it would be accepted.
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

/// The different provider tokens that a connection has shown, numbered from 1.
struct TokensOnConnection: Sendable {
    private var known: [(token: ProviderToken, number: UInt32)] = []
    /// A provider that makes a token for each push is not to fill the memory; a forgotten one gets a new number.
    private static let longest = 64
    /// How many were seen.
    private(set) var seen = 0

    /// The token's number.
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
