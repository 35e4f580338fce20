import MockAPNSCore

/// The provider tokens of merged logs.
///
/// A log numbers its tokens, and lacks their signatures. Two tokens of one log that say the same are two. One in each of two
/// logs is taken for the same token, sent to both servers.
struct MergedTokens: Sendable {
    private struct Key: Hashable {
        let authorization: [UInt8]
        /// How many tokens of its log said the same before it.
        let ordinal: Int
    }

    /// The merged tokens of each log, by their numbers there.
    private var known: [[UInt64: ProviderToken]]
    /// How many tokens of each log say the same.
    private var counts: [[[UInt8]: Int]]
    private var numbers: [Key: UInt64] = [:]

    init(logs: Int) {
        known = Array(repeating: [:], count: logs)
        counts = Array(repeating: [:], count: logs)
    }

    /// Returns the token with its merged number.
    mutating func token(_ token: ProviderToken, of log: Int) -> ProviderToken {
        if let known = known[log][token.hash] { return known }
        let key = Key(authorization: token.authorization, ordinal: counts[log][token.authorization] ?? 0)
        counts[log][token.authorization] = key.ordinal + 1
        let number = numbers[key] ?? UInt64(numbers.count + 1)
        numbers[key] = number
        let merged = ProviderToken(token, numbered: number)
        known[log][token.hash] = merged
        return merged
    }
}
