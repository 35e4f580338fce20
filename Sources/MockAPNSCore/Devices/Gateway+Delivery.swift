/// Delivery of accepted pushes.
extension Gateway {
    /// Delivers a push that passed the checks, unless the device has received too many.
    @inline(__always)
    mutating func deliver(_ request: inout RequestContext, _ record: inout RequestRecord) -> Refusal? {
        if let device = request.device, !devices.isPlain(device.index),
            let refusal = tooManyRequests(to: device.index, at: request.now.clock)
        {
            return refusal
        }
        record.delivery = deliver(&request)
        return nil
    }

    private mutating func tooManyRequests(to device: DeviceIndex, at now: Timestamp) -> Refusal? {
        guard !devices.admitPush(to: device, at: now), let rate = devices[device].rate else { return nil }
        return Refusal(
            .tooManyRequests,
            """
            The device token \(quoted: devices.token(of: device).hex) has had \(rate.allowed) pushes within \
            \(rate.per) ms; wait before sending the next.
            """
        )
    }

    /// Delivers a push that passed the checks. An undeclared token is registered as a device with this push's topic.
    ///
    /// - Returns: what happened to it; `nil` if it never arrives, though it was accepted.
    @inline(__always)
    private mutating func deliver(_ request: inout RequestContext) -> Delivery? {
        let isLost = configuration.responses.backgroundPriority10 == .drop && request.push.isBackgroundOfPriority10
        if let device = request.device, !isLost, devices.isUnattended(device.index), !mayStartActivity(request) {
            devices.countPush(to: device.index)
            return .delivered
        }
        return deliverSlowly(&request, isLost: isLost)
    }

    /// Whether a push may start a Live Activity that listens to a broadcast channel.
    @inline(__always)
    private func mayStartActivity(_ request: borrowing RequestContext) -> Bool {
        guard case .value(.liveactivity) = request.push.pushType else { return false }
        return request.body.contains(LiveActivityPush.channelKey)
    }

    @inline(never)
    private mutating func deliverSlowly(_ request: inout RequestContext, isLost: Bool) -> Delivery? {
        let now = request.now.clock
        let device: DeviceIndex
        if let known = request.device?.index {
            device = known
        } else {
            guard let token = request.push.deviceToken else { return nil }
            // A device that registers itself does so on the replica that it was pushed to.
            if order.isOfAnother, !rules.changesDevices { return nil }
            device = register(token, for: &request)
            guard !isLost else { return nil }
            guard mayStartActivity(request) else {
                devices.countPush(to: device)
                return .delivered
            }
        }
        guard !isLost else {
            devices.notePush(to: device)
            return nil
        }
        let priority = request.push.priority.value ?? .immediate
        let expiry = DeliveryPolicy.expiry(request.push.expiration.value, at: now)
        let delivery = DeliveryPolicy.ofNew(
            priority, isWorthStoring: now < expiry, devices.conditions(of: device, at: now))
        if delivery == .delivered { devices.countPush(to: device) } else { devices.notePush(to: device) }
        let screenPart = ScreenPart(request.push.pushType)
        let isStored = !delivery.isFinal
        guard isStored || delivery == .delivered && screenPart != .none else { return delivery }
        var push = KeptPush(
            sequence: order.reference(toKeep: log.latestSequence + 1), time: isStored ? expiry : now,
            topic: devices.topics.intern(pushed: request.topic), collapseID: request.text(request.push.collapseID),
            payload: request.body)
        (push.priority, push.delivery, push.screenPart) = (priority, delivery, screenPart)
        push.number = order.number ?? 0
        guard !isStored || mailboxes.admits(push, for: device) else { return .discardedExpired }
        if isStored || !mailboxes.show(push, on: device) {
            openMailbox(of: device)
            if isStored { store(push, for: device, at: now) } else { mailboxes.show(push, on: device) }
        }
        if !isStored, mayStartActivity(request) { startActivity(by: push, on: device, at: now) }
        return delivery
    }

