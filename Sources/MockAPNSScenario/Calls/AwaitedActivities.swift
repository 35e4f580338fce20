package import MockAPNSCore

/// The Live Activities that a client waits for.
package struct AwaitedActivities: Sendable {
    /// How many there have to be at the same time, 1 to as many as a device keeps.
    package var count = 1
    /// The bundle id of their app; `nil` means any.
    package var app: String?
    /// How long to wait, in milliseconds.
    package var timeout: Int64 = 5000

    /// Creates a wait for one Live Activity.
    package init() {}

    /// Returns those of a device that have started and not ended.
    package func among(_ device: DeviceView) -> [LiveActivity] {
        device.activities.filter { $0.event != .end && (app == nil || $0.app == app) }
    }
}
