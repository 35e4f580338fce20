/// The display of a push on its device, or the reason for none: derived from its record. For a call about broadcast
/// channels, its result.
package struct PushScreen: Sendable {
    /// The kind of display.
    package var kind: ScreenKind
    /// The result, as a sentence.
    package var text: String
    /// The notification.
    package var shown: ShownNotification?
    /// The content of a Live Activity push.
    package var activity: LiveActivityPush?

    /// Whether it is about a push that has reached its device.
    private var hasReachedDevice = false
    /// A sentence if a device plays another sound than the push names, without a notification that would say so.
    private var otherSound: String?

    private init(_ kind: ScreenKind, _ text: String) { (self.kind, self.text) = (kind, text) }

    /// - Parameter pushType: `nil` if it is unknown.
    init(_ record: RequestRecord, pushType: PushType?, topic: String, payload: Span<UInt8>, in apps: Apps) {
        if let why = Self.reasonNotToArrive(record) {
            self.init(.nothing, why)
            return
        }
        // What any device does; known(by:of:) says what this one has done.
        let activity = pushType == .liveactivity ? LiveActivityPush(payload) : nil
        let reaction =
            pushType == .liveactivity
            ? activity?.reactionOfAny ?? .unknownEvent
            : Circumstances().reaction(to: pushType, NotificationContent(payload))
        self.init(reaction.shows, reaction.why)
        (self.activity, hasReachedDevice) = (activity, true)
        self.activity?.shownAlert = activity?.alert.map { LiveActivityAlert($0, apps[topic]) }
        guard reaction.state == .shown, let content = try? JSONText.read(payload, .recorded) else { return }
        if kind == .notification {
            shown = ShownNotification(content, topic: topic, in: apps)
        } else if kind == .nothing {
            let sound = content["aps"]?["sound"]
            otherSound = App.sound(sound?.string ?? sound?["name"]?.string, in: apps[topic]).note
            if let otherSound { text += " \(otherSound)" }
        }
    }

    /// Returns it refined by what its device has done with the push.
    ///
    /// - Parameter device: the device; `nil` if it is no longer known.
    package func known(by device: DeviceView?, of sequence: Int) -> PushScreen {
        guard hasReachedDevice else { return self }
        var screen = self
        guard let (entry, later) = device?.history.reaction(to: sequence) else {
            // What became of an update depends on what the device had shown.
            if let event = activity?.event, event != .start, kind == .activity {
                screen.text = "The push reached the device; what it did with it is no longer known."
            }
            return screen
        }
        (screen.kind, screen.text) = (entry.shows, ([entry] + later).map(\.why).joined(separator: " "))
        if !entry.circumstances.playsSound {
            screen.activity?.shownAlert?.sound = nil
        } else if entry.state == .shown, let otherSound {
            screen.text += " \(otherSound)"
        }
        if entry.shows == .notification {
            screen.shown?.present(in: entry.circumstances)
            screen.shown?.countOfThread = device?.displayed(sequence)?.shown?.countOfThread ?? 1
        } else {
            screen.shown = nil
        }
        return screen
    }

    /// - Parameter ignored: why every device ignores a published push; `nil` if some may not.
    init(_ call: CallRecord, ignored: String?, _ record: RequestRecord, payload: Span<UInt8>) {
        guard call.call == .publish else {
            self.init(.nothing, "This is a call about channels, which shows nothing on a device.")
            return
        }
        guard let subscribers = call.subscribers, let delivered = call.delivered else {
            self.init(.nothing, Self.reasonWithoutDelivery(record))
            return
        }
        if let ignored {
            self.init(.nothing, "Devices ignore the push: \(ignored)")
        } else {
            let stored = call.isStored == true ? "stored" : "not stored"
            self.init(
                delivered > 0 ? .activity : .nothing,
                """
                The channel had \(counted(subscribers, "subscriber")); the push was delivered to \
                \(counted(delivered, "device")), and was \(stored).
                """)
        }
        activity = LiveActivityPush(payload)
    }

    private static func reasonNotToArrive(_ record: RequestRecord) -> String? {
        if let other = record.replacedBy { return "Push \(other) replaced it in storage before it reached the device." }
        switch record.delivery {
        case .delivered, .deliveredFromStorage: return nil
        case nil: return reasonWithoutDelivery(record)
        case .received: return "APNs has the push and has not delivered it yet."
        case .storedOffline: return "The device is offline; APNs stores the push."
        case .storedPower: return "The device is saving power; APNs stores the push."
        case .discardedUnregistered, .discardedUnregisteredFromStorage:
            return "The app is no longer on the device; APNs discarded the push."
        case .discardedExpired: return "The push expired before it could be delivered."
        case .discardedDisabled, .discardedDisabledFromStorage:
            return "The user has turned notifications off; APNs discarded the push."
        }
    }

    private static func reasonWithoutDelivery(_ record: RequestRecord) -> String {
        record.status == 200
            ? "APNs accepted the push, but it never arrives." : "The push was not accepted, so nothing is shown."
    }
}

extension PushScreen {
    /// Appends it as a JSON object, with the members of the API.
    package func appendJSON(to output: inout [UInt8]) {
        output.append(contentsOf: #"{"shows":"\#(kind.rawValue)","text":"#.utf8)
        output.appendJSON(text)
        output.append(contentsOf: #","shown":"#.utf8)
        if let shown { shown.appendJSON(to: &output) } else { output.append(contentsOf: "null".utf8) }
        output.append(contentsOf: #","activity":"#.utf8)
        if let activity { activity.appendJSON(to: &output) } else { output.append(contentsOf: "null".utf8) }
        output.append(UInt8(ascii: "}"))
    }
}

extension RequestSnapshot {
    /// Returns the device token of the push with this sequence number; `nil` if it is not kept, or names none.
    package func deviceToken(of sequence: Int) -> DeviceToken? {
        guard let (segment, index) = location(of: sequence), segment.records[index].callIndex == nil,
            let token = segment.records[index].token
        else { return nil }
        return DeviceToken(hex: segment.bytes(of: segment.records[index], at: index).extracting(token.range))
    }

    /// Returns what the request with this sequence number displays; `nil` if it is not kept.
    package func screen(of sequence: Int, in apps: Apps) -> PushScreen? {
        guard let (segment, index) = location(of: sequence) else { return nil }
        let record = segment.records[index]
        let bytes = segment.bytes(of: record, at: index)
        let body = bytes.extracting(Int(record.headerCount)..<Int(record.headerCount) + Int(record.bodyCount))
        if let call = record.callIndex.map({ segment.calls[$0] }) {
            let ignored = call.ignoredRange.isAbsent ? nil : bytes.extracting(call.ignoredRange.indices).text
            return PushScreen(call, ignored: ignored, record, payload: body)
        }
        return PushScreen(
            record, pushType: DecidedPush(record, as: sequence, in: bytes).pushType,
            topic: record.topic.map { bytes.extracting($0.range).text } ?? "", payload: body, in: apps)
    }
}

extension Span<UInt8> {
    fileprivate var text: String {
        var bytes: [UInt8] = []
        bytes.append(self)
        return String(decoding: bytes, as: UTF8.self)
    }
}
