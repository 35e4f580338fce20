/// The positive result of checking a provider token, valid until something changes.
struct CachedAuthorization: Sendable {
    let token: ProviderToken
    let team: Int
    /// The index of its key if that is topic-specific, or -1.
    let topicKey: Int
    let tokenNumber: UInt32
    let generation: Int
    let notBefore: Timestamp
    let notAfter: Timestamp

    @inline(__always)
    func holds(for other: ProviderToken, generation: Int, at now: Timestamp) -> Bool {
        token === other && self.generation == generation && notBefore <= now && now <= notAfter
    }
}
