// The checks on a request, in the order of ``Check``.

// MARK: - The request itself

extension RequestContext {
    @inline(__always)
    func methodIsPOST() -> Rejection? {
        if push.isPOST { return nil }
        return Rejection(.methodNotAllowed, ":method is \(quoted: text(push.method)); APNs accepts only \"POST\".")
    }

    @inline(__always)
    func pathIsOfADevice() -> Rejection? {
        if case .device = push.path { return nil }
        return Rejection(
            .badPath,
            ":path is \(quoted: text(push.pathText)); a push goes to \"/3/device/\" followed by the device token.")
    }

    @inline(__always)
    func noFieldIsRepeated() -> Rejection? {
        guard let repeated = push.repeated else { return nil }
        // The signature is cut from both values of a repeated authorization field.
        let value = text(repeated.value)
        let shown =
            repeated.name == .authorization
            ? value.extracting(first: ParsedProviderToken.lengthWithoutSignature(value)) : value
        return Rejection(
            .duplicateHeaders,
            """
            \(repeated.name.name) is repeated, the second time as \(quoted: shown); APNs accepts each field only once.
            """
        )
    }

    @inline(__always)
    func apnsIDIsAUUID() -> Rejection? {
        guard case .unreadable = push.apnsID else { return nil }
        return Rejection(
            .badMessageID,
            """
            apns-id is \(quoted: text(push.apnsIDText)); it must be a UUID, 32 hexadecimal digits in groups of \
            8-4-4-4-12, or absent.
            """
        )
    }

    @inline(__always)
    func providerMayPush() -> Rejection? { credentials.rejection }
}

// MARK: - The topic

extension RequestContext {
    @inline(__always)
    func topicIsGiven() -> Rejection? {
        if hasTopic { return nil }
        if credentials.method == .certificate {
            return Rejection(
                .missingTopic,
                """
                There is no apns-topic, and the client certificate is for \
                \(credentials.topics?.summary ?? "any topic"); only a certificate for a single topic makes it the \
                default.
                """
            )
        }
        return Rejection(
            .missingTopic,
            "There is no apns-topic; with a provider token every push names its topic, the app's bundle id.")
    }

    @inline(__always)
    func topicIsWellFormed() -> Rejection? {
        guard case .malformed = topicForm else { return nil }
        return Rejection(
            .badTopic,
            """
            apns-topic is \(quoted: topic); it must be a bundle id such as "com.example.app", with a suffix for some \
            push types, at most \(Topic.longest) bytes.
            """
        )
    }

    @inline(__always)
    func topicIsAllowed(by rules: borrowing GatewayConfiguration) -> Rejection? {
        if let allowed = credentials.topics {
            if credentials.method == .certificate {
                return Self.foreign(topic, push.pushType.value, to: allowed, rules.responses.foreignTopic)
            }
            if allowed.covers(topic) { return nil }
            let team = rules.authentication.teams[credentials.team]
            let who =
                credentials.topicKey < 0
                ? Explanation("team \(quoted: team.teamID)")
                : Explanation("the topic-specific key \(quoted: team.keys[credentials.topicKey].keyID)")
            return Rejection(
                .topicDisallowed,
                """
                apns-topic is \(quoted: topic); \(who.description) may push to \(allowed.summary), and to these with \
                the suffix of a push type.
                """
            )
        }
        guard case .unusable = topicForm else { return nil }
        return Rejection(
            .topicDisallowed,
            """
            apns-topic is \(quoted: topic), which cannot be a bundle id; those have only letters, digits, hyphens and \
            dots.
            """
        )
    }
}

// MARK: - The client certificate

extension RequestContext {
    /// Whether pushes of this type need a provider token.
    ///
    /// See [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)
    /// for `location`; for `liveactivity` Apple said so in its forums (thread 712499).
    @inline(__always)
    var needsProviderToken: Bool { Self.needsProviderToken(push.pushType.value) }

    @inline(__always)
    private static func needsProviderToken(_ type: PushType?) -> Bool { type == .location || type == .liveactivity }

    /// Returns the rejection of a topic that a certificate does not name. It names each topic with its suffix and covers
    /// no other.
    private static func foreign(
        _ topic: Span<UInt8>, _ type: PushType?, to allowed: TopicList, _ reason: Reason
    ) -> Rejection? {
        if let type, needsProviderToken(type), Topic.suits(type, topic) {
            return Rejection(
                .topicDisallowed,
                """
                apns-push-type is "\(type.name)" with apns-topic \(quoted: topic); such a push needs a provider token \
                and cannot be sent with a client certificate.
                """
            )
        }
        if allowed.lists(topic) { return nil }
        return Rejection(
            reason,
            "apns-topic is \(quoted: topic); the client certificate is for \(allowed.summary).")
    }
}
