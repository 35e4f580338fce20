package import MockAPNSCore
package import MockAPNSScenario

// Devices: reading, adding, changing and removing them while the server runs. Their displays are read from the log
// outside the gateway's lock.

extension MockAPNSServer {
    /// Returns the current state of a device.
    ///
    /// - Parameter nameOrToken: the device's name, or its device token in hexadecimal digits.
    /// - Returns: `nil` if no device has that name or token.
    public func device(_ nameOrToken: String) async -> DeviceState? {
        let (found, now) = engine.gateway.withLock { gateway in
            (look(nameOrToken, &gateway), gateway.moment(at: WallClock.now()).clock)
        }
        return found.map { DeviceState(Self.complete($0), at: now) }
    }

    /// Returns a device as it was right after a request.
    ///
    /// - Parameters:
    ///   - nameOrToken: the name or the token that the device had then.
    ///   - sequence: the number of the request in the log.
    /// - Throws: ``ControlError/unknown(_:)`` if there was no such device, the log does not go back that far, or the
    ///   request is older than the scenario.
    public func device(_ nameOrToken: String, at sequence: Int) async throws -> DeviceState {
        do {
            let view = try await pastView(of: nameOrToken, at: sequence)
            return DeviceState(view, at: view.time)
        } catch let missing as DeviceReplay.Missing {
            throw ControlError.unknown(Self.explain(missing, nameOrToken, sequence))
        }
    }

    /// Adds a device. It replaces one that registered itself with the same token.
    ///
    /// - Returns: its device token, drawn from the seed if it has none.
    /// - Throws: ``ControlError/malformed(_:)`` if it is not understood, and ``ControlError/taken(_:)`` if another
    ///   declared device has its name or token, or there is no room for it or its topics.
    @discardableResult
    public func addDevice(_ device: Device) throws(ControlError) -> String {
        let (declared, mistakes) = namesInScope.device(
            from: device.json, channelNames(for: device.json), drawn: drawDeviceToken())
        guard let declared else { throw .malformed(mistakes.sentences) }
        _ = try declare(declared)
        return declared.token.hex
    }

    /// Returns the token of a device that is added without one.
    package func drawDeviceToken() -> DeviceToken { engine.gateway.withLock { $0.drawDeviceToken() } }

    /// Changes a device; arguments that are `nil` change nothing. Stored pushes may be delivered or discarded as a
    /// result.
    ///
    /// - Parameters:
    ///   - nameOrToken: the device's name, or its device token in hexadecimal digits.
    ///   - online: whether the device is reachable.
    ///   - registered: whether its token is registered; with `false`, pushes are answered with 410 Unregistered and the
    ///     current time as `timestamp`.
    ///   - notifications: what the user allows the app to do with notifications.
    ///   - app: the state of the app, on which it depends whether a push wakes it.
    ///   - savesPower: whether the device is saving power.
    /// - Throws: ``ControlError/unknown(_:)`` if no device has that name or token, ``ControlError/malformed(_:)`` if a
    ///   time is out of range.
    public func update(
        device nameOrToken: String, online: Bool? = nil, registered: Registration? = nil,
        notifications: NotificationSettings? = nil, app: AppCondition? = nil, savesPower: Bool? = nil
    ) throws(ControlError) {
        let change = DeviceChange(
            online: online, registered: registered, notifications: notifications, app: app, savesPower: savesPower)
        let (read, mistakes) = namesInScope.deviceChange(from: change.json)  // It names no channel.
        guard let read else { throw .malformed(mistakes.sentences) }
        _ = try self.change(nameOrToken, read)
    }

    /// Changes a device. Stored pushes may be delivered or discarded as a result.
    ///
    /// ```swift
    /// try apns.update(device: "alice", .subscribe(to: "final"))
    /// ```
    ///
    /// - Throws: ``ControlError/unknown(_:)`` if no device has that name or token, or the device has no Live Activity that
    ///   is to end; ``ControlError/malformed(_:)`` if the change is not understood.
    public func update(device nameOrToken: String, _ change: DeviceChange) throws(ControlError) {
        let json = change.json
        let (read, mistakes) = namesInScope.deviceChange(from: json, channelNames(for: json))
        guard let read else { throw .malformed(mistakes.sentences) }
        _ = try self.change(nameOrToken, read)
    }

    /// Responds to a notification as the user does, which takes it off the screen. An event of the log says so.
    ///
    /// - Parameters:
    ///   - response: what the user does.
    ///   - sequence: the number of the push in the log.
    ///   - nameOrToken: the device's name, or its device token in hexadecimal digits.
    /// - Throws: ``ControlError/unknown(_:)`` if no device has that name or token, or it does not display that push;
    ///   ``ControlError/malformed(_:)`` if its category has no such action.
    public func respond(
        _ response: Response, to sequence: Int, on nameOrToken: String
    ) throws(ControlError) {
        _ = try respond(response.notificationResponse, to: sequence, on: nameOrToken)
    }

