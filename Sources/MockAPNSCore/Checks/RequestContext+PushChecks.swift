// MARK: - The payload

extension RequestContext {
    /// Whether this is a VoIP push, by its type or its topic.
    @inline(__always)
    private var isVoIP: Bool { push.pushType.value == .voip || Topic.isVoIP(topic) }

    @inline(__always)
    func payloadIsNotEmpty() -> Rejection? {
        if facts.bodyLength > 0 { return nil }
        return Rejection(
            .payloadEmpty, "The body has 0 bytes; a push has a JSON object as its payload, at least \"{}\".")
    }

    @inline(__always)
    func payloadIsNotTooLarge() -> Rejection? {
        if facts.bodyLength <= PushType.payloadLimit { return nil }
        if isVoIP {
            if facts.bodyLength <= PushType.payloadLimitForVoIP { return nil }
            return Rejection(
                .payloadTooLarge,
                "The payload has \(facts.bodyLength) bytes; a VoIP push may have at most \(PushType.payloadLimitForVoIP)."
            )
        }
        return Rejection(
            .payloadTooLarge,
            """
            The payload has \(facts.bodyLength) bytes; it may have at most \(PushType.payloadLimit) \
            (\(PushType.payloadLimitForVoIP) for VoIP).
            """
        )
    }

    @inline(__always)
    func payloadIsJSON(by rules: borrowing GatewayConfiguration) -> Rejection? {
        guard let reason = rules.responses.invalidJSON else { return nil }
        if JSONText.isValid(body) { return nil }
        return Rejection(reason, "The payload is \(quoted: body), which is not JSON (RFC 8259).")
    }
}

// MARK: - Delivery options

extension RequestContext {
    @inline(__always)
    func expirationIsAnInteger() -> Rejection? {
        guard case .unreadable = push.expiration else { return nil }
        return Rejection(
            .badExpirationDate,
            """
            apns-expiration is \(quoted: text(push.expirationText)); it must be a time in whole seconds since 1970, 0 \
            for a single attempt, or absent.
            """
        )
    }

    @inline(__always)
    func priorityIsKnown() -> Rejection? {
        guard case .unreadable = push.priority else { return nil }
        return Rejection(
            .badPriority,
            """
            apns-priority is \(quoted: text(push.priorityText)); APNs accepts 10 (immediately), 5 (considering power) \
            and 1 (saving power above all).
            """
        )
    }

    @inline(__always)
    func backgroundHasNotPriority10(by rules: borrowing GatewayConfiguration) -> Rejection? {
        guard push.isBackgroundOfPriority10, rules.responses.backgroundPriority10 == .badPriority else { return nil }
        return Rejection(
            .badPriority,
            "apns-priority is \"10\" with apns-push-type \"background\"; a background push has priority 5 (or 1).")
    }

    /// Maximum length of a collapse id in bytes.
    static let collapseIDLimit = 64

    @inline(__always)
    func collapseIDIsShort() -> Rejection? {
        guard let range = push.collapseID, range.count > Self.collapseIDLimit else { return nil }
        return Rejection(
            .badCollapseID,
            """
            apns-collapse-id is \(quoted: text(range)), \(range.count) bytes in UTF-8; it may have at most \
            \(Self.collapseIDLimit) bytes.
            """
        )
    }

    @inline(__always)
    func pushTypeIsKnown() -> Rejection? {
        guard case .unreadable = push.pushType else { return nil }
        return Rejection(
            .invalidPushType,
            """
            apns-push-type is \(quoted: text(push.pushTypeText)); APNs knows \
            \(PushType.allCases.map(\.name).joined(separator: ", ")), in lower case.
            """
        )
    }

    @inline(__always)
    func pushTypeSuitsVoIP() -> Rejection? {
        guard let type = push.pushType.value, type == .alert || type == .background, Topic.isVoIP(topic) else {
            return nil
        }
        return Rejection(
            .invalidPushType,
            """
            apns-push-type is "\(type.name)" with apns-topic \(quoted: topic); a topic that ends with ".voip" requires \
            "voip".
            """
        )
    }

    @inline(__always)
    func topicHasTheSuffixOfItsType() -> Rejection? {
        guard let type = push.pushType.value, !Topic.suits(type, topic) else { return nil }
        let wanted: String
        if let suffix = type.topicSuffix {
            wanted = "the bundle id and \"\(suffix)\""
        } else {
            wanted = "that of an MDM certificate, which begins with \"\(Topic.mdmPrefix)\""
        }
        let hint =
            credentials.method == .certificate && needsProviderToken
            ? "; besides, such a push needs a provider token and cannot be sent with a client certificate" : ""
        return Rejection(
            .deviceTokenNotForTopic,
            """
            apns-topic is \(quoted: topic) with apns-push-type "\(type.name)"; the topic of such a push must be \
            \(wanted)\(hint).
            """
        )
    }
}
