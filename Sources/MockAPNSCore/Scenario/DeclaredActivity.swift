/// A Live Activity on a broadcast channel, as a scenario declares it: an element of a device's `activities`.
package struct DeclaredActivity: Sendable, Hashable {
    /// The name, to end it by.
    package var name: String?
    /// The name or the id of the channel.
    package var channel: String

    /// Creates a Live Activity without a name.
    package init(channel: String) { self.channel = channel }

    /// Returns whether an app may have a Live Activity on a device with these topics: one is the app's, or there are none.
    package static func mayStart(_ app: String, on topics: [String]) -> Bool {
        topics.isEmpty
            || topics.contains { $0 == app || $0.hasPrefix(app + ".push-type.") || $0 == app + ".voip" }
    }
}
