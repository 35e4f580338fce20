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
        if device != nil || rules.unknownDevices == .register { return nil }
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
    func topicIsTheDevices(among devices: borrowing DeviceRegistry) -> Rejection? {
        guard let device, !device.isForTopic else { return nil }
        let topics = TopicList(devices[device.index].topics.map { devices.topics.text($0) })
        return Rejection(
            .deviceTokenNotForTopic,
            "apns-topic is \(quoted: topic); the device token \(quoted: token) belongs to \(topics.summary).")
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
