import MockAPNSCore

extension MockAPNSServer {
    /// The type of a push: the value of `apns-push-type`, whether APNs knows it or not.
    ///
    /// The types are listed in
    /// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
    public struct PushType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The value on the wire.
        public let rawValue: String

        /// Creates the type with that value; APNs rejects one that it does not know.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ core: MockAPNSCore.PushType) { rawValue = core.name }

        /// The value on the wire.
        public var description: String { rawValue }

        /// A notification that the user sees or hears.
        public static let alert = Self(.alert)
        /// A push that wakes the app without showing anything.
        public static let background = Self(.background)
        /// Data for a complication on a watch face.
        public static let complication = Self(.complication)
        /// A push that reloads controls.
        public static let controls = Self(.controls)
        /// A signal that files of a file provider have changed.
        public static let fileprovider = Self(.fileprovider)
        /// A push that starts, updates or ends a Live Activity.
        public static let liveactivity = Self(.liveactivity)
        /// A request for the user's location.
        public static let location = Self(.location)
        /// A push that wakes a managed device.
        public static let mdm = Self(.mdm)
        /// A push-to-talk session.
        public static let pushtotalk = Self(.pushtotalk)
        /// An incoming call.
        public static let voip = Self(.voip)
        /// A push that reloads widgets.
        public static let widgets = Self(.widgets)
    }
}
