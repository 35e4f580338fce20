import Testing

@testable import MockAPNSCore

@Suite("Devices found by their tokens")
struct DeviceRegistryTests {
    static let plain = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    static func token(_ hex: String) throws -> DeviceToken { try #require(DeviceToken(hex: hex)) }

    @Test(
        "A token is its bytes, whatever the case of its digits",
        arguments: [64, 66, 80, 96, 98, 126, 128, 130, 198, 200])
    func tokens(length: Int) throws {
        var random = SeededRandom(seed: UInt64(length))
        let digits = Array("0123456789abcdefABCDEF".utf8)
        for _ in 0..<200 {
            let hex = String(
                decoding: (0..<length).map { _ in digits.randomElement(using: &random) ?? 0 }, as: UTF8.self)
            let token = try Self.token(hex)
            #expect(token.hex == hex.lowercased())
            #expect(token == DeviceToken(hex: hex.uppercased()))
            #expect(token.count == length / 2)
            let key = HashKey(seed: 5)
            #expect(DeviceToken(hex: hex.uppercased())?.hash(key) == token.hash(key))
        }
    }

    @Test("What is no token", arguments: [0, 2, 62, 63, 65, 199, 201, 202, 1000])
    func lengths(length: Int) {
        #expect(DeviceToken(hex: String(repeating: "a", count: length)) == nil)
    }

    @Test("A byte that is no digit is refused at every place", arguments: [64, 98, 200])
    func digits(length: Int) {
        let others = (UInt8.min...UInt8.max).filter { !$0.isHexDigit }
        for place in 0..<length {
            for other in others {
                var text = [UInt8](repeating: UInt8(ascii: "7"), count: length)
                text[place] = other
                #expect((DeviceToken(hex: text.span) == nil) == true, "\(other) at \(place)")
            }
        }
    }

    @Test("Tokens that differ in one bit are two devices", arguments: [64, 200])
    func neighbours(length: Int) throws {
        let registry = Registry(hashSeed: 1)
        let base = [UInt8](repeating: UInt8(ascii: "0"), count: length)
        var found: Set<DeviceIndex> = []
        for place in 0..<length {
            for digit in "1248".utf8 {
                var hex = base
                hex[place] = digit
                let token = try Self.token(String(decoding: hex, as: UTF8.self))
                #expect(registry.find(token) == nil)
                let device = registry.register(token, topic: nil, isSandbox: true)
                #expect(registry.token(of: device) == token)
                found.insert(device)
            }
        }
        #expect(found.count == length * 4)
        #expect(registry.count == length * 4)
    }

    @Test("One that begins like another and goes on is another")
    func prefixes() throws {
        let registry = Registry(hashSeed: 1)
        let devices = try stride(from: 64, through: 200, by: 2).map { length in
            registry.register(try Self.token(String(repeating: "0", count: length)), topic: nil, isSandbox: true)
        }
        #expect(Set(devices).count == 69)
        for (device, length) in zip(devices, stride(from: 64, through: 200, by: 2)) {
            #expect(registry.find(try Self.token(String(repeating: "0", count: length))) == device)
        }
    }

    @Test("A million devices are small")
    func size() {
        #expect(MemoryLayout<DeviceRecord>.stride == 56)
        #expect(MemoryLayout<DeviceToken.Tail>.stride == 72)
    }

    @Test("A device that registers itself is online, registered, and of its first topic")
    func registers() throws {
        let registry = Registry(hashSeed: 1)
        let token = try Self.token(Self.plain)
        let topic = try registry.intern("com.example.app")
        let device = registry.register(token, topic: topic, isSandbox: true)
        let other = try registry.intern("com.example.other")
        #expect(registry.find(token) == device)
        #expect(registry.accepts(topic, device))
        #expect(!registry.accepts(other, device))
        #expect(!registry.accepts(nil, device))
        #expect(registry.hasDefaultState(device))
        #expect(registry.isSandbox(device))
        registry.countPush(to: device)
        registry.countPush(to: device)
        let known = registry[device]
        #expect(known.received == 2)
        #expect(known.isOnline && known.allowsNotifications && !known.savesPower && known.registeredItself)
        #expect(known.registration == .registered)
        #expect(known.topics == [topic])
        #expect(registry.selfRegisteredCount == 1)
    }

    @Test("A declared device keeps what it was declared with, and is found by its name")
    func declares() throws {
        let registry = Registry(hashSeed: 1)
        let topics = try ["com.example.app", "com.example.app.voip"].map { try registry.intern($0) }
        var alice = Device(topics: topics, isSandbox: false)
        alice.name = "alice"
        alice.isOnline = false
        alice.rate = PushRate(allowed: 1, per: 1000)
        alice.registration = .expired(at: Timestamp(seconds: 10))
        let token = try Self.token(Self.plain)
        let declared = registry.declare(alice, token)
        let device = try #require(declared)
        let otherToken = try Self.token(Self.plain + "00")
        let sameToken = registry.declare(Device(topics: []), token)
        let sameName = registry.declare(alice, otherToken)
        #expect(sameToken == nil && sameName == nil)
        #expect(registry.find(name: "alice") == device)
        let known = registry[device]
        #expect(known.topics == topics && !known.isSandbox && !known.isOnline && known.name == "alice")
        #expect(known.registration == .expired(at: Timestamp(seconds: 10)))
        #expect(registry.accepts(topics[0], device) && registry.accepts(topics[1], device))
        #expect(!registry.hasDefaultState(device) && !registry.isSandbox(device))
        let taken = [1, 1, 2].map { registry.admitPush(to: device, at: Timestamp(seconds: $0)) }
        #expect(taken == [true, false, true])

        registry[device].name = "bob"
        registry[device].registration = .registered
        #expect(registry.find(name: "alice") == nil && registry.find(name: "bob") == device)
        registry.remove(device)
        #expect(registry.find(name: "bob") == nil && registry.find(token) == nil)
        #expect(registry.count == 0 && registry.selfRegisteredCount == 0 && registry.evicted == 0)
    }

    @Test("A device for all topics has no first one, and takes each")
    func everyTopic() throws {
        let registry = Registry(hashSeed: 1)
        let topic = try registry.intern("com.example.app")
        let declared = registry.declare(Device(topics: []), try Self.token(Self.plain))
        let device = try #require(declared)
        #expect(registry.topic(of: device) == nil && registry.accepts(topic, device) && registry.accepts(nil, device))
        let own = registry.register(try Self.token(Self.plain + "00"), topic: nil, isSandbox: false)
        #expect(registry.topic(of: own) == nil && !registry.isSandbox(own) && registry.accepts(topic, own))
        // A topic that no device has is none, not even the last that the table can have.
        let last = TopicIndex(rawValue: UInt16(TopicTable.limit - 1))
        let declaredLast = registry.declare(Device(topics: [last]), try Self.token(Self.plain + "01"))
        let ofLast = try #require(declaredLast)
        #expect(registry.accepts(last, ofLast) && !registry.accepts(nil, ofLast))
    }

    @Test(
        "What a registration means at a time",
        arguments: [
            (.registered, 0, .registered),
            (.unregistered(at: Timestamp(milliseconds: 100), acceptFor: 0), 99, .registered),
            (
                .unregistered(at: Timestamp(milliseconds: 100), acceptFor: 0), 100,
                .refused(.unregistered, since: Timestamp(milliseconds: 100))
            ),
            (.unregistered(at: Timestamp(milliseconds: 100), acceptFor: 50), 100, .acceptedThenDiscarded),
            (.unregistered(at: Timestamp(milliseconds: 100), acceptFor: 50), 149, .acceptedThenDiscarded),
            (
                .unregistered(at: Timestamp(milliseconds: 100), acceptFor: 50), 150,
                .refused(.unregistered, since: Timestamp(milliseconds: 100))
            ),
            (.unregistered(at: Timestamp(milliseconds: 100), acceptFor: .max), Int64.max, .acceptedThenDiscarded),
            (.expired(at: Timestamp(milliseconds: 100)), 99, .registered),
            (
                .expired(at: Timestamp(milliseconds: 100)), 100,
                .refused(.expiredToken, since: Timestamp(milliseconds: 100))
            ),
        ] as [(Device.Registration, Int64, Device.RegistrationStatus)])
    func standing(registration: Device.Registration, now: Int64, expected: Device.RegistrationStatus) {
        #expect(registration.status(at: Timestamp(milliseconds: now)) == expected)
    }

    @Test("A rate lets so many through, then none until its time has passed since the first")
    func rate() {
        var rate = PushRate(allowed: 2, per: 1000)
        let taken = [5000, 5999, 5999, 6000, 6000, 6500, 7000].map { rate.admit(at: Timestamp(milliseconds: $0)) }
        #expect(taken == [true, true, false, true, true, false, true])
        // A clock that was set back begins another time.
        var setBack = PushRate(allowed: 1, per: 1000)
        let again = [5000, 4999, 4999, 5998, 5999].map { setBack.admit(at: Timestamp(milliseconds: $0)) }
        #expect(again == [true, true, false, false, true])
        var none = PushRate(allowed: 0, per: 1000)
        let isTaken = none.admit(at: Timestamp(seconds: 0))
        #expect(!isTaken)
    }

    @Test("A push that does not reach its device counts for those that registered themselves, and for no others")
    func notedPushes() throws {
        var registry = DeviceRegistry(hashSeed: 1)
        let tokens = try ["a0", "b0", "c0"].map { try Self.token(String(repeating: $0, count: 32)) }
        let own = tokens.dropLast().map { registry.register($0, topic: nil, isSandbox: true) }
        let declared = registry.declare(Device(topics: []), tokens[2])
        registry.notePush(to: try #require(declared))
        var order = registry.evictionOrder
        #expect(order == own)
        registry.notePush(to: own[0])
        order = registry.evictionOrder
        #expect(order == own.reversed())
    }

    @Test("Declared devices are bounded, whatever registers itself")
    func declaredLimit() throws {
        var registry = DeviceRegistry(hashSeed: 1, declaredLimit: 2)
        let tokens = try (0..<6).map { try Self.token(String(repeating: "a\($0)", count: 32)) }
        for token in tokens.prefix(3) { _ = registry.register(token, topic: nil, isSandbox: true) }
        let declared = tokens.dropFirst(3).map { registry.declare(Device(topics: []), $0) != nil }
        #expect(declared == [true, true, false])
        registry.removeAllDevices(hashSeed: 1)
        let again = tokens.prefix(3).map { registry.declare(Device(topics: []), $0) != nil }
        #expect(again == [true, true, false])
    }

    @Test("Random work on a small registry is as on a dictionary", arguments: 0..<6)
    func model(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let limit = 200
        let registry = Registry(hashSeed: seed, limit: limit)
        let topics = try (0..<5).map { try registry.intern("com.example.app\($0)") }
        struct Known { var received: Int, topic: TopicIndex, holds: Bool, isOwn: Bool }
        var model: [DeviceToken: Known] = [:]
        // Each in the order of its last push.
        var idle: [DeviceToken] = []
        var holding: [DeviceToken] = []
        var evicted = 0
        let tokens = try (0..<600).map { number in
            let digits = String(number, radix: 16)
            let length = 64 + 2 * (number % 3 == 0 ? number % 69 : 0)
            return try Self.token(digits + String(repeating: "0", count: length - digits.count))
        }
        func forget(_ token: DeviceToken) {
            model[token] = nil
            idle.removeAll { $0 == token }
            holding.removeAll { $0 == token }
        }
        for step in 0..<5000 {
            let token = try #require(tokens.randomElement(using: &random))
            let device = registry.find(token)
            #expect((device == nil) == (model[token] == nil))
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                guard let device else { continue }
                registry.remove(device)
                forget(token)
            case 1:
                guard let device, let known = model[token] else { continue }
                let holds = Bool.random(using: &random)
                registry.setHoldsPushes(holds, device)
                if known.isOwn {
                    forget(token)
                    if holds { holding.append(token) } else { idle.append(token) }
                }
                model[token] = known
                model[token]?.holds = holds
            case 2 where device == nil && step % 10 == 0:
                let topic = topics[step % 5]
                let declared = registry.declare(Device(topics: [topic]), token)
                #expect(declared != nil)
                model[token] = Known(received: 0, topic: topic, holds: false, isOwn: false)
            default:
                if device == nil {
                    if idle.count + holding.count == limit {
                        forget(idle.first ?? holding[0])
                        evicted += 1
                    }
                    let topic = topics[step % 5]
                    _ = registry.register(token, topic: topic, isSandbox: true)
                    model[token] = Known(received: 0, topic: topic, holds: false, isOwn: true)
                    idle.append(token)
                }
                registry.countPush(to: try #require(registry.find(token)))
                guard var known = model[token] else { continue }
                known.received += 1
                if known.isOwn {
                    forget(token)
                    if known.holds { holding.append(token) } else { idle.append(token) }
                }
                model[token] = known
            }
            guard step % 500 == 0 || step > 4990 else { continue }
            #expect(registry.count == model.count)
            #expect(registry.selfRegisteredCount == idle.count + holding.count)
            #expect(registry.evicted == evicted)
            #expect(registry.evictionOrder.map { registry.token(of: $0) } == idle + holding)
            for token in tokens {
                guard let known = model[token] else {
                    #expect(registry.find(token) == nil)
                    continue
                }
                let device = try #require(registry.find(token))
                #expect(registry.token(of: device) == token)
                #expect(registry[device].received == known.received && registry.topic(of: device) == known.topic)
            }
            var walked: Set<DeviceToken> = []
            var next = registry.next(after: nil)
            while let device = next {
                walked.insert(registry.token(of: device))
                next = registry.next(after: device)
            }
            #expect(walked == Set(model.keys))
        }
        #expect(evicted > 100)
    }
}

/// A registry behind a reference, because `#expect` copies what it looks at.
private final class Registry {
    private var registry: DeviceRegistry

    init(hashSeed: UInt64, limit: Int = DeviceRegistry.selfRegisteredLimit) {
        registry = DeviceRegistry(hashSeed: hashSeed, limit: limit)
    }

    var count: Int { registry.count }
    var selfRegisteredCount: Int { registry.selfRegisteredCount }
    var evicted: Int { registry.evicted }
    var evictionOrder: [DeviceIndex] { registry.evictionOrder }

    subscript(device: DeviceIndex) -> Device {
        get { registry[device] }
        set { registry[device] = newValue }
    }

    func intern(_ topic: String) throws -> TopicIndex {
        let number = registry.topics.intern(topic)
        return try #require(number)
    }
    func find(_ token: DeviceToken) -> DeviceIndex? { registry.find(token) }
    func find(name: String) -> DeviceIndex? { registry.find(name: name) }
    func register(_ token: DeviceToken, topic: TopicIndex?, isSandbox: Bool) -> DeviceIndex {
        registry.register(token, topic: topic, isSandbox: isSandbox)
    }
    func declare(_ device: Device, _ token: DeviceToken) -> DeviceIndex? { registry.declare(device, token) }
    func remove(_ device: DeviceIndex) { registry.remove(device) }
    func countPush(to device: DeviceIndex) { registry.countPush(to: device) }
    func admitPush(to device: DeviceIndex, at now: Timestamp) -> Bool { registry.admitPush(to: device, at: now) }
    func setHoldsPushes(_ holds: Bool, _ device: DeviceIndex) { registry.setHoldsPushes(holds, device) }
    func accepts(_ topic: TopicIndex?, _ device: DeviceIndex) -> Bool { registry.accepts(topic, device) }
    func topic(of device: DeviceIndex) -> TopicIndex? { registry[device].topics.first }
    func token(of device: DeviceIndex) -> DeviceToken { registry.token(of: device) }
    func hasDefaultState(_ device: DeviceIndex) -> Bool { registry.hasDefaultState(device) }
    func isSandbox(_ device: DeviceIndex) -> Bool { registry.isSandbox(device) }
    func next(after device: DeviceIndex?) -> DeviceIndex? { registry.next(after: device) }
}
