/// Declares, changes, reads and removes devices.
extension Gateway {
    /// Adds a device declared while the server runs. It replaces a self-registered device with the same token.
    ///
    /// - Parameter now: the time on the scenario's clock.
    /// - Returns: the device and the effects; `nil` if its token or name belongs to another declared device, or there is
    ///   no room for it or its topics.
    package mutating func declare(_ declared: DeclaredDevice, at now: Timestamp) -> (
        DeviceIndex, [GatewayEffect]
    )? {
        if let name = declared.name, state.devices.find(name: name) != nil { return nil }
        guard state.devices.topics.hasRoom(for: declared.topics) else { return nil }
        let known = state.devices.find(declared.token)
        guard known.map({ state.devices.isSelfRegistered($0) }) ?? true, state.devices.hasRoomToDeclare() else {
            return nil
        }
        if let known { discardStoredPushes(of: known, at: now) }
        var event = DeviceEvent(
            state: .declared, clock: now, token: declared.token,
            device: declared.device(at: now, in: configuration.environment))
        event.topics = declared.topics
        record(.device(event))
        guard let index = state.devices.find(declared.token) else { return nil }
        awaitRegistration(of: index, state.devices.registration(of: index), after: now)
        startActivities(declared.activities, on: index, at: now)
        return (index, takeEffects())
    }

    /// Changes a device. This may deliver or discard stored pushes.
    ///
    /// - Parameter now: the time on the scenario's clock.
    package mutating func change(
        _ device: DeviceIndex, _ change: DeviceChange, at now: Timestamp
    ) -> [GatewayEffect] {
        apply(change, to: device, at: now)
        return takeEffects()
    }

    /// Like ``change(_:_:at:)``, for the timeline and the steps of rules: the effects are fetched later.
    mutating func apply(_ change: DeviceChange, to device: DeviceIndex, at now: Timestamp) {
        let old = state.devices[device]
        var new = old
        if let isOnline = change.isOnline { new.isOnline = isOnline }
        if let allows = change.allowsNotifications { new.allowsNotifications = allows }
        if let savesPower = change.savesPower { new.savesPower = savesPower }
        if let registration = change.registration { new.registration = registration.taken(at: now) }
        if !new.isTreated(as: old) {
            record(
                .device(
                    DeviceEvent(state: .changed, clock: now, token: state.devices.token(of: device), device: new)))
            awaitRegistration(of: device, new.registration, after: now)
            deliverStoredPushes(of: device, at: now)
        }
        changeActivities(of: device, change, at: now)
    }

    /// Registers a device that was pushed to on another replica of a fleet; its token is valid for all topics.
    package mutating func registerIfUnknown(_ token: DeviceToken, at now: Timestamp) {
        guard state.devices.find(token) == nil else { return }
        if let oldest = state.devices.nextToGo { discardStoredPushes(of: oldest, at: now) }
        _ = state.register(
            token, topic: nil, isSandbox: configuration.environment.isSandbox(serverName: nil), at: now)
    }

    /// Returns a device as the API shows it; ``DeviceView/complete(_:from:)`` completes it from the log.
    ///
    /// - Parameter now: the time on the scenario's clock.
    package func view(of device: DeviceIndex, at now: Timestamp) -> DeviceView {
        DeviceView(
            device, in: state.devices, state.mailboxes.mailbox(of: device), scenario.apps, at: now,
            latestSequence: log.latestSequence
        ).adding(state.subscriptions.activities(of: device, at: now))
    }

    /// Dismisses a notification, as a user does with a swipe.
    ///
    /// - Parameters:
    ///   - sequence: the sequence number of its push; if it is not displayed, nothing changes.
    ///   - now: the time on the scenario's clock.
    package mutating func dismiss(_ sequence: Int, on device: DeviceIndex, at now: Timestamp) -> [GatewayEffect] {
        noteDevice(device, .changed, dismissed: sequence, at: now)
        return takeEffects()
    }

    /// Removes a device with its stored pushes and what it displays.
    ///
    /// - Parameter now: the time on the scenario's clock.
    package mutating func remove(_ device: DeviceIndex, at now: Timestamp) -> [GatewayEffect] {
        discardStoredPushes(of: device, at: now)
        noteDevice(device, .removed, at: now)
        return takeEffects()
    }

    /// Schedules the time at which a device's token becomes invalid, when its stored pushes are re-evaluated.
    mutating func awaitRegistration(
        of device: DeviceIndex, _ registration: Device.Registration, after now: Timestamp
    ) {
        guard let time = registration.beginning, time > now else { return }
        scheduler.schedule(.registration(device), at: time)
        scheduler.tidy(state.devices, state.mailboxes)
    }

    /// Records that a device was changed or removed.
    mutating func noteDevice(
        _ device: DeviceIndex, _ change: DeviceEvent.State, dismissed: Int? = nil, activity: ActivityChange? = nil,
        at now: Timestamp
    ) {
        var event = DeviceEvent(
            state: change, clock: now, token: state.devices.token(of: device), device: state.devices[device])
        event.dismissed = dismissed
        event.activity = activity
        record(.device(event))
    }
}

extension Device {
    /// Whether pushes to both devices are handled alike.
    fileprivate func isTreated(as other: Device) -> Bool {
        isOnline == other.isOnline && allowsNotifications == other.allowsNotifications
            && savesPower == other.savesPower && registration == other.registration
    }
}
