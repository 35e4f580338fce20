extension Reason {
    /// Whether Apple adds a `timestamp` (milliseconds since 1970) to the answer: only for status 410.
    package var hasTimestamp: Bool { status == 410 }

    /// The body of the answer, `{"reason":"BadDeviceToken"}`, without white space as on the wire.
    package var body: [UInt8] { Self.bodies[Int(code)] }

    /// Returns the body of a 410 answer, with the time since which the token has been inactive.
    package func body(timestamp: Timestamp) -> [UInt8] {
        Array(#"{"reason":"\#(name)","timestamp":\#(timestamp.milliseconds)}"#.utf8)
    }

    /// Returns the `timestamp` that accompanies the reason unless a scenario sets one: when the device token became
    /// invalid, or now.
    func timestamp(for request: inout RequestContext) -> Timestamp? {
        guard hasTimestamp else { return nil }
        if case .refused(_, let since) = request.device?.registration { return since }
        return request.now.clock
    }

    /// Returns the reason that is meant most often by a status; `nil` if no reason has it.
    package static func usual(status: Int) -> Reason? {
        let usual: [Reason] = [
            .badDeviceToken, .expiredProviderToken, .unregistered, .tooManyRequests, .serviceUnavailable,
        ]
        return (usual + allCases).first { $0.status == status }
    }

    private static let bodies: [[UInt8]] = allCases.map { Array(#"{"reason":"\#($0.name)"}"#.utf8) }
}
