/// The Live Activities that listen to broadcast channels, with what was published to those, and the Live Activities that
/// have tokens of their own.
///
/// Publishing never walks the subscribers: the counts are kept as devices subscribe, go online or offline and end, and a
/// device catches up with its channels when its state changes or is read.
package struct Subscriptions: Sendable {
    /// Maximum number of Live Activities of a device; the oldest goes.
    static let limitPerDevice = 20
    /// Maximum number of bytes of pushes kept; beyond that, each channel keeps only its newest.
    static let byteLimit = 32 << 20

    private var feeds: [Int: ChannelFeed] = [:]
    private var all: [Int: Subscription] = [:]
    private var ofDevice: [DeviceIndex: [Int]] = [:]
    private var lastID = 0
    /// The tokens of those that have tokens of their own.
    package private(set) var tokens = ActivityTokens()
    /// The number of bytes of pushes kept.
    private(set) var byteCount = 0
    /// The number of Live Activities that went to make room for others.
    private(set) var evicted = 0

    /// A push that reached a device from storage.
    struct Delivery: Sendable {
        /// The sequence number of the push.
        var sequence: Int
    }

    /// What a Live Activity that starts leads to.
    struct Addition: Sendable {
        /// The push that it gets from the storage of its channel.
        var delivery: Delivery?
        /// Those that have made room for it.
        var evicted: [LiveActivity] = []
    }

    /// Whether a device has a Live Activity on a channel, ended or not.
    func concern(_ device: DeviceIndex) -> Bool { ofDevice[device] != nil }

    /// Returns how many Live Activities are remembered that listen or listened to a channel.
    func rememberedCount(of channel: Int) -> Int { feeds[channel]?.open.count ?? 0 }

    /// Returns the figures of a channel at a given time.
    package func figures(of channel: Int, at now: Timestamp) -> ChannelFigures {
        guard let feed = feeds[channel] else { return ChannelFigures() }
        var figures = feed.figures
        figures.stored = feed.stored(at: now)?.sequence
        // Expired ones are first in line, and most often there are none.
        for id in feed.open {
            guard let subscription = all[id] else { continue }
            if subscription.endsAt > now { break }
            if subscription.caughtUp(with: feed).isActive { figures.subscribers -= 1 }
        }
        return figures
    }

    /// Returns the number of devices that listen to at least one of these channels; see
    /// ``subscriberCounts(ofApps:_:at:)``.
    package func subscriberCount(of channels: Set<Int>, at now: Timestamp) -> Int {
        subscriberCounts(ofApps: Dictionary(uniqueKeysWithValues: channels.map { ($0, 0) }), 1, at: now)[0]
    }

    /// Returns, for each app, the number of devices that listen to at least one of its channels. It visits every
    /// device with Live Activities: call it on a copy, outside the gateway's lock.
    ///
    /// - Parameters:
    ///   - apps: the indices of the apps by the numbers of their channels.
    ///   - count: the number of apps.
    package func subscriberCounts(ofApps apps: [Int: Int], _ count: Int, at now: Timestamp) -> [Int] {
        var counts = [Int](repeating: 0, count: count)
        for ids in ofDevice.values {
            var counted: Set<Int> = []
            for id in ids {
                guard let subscription = all[id], subscription.endsAt > now, let channel = subscription.channel,
                    let app = apps[channel], !counted.contains(app), let feed = feeds[channel],
                    subscription.caughtUp(with: feed).isActive
                else { continue }
                counted.insert(app)
                counts[app] += 1
            }
        }
        return counts
    }

    // MARK: Publishing

    /// Publishes a push to a channel.
    ///
    /// - Parameter until: how long it may be stored; `nil` for a single attempt.
    mutating func publish(_ push: ChannelPush, to channel: Int, storedUntil until: Timestamp?) -> ChannelFeed.Outcome {
        endOverdue(on: channel, at: push.time)
        let limit = byteCount > Self.byteLimit ? 1 : ChannelFeed.limit
        byteCount -= byteCount(of: channel)
        defer { byteCount += byteCount(of: channel) }
        return feeds[channel, default: ChannelFeed()].publish(push, storedUntil: until, limit: limit)
    }

    private func byteCount(of channel: Int) -> Int { feeds[channel]?.byteCount ?? 0 }

    /// Ends the Live Activities on a channel whose time is up.
    mutating func endOverdue(on channel: Int, at now: Timestamp) {
        while let id = feeds[channel]?.oldest {
            if let subscription = all[id], subscription.isActive {
                guard subscription.endsAt <= now else { return }
                catchUp(id)
                stop(id)
            }
            feeds[channel]?.dropOldest()
        }
    }

    // MARK: Subscribing

    /// Begins to listen to a channel.
    ///
    /// - Parameter getsStored: whether it gets what is stored.
    mutating func add(_ subscription: consuming Subscription, getsStored: Bool, at now: Timestamp) -> Addition {
        let (device, channel, isOnline) = (subscription.device, subscription.channel, subscription.isOnline)
        var addition = Addition(evicted: makeRoom(on: device, at: now))
        lastID += 1
        let id = lastID
        if let channel { endOverdue(on: channel, at: now) }
        if isOnline || !getsStored { subscription.considered = channel.flatMap { feeds[$0]?.figures.published } ?? 0 }
        subscription.isActive = channel != nil
        if let token = subscription.activity.token { tokens.add(token, of: device, toUpdate: id) }
        all[id] = subscription
        ofDevice[device, default: []].append(id)
        guard let channel else { return addition }
        feeds[channel, default: ChannelFeed()].add(id, isOnline: isOnline)
        dropEnded(on: channel)
        if getsStored, isOnline, let stored = feeds[channel]?.stored(at: now) {
            addition.delivery = deliver(stored, to: id, on: channel, at: now)
        }
        welcome(id)
        return addition
    }

    /// Lets the channel know that a Live Activity is online from now on.
    private mutating func welcome(_ id: Int) {
        guard let subscription = all[id], subscription.isActive, let channel = subscription.channel else { return }
        if subscription.isOnline { feeds[channel]?.welcome(showing: subscription.activity.timestamp) }
    }

    /// Forgets which Live Activities listened to a channel, and what ended them, once most of those remembered have
    /// ended, or they ended in many goes.
    private mutating func dropEnded(on channel: Int) {
        guard let feed = feeds[channel] else { return }
        let count = feed.open.count
        if feed.ends.count > ChannelFeed.limit || count > 1024 && count / 2 > feed.figures.subscribers {
            catchUpAll(on: channel)
        }
    }

    /// Applies all pending pushes to the channel's Live Activities, then forgets those that have ended, and the pushes.
    private mutating func catchUpAll(on channel: Int) {
        guard let feed = feeds[channel] else { return }
        for id in feed.open { catchUp(id) }
        feeds[channel]?.keep { all[$0]?.isActive ?? false }
        feeds[channel]?.dropPushes()
        byteCount -= feed.byteCount
    }

    /// Makes room for another Live Activity on a device.
    ///
    /// - Returns: those that were on the screen and have gone for it.
    private mutating func makeRoom(on device: DeviceIndex, at now: Timestamp) -> [LiveActivity] {
        for id in ofDevice[device] ?? [] {
            catchUp(id)
            if all[id]?.hasLeft(at: now) == true { remove(id, at: now) }
        }
        var gone: [LiveActivity] = []
        while let ids = ofDevice[device], ids.count >= Self.limitPerDevice {
            if let activity = all[ids[0]]?.activity { gone.append(activity) }
            remove(ids[0], at: now)
            evicted += 1
        }
        return gone
    }

    /// Takes note that a device went online or offline; returns what it gets from storage.
    mutating func setOnline(_ isOnline: Bool, _ device: DeviceIndex, at now: Timestamp) -> [Delivery] {
        var deliveries: [Delivery] = []
        for id in ofDevice[device] ?? [] {
            guard let channel = bring(id, upTo: now), let subscription = all[id], let feed = feeds[channel],
                subscription.isOnline != isOnline
            else { continue }
            all[id]?.isOnline = isOnline
            feeds[channel]?.setOnline(isOnline)
            guard isOnline else { continue }
            all[id]?.considered = feed.figures.published
            // The stored push may be older than the Live Activity, or have been delivered before.
            if let missed = feed.stored(at: now), missed.number > subscription.considered {
                deliveries.append(deliver(missed, to: id, on: channel, at: now))
            }
            welcome(id)
        }
        return deliveries
    }

    private mutating func deliver(_ push: ChannelPush, to id: Int, on channel: Int, at now: Timestamp) -> Delivery {
        feeds[channel]?.countDelivery()
        all[id]?.take(push, at: now)
        if push.isEnd { stop(id) }
        return Delivery(sequence: push.sequence)
    }

    // MARK: Ending

    /// Which Live Activities of a device are meant.
    enum Selection: Sendable {
        /// The Live Activities on a channel.
        case channel(Int)
        /// The one with this name.
        case name(String)
        /// The one with this update token.
        case token(DeviceToken)
        /// The one with this name, or those without one, on a channel, given by its number and its id.
        case one(name: String?, channel: Int, id: String)
        case all

        /// The one with this name or, in hexadecimal digits, this update token.
        static func nameOrToken(_ text: String) -> Self { DeviceToken(hex: text).map { .token($0) } ?? .name(text) }
    }

    /// Ends Live Activities of a device.
    ///
    /// - Parameter isGone: whether they leave the screen at once.
    mutating func end(_ selection: Selection, of device: DeviceIndex, isGone: Bool, at now: Timestamp) {
        for id in ofDevice[device] ?? [] {
            guard let subscription = all[id], selection.means(subscription) else { continue }
            _ = bring(id, upTo: now)
            all[id]?.activity.end(at: now)
            stop(id)
            if isGone { remove(id, at: now) }
        }
    }

    /// Returns the Live Activities of a device that end by themselves exactly at a given time.
    func ending(on device: DeviceIndex, at time: Timestamp) -> [LiveActivity] {
        (ofDevice[device] ?? []).compactMap { id in
            guard var subscription = all[id], subscription.endsAt == time else { return nil }
            if let feed = subscription.channel.flatMap({ feeds[$0] }) {
                subscription = subscription.caughtUp(with: feed)
            }
            return subscription.activity.hasEnded ? nil : subscription.activity
        }
    }

    /// Returns when the Live Activities of a device end by themselves.
    func ends(of device: DeviceIndex) -> [Timestamp] {
        (ofDevice[device] ?? []).compactMap { all[$0]?.endsAt }
    }

    /// Ends the Live Activities of a device whose time is over.
    mutating func endOverdue(of device: DeviceIndex, at now: Timestamp) {
        for id in ofDevice[device] ?? [] where all[id].map({ $0.endsAt <= now }) ?? false {
            _ = bring(id, upTo: now)
            all[id]?.activity.endIfDue(at: now)
        }
    }

    /// Forgets a device. Its Live Activities end.
    mutating func remove(_ device: DeviceIndex, at now: Timestamp) {
        end(.all, of: device, isGone: true, at: now)
        tokens.remove(device)
    }

    /// Closes a deleted channel: its devices receive no further pushes, but stored ones may still be delivered.
    mutating func close(_ channel: Int) { catchUpAll(on: channel) }

    /// Forgets a deleted channel that no call can name any more.
    mutating func forget(_ channel: Int) { feeds[channel] = nil }

    // MARK: Tokens of their own

    /// Hands out the push-to-start tokens of a device.
    mutating func add(_ tokens: [StartToken], of device: DeviceIndex) { self.tokens.add(tokens, of: device) }

    /// Applies a push to the Live Activity with this number that has reached its device.
    ///
    /// - Returns: what the device does.
    mutating func update(_ id: Int, with payload: Span<UInt8>, _ sequence: Int, at now: Timestamp) -> Reaction {
        guard let content = LiveActivityPush(payload) else { return .unknownEvent }
        guard content.event != .start else {
            return Reaction(.ignored, "An update token starts no Live Activity.")
        }
        return all[id]?.activity.apply(content, sequence, at: now) ?? .activityGone
    }

    /// Returns the bundle id of the app that a token is for; an empty one means any app. `nil` if it is not known.
    func app(of token: ActivityTokens.Entry) -> String? {
        switch token.use {
        case .start(let app): app
        case .update(let id): all[id]?.activity.app
        case .expired(let app, _): app
        }
    }

    /// Returns the number of the latest Live Activity of an app on a device that listens to no channel and has not ended.
    func latestActivity(of device: DeviceIndex, app: String, at now: Timestamp) -> Int? {
        ofDevice[device]?.last { id in
            guard let subscription = all[id], subscription.activity.channel == nil else { return false }
            return !subscription.activity.hasEnded && subscription.endsAt > now
                && (subscription.activity.app ?? app) == app
        }
    }

    /// Returns the Live Activity with this number as it is at a given time; `nil` if it has gone.
    func activity(_ id: Int, at now: Timestamp) -> LiveActivity? {
        var activity = all[id]?.activity
        activity?.endIfDue(at: now)
        return activity
    }

    // MARK: Looking

    /// Returns the Live Activities of a device that are on its screen, in order of their beginning.
    package func activities(of device: DeviceIndex, at now: Timestamp) -> [LiveActivity] {
        shown(.all, on: device, at: now)
    }

    /// Returns those Live Activities of a device that are meant and on its screen, in order of their beginning.
    func shown(_ selection: Selection, on device: DeviceIndex, at now: Timestamp) -> [LiveActivity] {
        (ofDevice[device] ?? []).compactMap { id in
            guard var subscription = all[id], selection.means(subscription) else { return nil }
            if let feed = subscription.channel.flatMap({ feeds[$0] }) {
                subscription = subscription.caughtUp(with: feed)
            }
            subscription.activity.endIfDue(at: now)
            return subscription.activity.isGone(at: now) ? nil : subscription.activity
        }
    }

    // MARK: Parts

    /// Catches up with the channel, and ends what is overdue there.
    ///
    /// - Returns: the channel that is listened to; `nil` if it has ended.
    private mutating func bring(_ id: Int, upTo now: Timestamp) -> Int? {
        guard let channel = all[id]?.channel else { return nil }
        endOverdue(on: channel, at: now)
        catchUp(id)
        return all[id]?.isActive == true ? channel : nil
    }

    private mutating func catchUp(_ id: Int) {
        guard let subscription = all[id], let feed = subscription.channel.flatMap({ feeds[$0] }) else { return }
        all[id] = subscription.caughtUp(with: feed)
    }

    /// Ends a subscription, unless it has ended.
    private mutating func stop(_ id: Int) {
        guard let subscription = all[id], subscription.isActive, let channel = subscription.channel else { return }
        all[id]?.isActive = false
        feeds[channel]?.remove(isOnline: subscription.isOnline)
    }

    private mutating func remove(_ id: Int, at now: Timestamp) {
        catchUp(id)
        stop(id)
        guard var activity = all[id]?.activity, let device = all.removeValue(forKey: id)?.device else { return }
        if let token = activity.token {
            activity.end(at: now)
            tokens.expire(token, app: activity.app, since: activity.endedAt ?? now)
        }
        ofDevice[device]?.removeAll { $0 == id }
        if ofDevice[device]?.isEmpty == true { ofDevice[device] = nil }
    }
}

extension Subscriptions.Selection {
    fileprivate func means(_ subscription: Subscription) -> Bool {
        switch self {
        case .channel(let channel): subscription.channel == channel
        case .name(let name): subscription.activity.name == name
        case .token(let token): subscription.activity.token == token
        case .one(let name, let channel, let id):
            // One that never updates has no number.
            subscription.activity.name == name
                && (subscription.channel == channel || subscription.activity.channel == id)
        case .all: true
        }
    }
}
