/// The sender of a push, and whether it may send it.
struct Credentials {
    /// How the provider authenticated.
    var method: AuthenticationMethod
    /// The rejection of the push, if any.
    var rejection: Rejection?
    /// The index of the team in ``Authentication/teams``, or -1.
    var team: Int = -1
    /// The number of the provider token on the connection, starting at 1; 0 without one.
    var tokenNumber: UInt32 = 0
    /// The index of the topic-specific key in ``Authentication/Team/keys``, or -1.
    var topicKey: Int = -1
    /// The allowed topics; `nil` means all.
    var topics: TopicList?
}