    /// Removes a device, including the pushes stored for it.
    ///
    /// - Parameter nameOrToken: the device's name, or its device token in hexadecimal digits.
    /// - Throws: ``ControlError/unknown(_:)`` if no device has that name or token.
    public func removeDevice(_ nameOrToken: String) throws(ControlError) {
        let isKnown = engine.transact { gateway, lines, transaction in
            guard let index = gateway.device(nameOrToken) else { return false }
            transaction.note(gateway.remove(index, at: gateway.moment(at: transaction.real).clock), &lines)
            return true
        }
        if !isKnown { throw Self.unknownDevice(nameOrToken) }
    }

    /// Returns a device as it was right after a request.
    ///
    /// - Throws: ``DeviceReplay/Missing``, or `CancellationError`.
    package func pastView(of nameOrToken: String, at sequence: Int) async throws -> DeviceView {
        let (events, begun) = engine.gateway.withLock { gateway in
            (EventSnapshot(log: gateway.log.snapshot, others: engine.events.withLock { $0 }), gateway.begun)
        }
        return try await inSlices(DeviceReplay(nameOrToken, after: sequence, in: events, from: begun)).get()
    }

    /// Returns why a device is not known as it was then, as a sentence.
    package static func explain(_ missing: DeviceReplay.Missing, _ nameOrToken: String, _ sequence: Int) -> String {
        switch missing {
        case .dropped(let why): why
        case .unknown: "There was no device \(nameOrToken.quotedForPeople) right after request \(sequence)."
        }
    }

    /// Returns the page of devices for a query.
    package func devices(_ query: DeviceQuery) -> Page<DeviceView> {
        var page = Page<DeviceView>()
        repeat {
            // In chunks, so that a million devices do not hold up pushes.
            engine.gateway.withLock { gateway in
                gateway.look(for: query, at: gateway.moment(at: WallClock.now()).clock, &page)
            }
        } while !page.isComplete(query.page)
        DeviceView.complete(&page.elements, from: requestLog)
        return page
    }

    /// Returns what a request of a log displays, and what its device did with it; `nil` if the log does not keep it.
    package func screen(of sequence: Int, in log: RequestSnapshot) -> PushScreen? {
        guard let screen = log.screen(of: sequence, in: scenario.apps) else { return nil }
        guard let token = log.deviceToken(of: sequence) else { return screen }
        return screen.known(by: view(of: token.text), of: sequence)
    }

    /// Returns a device as shown by the API.
    package func view(of nameOrToken: String) -> DeviceView? {
        engine.gateway.withLock { look(nameOrToken, &$0) }.map(Self.complete)
    }

    /// Adds a device. It replaces one that registered itself with the same token.
    ///
    /// - Throws: ``ControlError/taken(_:)`` if another declared device has its name or token.
    package func declare(_ device: DeclaredDevice) throws(ControlError) -> DeviceView {
        let result = engine.transact { gateway, lines, transaction -> Result<DeviceAndLog, ControlError> in
            let now = gateway.moment(at: transaction.real)
            guard let (index, effects) = gateway.declare(device, at: now.clock) else {
                return .failure(.taken(Self.rejection(of: device, gateway)))
            }
            transaction.note(effects, &lines)
            return .success(DeviceAndLog(view: gateway.view(of: index, at: now.clock), log: gateway.log.snapshot))
        }
        return Self.complete(try result.get())
    }

    /// Changes a device; returns its new state.
    ///
    /// - Throws: ``ControlError/unknown(_:)`` if no device has that name or token, or the device has no Live Activity that
    ///   is to end; ``ControlError/malformed(_:)`` if it cannot be carried out on the device.
    package func change(_ nameOrToken: String, _ change: MockAPNSCore.DeviceChange) throws(ControlError) -> DeviceView {
        if change.mayFail, let view = view(of: nameOrToken), let mistake = mistake(of: change, on: view) {
            throw mistake.isUnknown ? .unknown(mistake.why) : .malformed(mistake.why)
        }
        let found = engine.transact { gateway, lines, transaction -> DeviceAndLog? in
            guard let index = gateway.device(nameOrToken) else { return nil }
            let now = gateway.moment(at: transaction.real).clock
            let (changed, effects) = gateway.change(index, change, at: now)
            transaction.note(effects, &lines)
            return DeviceAndLog(view: gateway.view(of: changed, at: now), log: gateway.log.snapshot)
        }
        guard let found else { throw Self.unknownDevice(nameOrToken) }
        return Self.complete(found)
    }

