extension MockAPNSWords {
    /// The system of a device.
    public enum Platform: String, MockAPNSWord {
        /// An iPhone.
        case iOS
        /// An iPad.
        case iPadOS
        /// A Mac.
        case macOS
        /// An Apple Watch.
        case watchOS
        /// An Apple TV, where notifications only put a number on the app's icon.
        case tvOS
        /// An Apple Vision Pro.
        case visionOS
    }
}
