extension MockAPNSWords {
    /// The state of an app on a device, on which it depends whether a push wakes it; see
    /// [Pushing background updates to your App](https://developer.apple.com/documentation/usernotifications/pushing-background-updates-to-your-app).
    public enum AppState: String, MockAPNSWord {
        /// It is suspended, or runs in the background.
        case background
        /// It is in use.
        case foreground
        /// It is not in memory. The system starts it if a push has to wake it.
        case notRunning
        /// The user has removed it from the app switcher, and not opened it since.
        case forceQuit
        /// It has been installed and not been opened since.
        case neverLaunched
    }
}
