extension MockAPNSWords {
    /// What a device allows an app so often only. What goes beyond is delivered to the device and has no effect there; see
    /// [Pushing background updates to your App](https://developer.apple.com/documentation/usernotifications/pushing-background-updates-to-your-app).
    public enum DeviceBudget: String, MockAPNSWord {
        /// Pushes of type `background` that wake the app.
        case background
        /// Live Activities that pushes start.
        case pushToStart
        /// Updates and ends of Live Activities with priority 10.
        case liveActivityPriority10
        /// Pushes of type `widgets` that reload them.
        case widgets
    }
}
