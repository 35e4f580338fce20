package import MockAPNSCore
package import MockAPNSScenario

// Broadcast channels: reading, creating and deleting them while the server runs.

extension MockAPNSServer {
    /// A channel with its figures.
    package struct KnownChannel: Sendable {
        var channel: MockAPNSCore.BroadcastChannel
        var figures: ChannelFigures

        /// The channel as the API shows it.
        package var json: [UInt8] { channel.json(figures) }
    }

    /// The broadcast channels that exist, in order of creation.
    public var channels: [BroadcastChannel] { knownChannels.map { BroadcastChannel($0.channel, $0.figures) } }

    /// Returns the broadcast channel with that name or id; `nil` if none exists.
    public func channel(_ nameOrID: String) -> BroadcastChannel? {
        knownChannel(nameOrID).map { BroadcastChannel($0.channel, $0.figures) }
    }

    /// Creates a broadcast channel, as a provider does, but with a name.
    ///
    /// - Parameters:
    ///   - name: its name, for matches, expectations and devices; `nil` for none.
    ///   - topic: the bundle id of its app.
    ///   - id: its id; `nil` to make one.
    ///   - storage: which of its pushes are stored for devices that are offline.
    /// - Throws: ``ControlError/malformed(_:)`` if it is not understood, and ``ControlError/taken(_:)`` if its name or
    ///   its id is taken, or there are too many channels.
    @discardableResult
    public func addChannel(
        _ name: String? = nil, topic: String, id: String? = nil, storage: BroadcastChannel.Storage = .mostRecent
    ) throws(ControlError) -> BroadcastChannel {
        let members = [
            JSONText.Member("name", name.map { JSONText.Value($0) }), JSONText.Member("topic", JSONText.Value(topic)),
            JSONText.Member("channelID", id.map { JSONText.Value($0) }),
            JSONText.Member("storage", JSONText.Value(storage.rawValue)),
        ]
        let (declared, mistakes) = namesInScope.channel(from: JSONText.Value(members.compactMap(\.self)))
        guard let declared else { throw .malformed(mistakes.sentences) }
        let created = try declare(declared)
        return BroadcastChannel(created.channel, created.figures)
    }

    /// Deletes a broadcast channel for good.
    ///
    /// - Throws: ``ControlError/unknown(_:)`` if no existing channel has that name or id.
    public func removeChannel(_ nameOrID: String) throws(ControlError) {
        let isKnown = engine.transact { gateway, lines, transaction in
            guard let number = gateway.channels.existing(nameOrID) else { return false }
            gateway.delete(channel: number, at: gateway.moment(at: transaction.real).clock)
            transaction.note(gateway.takeEffects(), &lines)
            return true
        }
        if !isKnown { throw Self.unknownChannel(nameOrID) }
    }

    /// Returns the page of channels for a query, and what is counted over all channels of their apps.
    package func channels(_ query: ChannelQuery) -> ChannelList {
        var (list, page) = (ChannelList(), Page<Int>())
        repeat {
            // In chunks, so that a million channels do not hold up pushes.
            let found = engine.gateway.withLock { gateway in
                let now = gateway.moment(at: WallClock.now()).clock
                let before = page.elements.count
                gateway.channels.look(for: query, &page)
                list.total = query.name == nil ? gateway.channels.count : page.elements.count
                return page.elements[before...].compactMap { Self.known($0, gateway, at: now) }
            }
            list.channels += found
        } while !page.isComplete(query.page)
        list.next = page.next
        list.apps = apps(ofChannels: page.elements)
        return list
    }

    private var knownChannels: [KnownChannel] {
        var query = ChannelQuery()
        query.page.limit = PageRequest.maximumLimit
        var page = Page<Int>()
        var known: [KnownChannel] = []
        repeat {
            page.elements = []
            known += engine.gateway.withLock { gateway in
                let now = gateway.moment(at: WallClock.now()).clock
                gateway.channels.look(for: query, &page)
                return page.elements.compactMap { Self.known($0, gateway, at: now) }
            }
        } while page.next != nil
        return known
    }

    /// Returns the existing channel with that name or id.
    package func knownChannel(_ nameOrID: String) -> KnownChannel? {
        let real = WallClock.now()
        return engine.gateway.withLock { gateway in
            let now = gateway.moment(at: real).clock
            guard let number = gateway.channels.existing(nameOrID) else { return nil }
            return Self.known(number, gateway, at: now)
        }
    }

