// The checks on a call about broadcast channels, in the order of ``CallCheck``.

// MARK: - The request itself

extension RequestContext {
    func pathIsOfACall(_ call: ReceivedCall) -> Rejection? {
        guard call.path == .unknown else { return nil }
        return Rejection(
            .badPath,
            """
            :path is \(quoted: text(push.pathText)); the paths about broadcast channels are "/1/apps/BUNDLE/channels", \
            "/1/apps/BUNDLE/all-channels" and "/4/broadcasts/apps/BUNDLE".
            """
        )
    }

    func methodFitsThePath(_ call: ReceivedCall) -> Rejection? {
        guard call.call == nil else { return nil }
        return Rejection(
            .methodNotAllowed,
            """
            :method is \(quoted: text(push.method)); \(quoted: text(push.pathText)) takes \(call.path.methods).
            """
        )
    }

    func requestIDIsAUUID(_ call: ReceivedCall) -> Rejection? {
        guard case .unreadable = call.requestID else { return nil }
        return Rejection(
            .badMessageID,
            """
            apns-request-id is \(quoted: text(call.requestIDText)); it must be a UUID, 32 hexadecimal digits in groups \
            of 8-4-4-4-12, or absent.
            """
        )
    }
}

// MARK: - The app

extension RequestContext {
    func bundleIDHasNoSuffix() -> Rejection? {
        for type in PushType.allCases {
            guard let suffix = type.topicSuffix, topic.ends(with: suffix) else { continue }
            return Rejection(
                .topicDisallowed,
                """
                The path names \(quoted: topic); broadcast paths have the bundle id alone, without \(quoted: suffix).
                """
            )
        }
        return nil
    }

    func bundleIDIsTheProviders(_ call: ReceivedCall, by rules: borrowing GatewayConfiguration) -> Rejection? {
        guard case .good = topicForm else {
            return Rejection(
                .topicMismatch,
                "The path names \(quoted: topic), which cannot be a bundle id; those have letters, digits, hyphens and dots."
            )
        }
        if let allowed = credentials.topics {
            guard allowed.lists(topic) else {
                let who = credentials.method == .certificate ? "the client certificate" : "the provider token"
                return Rejection(
                    .topicMismatch, "The path names \(quoted: topic); \(who) is for \(allowed.summary).")
            }
        }
        guard rules.broadcast.rejectsCapitals, call.path != .broadcasts else { return nil }
        let topic = topic
        for index in 0..<topic.count where UInt8(ascii: "A")...UInt8(ascii: "Z") ~= topic[index] {
            return Rejection(
                .topicMismatch,
                "The path names \(quoted: topic), which has capital letters; channel management refuses those here.")
        }
        return nil
    }

    func broadcastIsEnabled(by rules: borrowing GatewayConfiguration) -> Rejection? {
        if rules.broadcast.isEnabled(for: topic) { return nil }
        return Rejection(
            rules.broadcast.notEnabledReason,
            "\(quoted: topic) does not have the broadcast capability; turn it on for the app's identifier.")
    }
}

// MARK: - The channel

extension RequestContext {
    func channelIDIsGiven(_ call: ReceivedCall) -> Rejection? {
        guard case .absent = call.channel else { return nil }
        return Rejection(.missingChannelID, "There is no apns-channel-id; it must be the id of the channel.")
    }

    func channelIDIsKnown(
        _ call: ReceivedCall, by rules: BroadcastSettings, _ channels: borrowing ChannelRegistry
    ) -> Rejection? {
        guard case .unknown = call.channel else { return nil }
        let id = text(call.channelText)
        let repaired = ChannelID.repaired(id)
        guard ChannelID.isBase64(id) else {
            let hint =
                channels.number(of: repaired) == nil
                ? "" : " Send it as it was given: \(Explanation("\(quoted: repaired.description)").description)."
            return Rejection(
                .badChannelID,
                """
                apns-channel-id is \(quoted: id), which is not base64 in the standard alphabet with padding.\(hint)
                """
            )
        }
        return Rejection(
            call.call == .publish ? rules.unknownChannel : rules.deleteUnknown,
            "apns-channel-id is \(quoted: id), which no channel has ever had.")
    }

    func channelIsRegistered(_ call: ReceivedCall, by rules: BroadcastSettings) -> Rejection? {
        guard case .known(_, let channel) = call.channel else { return nil }
        let reason = call.call == .publish ? Reason.channelNotRegistered : rules.deleteUnknown
        let id = text(call.channelText)
        if let time = channel.deletedAt {
            let advice = call.call == .delete ? "there is nothing left to do" : "create another"
            return Rejection(
                reason, "apns-channel-id is \(quoted: id), a channel that was deleted at \(time.text); \(advice).")
        }
        if !topic.equals(channel.topic) {
            return Rejection(
                reason,
                "apns-channel-id is \(quoted: id), a channel of \(quoted: channel.topic), not of \(quoted: topic).")
        }
        if channel.isSandbox != origin.isSandbox {
            let (its, this) = channel.isSandbox ? ("sandbox", "production") : ("production", "sandbox")
            return Rejection(
                reason, "apns-channel-id is \(quoted: id), a channel of \(its); this connection is for \(this).")
        }
        return nil
    }
}

