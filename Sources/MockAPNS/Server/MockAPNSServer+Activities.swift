package import MockAPNSCore
package import MockAPNSScenario
import NIOCore

// Live Activities of devices, and new device tokens: what the app on a device hears of, and tells the provider.

extension MockAPNSServer {
    /// Gives a device a new token, as it gets one when it is restored or its app is installed again. From now on, pushes to
    /// the old one are answered with 410 Unregistered.
    ///
    /// - Parameter nameOrToken: the device's name, or its device token in hexadecimal digits.
    /// - Returns: the new device token.
    /// - Throws: ``ControlError/unknown(_:)`` if no device has that name or token.
    @discardableResult
    public func renewToken(of nameOrToken: String) throws(ControlError) -> String {
        try renewDeviceToken(nameOrToken).token.text
    }

    /// Like ``renewToken(of:)``, and returns the device.
    package func renewDeviceToken(_ nameOrToken: String) throws(ControlError) -> DeviceView {
        var change = MockAPNSCore.DeviceChange()
        change.newToken = true
        return try self.change(nameOrToken, change)
    }

    /// Returns the Live Activities of a device that have not ended, once there are enough of them: what an app hears of as
    /// soon as a push has started one.
    ///
    /// ```swift
    /// let activities = try await apns.activities(of: "alice")
    /// activities.last?.token  // the update token
    /// ```
    ///
    /// - Parameters:
    ///   - nameOrToken: the device's name, or its device token in hexadecimal digits.
    ///   - count: the minimum number of Live Activities, 1 to 20.
    ///   - topic: the bundle id of their app, with or without `.push-type.liveactivity`; `nil` for any.
    ///   - time: the maximum time to wait.
    /// - Throws: ``ActivitiesMissing`` if they did not start in time, ``ControlError/unknown(_:)`` if no device has that name
    ///   or token, `CancellationError` if the task is canceled, and another error if there are already 10,000 waits.
    public func activities(
        of nameOrToken: String, count: Int = 1, topic: String? = nil, within time: Duration = .seconds(5)
    ) async throws -> [DeviceState.LiveActivity] {
        var awaited = AwaitedActivities()
        (awaited.count, awaited.app) = (count, topic.map { Topic.app(of: $0) })
        let (view, isFulfilled) = try await wait(for: awaited, on: nameOrToken, within: time)
        let found = awaited.among(view).map { DeviceState.LiveActivity($0, at: view.time) }
        guard isFulfilled else {
            throw ActivitiesMissing(device: nameOrToken, count: count, found: found, time: time)
        }
        return found
    }

    /// Waits until a device has enough Live Activities.
    ///
    /// - Returns: the device at the end, and whether it has.
    package func wait(
        for awaited: AwaitedActivities, on nameOrToken: String, within time: Duration
    ) async throws -> (view: DeviceView, isFulfilled: Bool) {
        let deadline = ContinuousClock.now + time
        var isOver = false
        while true {
            // Started before the device is looked at, so that no start in between is missed.
            let id = try engine.gateway.withLock { try $0.beginActivityWait() }
            guard let view = view(of: nameOrToken) else {
                engine.cancelWait(id)
                throw Self.unknownDevice(nameOrToken)
            }
            let (isFulfilled, left) = (awaited.among(view).count >= awaited.count, deadline - .now)
            if isFulfilled || isOver || left <= .zero {
                engine.cancelWait(id)
                try Task.checkCancellation()
                return (view, isFulfilled)
            }
            if case .over = await engine.wait(id, found: FoundRequests(), within: TimeAmount(left)) { isOver = true }
        }
    }

    /// The expected Live Activities did not start in time.
    public struct ActivitiesMissing: Error, Sendable, CustomStringConvertible {
        /// The device, as the caller named it.
        public let device: String
        /// Minimum number of Live Activities.
        public let count: Int
        /// Those that there were.
        public let found: [DeviceState.LiveActivity]
        /// How long the caller waited.
        public let time: Duration

        /// A sentence for people.
        public var description: String {
            let name = device.prefix(80)
            return "\(name) had \(found.count) of \(count) Live Activities within \(time)."
        }
    }
}
