/// Which keys may share a connection, and where each key is valid.
///
/// A key is either team-wide or specific to some topics, and valid for one or both of the APNs environments. The key of
/// a connection's first accepted push decides which others may follow. See
/// [Establishing a token-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
extension Authentication.Key {
    /// Returns why this key may not be used on a connection whose first push was signed with another key of the same
    /// team.
    ///
    /// Team-wide keys may follow each other. A topic-specific key may be followed by its related key.
    func unrelated(to first: Self) -> Rejection? {
        if keyID == first.keyID || topics == nil && first.topics == nil { return nil }
        if topics != nil, first.topics != nil {
            if related == first.keyID || first.related == keyID { return nil }
            let hint: Explanation =
                if let related = first.related {
                    "its related key is \(quoted: related)"
                } else {
                    "it has no related key"
                }
            return Rejection(
                .unrelatedKeyIDInToken,
                """
                The provider token's kid is \(quoted: keyID), but the connection's first push was signed with the \
                topic-specific key \(quoted: first.keyID), and \(hint.description); open a new connection for the other.
                """
            )
        }
        return Rejection(
            .unrelatedKeyIDInToken,
            """
            The provider token's kid is \(quoted: keyID), \(kind), but the connection's first push was signed with \
            \(quoted: first.keyID), \(first.kind); open a new connection for the other.
            """
        )
    }

    /// Returns why this key is not valid in an environment.
    func ofOtherEnvironment(isSandbox: Bool, by rules: GatewayConfiguration.Responses) -> Rejection? {
        guard !(isSandbox ? isForSandbox : isForProduction) else { return nil }
        let other = isSandbox ? "production" : "the sandbox"
        let goodFor =
            (isSandbox ? isForProduction : isForSandbox) ? "valid for \(other) only" : "valid for no environment"
        return Rejection(
            rules.badEnvironmentReason,
            """
            The provider token's kid is \(quoted: keyID), a key \(goodFor); this is \
            \(isSandbox ? "the sandbox" : "production"), which needs its own key.
            """
        )
    }

    private var kind: String { topics == nil ? "a key of the whole team" : "a topic-specific key" }
}

extension Authentication {
    /// Returns the topics that a checked token may push to; `nil` means all.
    @inline(__always)
    func topics(of authorization: CachedAuthorization) -> TopicList? {
        if authorization.team < 0 { return nil }
        if authorization.topicKey < 0 { return teams[authorization.team].topics }
        return teams[authorization.team].keys[authorization.topicKey].topics
    }
}
