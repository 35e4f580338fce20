/// A device as the API shows it: its state, what it displays, and its stored pushes.
///
/// Nothing is kept for a device that registered itself and has not been changed; what it displays is read from the log,
/// as far back as that goes. ``complete(_:from:)`` does that, outside the gateway's lock.
package struct DeviceView: Sendable {
    /// A notification displayed by the device.
    package struct Displayed: Sendable {
        /// The sequence number of the push.
        package var sequence: Int
        /// Its number in the order of a fleet, if it has one.
        package var number: Int?
        /// The collapse id it was sent with.
        package var collapseID: String?
        /// The payload as sent.
        package var payload: [UInt8]
        /// The time it was displayed, on the scenario's clock.
        package var displayedAt: Timestamp
        /// The text shown to the user; `nil` only for a payload that shows nothing.
        package var shown: ShownNotification?
    }

    /// A push that APNs stores for the device.
    package struct Stored: Sendable {
        /// The sequence number of the push.
        package var sequence: Int
        /// The collapse id it was sent with.
        package var collapseID: String?
        /// The payload as sent.
        package var payload: [UInt8]
        /// The time it is discarded, on the scenario's clock.
        package var expiresAt: Timestamp
        /// The reason why it is stored.
        package var delivery: Delivery
    }

    /// The token.
    package let token: DeviceToken
    /// The state of the device: name, environment, whether it is online, how many pushes have reached it.
    package let device: Device
    /// The topics its token is valid for; empty means every topic.
    package let topics: [String]
    /// The stored pushes, oldest first.
    package let stored: [Stored]

    /// The time of this view, on the scenario's clock.
    package let time: Timestamp

    private let apps: Apps
    /// The texts of the topics of displayed notifications.
    private var topicTexts: [UInt16: String] = [:]
    private var display: Display
    /// The Live Activities on broadcast channels, and those with tokens of their own.
    var listening: [LiveActivity] = []
    /// The push-to-start tokens; empty if its Live Activities have no tokens of their own.
    package internal(set) var startTokens: [StartToken] = []
    /// The sequence number up to which the log has what it displays; 0 if nothing has to be read there.
    private var historyEnd: Int

    /// The badge on the app's icon; 0 for none.
    package var badge: Int { Int(display.badge ?? 0) }

    /// The displayed notifications, newest last. One that replaced another takes its position.
    package var displayed: [Displayed] {
        var displayed = display.shown.map { push in
            Displayed(
                sequence: push.sequence, number: push.number > 0 ? push.number : nil, collapseID: push.collapseText,
                payload: push.payloadBytes, displayedAt: push.time, shown: shown(push))
        }
        let threads = zip(display.shown, displayed).map { [topicTexts[$0.topic], $1.shown?.thread] }
        let counts = threads.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        for (index, thread) in threads.enumerated() { displayed[index].shown?.countOfThread = counts[thread] ?? 1 }
        return displayed
    }

    /// Returns the displayed notification of a push.
    ///
    /// - Parameter number: its sequence number, or its number in the order of a fleet.
    package func displayed(_ number: Int) -> Displayed? {
        displayed.first { $0.sequence == number || $0.number == number }
    }

    private func shown(_ push: KeptPush) -> ShownNotification? {
        guard let payload = try? JSONText.read(push.payload, .recorded) else { return nil }
        var shown = ShownNotification(payload, topic: topicTexts[push.topic] ?? topics.first ?? "", in: apps)
        shown?.present(in: push.circumstances)
        return shown
    }

    /// The bundle id of the app of a notification that is displayed.
    package func app(of displayed: Displayed) -> String {
        let topic = display.shown.first { $0.sequence == displayed.sequence }?.topic
        return Topic.app(of: topic.flatMap { topicTexts[$0] } ?? topics.first ?? "")
    }

    /// What has become of the pushes that have reached the device, newest last.
    package var history: DeviceHistory {
        display.history(at: time, removal: device.registration.removal(by: time))
    }

    /// The Live Activities on its screen, newest last.
    package var activities: [LiveActivity] {
        let others = display.activities.shown(at: time).map { activity in
            var activity = activity
            activity.app = (topicTexts[activity.topic] ?? topics.first).map { Topic.app(of: $0) }
            return activity
        }
        let all =
            listening.isEmpty
            ? others
            : (others + listening).enumerated().sorted {
                ($0.element.startedAt, $0.offset) < ($1.element.startedAt, $1.offset)
            }.map(\.element)
        return all.map { activity in
            var activity = activity
            activity.shownAlert = activity.alert.map { LiveActivityAlert($0, activity.app.flatMap { apps[$0] }) }
            if !device.phone.permission.allowsSound { activity.shownAlert?.sound = nil }
            return activity
        }
    }

    /// - Parameters:
    ///   - apps: the apps declared by the scenario.
    ///   - now: the time on the scenario's clock.
    ///   - latestSequence: the sequence number up to which the log has what a device without a mailbox displays.
    package init(
        _ device: DeviceIndex, in devices: borrowing DeviceRegistry, _ mailbox: Mailbox?, _ apps: Apps,
        at now: Timestamp, latestSequence: Int
    ) {
        self.apps = apps
        time = now
        token = devices.token(of: device)
        let known = devices[device]
        self.device = known
        topics = devices.topics(of: device)
        stored = (mailbox?.stored ?? []).map { push in
            Stored(
                sequence: push.sequence, collapseID: push.collapseText, payload: push.payloadBytes,
                expiresAt: push.time, delivery: push.delivery)
        }
        display = mailbox?.display ?? Display()
        for topic in display.topics where topic != DeviceRecord.noTopic {
            topicTexts[topic] = devices.topics.text(TopicIndex(rawValue: topic))
        }
        historyEnd = mailbox?.historyEnd ?? (known.registeredItself ? latestSequence : 0)
    }

    /// Reads from the log what devices without a mailbox display, in one pass.
    ///
    /// - Parameter log: the log at the time the views were created, or later.
    package static func complete(_ views: inout [DeviceView], from log: RequestSnapshot) {
        var indices: [DeviceToken: Int] = [:]
        for index in views.indices where views[index].historyEnd > 0 { indices[views[index].token] = index }
        guard !indices.isEmpty else { return }
        var histories: [Int: Display] = [:]
        log.forEachDelivered { push in
            guard let index = push.token.flatMap({ indices[$0] }), push.sequence <= views[index].historyEnd else {
                return
            }
            histories[index, default: Display()].add(
                KeptPush(push, topic: views[index].device.topics.first))
        }
        for (index, history) in histories {
            var display = history
            display.append(views[index].display)
            views[index].display = display
        }
        for index in views.indices { views[index].historyEnd = 0 }
    }
}

extension RequestSnapshot {
    /// Calls `body` with each push that was delivered on arrival, in order of arrival.
    fileprivate func forEachDelivered(_ body: (borrowing DecidedPush) -> Void) {
        for segment in closed { forEachDelivered(in: segment, body) }
        forEachDelivered(in: open, body)
    }

    private func forEachDelivered(in segment: borrowing RequestSegment, _ body: (borrowing DecidedPush) -> Void) {
        let start = max(0, firstSequence - segment.firstSequence)
        guard start < segment.records.count else { return }
        for index in start..<segment.records.count {
            let record = segment.records[index]
            guard record.delivery == .delivered, !record.isDeleted else { continue }
            body(DecidedPush(record, as: segment.firstSequence + index, in: segment.bytes(of: record, at: index)))
        }
    }
}

extension KeptPush {
    fileprivate var collapseText: String? {
        collapseID.isEmpty ? nil : String(decoding: copy(of: collapseID), as: UTF8.self)
    }

    fileprivate var payloadBytes: [UInt8] { copy(of: payload) }

    private func copy(of span: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(span)
        return bytes
    }
}
