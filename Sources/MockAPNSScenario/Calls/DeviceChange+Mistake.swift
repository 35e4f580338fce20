package import MockAPNSCore

extension DeviceChange {
    /// Whether it ends a Live Activity, or takes one off the screen.
    package var endsActivity: Bool { endActivity != nil || dismissActivity != nil }

    /// Returns why it would change nothing about a Live Activity, as a sentence, and the member that says so; `nil` if it
    /// would.
    package func mistake(on device: DeviceView) -> (why: String, pointer: String)? {
        for (key, name) in [("endActivity", endActivity), ("dismissActivity", dismissActivity)] {
            guard let name else { continue }
            let shown = device.activities
            if shown.contains(where: { $0.name == name || $0.token.map { DeviceToken(hex: name) == $0 } ?? false }) {
                continue
            }
            let known = whatThereIs(insteadOf: name, among: shown.compactMap { $0.name ?? $0.token?.hex })
            return ("The device has no Live Activity \(name.quotedForPeople) on its screen; \(known)", "/\(key)")
        }
        return nil
    }
}