    /// Returns why a change cannot be carried out on a device as it is; `nil` if it can.
    package func mistake(
        of change: MockAPNSCore.DeviceChange, on device: DeviceView
    ) -> MockAPNSCore.DeviceChange.Mistake? {
        // The members of a fleet do not know all Live Activities.
        let knowsActivities = fleet == nil
        if let mistake = change.mistake(on: device, knowsActivities: knowsActivities) { return mistake }
        guard knowsActivities else { return nil }
        return engine.transact { gateway, _, transaction in
            guard let index = gateway.device(device.token.hex) else { return nil }
            let now = gateway.moment(at: transaction.real).clock
            guard let (activity, why) = gateway.startInVain(change, on: index, at: now) else { return nil }
            return .init(why: why, pointer: activity.channel == nil ? "/startActivity" : "/subscribe")
        }
    }

    /// Responds to a notification as the user does; returns the device's new state.
    ///
    /// - Parameter sequence: the number of the push in the log, or in the order of the fleet.
    /// - Throws: ``ControlError/unknown(_:)`` if no device has that name or token, or it does not display that push;
    ///   ``ControlError/malformed(_:)`` if the notification has no such action.
    package func respond(
        _ response: NotificationResponse, to sequence: Int, on nameOrToken: String
    ) throws(ControlError) -> DeviceView {
        guard let view = view(of: nameOrToken) else { throw Self.unknownDevice(nameOrToken) }
        guard let displayed = view.displayed(sequence) else {
            let latest = view.history.latest.last { $0.sequence == sequence }
            let why = latest?.why ?? "Its history does not have that push."
            throw .unknown("The device does not display push \(sequence). \(why)")
        }
        if let mistake = response.mistake(on: displayed) { throw .malformed(mistake.why) }
        let found = engine.transact { gateway, lines, transaction -> DeviceAndLog? in
            guard let index = gateway.device(nameOrToken) else { return nil }
            let now = gateway.moment(at: transaction.real).clock
            let made = response.made(to: displayed, on: view)
            let effects = gateway.respond(made, to: displayed.sequence, on: index, at: now)
            transaction.note(effects, &lines)
            return DeviceAndLog(view: gateway.view(of: index, at: now), log: gateway.log.snapshot)
        }
        guard let found else { throw Self.unknownDevice(nameOrToken) }
        return Self.complete(found)
    }

    /// Returns the error that no device has that name or token.
    package static func unknownDevice(_ nameOrToken: String) -> ControlError {
        .unknown("No device has the name or the token \"\(nameOrToken.prefix(80))\".")
    }

    private static func rejection(of device: DeclaredDevice, _ gateway: borrowing Gateway) -> String {
        if let name = device.name, gateway.devices.find(name: name) != nil {
            return "The name \"\(name.prefix(80))\" belongs to another device; choose another, or change that device."
        }
        if gateway.subscriptions.tokens[device.token] != nil {
            return "The token is that of a Live Activity, or starts one; a device has a token of its own."
        }
        if gateway.hasActivityTokenInUse(device) {
            return "A token of its Live Activities is in use; each token stands for one device or one Live Activity."
        }
        if let index = gateway.devices.find(device.token) {
            let name = gateway.devices[index].name.map { ", \"\($0.prefix(80))\"" } ?? ""
            return "The token belongs to a declared device\(name); change that one, or remove it first."
        }
        guard gateway.devices.topics.hasRoom(for: device.topics) else {
            return
                "The topics of this device do not fit beside those known so far; \(TopicTable.limit) topics with \(TopicTable.byteLimit) bytes are the maximum. \(APICall.reset) forgets those of pushes and of earlier scenarios."
        }
        return
            "There are \(DeviceRegistry.declaredLimit) declared devices, which is the maximum; remove devices you no longer need."
    }
}

/// A device and the log to complete it from, both as of the same moment.
private struct DeviceAndLog: Sendable {
    var view: DeviceView
    var log: RequestSnapshot
}

extension MockAPNSServer {
    private func look(_ nameOrToken: String, _ gateway: inout Gateway) -> DeviceAndLog? {
        let now = gateway.moment(at: WallClock.now()).clock
        return gateway.device(nameOrToken).map {
            DeviceAndLog(view: gateway.view(of: $0, at: now), log: gateway.log.snapshot)
        }
    }

    private static func complete(_ found: DeviceAndLog) -> DeviceView {
        var views = [found.view]
        DeviceView.complete(&views, from: found.log)
        return views[0]
    }
}

extension Gateway {
    /// Finds a device by its token or that of one of its Live Activities, or else by name.
    fileprivate func device(_ nameOrToken: String) -> DeviceIndex? {
        DeviceToken(hex: nameOrToken).flatMap { state.device(receiving: $0) } ?? devices.find(name: nameOrToken)
    }
}
