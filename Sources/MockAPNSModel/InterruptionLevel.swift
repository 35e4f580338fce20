extension MockAPNSWords {
    /// How much a notification may interrupt the user: `interruption-level` in its payload; see
    /// [UNNotificationInterruptionLevel](https://developer.apple.com/documentation/usernotifications/unnotificationinterruptionlevel).
    public enum InterruptionLevel: String, MockAPNSWord {
        /// Only in the list, without light or sound.
        case passive
        /// With light and sound.
        case active
        /// Immediately, even if the user has silenced notifications.
        case timeSensitive = "time-sensitive"
        /// With its sound, even if the device is muted.
        case critical
    }
}
