/// A push-to-start token of a device: a push to it starts a Live Activity of an app.
package struct StartToken: Sendable, Hashable {
    /// The bundle id of the app; empty if the device is for all apps.
    package var app: String
    /// The token.
    package var token: DeviceToken

    /// Creates a token of an app.
    package init(app: String, token: DeviceToken) { (self.app, self.token) = (app, token) }

    /// Draws the tokens of a device that declares none.
    ///
    /// - Parameters:
    ///   - token: its device token.
    ///   - topics: its topics; if there are none, one token stands for all apps.
    package static func drawn(seed: UInt64, for token: DeviceToken, _ topics: [String]) -> [StartToken] {
        apps(of: topics).map { app in
            Self(app: app, token: DeviceToken(seed: seed, for: "push-to-start \(app) of \(token.hex)"))
        }
    }

    /// Returns the apps of a device that have such a token.
    package static func apps(of topics: [String]) -> [String] {
        var apps: [String] = []
        for app in topics.map(Topic.app) where !apps.contains(app) { apps.append(app) }
        return apps.isEmpty ? [""] : apps
    }
}

extension [StartToken] {
    /// Reads them from a record, where they stand as a scenario declares them.
    ///
    /// - Parameter topics: the topics of the device.
    package init(_ value: JSONText.Value?, _ topics: [String]) {
        if let token = value?.string.flatMap({ DeviceToken(hex: $0) }) {
            self = [StartToken(app: StartToken.apps(of: topics)[0], token: token)]
        } else {
            self = (value?.object ?? []).compactMap { member in
                member.value.string.flatMap { DeviceToken(hex: $0) }.map { StartToken(app: member.key, token: $0) }
            }
        }
    }

    /// Appends them as a scenario declares them: one as text, several as an object by app, `null` for none.
    package func appendJSON(to output: inout [UInt8]) {
        guard count > 1 else { return output.appendJSON(first?.token.hex) }
        output.append(UInt8(ascii: "{"))
        for (index, start) in enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.appendJSON(start.app)
            output.append(UInt8(ascii: ":"))
            output.appendJSON(start.token.hex)
        }
        output.append(UInt8(ascii: "}"))
    }
}
