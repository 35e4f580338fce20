/// A part of a device's screen that a push can change.
enum ScreenPart: UInt8, Sendable {
    /// Nothing that the system displays.
    case none
    /// The notifications, and the badge on the app's icon.
    case notifications
    /// A Live Activity.
    case liveActivities

    /// Creates the part for a push type.
    init(_ pushType: PushType) {
        switch pushType {
        case .alert: self = .notifications
        case .liveactivity: self = .liveActivities
        default: self = .none
        }
    }

    /// Creates the part for the push type of a request, or what its topic stands for.
    init(_ pushType: Push.Field<PushType>, topic: Span<UInt8>) {
        switch pushType {
        case .value(let type): self.init(type)
        case .absent: self.init(PushType(ofTopic: topic))
        case .unreadable: self = .none
        }
    }
}
