/// Delivery of accepted pushes.
extension Gateway {
    /// Delivers a push that passed the checks, unless the device has received too many. An undeclared token is registered
    /// as a device with this push's topic.
    @inline(__always)
    mutating func deliver(_ request: inout RequestContext, _ record: inout RequestRecord) -> Rejection? {
        if let device = request.device, !state.devices.hasDefaultState(device.index),
            let rejection = tooManyRequests(to: device.index, at: request.now.clock)
        {
            return rejection
        }
        let isLost = configuration.responses.backgroundPriority10 == .drop && request.push.isBackgroundOfPriority10
        if let device = request.device, !isLost, !concernsActivities(request, on: device.index),
            state.applyIfOnlyCounted(device.index)
        {
            record.delivery = .delivered
        } else {
            deliverSlowly(&request, &record, isLost: isLost)
        }
        return nil
    }

    /// Returns why a device refuses a push that passed the checks, and is not delivered in any case.
    mutating func refusal(byDeviceOf request: inout RequestContext) -> Rejection? {
        guard let device = request.device, !state.devices.hasDefaultState(device.index) else { return nil }
        return tooManyRequests(to: device.index, at: request.now.clock)
    }

    private mutating func tooManyRequests(to device: DeviceIndex, at now: Timestamp) -> Rejection? {
        guard !state.devices.admitPush(to: device, at: now), let rate = state.devices[device].rate else { return nil }
        return Rejection(
            .tooManyRequests,
            """
            The device token \(quoted: state.devices.token(of: device).hex) has had \(rate.allowed) pushes within \
            \(rate.per) ms; wait before sending the next.
            """
        )
    }

    /// Whether a push may start a Live Activity that listens to a broadcast channel, or that a client waits for, or may
    /// change one that the app has started.
    @inline(__always)
    private func concernsActivities(_ request: borrowing RequestContext, on device: DeviceIndex) -> Bool {
        guard request.isToLiveActivities else { return false }
        return watch.waits.hasActivityWaits || state.subscriptions.concern(device)
            || LiveActivityPush.mayNameChannel(request.body)
    }

    /// Sets what happens to a push; nothing if it never arrives, though it was accepted.
    @inline(never)
    private mutating func deliverSlowly(
        _ request: inout RequestContext, _ record: inout RequestRecord, isLost: Bool
    ) {
        guard !isLost, request.push.deviceToken != nil else { return }
        // A device that registers itself does so on the replica that it was pushed to.
        if request.device == nil, order.isOfAnother, !rules.changesDevices { return }
        let now = request.now.clock
        let delivery = delivery(of: &request)
        record.delivery = delivery
        let isStored = !delivery.isFinal
        var push = DecidedPush(
            record, as: log.latestSequence + 1, fields: request.bytes, payload: request.body, topic: request.topic)
        if isStored || delivery == .delivered { push.sequence = order.reference(toKeep: push.sequence) }
        (push.isSandbox, push.number, push.latest) =
            (request.origin.isSandbox, order.number ?? 0, log.latestSequence)
        if request.device == nil, let oldest = state.devices.nextToGo { discardStoredPushes(of: oldest, at: now) }
        let isToActivities = delivery == .delivered && push.screenPart == .liveActivities
        let activity = state.activityAddress(of: push)?.activity
        state.apply(push)
        guard let device = request.device?.index ?? push.token.flatMap({ state.devices.find($0) }) else { return }
        if isStored { makeWay(for: push, on: device, at: now) }
        if isToActivities {
            let address = ServiceState.ActivityAddress(
                device: device, activity: activity ?? .ofDevice, number: push.number)
            noteActivity(address, changedBy: push.sequence, request.topic, at: now)
        }
    }

    /// Returns what happens to a push on arrival. A device that registers itself with it is online.
    private mutating func delivery(of request: inout RequestContext) -> Delivery {
        guard let device = request.device?.index else { return .delivered }
        let now = request.now.clock
        let delivery = DeliveryPolicy.ofNew(
            request.push.priority.value ?? .immediate,
            isWorthStoring: now < DeliveryPolicy.expiry(request.push.expiration.value, at: now),
            state.devices.conditions(of: device, at: now).facing(
                ScreenPart(request.push.pushType, topic: request.topic), request.body))
        if delivery.isFinal { return delivery }
        let size = request.text(request.push.collapseID).count + request.body.count
        return state.mailboxes.admits(size, for: device) ? delivery : .discardedExpired
    }

