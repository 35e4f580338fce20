package import MockAPNSCore

/// How the user responds to a notification.
package struct NotificationResponse: Sendable {
    /// The id of an action, ``ResponseEvent/open`` or ``ResponseEvent/dismiss``.
    package var action: String
    /// What the user types.
    package var text: String?

    package init(action: String = ResponseEvent.open, text: String? = nil) { (self.action, self.text) = (action, text) }

    /// The user dismisses it.
    package static let dismissal = Self(action: ResponseEvent.dismiss)

    /// Returns what the user does with a notification that a device displays.
    package func made(to displayed: DeviceView.Displayed, on device: DeviceView) -> UserResponse {
        let chosen = displayed.shown?.actions.first { $0.id == action }
        let opens = action == ResponseEvent.open || chosen?.options.contains(.foreground) == true
        return UserResponse(
            action: action, text: text,
            reachesApp: action != ResponseEvent.dismiss || displayed.shown?.tellsOfDismissal == true,
            opensApp: opens ? device.app(of: displayed) : nil)
    }

    /// Returns why a notification cannot be responded to like this, as a sentence, and the member that says so; `nil` if it
    /// can.
    package func mistake(on displayed: DeviceView.Displayed) -> (why: String, pointer: String)? {
        if action == ResponseEvent.open || action == ResponseEvent.dismiss {
            return text == nil ? nil : ("Only an action with \"textInput\" takes a text.", "/text")
        }
        let actions = displayed.shown?.actions ?? []
        guard let chosen = actions.first(where: { $0.id == action }) else {
            let known = whatThereIs(insteadOf: action, among: actions.map(\.id))
            return ("The notification has no action \(action.quotedForPeople); \(known)", "/action")
        }
        guard text != nil, chosen.textInput == nil else { return nil }
        return ("The action \(action.quotedForPeople) takes no text.", "/text")
    }
}

/// Returns which names there are instead of one that there is not, as the end of a sentence.
func whatThereIs(insteadOf name: String, among names: [String]) -> String {
    if let near = nearestWord(to: name, among: names) { return "did you mean \(near.quotedForPeople)?" }
    return names.isEmpty ? "it has none." : "it has \(list(names.map(\.quotedForPeople), "and"))."
}

extension Scenario {
    /// Reads how the user opens a notification, as `{"action": "REPLY", "text": "Yes"}`.
    package func notificationResponse(from value: JSONText.Value) -> (NotificationResponse?, [ScenarioMistake]) {
        enum Key: String, CaseIterable { case action, text }
        return read { reader in
            var response = NotificationResponse()
            let isObject = reader.object(value, "a response", example: #"{"action": "REPLY", "text": "Yes"}"#, Key.self)
            {
                reader, key, value in
                switch key {
                case .action:
                    if let action = reader.filledText(value, "the id of an action") { response.action = action }
                case .text: response.text = reader.text(value, atMost: 4096)
                }
            }
            return isObject ? response : nil
        }
    }
}
