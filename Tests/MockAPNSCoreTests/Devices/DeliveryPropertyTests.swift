import GatewayRigs
import Testing

@testable import MockAPNSCore

/// Random lives of a few devices, of which some things hold whatever happens.
@Suite struct DeliveryPropertyTests {
    /// What happened in a life, as the log tells it.
    struct Life: Equatable {
        var lines: [String] = []
        var records: [String] = []
        var views: [String] = []
    }

    static let names = ["alice", "bob", "carol"]

    static func token(_ number: Int) -> String { String(repeating: "0\(number)", count: 32) }

    @Test(arguments: 0..<60)
    func nothingIsLostOrLate(seed: UInt64) throws {
        let life = try Self.live(seed)
        #expect(try Self.live(seed) == life)
    }

    private static func live(_ seed: UInt64) throws -> Life {
        let devices = names.enumerated().map { number, name in
            #"{"name": "\#(name)", "token": "\#(token(number))", "topics": ["com.example.app", "com.example.other"]}"#
        }
        let timeline = """
            "timeline": [{"at": "40m", "do": {"device": "bob", "online": false}},
              {"at": "50m", "do": [{"advance": "20m"}, {"device": "bob", "online": true}]},
              {"at": "90m", "do": {"device": "carol", "power": "saving"}}],
            """
        var rig = try DeliveryRig(devices.joined(separator: ", "), timeline)
        var random = SeededRandom(seed: seed)
        var accepted: [Int: Timestamp] = [:]
        for _ in 0..<120 {
            // The last token is undeclared and registers itself.
            let device = Int(random.next() % 4)
            switch random.next() % 8 {
            case 0...3:
                var fields: [(String, String)] = []
                if random.next() % 2 == 0 {
                    fields.append(("apns-priority", ["1", "5", "10"][Int(random.next() % 3)]))
                }
                if random.next() % 3 == 0 { fields.append(("apns-collapse-id", "c\(random.next() % 2)")) }
                var expiry = Timestamp(milliseconds: .max)
                if random.next() % 2 == 0 {
                    expiry = Timestamp(seconds: rig.now.seconds + Int64(random.next() % 4000) - 400)
                    fields.append(("apns-expiration", String(expiry.seconds)))
                }
                let topic = device < 3 && random.next() % 3 == 0 ? "com.example.other" : DeliveryRig.topic
                let sequence = rig.send(fields, topic: topic, to: Self.token(device))
                if rig.record(sequence)?.status == 200 { accepted[sequence] = expiry }
            case 4...5:
                guard let index = DeviceToken(hex: token(device)).flatMap({ rig.gateway.devices.find($0) }) else {
                    break
                }
                rig.effects += rig.gateway.change(index, randomChange(&random, at: rig.now), at: rig.now).1
            default: try rig.advance(seconds: Int64(random.next() % 1500))
            }
            try checkStored(rig)
        }
        checkTimes(rig.effects, expiries: accepted)
        try rig.advance(seconds: 30 * 86_400)
        for (sequence, _) in accepted {
            guard let record = rig.record(sequence) else { continue }
            let isFinal = record.delivery?.isFinal ?? false
            #expect(isFinal != (record.replacedBy != nil), "\(sequence): \(String(describing: record.delivery))")
        }
        checkEnds(rig.effects)
        return try life(of: rig)
    }

    private static func randomChange(_ random: inout SeededRandom, at now: Timestamp) -> DeviceChange {
        var change = DeviceChange()
        switch random.next() % 9 {
        case 0...2: change.isOnline = random.next() % 2 == 0
        case 3...5: change.savesPower = random.next() % 2 == 0
        case 6: change.allowsNotifications = random.next() % 3 != 0
        case 7: change.registration = .registered
        default:
            let time = Timestamp(milliseconds: now.milliseconds + Int64(random.next() % 2_000_000))
            change.registration = .unregistered(at: time, acceptFor: Int64(random.next() % 2_000_000))
        }
        return change
    }

    /// Never two stored for one device and topic, and none that has expired.
    private static func checkStored(_ rig: borrowing DeliveryRig) throws {
        let now = rig.now
        for number in 0..<4 {
            guard let index = DeviceToken(hex: token(number)).flatMap({ rig.gateway.devices.find($0) }) else {
                continue
            }
            let stored = rig.gateway.state.mailboxes.stored(for: index)
            #expect(Set(stored.map(\.topic)).count == stored.count)
            #expect(stored.allSatisfy { $0.time > now })
            #expect(stored.map(\.sequence) == stored.map(\.sequence).sorted())
        }
    }

    /// Nothing is delivered from storage after it expired, and effects come in the order of their times.
    private static func checkTimes(_ effects: [GatewayEffect], expiries: [Int: Timestamp]) {
        var last = Timestamp(milliseconds: 0)
        for effect in effects {
            guard let update = effect.update else { continue }
            #expect(update.clock >= last)
            last = update.clock
            guard let expiry = expiries[update.sequence] else { continue }
            if update.change.delivery == .deliveredFromStorage { #expect(update.clock < expiry) }
            if update.change.delivery == .discardedExpired { #expect(update.clock >= expiry) }
        }
    }

    /// A push ends once: by a final state or by being replaced.
    private static func checkEnds(_ effects: [GatewayEffect]) {
        var ended: Set<Int> = []
        for effect in effects {
            guard let update = effect.update else { continue }
            #expect(!ended.contains(update.sequence), "\(update.sequence)")
            if update.change.replacedBy != nil || update.change.delivery?.isFinal == true {
                ended.insert(update.sequence)
            }
        }
    }

    private static func life(of rig: borrowing DeliveryRig) throws -> Life {
        var life = Life(lines: rig.lines)
        for sequence in 1...rig.gateway.log.latestSequence {
            life.records.append(try rig.gateway.log.line(of: sequence))
        }
        for number in 0..<4 {
            guard DeviceToken(hex: token(number)).map({ rig.gateway.devices.find($0) != nil }) == true else { continue }
            var json: [UInt8] = []
            try rig.view(of: token(number)).appendJSON(to: &json)
            life.views.append(String(decoding: json, as: UTF8.self))
        }
        return life
    }
}