    /// Lets a stored push expire, and another make way for it.
    private mutating func makeWay(for push: borrowing DecidedPush, on device: DeviceIndex, at now: Timestamp) {
        scheduler.schedule(
            .expiry(device, sequence: push.sequence), at: DeliveryPolicy.expiry(push.record.expiration, at: now))
        if let (gone, isReplaced) = state.mailboxes.makesWay(on: device, perTopic: configuration.storagePerTopic) {
            let change =
                isReplaced && now < gone.time
                ? RequestUpdate(replacedBy: push.sequence) : RequestUpdate(delivery: .discardedExpired)
            updateStored(gone.sequence, change, for: device, at: now)
        }
        scheduler.tidy(state)
    }

    /// Re-evaluates the stored pushes of a device after its state has changed.
    mutating func deliverStoredPushes(of device: DeviceIndex, at now: Timestamp) {
        let stored = state.mailboxes.stored(for: device)
        guard !stored.isEmpty else { return }
        let conditions = state.devices.conditions(of: device, at: now)
        for push in stored {
            let delivery =
                push.time <= now
                ? .discardedExpired
                : DeliveryPolicy.ofStored(push.priority, conditions.facing(push.screenPart, push.payload))
            if delivery == push.delivery { continue }
            updateStored(push.sequence, RequestUpdate(delivery: delivery), for: device, at: now)
        }
    }

    /// Discards a device's stored pushes, because it goes.
    mutating func discardStoredPushes(of device: DeviceIndex, at now: Timestamp) {
        for push in state.mailboxes.stored(for: device) {
            updateStored(
                push.sequence, RequestUpdate(delivery: .discardedUnregisteredFromStorage), for: device, at: now)
        }
    }

    /// Does the same for all devices, because they are replaced.
    mutating func discardAllStoredPushes(at now: Timestamp) {
        for device in state.mailboxes.devices { discardStoredPushes(of: device, at: now) }
    }

    /// Handles the expiry of a push that may still be stored.
    mutating func expire(_ sequence: Int, for device: DeviceIndex, at now: Timestamp) {
        guard state.mailboxes.stores(sequence, for: device) else { return }
        updateStored(sequence, RequestUpdate(delivery: .discardedExpired), for: device, at: now)
    }

    /// Decides what becomes of a stored push. Its record says so, unless another replica of the fleet has it.
    private mutating func updateStored(
        _ sequence: Int, _ change: RequestUpdate, for device: DeviceIndex, at now: Timestamp
    ) {
        let event = LogEvent.update(UpdateEvent(of: sequence, change, clock: now))
        if sequence < FleetOrder.firstNumber {
            countDelivery(change, of: sequence)
            changeRecord(sequence, change, at: now)
        }
        guard let push = state.apply(event, after: log.latestSequence).delivered, push.screenPart == .liveActivities
        else { return }
        let topic = state.devices.topic(of: push)
        let address = ServiceState.ActivityAddress(device: device, activity: push.activity, number: push.number)
        noteActivity(address, changedBy: sequence, Array(topic.utf8).span, at: now)
    }

    /// Counts the status that a stored push of a provider comes to.
    private mutating func countDelivery(_ change: RequestUpdate, of sequence: Int) {
        guard let delivery = change.delivery else { return }
        let pushType = log.withSubject(sequence) { subject -> [UInt8]? in
            guard subject.record.sender == .provider else { return nil }
            return subject.text(.pushType) ?? []
        }
        if let pushType = pushType ?? nil { statistics.count(delivery, of: PushType(pushType.span)) }
    }
}

extension DeviceRegistry {
    /// Returns the state of a device that matters for delivery.
    func conditions(of device: DeviceIndex, at now: Timestamp) -> DeliveryPolicy.Conditions {
        let flags = records[device].flags
        return DeliveryPolicy.Conditions(
            isRegistered: registration(of: device).status(at: now) == .registered,
            allowsNotifications: flags.contains(.notifications), isOnline: flags.contains(.online),
            savesPower: flags.contains(.savesPower))
    }

    func isSelfRegistered(_ device: DeviceIndex) -> Bool { records[device].flags.contains(.selfRegistered) }
}
