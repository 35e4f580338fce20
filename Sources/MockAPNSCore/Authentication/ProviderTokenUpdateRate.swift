/// The rate of new provider tokens in one scope: on a connection, for a team, or for the listener.
///
/// A token is new when it is shown for the first time. A token shown too early is not remembered, so it stays new and
/// too early until the window has passed.
package struct ProviderTokenUpdateRate: Sendable {
    /// Maximum number of new tokens that a scenario may allow within a window.
    package static let allowedLimit = 10_000
    /// Tokens older than the window are kept so that they are not new again, but not forever.
    private static let longest = 64

    /// The hashes of the tokens in the order in which they were first shown: hashes, since a scan of ten thousand numbers
    /// takes a few microseconds, and a token may be as large as a header field.
    private var shown: [Int] = []
    /// The hashes of what they sign, in the same order.
    private var signed: [Int] = []
    /// When each was first shown, in ascending order.
    private var times: [Timestamp] = []

    /// Why a token is refused.
    struct TooEarly: Equatable {
        /// The time from which it would be accepted.
        var until: Timestamp
        /// Whether a token with the same header and claims was shown before: only the signature differs.
        var isSignedAgain = false
    }

    /// Records a token, unless it exceeds the limit; then returns why.
    mutating func tooEarly(
        _ token: ProviderToken, at now: Timestamp, by rule: Authentication.ProviderTokenUpdates
    ) -> TooEarly? {
        // The clock was put back: what was shown at those times says nothing of this one.
        if let last = times.last, last.milliseconds - now.milliseconds > rule.per {
            (shown, signed, times) = ([], [], [])
        }
        let hash = token.authorization.hashValue
        if shown.contains(hash) { return nil }
        let older = countBeforeWindow(at: now, rule.per)
        guard shown.count - older < rule.allowed else {
            return TooEarly(
                until: Timestamp(milliseconds: times[older].milliseconds + rule.per),
                isSignedAgain: signed.contains(token.signedPart.hashValue))
        }
        let forgotten = max(0, older + 1 - Self.longest)
        shown.removeFirst(forgotten)
        signed.removeFirst(forgotten)
        times.removeFirst(forgotten)
        shown.append(hash)
        signed.append(token.signedPart.hashValue)
        times.append(max(now, times.last ?? now))
        return nil
    }

    private func countBeforeWindow(at now: Timestamp, _ length: Int64) -> Int {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if now.milliseconds - times[middle].milliseconds < length { high = middle } else { low = middle + 1 }
        }
        return low
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
}

extension ProviderToken {
    /// The value of the field without the signature.
    fileprivate var signedPart: ArraySlice<UInt8> { authorization.prefix(lengthWithoutSignature) }
}
