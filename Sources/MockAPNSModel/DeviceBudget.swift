extension MockAPNSWords {
    /// What a device lets an app do only so often. The newest background push beyond that is held until the budget allows it;
    /// anything else is delivered and has no effect. See
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
