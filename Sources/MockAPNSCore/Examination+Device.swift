/// What is known of a device.
struct DeviceStanding {}

extension Examination {
    @inline(__always)
    func topicIsTheDevices() -> Refusal? { nil }
    @inline(__always)
    func deviceIsRegistered() -> Refusal? { nil }
    @inline(__always)
    func deviceTokenHasNotExpired() -> Refusal? { nil }
}
