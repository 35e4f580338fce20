extension MockAPNSWords {
    /// Whether the user allows an app to show notifications; see
    /// [UNAuthorizationStatus](https://developer.apple.com/documentation/usernotifications/unauthorizationstatus).
    public enum NotificationAuthorization: String, MockAPNSWord {
        /// The user allows them.
        case authorized
        /// The user has not been asked: notifications go to Notification Center quietly.
        case provisional
        /// The user does not allow them.
        case denied
        /// The app has not asked yet.
        case notDetermined
    }
}
