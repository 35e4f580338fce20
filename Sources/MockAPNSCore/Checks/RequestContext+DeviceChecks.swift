extension RequestContext {
    /// The device token in the path, valid or not; empty without one.
    private var token: Span<UInt8> {
        @_lifetime(copy self)
        @inline(__always)
        get {
            if case .device(let range) = push.path { bytes.extracting(range.range) } else { bytes.extracting(0..<0) }
        }
    }

    @inline(__always)
    func deviceTokenIsGiven() -> Rejection? {
        guard case .device(let range) = push.path, range.isEmpty else { return nil }
        return Rejection(
            .missingDeviceToken, ":path is \(quoted: text(push.pathText)); after \"/3/device/\" comes the device token."
        )
    }

    @inline(__always)
    func deviceTokenIsWellFormed() -> Rejection? { push.deviceToken == nil ? Self.malformed(token) : nil }

    @inline(never)
    private static func malformed(_ token: Span<UInt8>) -> Rejection {
        let least = DeviceToken.lengths.lowerBound * 2
        let most = DeviceToken.lengths.upperBound * 2
        if let stray = (0..<token.count).first(where: { !token[$0].isHexDigit }) {
            return Rejection(
                .badDeviceToken,
                """
                The device token is \(quoted: token), which contains \(quoted: token.extracting(stray...stray)); it must \
                be \(least) to \(most) hexadecimal digits and nothing else.
                """
            )
        }
        return Rejection(
            .badDeviceToken,
            """
            The device token is \(quoted: token), \(token.count) digits; it must have \(least) to \(most) \
            hexadecimal digits, an even number of them.
            """
        )
    }

    @inline(__always)
    func deviceIsKnown(by rules: borrowing GatewayConfiguration) -> Rejection? {
        if device != nil { return nil }
        // Where Live Activities have tokens of their own, no such token registers itself.
        let isOfActivity = rules.liveActivityTokens == .own && isToLiveActivities
        return isOfActivity || rules.unknownDevices != .register ? Self.unknown(token, isOfActivity: isOfActivity) : nil
    }

    @inline(never)
    private static func unknown(_ token: Span<UInt8>, isOfActivity: Bool) -> Rejection {
        if isOfActivity {
            return Rejection(
                .badDeviceToken,
                """
                The device token is \(quoted: token), which is neither a push-to-start token nor the update token of a \
                Live Activity. Live Activities have tokens of their own here.
                """
            )
        }
        return Rejection(
            .badDeviceToken,
            """
            The device token is \(quoted: token), which no declared device has; undeclared tokens are rejected here.
            """
        )
    }

    @inline(__always)
    func deviceIsOfTheEnvironment() -> Rejection? {
        guard let device, !device.isForEnvironment else { return nil }
        return Rejection(
            .badDeviceToken,
            """
            The device token is \(quoted: token), a token of the other environment; sandbox tokens are for the \
            sandbox, production tokens for production.
            """
        )
    }

    @inline(__always)
    mutating func topicIsTheDevices(in state: inout ServiceState) -> Rejection? {
        guard let device, !device.isForTopic else { return nil }
        return otherTopic(device, in: &state)
    }

    /// Returns why the topic is not the device's. Mutating, so that a valid push does not pay for a copy of its context.
    @inline(never)
    private mutating func otherTopic(_ device: KnownDevice, in state: inout ServiceState) -> Rejection {
        if let explanation = activityToken(device, in: state) {
            return Rejection(.deviceTokenNotForTopic, explanation)
        }
        let topics = state.devices.topics(of: device.index)
        let app = Topic.app(of: String(decoding: Array(copying: topic), as: UTF8.self))
        let hint =
            isToLiveActivities && topics.contains(app)
            ? " For Live Activities, declare the device with this topic as well, or give them tokens of their own: \"liveActivities\": {\"tokens\": \"own\"}."
            : ""
        return Rejection(
            .deviceTokenNotForTopic,
            "apns-topic is \(quoted: topic); the device token \(quoted: token) belongs to \(TopicList(topics).summary).\(hint)"
        )
    }

    /// Returns what the token of a Live Activity is for, or why a device token is for none; `nil` if it is only about topics.
    private func activityToken(_ device: KnownDevice, in state: borrowing ServiceState) -> Explanation? {
        guard device.activity != .ofDevice else {
            guard isToLiveActivities, state.subscriptions.tokens.hasStartTokens(device.index) else { return nil }
            return """
                The Live Activities of this device have tokens of their own, so \(quoted: token), its device token, is for \
                none of them: "start" goes to its push-to-start token, "update" and "end" to the update token of a Live \
                Activity.
                """
        }
        let app = push.deviceToken.flatMap { state.subscriptions.tokens[$0] }.flatMap {
            state.subscriptions.app(of: $0)
        }
        let topic =
            app.map { $0.isEmpty ? "" : " with the topic \"\($0)\(PushType.liveactivity.topicSuffix ?? "")\"" } ?? ""
        if device.activity == .starts {
            return """
                The token \(quoted: token) is a push-to-start token: it takes pushes of type liveactivity\(topic) whose \
                "event" is "start".
                """
        }
        return """
            The token \(quoted: token) is the update token of a Live Activity: it takes pushes of type \
            liveactivity\(topic) whose "event" is "update" or "end".
            """
    }

    @inline(__always)
    func deviceIsRegistered() -> Rejection? {
        guard let device, case .refused(.unregistered, let since) = device.registration else { return nil }
        return Rejection(
            .unregistered,
            """
            The device token \(quoted: token) has not been active for its topic since \(since.text); stop pushing to \
            it.
            """,
            timestamp: since)
    }

    @inline(__always)
    func deviceTokenHasNotExpired() -> Rejection? {
        guard let device, case .refused(.expiredToken, let since) = device.registration else { return nil }
        guard device.activity == .ofDevice else {
            return Rejection(
                .expiredToken,
                "The Live Activity of the update token \(quoted: token) ended at \(since.text); stop pushing to it.",
                timestamp: since)
        }
        return Rejection(
            .expiredToken, "The device token \(quoted: token) expired at \(since.text); stop pushing to it.",
            timestamp: since)
    }
}

extension DeviceRegistry {
    /// Returns the name of a device in the scenario in UTF-8, if it has one.
    @inline(__always)
    package func name(of device: DeviceIndex) -> [UInt8]? { records.name(of: device) }
}
