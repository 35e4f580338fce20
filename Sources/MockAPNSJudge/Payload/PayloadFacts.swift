import MockAPNSCore

/// The facts about a payload for the rules about providers.
struct PayloadFacts: Sendable {
    /// The push type: by the header, the topic or the payload.
    var type: PushType?
    /// A hash of the title, or of the key for it.
    var title: UInt64?
    /// Its effect on a Live Activity.
    var event: LiveActivityEvent?
    /// Whether it is `{}`, as for Wallet.
    var isEmpty = false

    /// Whether such pushes normally repeat the same payload, which says only that something has changed, so that two
    /// are no duplicates.
    var isSameByNature: Bool { type?.isSignal == true || isEmpty }
}