    private mutating func register(_ token: DeviceToken, for request: inout RequestContext) -> DeviceIndex {
        if let oldest = devices.nextToGo { discardStoredPushes(of: oldest, at: request.now.clock) }
        let topic = devices.topics.intern(pushed: request.topic) ?? .unlisted
        return devices.register(token, topic: topic, isSandbox: request.origin.isSandbox)
    }

    private mutating func store(_ push: consuming KeptPush, for device: DeviceIndex, at now: Timestamp) {
        let sequence = push.sequence
        scheduler.schedule(.expiry(device, sequence: sequence), at: push.time)
        if let (gone, isReplaced) = mailboxes.store(push, for: device, perTopic: configuration.storagePerTopic) {
            if isReplaced, now < gone.time {
                note(gone.sequence, RequestUpdate(replacedBy: sequence), at: now)
            } else {
                note(gone.sequence, RequestUpdate(delivery: .discardedExpired), at: now)
            }
        }
        scheduler.tidy(devices, mailboxes)
    }

    /// Creates a mailbox for a device without one. Until then, what a self-registered device displays is in the log.
    mutating func openMailbox(of device: DeviceIndex) {
        guard !mailboxes.hasMailbox(device) else { return }
        mailboxes.open(device, historyEnd: devices.isSelfRegistered(device) ? log.latestSequence : 0)
        devices.setHoldsPushes(true, device)
    }

    /// Re-evaluates the stored pushes of a device after its state has changed.
    mutating func deliverStoredPushes(of device: DeviceIndex, at now: Timestamp) {
        if subscriptions.concern(device) { updateSubscriptions(of: device, at: now) }
        let stored = mailboxes.stored(for: device)
        guard !stored.isEmpty else { return }
        let conditions = devices.conditions(of: device, at: now)
        for push in stored {
            let delivery = push.time <= now ? .discardedExpired : DeliveryPolicy.ofStored(push.priority, conditions)
            if delivery == push.delivery { continue }
            if delivery.isFinal {
                settle(push, as: delivery, for: device, at: now)
            } else {
                mailboxes.setDelivery(delivery, of: push.sequence, for: device)
                note(push.sequence, RequestUpdate(delivery: delivery), at: now)
            }
        }
    }

    /// Discards a device's stored pushes and what it displays.
    mutating func discardStoredPushes(of device: DeviceIndex, at now: Timestamp) {
        for push in mailboxes.stored(for: device) {
            settle(push, as: .discardedUnregisteredFromStorage, for: device, at: now)
        }
        mailboxes.close(device)
        subscriptions.remove(device, at: now)
    }

    /// Does the same for all devices, because they are replaced.
    mutating func discardAllStoredPushes(at now: Timestamp) {
        for device in mailboxes.devices { discardStoredPushes(of: device, at: now) }
    }

    /// Handles the expiry of a push that may still be stored.
    mutating func expire(_ sequence: Int, for device: DeviceIndex, at now: Timestamp) {
        guard mailboxes.removeStored(sequence, for: device) != nil else { return }
        note(sequence, RequestUpdate(delivery: .discardedExpired), at: now)
    }

    /// Removes a push from storage for good.
    private mutating func settle(
        _ push: KeptPush, as delivery: Delivery, for device: DeviceIndex, at now: Timestamp
    ) {
        _ = mailboxes.removeStored(push.sequence, for: device)
        note(push.sequence, RequestUpdate(delivery: delivery), at: now)
        guard delivery.reachedDevice else { return }
        devices.countDelivery(to: device)
        var push = push
        push.delivery = delivery
        push.time = now
        mailboxes.show(push, on: device)
        if push.screenPart == .liveActivities { startActivity(by: push, on: device, at: now) }
    }

    /// Changes the record of a push, unless another replica of the fleet has it.
    private mutating func note(_ sequence: Int, _ update: RequestUpdate, at now: Timestamp) {
        guard sequence < FleetOrder.firstNumber else { return }
        changeRecord(sequence, update, at: now)
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
