extension MockAPNSWords {
    /// The type of a push: the value of `apns-push-type`.
    ///
    /// The types are listed in
    /// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
    public enum PushType: String, MockAPNSWord, CodedWord {
        /// A notification that the user sees or hears.
        case alert
        /// A push that wakes the app without showing anything.
        case background
        /// Data for a complication on a watch face.
        case complication
        /// A push that reloads controls.
        case controls
        /// A signal that files of a file provider have changed.
        case fileprovider
        /// A push that starts, updates or ends a Live Activity.
        case liveactivity
        /// A request for the user's location.
        case location
        /// A push that wakes a managed device.
        case mdm
        /// A push-to-talk session.
        case pushtotalk
        /// An incoming call.
        case voip
        /// A push that reloads widgets.
        case widgets

        package static let coded: [Self] = allCases

        package var code: UInt8 {
            switch self {
            case .alert: 0
            case .background: 1
            case .complication: 2
            case .controls: 3
            case .fileprovider: 4
            case .liveactivity: 5
            case .location: 6
            case .mdm: 7
            case .pushtotalk: 8
            case .voip: 9
            case .widgets: 10
            }
        }
    }
}
