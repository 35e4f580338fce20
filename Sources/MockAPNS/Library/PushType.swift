import MockAPNSCore

extension MockAPNSServer {
    /// What kind of push a request is: the value of `apns-push-type`, known to APNs or not.
    ///
    /// The types are those of
    /// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
    public struct PushType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The value on the wire.
        public let rawValue: String

        /// A type of that value; APNs refuses one that it does not know.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ core: MockAPNSCore.PushType) { rawValue = core.name }

        /// The value on the wire.
        public var description: String { rawValue }

        /// A notification that the user sees or hears.
        public static let alert = Self(.alert)
        /// Wakes the app, and shows nothing.
        public static let background = Self(.background)
        /// New data for a watch face's complication.
        public static let complication = Self(.complication)
        /// Reloads controls.
        public static let controls = Self(.controls)
        /// Changes of a file provider's files.
        public static let fileprovider = Self(.fileprovider)
        /// Starts, updates or ends a Live Activity.
        public static let liveactivity = Self(.liveactivity)
        /// Asks for the user's location.
        public static let location = Self(.location)
        /// Wakes a managed device.
        public static let mdm = Self(.mdm)
        /// A push-to-talk session.
        public static let pushtotalk = Self(.pushtotalk)
        /// An incoming call.
        public static let voip = Self(.voip)
        /// Reloads widgets.
        public static let widgets = Self(.widgets)
    }
}
