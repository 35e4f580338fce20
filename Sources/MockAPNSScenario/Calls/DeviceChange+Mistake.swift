package import MockAPNSCore

extension DeviceChange {
    /// Why a change cannot be carried out.
    package struct Mistake: Error {
        /// The reason, as a sentence.
        package var why: String
        /// The member that says so, as a JSON Pointer.
        package var pointer: String
        /// Whether it names something that there is not.
        package var isUnknown = false

        package init(why: String, pointer: String, isUnknown: Bool = false) {
            (self.why, self.pointer, self.isUnknown) = (why, pointer, isUnknown)
        }
    }

    /// Whether it depends on the state of the device whether it can be carried out.
    package var mayFail: Bool {
        endActivity != nil || dismissActivity != nil || startActivity != nil || subscribe != nil || !phone.apps.isEmpty
    }

    /// Returns why it cannot be carried out on a device as it is; `nil` if it can.
    ///
    /// - Parameter knowsActivities: whether all Live Activities of the device are known.
    package func mistake(on device: DeviceView, knowsActivities: Bool) -> Mistake? {
        let count = phone.appCount(on: device.device.phone)
        if count > Phone.appLimit {
            let why =
                "\(count) apps of the device would have a state of their own; expected at most \(Phone.appLimit). null takes one away."
            return Mistake(why: why, pointer: "/apps")
        }
        for (app, change) in phone.apps.sorted(by: { $0.key < $1.key }) where change != nil {
            guard !device.topics.isEmpty, !device.topics.contains(where: { Topic.app(of: $0) == Topic.app(of: app) })
            else {
                continue
            }
            let known = whatThereIs(insteadOf: app, among: Set(device.topics.map { Topic.app(of: $0) }).sorted())
            let why = "The device has no topic of the app \(app.quotedForPeople); \(known)"
            return Mistake(why: why, pointer: "/apps", isUnknown: true)
        }
        guard knowsActivities else { return nil }
        for (key, started) in [("startActivity", startActivity), ("subscribe", subscribe)] {
            guard let name = started?.name, ![endActivity, dismissActivity].contains(name),
                device.activities.contains(where: { $0.name == name && $0.event != .end })
            else { continue }
            let why = "The device has a Live Activity \(name.quotedForPeople) already; give this one another name."
            return Mistake(why: why, pointer: "/\(key)/name")
        }
        for (key, name) in [("endActivity", endActivity), ("dismissActivity", dismissActivity)] {
            guard let name else { continue }
            let shown = device.activities
            if shown.contains(where: { $0.name == name || $0.token.map { DeviceToken(hex: name) == $0 } ?? false }) {
                continue
            }
            let names = shown.compactMap { $0.name ?? $0.token?.hex }
            let known =
                names.isEmpty && !shown.isEmpty
                ? "it has \(shown.count == 1 ? "one" : "\(shown.count)") without a name or an update token."
                : whatThereIs(insteadOf: name, among: names)
            let why = "The device has no Live Activity \(name.quotedForPeople) on its screen; \(known)"
            return Mistake(why: why, pointer: "/\(key)", isUnknown: true)
        }
        return nil
    }
}
