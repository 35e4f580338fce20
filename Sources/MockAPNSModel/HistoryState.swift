extension MockAPNSWords {
    /// What became of a push on its device, once APNs had delivered it.
    public enum HistoryState: String, MockAPNSWord {
        /// The device showed something: a notification, a Live Activity or a number on the app's icon, or it played a sound.
        case shown
        /// The app, or one of its extensions, got the push.
        case woke
        /// The device holds it until the budget of its app allows to wake that.
        case heldByBudget
        /// The device dropped it.
        case dropped
        /// It had no effect.
        case ignored
        /// A later push took its place.
        case replaced
        /// The user dismissed its notification.
        case dismissed
        /// The user opened its notification, or chose one of its actions.
        case opened
    }
}
