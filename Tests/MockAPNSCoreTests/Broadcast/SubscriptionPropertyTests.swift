import GatewayRigs
import Testing

@testable import MockAPNSCore

/// The counts that are kept without walking the subscribers are those of a model that does walk them.
@Suite struct SubscriptionPropertyTests {
    /// Delivers each push to each device at once.
    private struct Model {
        struct Listener {
            var device: Int
            var activity: LiveActivity
            var endsAt: Timestamp
            var isOnline: Bool
            var isActive = true
            var heard = 0
        }

        var listeners: [Listener] = []
        var published = 0
        var delivered = 0
        var stored: (push: ChannelPush, number: Int, until: Timestamp)?

        var subscribers: Int { listeners.count { $0.isActive } }

        mutating func pass(to now: Timestamp) {
            for index in listeners.indices where listeners[index].endsAt <= now { listeners[index].isActive = false }
        }

        /// Returns how many there are, how many of them are online, and whether one of them takes the push.
        mutating func publish(_ push: ChannelPush, until: Timestamp?) -> (Int, Int, isTaken: Bool) {
            pass(to: push.time)
            published += 1
            let subscribers = subscribers
            var count = 0
            var isTaken = false
            for index in listeners.indices where listeners[index].isActive && listeners[index].isOnline {
                count += 1
                listeners[index].heard = published
                take(push, index, at: push.time)
                if listeners[index].activity.sequence == push.sequence { isTaken = true }
            }
            delivered += count
            if let until, push.time < until { stored = (push, published, until) }
            return (subscribers, count, isTaken)
        }

        private mutating func take(_ push: ChannelPush, _ index: Int, at now: Timestamp) {
            if let content = push.content, content.event != .start {
                listeners[index].activity.apply(content, push.sequence, at: now)
            }
            if push.isEnd { listeners[index].isActive = false }
        }

        mutating func setOnline(_ isOnline: Bool, _ device: Int, at now: Timestamp) {
            pass(to: now)
            for index in listeners.indices {
                let listener = listeners[index]
                guard listener.device == device, listener.isActive, listener.isOnline != isOnline else { continue }
                listeners[index].isOnline = isOnline
                guard isOnline, let stored, now < stored.until, stored.number > listeners[index].heard else {
                    if isOnline { listeners[index].heard = published }
                    continue
                }
                listeners[index].heard = published
                delivered += 1
                take(stored.push, index, at: now)
            }
        }
    }

    @Test(arguments: 0..<40) func theCountsAreThoseOfAWalk(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var now = GatewayRig.now
        var subscriptions = Subscriptions()
        var model = Model()
        var online = [Bool](repeating: true, count: 6)
        var sequence = 0
        // With the last seeds, the clock of the provider is far off.
        let spread: Int64 = seed < 30 ? 3 : 40_000
        for _ in 0..<400 {
            let device = Int.random(in: 0..<6, using: &random)
            let index = DeviceIndex(rawValue: UInt32(device))
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                sequence += 1
                let event = ["update", "update", "update", "update", "update", "end", "start", "x"]
                    .randomElement(using: &random)!
                let timestamp = now.seconds + Int64.random(in: -spread...spread, using: &random)
                let state = Bool.random(using: &random) ? #","content-state":{"n":\#(sequence)}"# : ""
                let body = Array(#"{"aps":{"event":"\#(event)","timestamp":\#(timestamp)\#(state)}}"#.utf8)
                let push = ChannelPush(
                    sequence: sequence, time: now, content: LiveActivityPush(body.span), byteCount: body.count)
                let until = Bool.random(using: &random) ? now.advanced(by: 3_600_000) : nil
                let outcome = subscriptions.publish(push, to: 1, storedUntil: until)
                let (subscribers, delivered, isTaken) = model.publish(push, until: until)
                #expect((outcome.subscribers, outcome.delivered) == (subscribers, delivered))
                // It says that every device ignores it.
                #expect(outcome.ignored == nil || !isTaken, "\(outcome)")
            case 6..<8:
                online[device].toggle()
                model.setOnline(online[device], device, at: now)
                _ = subscriptions.setOnline(online[device], index, at: now)
            case 8..<10:
                guard model.listeners.count(where: { $0.device == device && now < $0.activity.endsAt }) < 3 else {
                    break
                }
                model.pass(to: now)
                let activity = LiveActivity(name: nil, on: "AAAA", at: now)
                model.listeners.append(
                    .init(
                        device: device, activity: activity, endsAt: activity.endsAt, isOnline: online[device],
                        heard: model.published))
                _ = subscriptions.add(
                    Subscription(activity, on: index, to: 1, isOnline: online[device]), getsStored: false, at: now)
            case 10:
                model.pass(to: now)
                model.listeners.removeAll { $0.device == device }
                subscriptions.remove(index, at: now)
            default: now = now.advanced(by: Int64.random(in: 0..<7_200_000, using: &random))
            }
            model.pass(to: now)
            let figures = subscriptions.figures(of: 1, at: now)
            #expect(
                (figures.published, figures.delivered, figures.subscribers)
                    == (model.published, model.delivered, model.subscribers))
            let shown = subscriptions.activities(of: index, at: now)
            let expected = model.listeners.filter { $0.device == device }.map { listener in
                var activity = listener.activity
                activity.endIfDue(at: now)
                return activity
            }.filter { !$0.isGone(at: now) }
            #expect(shown.map(\.sequence) == expected.map(\.sequence))
            #expect(shown.map(\.event) == expected.map(\.event))
        }
    }

    @Test func memoryIsBoundedHoweverManyArePublished() {
        var subscriptions = Subscriptions()
        let activity = LiveActivity(name: nil, on: "AAAA", at: GatewayRig.now)
        _ = subscriptions.add(
            Subscription(activity, on: DeviceIndex(rawValue: 0), to: 1), getsStored: false, at: GatewayRig.now)
        for sequence in 1...10_000 {
            // Ever older, so that each is ignored.
            let timestamp = GatewayRig.now.seconds + 20_000 - Int64(sequence)
            let body = Array(#"{"aps":{"event":"update","timestamp":\#(timestamp),"content-state":{}}}"#.utf8)
            let push = ChannelPush(
                sequence: sequence, time: GatewayRig.now, content: LiveActivityPush(body.span), byteCount: body.count)
            _ = subscriptions.publish(push, to: 1, storedUntil: nil)
        }
        #expect(subscriptions.byteCount <= ChannelFeed.limit * 100)
        #expect(subscriptions.figures(of: 1, at: GatewayRig.now).delivered == 10_000)
    }
}