    /// The channels that a device may name: the existing ones, and deleted ones for leaving them.
    ///
    /// - Parameter value: what names them; only texts in it are looked up.
    package func channelNames(for value: JSONText.Value) -> KnownChannelNames {
        let named = ["subscribe", "unsubscribe", "activities"].flatMap { Self.texts(value[$0]) }
        return engine.gateway.withLock { gateway in
            let known = Set(named.filter { gateway.channels.isKnown($0) })
            if known.count == Set(named).count { return .any }
            // Only among few names is the nearest one looked for.
            let others = gateway.channels.count <= 1000 ? gateway.channels.existing : []
            return .only(known, names: Set(others.compactMap(\.name)))
        }
    }

    /// Returns what a channel, a Live Activity, or a list of these names.
    private static func texts(_ value: JSONText.Value?) -> [String] {
        guard let value else { return [] }
        if let list = value.array { return list.flatMap { texts($0) } }
        return [value.string ?? value["channel"]?.string].compactMap(\.self)
    }

    /// Returns the apps of channels, in order of their first channel here.
    private func apps(ofChannels numbers: [Int]) -> [ChannelApp] {
        // Counted on a copy, so that a hundred thousand devices do not hold up pushes.
        let (found, subscriptions, now) = engine.gateway.withLock { gateway in
            var seen: Set<String> = []
            let apps = numbers.compactMap { gateway.channels.app(ofChannel: $0) }.filter {
                seen.insert("\($0.topic) \($0.isSandbox)").inserted
            }
            return (apps, gateway.subscriptions, gateway.moment(at: WallClock.now()).clock)
        }
        var indices: [Int: Int] = [:]
        for (index, app) in found.enumerated() { for number in app.numbers { indices[number] = index } }
        let counts = subscriptions.subscriberCounts(ofApps: indices, found.count, at: now)
        return zip(found, counts).map { app, count in
            ChannelApp(
                topic: app.topic, isSandbox: app.isSandbox, channels: app.numbers.count, uniqueSubscribers: count)
        }
    }

    /// Returns the number of devices with a Live Activity that listens to a channel of an app, as in Apple's console.
    ///
    /// - Parameter topic: the app's bundle id.
    public func uniqueSubscribers(of topic: String) -> Int {
        let (apps, subscriptions, now) = engine.gateway.withLock { gateway in
            (
                [true, false].map { gateway.channels.numbers(of: topic, isSandbox: $0) }, gateway.subscriptions,
                gateway.moment(at: WallClock.now()).clock
            )
        }
        return apps.reduce(0) { $0 + subscriptions.subscriberCount(of: Set($1), at: now) }
    }

    /// A page of channels.
    package struct ChannelList: Sendable {
        package var channels: [KnownChannel] = []
        /// The apps of these channels.
        package var apps: [ChannelApp] = []
        /// The number of channels on all pages.
        package var total = 0
        /// The start of the next page; `nil` after the last channel.
        package var next: Int?
    }

    /// The counts over all channels of an app in one environment.
    package struct ChannelApp: Sendable {
        package var topic: String
        package var isSandbox: Bool
        package var channels: Int
        package var uniqueSubscribers: Int
    }

    private static func known(_ number: Int, _ gateway: borrowing Gateway, at now: Timestamp) -> KnownChannel? {
        guard let channel = gateway.channel(number) else { return nil }
        return KnownChannel(channel: channel, figures: gateway.figures(ofChannel: number, at: now))
    }

    /// Creates a channel.
    ///
    /// - Throws: ``ControlError/taken(_:)`` if its name or its id is taken, or there are too many.
    package func declare(_ channel: DeclaredChannel) throws(ControlError) -> KnownChannel {
        let created = engine.transact { gateway, lines, transaction in
            let created = gateway.declare(channel, at: gateway.moment(at: transaction.real).clock)
            transaction.note(gateway.takeEffects(), &lines)
            return created
        }
        guard let created else {
            if engine.gateway.withLock({ $0.channels.isFull }) {
                throw .taken(
                    "There are \(BroadcastSettings.mostChannels) channels; delete channels you no longer need.")
            }
            throw .taken("The name or the id is or was in use by another channel; ids are never reused.")
        }
        return KnownChannel(channel: created, figures: ChannelFigures())
    }

    /// Returns the error that no channel has that name or id.
    package static func unknownChannel(_ nameOrID: String) -> ControlError {
        .unknown("No channel has the name or the id \"\(nameOrID.prefix(80))\".")
    }
}
