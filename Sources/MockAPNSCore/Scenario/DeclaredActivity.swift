/// A Live Activity that the app has started, as a scenario declares it: an element of a device's `activities`.
package struct DeclaredActivity: Sendable, Hashable {
    /// The name, to end it by.
    package var name: String?
    /// The name or the id of the broadcast channel that it listens to; `nil` if it has a token of its own.
    package var channel: String?
    /// The bundle id of its app, where the channel does not say it; `nil` means the first app of the device.
    package var app: String?
    /// Its update token; `nil` draws one, unless it listens to a channel.
    package var token: DeviceToken?

    /// Creates a Live Activity without a name.
    package init(channel: String? = nil) { self.channel = channel }

    /// Returns whether an app may have a Live Activity on a device with these topics: one is the app's, or there are none.
    package static func mayStart(_ app: String, on topics: [String]) -> Bool {
        topics.isEmpty
            || topics.contains { $0 == app || $0.hasPrefix(app + ".push-type.") || $0 == app + ".voip" }
    }
}
