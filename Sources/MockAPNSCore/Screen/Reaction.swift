/// What a device does with a push that has reached it.
struct Reaction: Sendable, Hashable {
    var state: HistoryState
    /// What can be seen of it.
    var shows: ScreenKind
    /// What the device does, and why, in a sentence.
    var why: String

    init(_ state: HistoryState, shows: ScreenKind = .nothing, _ why: String) {
        (self.state, self.shows, self.why) = (state, shows, why)
    }
}

extension Reaction {
    /// The app is in use and gets a push that shows nothing.
    static let toForeground = Self(
        .woke, shows: .app, "The app is in the foreground and gets the push; nothing is shown.")
    /// A push to widgets or controls does not say that their content has changed.
    static let withoutChange = Self(
        .ignored, "The payload has no \"content-changed\": true in \"aps\", so nothing is reloaded.")
    /// A background push does not ask to wake the app.
    static let withoutFlag = Self(
        .ignored, "The payload has no \"content-available\": 1 in \"aps\", so the push does not wake the app.")
}

/// What can be seen of a push on its device.
package enum ScreenKind: String, Sendable {
    /// A notification.
    case notification
    /// A Live Activity.
    case activity
    /// Up to the app; the system displays nothing on its own.
    case app
    /// Nothing.
    case nothing
}
