/// Which keys may share a connection, and where each is good.
///
/// A key is one of the whole team or one for some topics, and good for one of APNs' environments or for both. The key of
/// a connection's first good push decides which others may follow. See
/// [Establishing a token-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
extension Authentication.Key {
    /// What is wrong with this key on a connection whose first push was signed with that one, of the same team.
    ///
    /// Keys of the whole team may follow each other; a topic-specific key may be followed by the one that is related to
    /// it.
    func unrelated(to first: Self) -> Refusal? {
        if keyID == first.keyID || topics == nil && first.topics == nil { return nil }
        if topics != nil, first.topics != nil {
            if related == first.keyID || first.related == keyID { return nil }
            let hint: Explanation =
                if let related = first.related {
                    "its related key is \(quoted: related)"
                } else {
                    "it has no related key"
                }
            return Refusal(
                .unrelatedKeyIDInToken,
                """
                The provider token's kid is \(quoted: keyID), but the connection's first push was signed with the \
                topic-specific key \(quoted: first.keyID), and \(hint.description); open a new connection for the other.
                """
            )
        }
        return Refusal(
            .unrelatedKeyIDInToken,
            """
            The provider token's kid is \(quoted: keyID), \(kind), but the connection's first push was signed with \
            \(quoted: first.keyID), \(first.kind); open a new connection for the other.
            """
        )
    }

    /// What is wrong with this key in one of the environments.
    func ofOtherEnvironment(isSandbox: Bool, by rules: GatewayConfiguration.Responses) -> Refusal? {
        guard !(isSandbox ? isForSandbox : isForProduction) else { return nil }
        let other = isSandbox ? "production" : "the sandbox"
        let goodFor =
            (isSandbox ? isForProduction : isForSandbox) ? "good for \(other) only" : "good for no environment"
        return Refusal(
            rules.badEnvironmentReason,
            """
            The provider token's kid is \(quoted: keyID), a key \(goodFor); this is \
            \(isSandbox ? "the sandbox" : "production"), which needs a key of its own.
            """
        )
    }

    private var kind: String { topics == nil ? "a key of the whole team" : "a topic-specific key" }
}

extension Authentication {
    /// The topics that a token may push to that was judged; `nil`: all.
    @inline(__always)
    func topics(of judgement: ProviderTokenJudgement) -> TopicList? {
        if judgement.team < 0 { return nil }
        if judgement.topicKey < 0 { return teams[judgement.team].topics }
        return teams[judgement.team].keys[judgement.topicKey].topics
    }
}