// MARK: - Delivery options

extension RequestContext {
    func pushTypeIsGiven() -> Rejection? {
        guard push.pushTypeText == nil else { return nil }
        return Rejection(.missingPushType, "There is no apns-push-type; it must be \"liveactivity\".")
    }

    func pushTypeIsLiveActivity() -> Rejection? {
        if isForLiveActivities { return nil }
        return Rejection(
            .invalidPushType,
            "apns-push-type is \(quoted: text(push.pushTypeText)); it must be \"liveactivity\".")
    }

    func expirationIsGiven() -> Rejection? {
        if case .absent = push.expiration {
            return Rejection(
                .badExpirationDate,
                """
                There is no apns-expiration; it must be a time in whole seconds since 1970, or 0 for a single attempt.
                """
            )
        }
        guard case .unreadable = push.expiration else { return nil }
        return Rejection(
            .badExpirationDate,
            """
            apns-expiration is \(quoted: text(push.expirationText)); it must be a time in whole seconds since 1970, or 0 \
            for a single attempt.
            """
        )
    }

    func expirationSuitsThePolicy(_ call: ReceivedCall, by rules: BroadcastSettings) -> Rejection? {
        guard case .known(_, let channel) = call.channel, channel.policy == .none, let time = push.expiration.value
        else { return nil }
        switch rules.unstoredExpiration {
        case .zero:
            guard time != 0 else { return nil }
            return Rejection(
                .badExpirationDate,
                "apns-expiration is \(time), but the channel stores nothing (message-storage-policy 0); it must be 0.")
        case .nonZero:
            guard time == 0 else { return nil }
            return Rejection(
                .badExpirationDate,
                "apns-expiration is 0, but the channel stores nothing (message-storage-policy 0); here, it must not be 0."
            )
        }
    }
}

// MARK: - The body

extension RequestContext {
    func bodyIsNotEmpty() -> Rejection? {
        if facts.bodyLength > 0 { return nil }
        return Rejection(.payloadEmpty, "The body is empty; it must be a JSON object.")
    }

    func bodyIsNotTooLarge() -> Rejection? {
        if facts.bodyLength <= PushType.payloadLimitForBroadcast { return nil }
        return Rejection(
            .payloadTooLarge,
            "The body has \(facts.bodyLength) bytes; it may have at most \(PushType.payloadLimitForBroadcast).")
    }

    mutating func bodyIsJSON(_ call: ReceivedCall) -> Rejection? {
        if call.call == .create ? payloadValue?.object != nil : JSONText.isValid(body) { return nil }
        let expected = call.call == .create ? "a JSON object" : "JSON (RFC 8259)"
        return Rejection(.badRequestPayload, "The body is \(quoted: body), which is not \(expected).")
    }

    mutating func parametersAreKnown(_ call: ReceivedCall) -> Rejection? {
        let keys = ["message-storage-policy", "push-type"]
        let members = payloadValue?.object ?? []
        for member in members where !keys.contains(member.key) {
            return Rejection(
                .badRequestParams,
                "The body has the key \(quoted: member.key); a channel is created with \"\(keys[0])\" and \"\(keys[1])\"."
            )
        }
        guard let value = payloadValue?[keys[0]] else {
            return Rejection(.badRequestParams, "The body has no \"\(keys[0])\"; it must be 0 or 1.")
        }
        guard let number = value.int64, let policy = UInt8(exactly: number).flatMap(ChannelStorage.init(code:)) else {
            return Rejection(
                .badRequestParams,
                """
                "\(keys[0])" is \(value.forPeople); it must be the number 0 (nothing is stored) or 1 (the most recent \
                push is).
                """
            )
        }
        call.policy = policy
        return nil
    }

    mutating func parametersHaveAPushType() -> Rejection? {
        if payloadValue?["push-type"] != nil { return nil }
        return Rejection(.missingPushType, "The body has no \"push-type\"; it must be \"LiveActivity\".")
    }

    mutating func parametersAreForLiveActivities() -> Rejection? {
        guard let value = payloadValue?["push-type"], value.string?.lowercased() != "liveactivity" else { return nil }
        return Rejection(.invalidPushType, "\"push-type\" is \(value.forPeople); it must be \"LiveActivity\".")
    }

    func limitIsNotReached(by rules: BroadcastSettings, _ channels: borrowing ChannelRegistry) -> Rejection? {
        let name = String(decoding: Array(copying: topic), as: UTF8.self)
        let count = channels.count(of: name, isSandbox: origin.isSandbox)
        if count >= rules.limit {
            return Rejection(
                .cannotCreateChannelConfig,
                "\(quoted: topic) has \(count) channels; it may have at most \(rules.limit). Delete those of past events."
            )
        }
        guard channels.isFull else { return nil }
        return Rejection(
            .cannotCreateChannelConfig,
            "There are \(channels.count) channels of all apps; the server keeps no more. Delete those of past events.")
    }
}
