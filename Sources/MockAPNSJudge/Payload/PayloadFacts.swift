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

    /// Whether another push has the same payload by nature, so that two of them are no duplicates: it says only that
    /// something has changed.
    var isSameByNature: Bool {
        switch type {
        case .background, .widgets, .controls, .complication, .location, .fileprovider, .mdm: true
        case .alert, .liveactivity, .pushtotalk, .voip, nil: isEmpty
        }
    }
}
