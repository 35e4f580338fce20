/// All channels, including deleted ones: an id that was issued once is told apart from one that never was.
package struct ChannelRegistry: Sendable {
    /// An app in one environment.
    private struct App: Hashable {
        var topic: String
        var isSandbox: Bool
    }

    /// Maximum number of deleted channels remembered. The oldest are forgotten, as if they had never existed.
    static let deletedLimit = 100_000

    /// The channels, by their numbers in order of creation.
    private var channels: [Int: BroadcastChannel] = [:]
    private var numbers: [ChannelID: Int] = [:]
    private var named: [String: Int] = [:]
    /// The numbers of the existing channels of each app that has any, in ascending order.
    private var apps: [App: [Int]] = [:]
    /// The numbers of the deleted channels, oldest first; those before ``forgotten`` are no longer remembered.
    private var deleted: [Int] = []
    private var forgotten = 0
    private var lastNumber = 0

    private let limit: Int
    private let deletedLimit: Int

    /// Creates a registry without channels.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of existing channels.
    ///   - deletedLimit: the maximum number of deleted channels remembered.
    init(limit: Int = BroadcastSettings.mostChannels, deletedLimit: Int = deletedLimit) {
        self.limit = limit
        self.deletedLimit = deletedLimit
    }

    /// The number of existing channels.
    package private(set) var count = 0

    /// Whether there is no room for another channel.
    package var isFull: Bool { count >= limit }

    /// The number of the latest channel, existing or not; 0 if there was none yet.
    var latestNumber: Int { lastNumber }

    /// The number of deleted channels remembered.
    var deletedCount: Int { deleted.count - forgotten }

    /// The number of deleted channels that are no longer remembered.
    private(set) var forgottenCount = 0

    /// The number of channels refused because there were too many.
    private(set) var refused = 0

    /// Returns whether the channel with this number exists.
    func exists(_ number: Int) -> Bool { channels[number].map { $0.deletedAt == nil } ?? false }

    /// Creates a registry with the channels of a scenario.
    init(
        _ declared: [DeclaredChannel], _ ids: GeneratedIDs, in environment: Environment,
        at now: Timestamp
    ) {
        self.init()
        for (index, channel) in declared.enumerated() {
            _ = add(
                BroadcastChannel(
                    id: channel.id ?? ids.channelID(ofDeclared: index), name: channel.name, topic: channel.topic,
                    isSandbox: channel.isSandbox ?? environment.isSandbox(serverName: nil), policy: channel.policy,
                    createdAt: now))
        }
    }

    /// Returns the number of the channel with this id, existing or deleted; `nil` if there never was one.
    func number(of id: ChannelID) -> Int? { numbers[id] }

    /// Returns the number of the latest channel with this name, existing or deleted.
    package func number(named name: String) -> Int? { named[name] }

    /// The channel with this number.
    subscript(number: Int) -> BroadcastChannel? { channels[number] }

    /// Returns the number of existing channels of an app.
    func count(of topic: String, isSandbox: Bool) -> Int { apps[App(topic: topic, isSandbox: isSandbox)]?.count ?? 0 }

    /// Returns the existing channels of an app, in order of creation.
    package func channels(of topic: String, isSandbox: Bool) -> [BroadcastChannel] {
        (apps[App(topic: topic, isSandbox: isSandbox)] ?? []).compactMap { channels[$0] }
    }

    /// Returns the numbers of the existing channels of an app in one environment, in order of creation.
    package func numbers(of topic: String, isSandbox: Bool) -> [Int] {
        apps[App(topic: topic, isSandbox: isSandbox)] ?? []
    }

    /// Returns the numbers of the existing channels of an app in both environments.
    func numbers(of topic: String) -> [Int] {
        [true, false].flatMap { numbers(of: topic, isSandbox: $0) }
    }

    /// Returns the number of the existing channel with this name or id.
    package func existing(_ nameOrID: String) -> Int? {
        [named[nameOrID], numbers[ChannelID(nameOrID)]].compactMap { $0 }.first { channels[$0]?.deletedAt == nil }
    }

    /// Returns the number of the channel with this id, if it exists.
    func existing(id: String) -> Int? {
        numbers[ChannelID(id)].flatMap { channels[$0]?.deletedAt == nil ? $0 : nil }
    }

    /// Returns the number of the latest channel with this name or id, existing or deleted.
    func number(_ nameOrID: String) -> Int? { named[nameOrID] ?? numbers[ChannelID(nameOrID)] }

    /// All existing channels, in order of creation.
    package var existing: [BroadcastChannel] { apps.values.joined().sorted().compactMap { channels[$0] } }

    /// Returns the app of a channel, with the numbers of all its channels in order of creation.
    package func app(ofChannel number: Int) -> (topic: String, isSandbox: Bool, numbers: [Int])? {
        guard let channel = channels[number] else { return nil }
        let app = App(topic: channel.topic, isSandbox: channel.isSandbox)
        return (app.topic, app.isSandbox, apps[app] ?? [])
    }

    /// Returns whether a channel has or had that name or id.
    package func isKnown(_ nameOrID: String) -> Bool { number(nameOrID) != nil }

    /// Returns whether a channel may be added: none with its id exists or existed, and there is room. If there is none, it
    /// counts as refused.
    mutating func admits(_ channel: BroadcastChannel) -> Bool {
        guard numbers[channel.id] == nil else { return false }
        if isFull { refused += 1 }
        return !isFull
    }

    /// Adds a channel if it may be added; returns its number.
    @discardableResult
    mutating func add(_ channel: BroadcastChannel) -> Int? { admits(channel) ? follow(channel) : nil }

    /// Returns the number of a channel by its id, or by its name if the id is mentioned for the first time, as in a log that
    /// does not say which ids the declared channels have. One that is not known gets a number.
    package mutating func resolve(_ id: String, named name: String?) -> Int {
        let id = ChannelID(id)
        if let known = numbers[id] { return known }
        let number = name.flatMap { named[$0] } ?? lastNumber + 1
        lastNumber = max(lastNumber, number)
        numbers[id] = number
        if let name { named[name] = number }
        return number
    }

    /// Returns the number of an existing channel with this id, of several in merged logs.
    func another(with id: ChannelID) -> Int? {
        channels.filter { $0.value.id == id && $0.value.deletedAt == nil }.keys.min()
    }

    /// Adds a channel that was created. In merged logs, another server's may have had the same id.
    @discardableResult
    mutating func follow(_ channel: BroadcastChannel) -> Int {
        lastNumber += 1
        channels[lastNumber] = channel
        numbers[channel.id] = lastNumber
        if let name = channel.name { named[name] = lastNumber }
        apps[App(topic: channel.topic, isSandbox: channel.isSandbox), default: []].append(lastNumber)
        count += 1
        return lastNumber
    }

    /// Deletes a channel for good.
    ///
    /// - Returns: the number of a channel deleted long ago that is forgotten for it.
    @discardableResult
    mutating func delete(_ number: Int, at now: Timestamp) -> Int? {
        guard let channel = channels[number], channel.deletedAt == nil else { return nil }
        channels[number]?.deletedAt = now
        count -= 1
        let app = App(topic: channel.topic, isSandbox: channel.isSandbox)
        if let index = apps[app]?.firstIndex(of: number) { apps[app]?.remove(at: index) }
        if apps[app]?.isEmpty == true { apps[app] = nil }
        deleted.append(number)
        guard deleted.count - forgotten > deletedLimit else { return nil }
        return forgetOldest()
    }

    private mutating func forgetOldest() -> Int {
        let oldest = deleted[forgotten]
        forgottenCount += 1
        defer { tidy() }
        if let channel = channels.removeValue(forKey: deleted[forgotten]) {
            numbers[channel.id] = nil
            if let name = channel.name, named[name] == deleted[forgotten] { named[name] = nil }
        }
        return oldest
    }

    private mutating func tidy() {
        forgotten += 1
        if forgotten > deletedLimit {
            deleted.removeFirst(forgotten)
            forgotten = 0
        }
    }
}

extension GeneratedIDs {
    /// Returns the id of the channel created by a request.
    func channelID(ofRequest sequence: Int) -> ChannelID {
        // Only a published push needs a unique id.
        let made = id(.uniqueID, ofRequest: sequence)
        return ChannelID(high: made.high, low: made.low)
    }

    /// Returns the id of a channel that a scenario or the API declares without one.
    func channelID(ofDeclared index: Int) -> ChannelID { channelID(ofRequest: -1 - index) }
}
