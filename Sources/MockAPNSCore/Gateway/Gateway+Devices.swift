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
        guard state.subscriptions.tokens[declared.token] == nil, !hasActivityTokenInUse(declared) else { return nil }
        let known = state.devices.find(declared.token)
        guard known.map({ state.devices.isSelfRegistered($0) }) ?? true, state.devices.hasRoomToDeclare() else {
            return nil
        }
        if let known { discardStoredPushes(of: known, at: now) }
        var event = DeviceEvent(
            state: .declared, clock: now, token: declared.token,
            device: declared.device(at: now, in: configuration.environment))
        event.topics = declared.topics
        event.startTokens = declared.startTokens
        record(.device(event))
        guard let index = state.devices.find(declared.token) else { return nil }
        awaitRegistration(of: index, state.devices.registration(of: index), after: now)
        startActivities(declared.activities, on: index, at: now)
        return (index, takeEffects())
    }

    /// Returns whether a token of a device's Live Activities stands for something already.
    package func hasActivityTokenInUse(_ declared: DeclaredDevice) -> Bool {
        let tokens = declared.startTokens.map(\.token) + declared.activities.compactMap(\.token)
        return tokens.contains { $0 == declared.token || state.device(receiving: $0) != nil }
    }

    /// Changes a device. This may deliver or discard stored pushes.
    ///
    /// - Parameter now: the time on the scenario's clock.
    /// - Returns: the device, which is another if it got a new token, and the effects.
    package mutating func change(
        _ device: DeviceIndex, _ change: DeviceChange, at now: Timestamp
    ) -> (DeviceIndex, [GatewayEffect]) {
        let device = apply(change, to: device, at: now)
        return (device, takeEffects())
    }

    /// Like ``change(_:_:at:)``, for the timeline and the steps of rules: the effects are fetched later.
    @discardableResult
    mutating func apply(_ change: DeviceChange, to known: DeviceIndex, at now: Timestamp) -> DeviceIndex {
        let device = change.newToken ? renewToken(of: known, at: now) : known
        let old = state.devices[device]
        var new = old
        if let isOnline = change.isOnline { new.isOnline = isOnline }
        change.phone.apply(to: &new.phone)
        if !change.phone.apps.isEmpty, !new.topics.isEmpty {
            // A step of a rule may name an app that the device does not have.
            let own = Set(new.topics.map { Topic.app(of: state.devices.topics.text($0)) })
            new.phone.apps = new.phone.apps.filter { own.contains(Topic.app(of: $0.key)) }
        }
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
        return device
    }

    /// Gives a device a new token, as it gets one after a restore or when its app is installed again. The old token is
    /// unregistered from now on.
    ///
    /// - Returns: the device with the new token; if there is no room for it, the old one.
    private mutating func renewToken(of device: DeviceIndex, at now: Timestamp) -> DeviceIndex {
        guard state.devices.hasRoomToDeclare() else { return device }
        let old = state.devices.token(of: device)
        var new = old
        repeat {
            new = DeviceToken(seed: configuration.tokenSeed, for: "after \(new.hex)")
        } while state.device(receiving: new) != nil
        var gone = state.devices[device]
        gone.registration = .unregistered(at: now, acceptFor: 0)
        var event = DeviceEvent(state: .renewed, clock: now, token: old, newToken: new, device: gone)
        if state.subscriptions.tokens.hasStartTokens(device) {
            event.startTokens = StartToken.drawn(
                seed: configuration.tokenSeed, for: new, state.devices.topics(of: device))
        }
        record(.device(event))
        deliverStoredPushes(of: device, at: now)
        return state.devices.find(new) ?? device
    }

    /// Registers a device that was pushed to on another replica of a fleet; its token is valid for all topics.
    package mutating func registerIfUnknown(_ token: DeviceToken, at now: Timestamp) {
        guard state.device(receiving: token) == nil else { return }
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
        ).adding(state.subscriptions, of: device)
    }

    /// Responds to a notification as the user does.
    ///
    /// An app that this opens is in the background afterwards.
    ///
    /// - Parameters:
    ///   - sequence: the sequence number of its push; if it is not displayed, nothing changes.
    ///   - now: the time on the scenario's clock.
    package mutating func respond(
        _ response: UserResponse, to sequence: Int, on device: DeviceIndex, at now: Timestamp
    ) -> [GatewayEffect] {
        record(
            .response(
                ResponseEvent(
                    clock: now, token: state.devices.token(of: device), deviceName: state.devices[device].name,
                    sequence: sequence, action: response.action, text: response.text,
                    reachesApp: response.reachesApp)))
        if let app = response.opensApp { open(app, on: device, at: now) }
        return takeEffects()
    }

    /// Lets the user open an app and leave it again.
    private mutating func open(_ app: String, on device: DeviceIndex, at now: Timestamp) {
        let phone = state.devices[device].phone
        guard !phone.isOrdinary, phone.app(of: app).state != .foreground else { return }
        for state in [AppState.foreground, .background] {
            var change = DeviceChange()
            if phone.apps[app] == nil {
                change.phone.app.state = state
            } else {
                change.phone.apps[app] = .opened(state)
            }
            apply(change, to: device, at: now)
        }
    }

    /// Removes a device with its stored pushes and what it displays.
    ///
    /// - Parameter now: the time on the scenario's clock.
    package mutating func remove(_ device: DeviceIndex, at now: Timestamp) -> [GatewayEffect] {
        discardStoredPushes(of: device, at: now)
        record(
            .device(
                DeviceEvent(
                    state: .removed, clock: now, token: state.devices.token(of: device), device: state.devices[device]))
        )
        return takeEffects()
    }

    /// Schedules the time at which a device's token becomes invalid, when its stored pushes are re-evaluated.
    mutating func awaitRegistration(
        of device: DeviceIndex, _ registration: Device.Registration, after now: Timestamp
    ) {
        guard let time = registration.beginning, time > now else { return }
        scheduler.schedule(.registration(device), at: time)
        scheduler.tidy(state)
    }
}

extension Device {
    /// Whether pushes to both devices are handled alike.
    fileprivate func isTreated(as other: Device) -> Bool {
        isOnline == other.isOnline && phone == other.phone
            && savesPower == other.savesPower && registration == other.registration
    }
}
